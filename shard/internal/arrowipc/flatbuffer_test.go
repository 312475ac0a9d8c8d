package arrowipc

import (
	"encoding/binary"
	"maps"
	"slices"
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
