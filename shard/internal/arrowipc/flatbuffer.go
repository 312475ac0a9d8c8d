// This file reads FlatBuffers, the encoding of Arrow's metadata, with every access checked. What a malformed buffer
// says beyond its end is read as zero and remembered as an error.

package arrowipc

import (
	"encoding/binary"
	"errors"
)

var errFlat = errors.New("the metadata are malformed")

// flatBuffer is the bytes of a FlatBuffer and whether an access went wrong.
type flatBuffer struct {
	data []byte
	err  error
}

// flatTable is a table in a buffer; the zero table has no fields.
type flatTable struct {
	buffer *flatBuffer
	at     int // of the table
	vtable int
	slots  int // bytes of the vtable
}

// bytes returns n bytes at a place.
func (b *flatBuffer) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at > len(b.data) || n > len(b.data)-at {
		b.err = errFlat
		return make([]byte, min(max(n, 0), 8))
	}
	return b.data[at : at+n]
}

func (b *flatBuffer) uint32(at int) uint32 { return binary.LittleEndian.Uint32(b.bytes(at, 4)) }
func (b *flatBuffer) int64(at int) int64   { return int64(binary.LittleEndian.Uint64(b.bytes(at, 8))) }

// root returns the buffer's table.
func (b *flatBuffer) root() flatTable { return b.table(0) }

// table returns the table that the offset at a place leads to. Offsets lead forward, so no chain of them is endless.
func (b *flatBuffer) table(at int) flatTable {
	offset := b.uint32(at)
	if offset == 0 || int64(offset) > int64(len(b.data)-at) {
		b.err = errFlat
	}
	if b.err != nil {
		return flatTable{buffer: b}
	}
	t := flatTable{buffer: b, at: at + int(offset)}
	t.vtable = t.at - int(int32(b.uint32(t.at)))
	t.slots = int(binary.LittleEndian.Uint16(b.bytes(t.vtable, 2)))
	if t.slots < 4 {
		b.err = errFlat
	}
	b.bytes(t.vtable, t.slots)
	if b.err != nil {
		return flatTable{buffer: b}
	}
	return t
}

// field returns the place of a field, 0 where it is left out.
func (t flatTable) field(i int) int {
	slot := 4 + 2*i
	if slot+2 > t.slots {
		return 0
	}
	offset := binary.LittleEndian.Uint16(t.buffer.bytes(t.vtable+slot, 2))
	if offset == 0 {
		return 0
	}
	return t.at + int(offset)
}

func (t flatTable) uint8(i int) uint8 {
	if at := t.field(i); at > 0 {
		return t.buffer.bytes(at, 1)[0]
	}
	return 0
}

func (t flatTable) int16(i int) int16 {
	if at := t.field(i); at > 0 {
		return int16(binary.LittleEndian.Uint16(t.buffer.bytes(at, 2)))
	}
	return 0
}

func (t flatTable) int32(i int) int32 {
	if at := t.field(i); at > 0 {
		return int32(t.buffer.uint32(at))
	}
	return 0
}

func (t flatTable) int64(i int) int64 {
	if at := t.field(i); at > 0 {
		return t.buffer.int64(at)
	}
	return 0
}

// table returns the table in a field; ok is false without one.
func (t flatTable) table(i int) (inner flatTable, ok bool) {
	at := t.field(i)
	if at == 0 {
		return flatTable{buffer: t.buffer}, false
	}
	inner = t.buffer.table(at)
	return inner, t.buffer.err == nil
}

// vector returns the place of the first element of a vector and the number of elements, each of size bytes.
func (t flatTable) vector(i, size int) (first, n int) {
	at := t.field(i)
	if at == 0 {
		return 0, 0
	}
	offset := t.buffer.uint32(at)
	if int64(offset) > int64(len(t.buffer.data)-at) {
		t.buffer.err = errFlat
		return 0, 0
	}
	at += int(offset)
	length := t.buffer.uint32(at)
	if t.buffer.err != nil || int64(length)*int64(size) > int64(len(t.buffer.data)-at-4) {
		t.buffer.err = errFlat
		return 0, 0
	}
	return at + 4, int(length)
}

// text returns the string in a field.
func (t flatTable) text(i int) string {
	first, n := t.vector(i, 1)
	return string(t.buffer.bytes(first, n))
}
