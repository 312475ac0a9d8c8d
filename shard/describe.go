// This file says what a shard holds and how it will be read, without reading its values.

package shard

import (
	"context"
	"errors"

	"anchorage/shard/internal/fault"
	"anchorage/shard/internal/reading"
)

// Description says what a shard holds and how it will be read.
type Description struct {
	Columns []Column `json:"columns,omitempty"` // of Parquet, Arrow and CSV; of JSONL the fields of the first line
	Rows    int64    `json:"rows"`              // -1 where only reading tells
	Groups  int      `json:"groups,omitempty"`  // row groups of Parquet, record batches of Arrow
	Writer  string   `json:"writer,omitempty"`  // what a Parquet file says of the program that wrote it
	Reading string   `json:"reading,omitempty"` // what is taken for documents, items and counts
	Problem string   `json:"problem,omitempty"` // why the shard cannot be read as it is
}

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// Describe returns what is known of the shard before any value is read. What keeps it from being read is the
// description's Problem; the error is ctx's alone.
func (s Shard) Describe(ctx context.Context) (Description, error) {
	d := Description{Rows: -1}
	entry := s.Format.entry()
	if entry == nil {
		return d, nil
	}
	if entry.describe == nil {
		d.Reading = entry.Help
		return d, nil
	}
	var found reading.Description
	err := fault.Guard(func() (err error) {
		found, err = entry.describe(ctx, s.input())
		return err
	})
	d.Rows, d.Groups, d.Writer, d.Reading = found.Rows, found.Groups, found.Writer, found.Reading
	for _, c := range found.Columns {
		d.Columns = append(d.Columns, Column(c))
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return d, err
	}
	if err != nil {
		d.Problem = inFile(s.Path, err).Error()
	}
	return d, nil
}
