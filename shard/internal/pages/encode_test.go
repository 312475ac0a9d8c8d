// This file encodes pages in the plainest way, as twins of the decoders.

package pages

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// Types of Thrift's compact protocol, as it writes them.
const (
	thriftFalse  = 2
	thriftI32    = 5
	thriftList   = 9
	thriftStruct = 12
)

// thriftWriter writes Thrift's compact protocol.
type thriftWriter struct {
	data []byte
	last []int16 // id of the last field, of each struct that is open
}

func newThrift() *thriftWriter { return &thriftWriter{last: []int16{0}} }

// field writes the head of a field.
func (w *thriftWriter) field(id int16, kind byte) *thriftWriter {
	last := &w.last[len(w.last)-1]
	if step := id - *last; step > 0 && step < 16 {
		w.data = append(w.data, byte(step)<<4|kind)
	} else {
		w.data = binary.AppendVarint(append(w.data, kind), int64(id))
	}
	*last = id
	return w
}

func (w *thriftWriter) i32(id int16, value int) *thriftWriter {
	w.field(id, thriftI32).data = binary.AppendVarint(w.data, int64(value))
	return w
}

func (w *thriftWriter) begin(id int16) *thriftWriter {
	w.field(id, thriftStruct).last = append(w.last, 0)
	return w
}

func (w *thriftWriter) end() *thriftWriter {
	w.data = append(w.data, 0)
	w.last = w.last[:len(w.last)-1]
	return w
}

// runLengths encodes numbers as runs of equal ones.
func runLengths[T int16 | uint32](values []T, width int) (data []byte) {
	for len(values) > 0 {
		n := 1
		for n < len(values) && values[n] == values[0] {
			n++
		}
		data = binary.AppendUvarint(data, uint64(n)<<1)
		for i := range (width + 7) / 8 {
			data = append(data, byte(uint32(values[0])>>(8*i)))
		}
		values = values[n:]
	}
	return data
}

// packed encodes numbers as one bit-packed run, padded to a multiple of eight.
func packed[T int16 | uint32](values []T, width int) []byte {
	if len(values) == 0 {
		return nil
	}
	groups := (len(values) + 7) / 8
	data := binary.AppendUvarint(nil, uint64(groups)<<1|1)
	bytes := make([]byte, groups*width)
	for i, value := range values {
		for b := range width {
			at := i*width + b
			bytes[at/8] |= byte(uint32(value)>>b&1) << (at % 8)
		}
	}
	return append(data, bytes...)
}

// mixed encodes numbers in turn as runs of equal ones and as packed ones.
func mixed[T int16 | uint32](values []T, width int) (data []byte) {
	for turn := 0; len(values) > 0; turn++ {
		n := min(len(values), 8*(1+turn%5))
		if turn%2 == 0 {
			data = append(data, packed(values[:n], width)...)
		} else {
			data = append(data, runLengths(values[:n], width)...)
		}
		values = values[n:]
	}
	return data
}

// deltas encodes integers as packed differences in blocks of 128 with 4 miniblocks.
func deltas(values []int64) []byte {
	const block, minis = 128, 4
	data := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, block), minis), uint64(len(values)))
	if len(values) == 0 {
		return binary.AppendVarint(data, 0)
	}
	data = binary.AppendVarint(data, values[0])
	for at := 1; at < len(values); at += block {
		var steps []int64
		for i := at; i < min(at+block, len(values)); i++ {
			steps = append(steps, values[i]-values[i-1])
		}
		least := slices.Min(steps)
		data = binary.AppendVarint(data, least)
		var widths, bodies []byte
		for mini := 0; mini < block; mini += block / minis {
			width, body := packMini(steps[min(mini, len(steps)):min(mini+block/minis, len(steps))], least)
			widths, bodies = append(widths, byte(width)), append(bodies, body...)
		}
		data = append(append(data, widths...), bodies...)
	}
	return data
}

// packMini packs a miniblock of 32 steps, or fewer at the end.
func packMini(steps []int64, least int64) (width int, body []byte) {
	for _, step := range steps {
		width = max(width, bits.Len64(uint64(step-least)))
	}
	if len(steps) == 0 {
		return 0, nil
	}
	body = make([]byte, 32/8*width)
	for i, step := range steps {
		for b := range width {
			at := i*width + b
			body[at/8] |= byte(uint64(step-least)>>b&1) << (at % 8)
		}
	}
	return width, body
}

// page is a data page to be encoded.
type page struct {
	version    int // 1 or 2
	encoding   parquet.Encoding
	defs, reps []int16 // nil where the column has none
	levels     int
	maxDef     int16
	values     []byte
}

// bytes returns the page with its header. change may spoil the header's numbers: kind, uncompressed and compressed
// size.
func (p page) bytes() []byte {
	var body []byte
	var reps, defs []byte
	if p.reps != nil {
		reps = mixed(p.reps, 1)
	}
	if p.defs != nil {
		defs = mixed(p.defs, bits.Len16(uint16(p.maxDef)))
	}
	if p.version == 1 {
		for _, levels := range [][]byte{reps, defs} {
			if levels != nil {
				body = append(binary.LittleEndian.AppendUint32(body, uint32(len(levels))), levels...)
			}
		}
		body = append(body, p.values...)
		w := newThrift().i32(1, pageData).i32(2, len(body)).i32(3, len(body)).begin(5)
		w.i32(1, p.levels).i32(2, int(p.encoding)).i32(3, int(parquet.Encodings.RLE)).i32(4, int(parquet.Encodings.RLE)).end()
		return append(append(w.data, 0), body...)
	}
	body = slices.Concat(reps, defs, p.values)
	w := newThrift().i32(1, pageDataV2).i32(2, len(body)).i32(3, len(body)).begin(8)
	w.i32(1, p.levels).i32(2, 0).i32(3, 0).i32(4, int(p.encoding)).i32(5, len(defs)).i32(6, len(reps)).field(7,
		thriftFalse).end()
	return append(append(w.data, 0), body...)
}

// dictionaryPage returns a dictionary page of plain values.
func dictionaryPage(values int, body []byte) []byte {
	w := newThrift().i32(1, pageDictionary).i32(2, len(body)).i32(3, len(body)).begin(7)
	w.i32(1, values).i32(2, int(parquet.Encodings.Plain)).end()
	return append(append(w.data, 0), body...)
}

// leafOf returns a column of the given type: a value per row, or, of lists, optional ones of optional elements.
func leafOf(physical parquet.Type, optional, list bool) *schema.Column {
	reps := parquet.Repetitions
	rep := reps.Required
	if optional || list {
		rep = reps.Optional
	}
	var node schema.Node = schema.MustPrimitive(schema.NewPrimitiveNode("element", rep, physical, -1, -1))
	if list {
		group := schema.MustGroup(schema.NewGroupNode("list", reps.Repeated, schema.FieldList{node}, -1))
		node = schema.MustGroup(schema.NewGroupNode("column", reps.Optional, schema.FieldList{group}, -1))
	}
	return schema.NewSchema(schema.MustGroup(schema.NewGroupNode("schema", reps.Required, schema.FieldList{node},
		-1))).Column(0)
}
