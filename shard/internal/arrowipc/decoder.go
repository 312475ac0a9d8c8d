// This file describes Arrow IPC files and streams, and Feather version 2, to package columns, and goes from one record
// batch to the next.

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
		result := columns.Decoder{Begin: d.begin, Close: d.close}
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

func (d *decoder) close() {
	for _, c := range d.columns {
		c.close()
	}
}
