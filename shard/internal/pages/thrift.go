// This file reads Thrift's compact protocol as far as it is needed to check a Parquet footer before a library allocates
// what it promises, and to read page headers.

package pages

import "errors"

var (
	errThriftShort = errors.New("the metadata end too early")
	errThriftBad   = errors.New("the metadata are malformed")
)

// Types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxThriftDepth is the deepest nesting of structs and lists; Parquet's metadata need 7.
const maxThriftDepth = 32

// thriftReader reads from data, which it does not copy. The first error stays.
type thriftReader struct {
	data []byte
	at   int
	err  error
}

func (t *thriftReader) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// byte1 reads a byte.
func (t *thriftReader) byte1() byte {
	if t.err != nil || t.at >= len(t.data) {
		t.fail(errThriftShort)
		return 0
	}
	t.at++
	return t.data[t.at-1]
}

// unsigned reads a variable-length integer.
func (t *thriftReader) unsigned() uint64 {
	value := uint64(0)
	for shift := 0; shift < 64; shift += 7 {
		b := t.byte1()
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return value
		}
	}
	t.fail(errThriftBad)
	return 0
}

// integer reads a zigzag integer of any width.
func (t *thriftReader) integer() int64 {
	value := t.unsigned()
	return int64(value>>1) ^ -int64(value&1)
}

// length reads the length of something whose members take at least size bytes each.
func (t *thriftReader) length(size int) int {
	value := t.unsigned()
	if t.err == nil && value > uint64(len(t.data)-t.at)/uint64(size) {
		t.fail(errThriftShort)
	}
	if t.err != nil {
		return 0
	}
	return int(value)
}

// fields calls visit for each field of a struct; visit must read the value, of the given type.
func (t *thriftReader) fields(visit func(id int16, kind byte)) {
	id := int16(0)
	for t.err == nil {
		head := t.byte1()
		kind := head & 0xf
		if t.err != nil || kind == 0 {
			return
		}
		if delta := int16(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int16(t.integer())
		}
		visit(id, kind)
	}
}

// listHead reads the type and the length of a list.
func (t *thriftReader) listHead() (kind byte, length int) {
	head := t.byte1()
	kind, length = head&0xf, int(head>>4)
	if length == 15 {
		length = t.length(1)
	}
	if t.err == nil && length > len(t.data)-t.at {
		t.fail(errThriftShort)
	}
	return kind, length
}

// skip reads a value of the given type and forgets it. depth is the number of structs and lists around it.
func (t *thriftReader) skip(kind byte, depth int) {
	if depth > maxThriftDepth {
		t.fail(errThriftBad)
	}
	if t.err != nil {
		return
	}
	switch kind {
	case thriftTrue, thriftFalse: // the type is the value
	case thriftByte:
		t.byte1()
	case thriftI16, thriftI32, thriftI64:
		t.unsigned()
	case thriftDouble:
		t.advance(8)
	case thriftBinary:
		t.advance(t.length(1))
	case thriftList, thriftSet:
		member, length := t.listHead()
		for ; length > 0 && t.err == nil; length-- {
			t.skipMember(member, depth+1)
		}
	case thriftMap:
		t.skipMap(depth)
	case thriftStruct:
		t.fields(func(_ int16, kind byte) { t.skip(kind, depth+1) })
	default:
		t.fail(errThriftBad)
	}
}

// skipMember skips a member of a list or map, where a boolean takes a byte.
func (t *thriftReader) skipMember(kind byte, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skip(kind, depth)
}

func (t *thriftReader) skipMap(depth int) {
	length := t.length(2)
	if length == 0 {
		return
	}
	kinds := t.byte1()
	for ; length > 0 && t.err == nil; length-- {
		t.skipMember(kinds>>4, depth+1)
		t.skipMember(kinds&0xf, depth+1)
	}
}

func (t *thriftReader) advance(n int) {
	if n > len(t.data)-t.at {
		t.fail(errThriftShort)
		return
	}
	t.at += n
}

// i32 reads an integer field if it has the right type and fits.
func (t *thriftReader) i32(kind byte) int32 {
	if kind != thriftI32 {
		t.fail(errThriftBad)
		return 0
	}
	value := t.integer()
	if int64(int32(value)) != value {
		t.fail(errThriftBad)
	}
	return int32(value)
}
