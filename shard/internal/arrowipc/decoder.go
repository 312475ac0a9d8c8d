// Package arrowipc reads documents from Arrow IPC files and streams and from Feather version 2, with its own code:
// Arrow's record readers do not survive hostile files.
//
// Buffers are read in windows of bounded size, so that memory does not depend on the size of a record batch.
package arrowipc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/reading"
)

// Load implements columns.Load.
func Load(ctx context.Context, in reading.Shard, file access.Source) (f *columns.File, err error) {
	defer fault.Catch(&err)
	x := &index{ctx: ctx, file: file, size: file.Size()}
	x.read()
	f = &columns.File{Rows: x.row, Groups: len(x.batches), Enough: reading.PartBytes}
	var leaves []*leaf
	f.Tops, leaves = topsOf(x.schema, in.Columns)
	// Every part loads all dictionaries, so a part should be much larger than they are.
	for _, dictionary := range x.dictionaries {
		f.Enough = max(f.Enough, f.Enough+8*dictionary.bodyLength)
	}
	f.Plan = func([]*columns.Leaf) (groups []columns.Group, err error) {
		for _, b := range x.batches {
			groups = append(groups, columns.Group{FirstRow: b.firstRow, Rows: b.rows, Bytes: b.bodyLength})
		}
		return groups, nil
	}
	f.Decode = func(file access.Source, wanted []*columns.Leaf) columns.Decoder {
		d := &decoder{file: file, index: x}
		result := columns.Decoder{Begin: d.begin, Close: func() {
			for _, c := range d.columns {
				c.close()
			}
		}}
		for _, of := range wanted {
			c := newColumn(leaves[of.Index])
			d.columns, result.Fillers = append(d.columns, c), append(result.Fillers, c)
		}
		return result
	}
	return f, nil
}

// decoder opens the columns in one record batch after the other.
type decoder struct {
	file    io.ReaderAt
	index   *index
	columns []*column
	places  []fieldPlace
	applied int // dictionary messages
}

// begin opens a record batch.
func (d *decoder) begin(number int) error {
	batch := d.index.batches[number]
	return inBatch(batch.number, func() {
		_, _, header := readMessage(d.file, batch.messageBlock)
		body := parseBody(header, d.file, batch.messageBlock)
		d.places = placesOf(d.index.schema, body, d.places)
		d.forward(batch.dictionaries)
		for _, c := range d.columns {
			c.open(body, d.places, batch.rows)
		}
	})
}

// inBatch calls read and returns the error that it throws, with the number of a record batch.
func inBatch(number int, read func()) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("record batch %d: %w", number, err)
		}
	}()
	defer fault.Catch(&err)
	read()
	return nil
}

// fieldPlace is where a field is in a batch.
type fieldPlace struct{ node, buffer, view int }

// placesOf finds where each field is in a batch, by its ordinal.
func placesOf(schema *fileSchema, body *messageBody, places []fieldPlace) []fieldPlace {
	places = append(places[:0], make([]fieldPlace, schema.count)...)
	at := fieldPlace{}
	for _, f := range schema.fields {
		f.place(&at, schema.version, body, places)
	}
	if at.node > len(body.nodes) || at.buffer > len(body.buffers) {
		fault.Throw(errNodes)
	}
	return places
}

// place notes where f is and moves on to the field after it.
func (f *schemaField) place(at *fieldPlace, version int16, body *messageBody, places []fieldPlace) {
	places[f.ordinal] = *at
	at.node++
	if f.dictionary {
		at.buffer += 2
		return
	}
	const version4 = 3
	switch f.typ {
	case typeNull, typeRunEndEncoded:
	case typeUtf8, typeBinary, typeLargeUtf8, typeLargeBinary, typeListView, typeLargeListView:
		at.buffer += 3
	case typeStruct, typeFixedSizeList:
		at.buffer++
	case typeUnion:
		if at.buffer++; f.dense {
			at.buffer++
		}
		if version <= version4 {
			at.buffer++
		}
	case typeUtf8View, typeBinaryView:
		at.buffer += 2
		if at.view < len(body.views) {
			at.buffer += int(min(max(body.views[at.view], 0), 1<<30))
		}
		at.view++
	default:
		at.buffer += 2
	}
	for _, child := range f.children {
		child.place(at, version, body, places)
	}
}

// maxDictionary is the greatest number of bytes of the ids of a dictionary, in memory.
const maxDictionary = 1 << 30

// dictionaryValues is the values that indices refer to: texts, or numbers.
type dictionaryValues struct {
	texts   documents.Dictionary
	numbers []int64
	null    map[int]bool // values that are null
}

func (d *dictionaryValues) len() int {
	if d == nil {
		return 0
	}
	return max(d.texts.Len(), len(d.numbers))
}

// add appends the values of a dictionary batch, which are those of a column of the type of f's values.
func (d *dictionaryValues) add(f *schemaField, body *messageBody, rows int64) {
	plain := *f
	plain.dictionary, plain.ordinal = false, 0
	c := newColumn(&leaf{value: &plain})
	defer c.close()
	if len(body.nodes) == 0 || body.nodes[0].length != rows {
		fault.Throw(errNodes)
	}
	c.open(body, []fieldPlace{{}}, rows)
	for fault.Throw(c.Fill()); c.N > 0; fault.Throw(c.Fill()) {
		value := 0
		for _, level := range c.Def[:c.N] {
			if level == 0 {
				d.null[d.len()] = true
			}
			switch {
			case c.Bytes != nil && level == 0:
				d.texts.Append(nil)
			case c.Bytes != nil:
				d.texts.Append(c.Bytes[value])
			case level == 0:
				d.numbers = append(d.numbers, 0)
			default:
				d.numbers = append(d.numbers, c.Numbers[value])
			}
			value += int(level)
		}
		if len(d.texts.Bytes)+4*len(d.texts.Ends)+8*len(d.numbers) > maxDictionary {
			fault.Throw(fmt.Errorf("a dictionary has more than %d bytes", maxDictionary))
		}
	}
}

// forward applies the dictionary messages that come before a batch.
func (d *decoder) forward(to int) {
	if !slices.ContainsFunc(d.columns, func(c *column) bool { return c.values.field.dictionary }) {
		return
	}
	for ; d.applied < to; d.applied++ {
		block := d.index.dictionaries[d.applied]
		_, kind, header := readMessage(d.file, block)
		batch, ok := header.table(1)
		if kind != headerDictionary || !ok {
			fault.Throw(errors.New("a message is not a dictionary"))
		}
		err := fault.Guard(func() error { d.apply(header.int64(0), header.uint8(2) != 0, batch, block); return nil })
		if err != nil {
			fault.Throw(fmt.Errorf("dictionary: %w", fault.Whole(err)))
		}
	}
}

// apply gives the columns that use the dictionary with an id its values, or further ones.
func (d *decoder) apply(id int64, delta bool, batch flatTable, block messageBlock) {
	for _, c := range d.columns {
		v := &c.values
		if !v.field.dictionary || v.field.id != id {
			continue
		}
		rows := batch.int64(0)
		checkRows(rows, block.bodyLength)
		if !delta || v.dictionary == nil {
			v.dictionary = &dictionaryValues{null: make(map[int]bool)}
		}
		v.dictionary.add(v.field, parseBody(batch, d.file, block), rows)
	}
}
