// This file describes Arrow IPC files and streams, and Feather version 2, to package columns, and goes from one record
// batch to the next.

package arrowipc

import (
	"context"
	"fmt"
	"io"

	"anchorage/shard/internal/access"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/reading"
)

// Load implements columns.Load.
func Load(ctx context.Context, in reading.Shard, file access.Source) (*columns.File, error) {
	x := &index{ctx: ctx, file: file, size: file.Size()}
	if err := x.read(); err != nil {
		return nil, err
	}
	f := &columns.File{Rows: x.row, Groups: len(x.batches), Enough: reading.PartBytes}
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
	if err := d.open(batch); err != nil {
		return fmt.Errorf("record batch %d: %w", batch.number, err)
	}
	return nil
}

func (d *decoder) open(batch recordBatch) error {
	_, _, header, err := readMessage(d.file, batch.messageBlock)
	if err != nil {
		return err
	}
	body, err := parseBody(header, d.file, batch.messageBlock)
	if err != nil {
		return err
	}
	if d.places, err = placesOf(d.index.schema, body, d.places); err != nil {
		return err
	}
	if err := d.forward(batch.dictionaries); err != nil {
		return err
	}
	for _, c := range d.columns {
		if err := c.open(body, d.places, batch.rows); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) close() {
	for _, c := range d.columns {
		c.close()
	}
}
