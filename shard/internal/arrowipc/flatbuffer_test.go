package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"testing"

	"anchorage/shard/fault"
)

// table is a FlatBuffers table to be written: its fields in order, nil for those left out. Fields are uint8, int16,
// int32, int64, string, table, tables and structs.
type table []any

// tables is a vector of tables.
type tables []table

// structs is a vector of structs without references.
type structs struct {
	size int
	data []byte
}

// flat writes a buffer whose root is the table.
func flat(root table) []byte {
	data := make([]byte, 4)
	at := appendTable(&data, root)
	link(data, 0, at)
	return data
}

// link makes the four bytes at a place lead to another one.
func link(data []byte, at, to int) { binary.LittleEndian.PutUint32(data[at:], uint32(to-at)) }

// appendTable writes a vtable, the table, and what it refers to. It returns where the table begins.
func appendTable(data *[]byte, fields table) int {
	vtable := len(*data)
	slots := 4 + 2*len(fields)
	*data = append(*data, make([]byte, slots)...)
	begin := len(*data)
	binary.LittleEndian.PutUint16((*data)[vtable:], uint16(slots))
	*data = binary.LittleEndian.AppendUint32(*data, uint32(begin-vtable))
	references := make(map[int]any)
	for i, field := range fields {
		if field == nil {
			continue
		}
		binary.LittleEndian.PutUint16((*data)[vtable+4+2*i:], uint16(len(*data)-begin))
		switch value := field.(type) {
		case uint8:
			*data = append(*data, value)
		case int16:
			*data = binary.LittleEndian.AppendUint16(*data, uint16(value))
		case int32:
			*data = binary.LittleEndian.AppendUint32(*data, uint32(value))
		case int64:
			*data = binary.LittleEndian.AppendUint64(*data, uint64(value))
		default:
			references[len(*data)] = value
			*data = append(*data, 0, 0, 0, 0)
		}
	}
	binary.LittleEndian.PutUint16((*data)[vtable+2:], uint16(len(*data)-begin))
	for _, at := range slices.Sorted(maps.Keys(references)) {
		appendReference(data, at, references[at])
	}
	return begin
}

// appendReference writes a string, a table or a vector, and makes the field at a place lead to it.
func appendReference(data *[]byte, at int, value any) {
	switch value := value.(type) {
	case table:
		to := appendTable(data, value)
		link(*data, at, to)
	case string:
		link(*data, at, len(*data))
		*data = append(binary.LittleEndian.AppendUint32(*data, uint32(len(value))), value...)
	case structs:
		link(*data, at, len(*data))
		*data = append(binary.LittleEndian.AppendUint32(*data, uint32(len(value.data)/value.size)), value.data...)
	case tables:
		link(*data, at, len(*data))
		*data = binary.LittleEndian.AppendUint32(*data, uint32(len(value)))
		first := len(*data)
		*data = append(*data, make([]byte, 4*len(value))...)
		for i, element := range value {
			to := appendTable(data, element)
			link(*data, first+4*i, to)
		}
	}
}

// pairsOf returns a vector of structs of two int64.
func pairsOf(values ...int64) structs {
	s := structs{size: 16}
	for _, value := range values {
		s.data = binary.LittleEndian.AppendUint64(s.data, uint64(value))
	}
	return s
}

// TestFlatBuffer reads fields of every kind, and those that are left out.
func TestFlatBuffer(t *testing.T) {
	buffer := &flatBuffer{data: flat(table{uint8(7), nil, int16(-2), int32(-3), int64(-4), "name", table{int32(9)},
		tables{{int32(1)}, {}, {int32(3)}},
		pairsOf(5, 6, 7, 8)})}
	root := buffer.root()
	if root.uint8(0) != 7 || root.uint8(1) != 0 || root.int16(2) != -2 || root.int32(3) != -3 || root.int64(4) != -4 ||
		root.text(5) != "name" {
		t.Errorf("values: %d %d %d %d %q", root.uint8(0), root.int16(2), root.int32(3), root.int64(4), root.text(5))
	}
	if inner, ok := root.table(6); !ok || inner.int32(0) != 9 || inner.int32(1) != 0 || inner.text(5) != "" {
		t.Error("the inner table")
	}
	if _, ok := root.table(1); ok {
		t.Error("a table that is left out is there")
	}
	first, n := root.vector(7, 4)
	var elements []int32
	for i := range n {
		elements = append(elements, buffer.table(first+4*i).int32(0))
	}
	if n != 3 || elements[0] != 1 || elements[1] != 0 || elements[2] != 3 {
		t.Errorf("%d elements: %v", n, elements)
	}
	if first, n := root.vector(8, 16); n != 2 || buffer.int64(first+16) != 7 {
		t.Errorf("%d structs", n)
	}
	if _, n := root.vector(30, 4); n != 0 {
		t.Errorf("%d elements of nothing", n)
	}
	if buffer.err != nil {
		t.Error(buffer.err)
	}
}

// TestFlatBufferDamaged cuts a buffer and changes each of its bytes: reading all of it must end, without a panic.
func TestFlatBufferDamaged(t *testing.T) {
	whole := flat(table{uint8(1), "name", table{tables{{"inner"}}, pairsOf(1, 2)}})
	read := func(data []byte) error {
		return fault.Guard(func() error {
			buffer := &flatBuffer{data: data}
			root := buffer.root()
			root.uint8(0)
			root.text(1)
			inner, _ := root.table(2)
			first, n := inner.vector(0, 4)
			for i := range n {
				buffer.table(first + 4*i).text(0)
			}
			if first, n := inner.vector(1, 16); n > 0 {
				buffer.int64(first)
			}
			return buffer.err
		})
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := read(whole[:cut]); !errors.Is(err, errFlat) {
			t.Errorf("%d of %d bytes: %v", cut, len(whole), err)
		}
	}
	for at := range whole {
		for _, value := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			changed := bytes.Clone(whole)
			changed[at] = value
			if err := read(changed); err != nil && !errors.Is(err, errFlat) {
				t.Errorf("byte %d is %#x: %v", at, value, err)
			}
		}
	}
}
