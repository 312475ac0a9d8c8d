// This file reads FlatBuffers, the encoding of Arrow's metadata. A place beyond the buffer's end panics, which callers
// recover.

package arrowipc

import flatbuffers "github.com/google/flatbuffers/go"

// flatTable is a table in a buffer.
type flatTable struct{ flatbuffers.Table }

// rootOf returns the table of a buffer.
func rootOf(data []byte) flatTable {
	return flatTable{flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}}
}

// slot returns where a vtable has the offset of field i.
func slot(i int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*i) }

func (t *flatTable) uint8(i int) uint8 { return t.GetUint8Slot(slot(i), 0) }
func (t *flatTable) int16(i int) int16 { return t.GetInt16Slot(slot(i), 0) }
func (t *flatTable) int32(i int) int32 { return t.GetInt32Slot(slot(i), 0) }
func (t *flatTable) int64(i int) int64 { return t.GetInt64Slot(slot(i), 0) }

// table returns the table in a field; ok is false without one.
func (t *flatTable) table(i int) (inner flatTable, ok bool) {
	at := t.Offset(slot(i))
	if at == 0 {
		return inner, false
	}
	return t.tableAt(t.Pos + flatbuffers.UOffsetT(at)), true
}

// tableAt returns the table that the offset at a place leads to.
func (t *flatTable) tableAt(at flatbuffers.UOffsetT) flatTable {
	return flatTable{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}
}

// each calls fn with the places of the elements of a vector, each of size bytes.
func (t *flatTable) each(i int, size flatbuffers.UOffsetT, fn func(at flatbuffers.UOffsetT)) {
	if at := flatbuffers.UOffsetT(t.Offset(slot(i))); at != 0 {
		first := t.Vector(at)
		for n := range t.VectorLen(at) {
			fn(first + flatbuffers.UOffsetT(n)*size)
		}
	}
}

// text returns the string in a field.
func (t *flatTable) text(i int) string {
	if at := t.Offset(slot(i)); at != 0 {
		return t.String(t.Pos + flatbuffers.UOffsetT(at))
	}
	return ""
}
