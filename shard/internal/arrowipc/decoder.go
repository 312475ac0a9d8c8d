// Package arrowipc reads documents from Arrow IPC files and streams and from Feather version 2, with its own code:
// Arrow's record readers do not survive hostile files.
//
// Buffers are read in windows of bounded size, so that memory does not depend on the size of a record batch.
package arrowipc

import (
	"context"
	"fmt"
	"io"

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
