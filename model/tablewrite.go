// This file writes tables. Of several ranks the first writes, and the others send it the rows that they hold.

package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"reflect"

	"anchorage/internal/collective"
	"anchorage/matrix"
	"anchorage/shard/tablefile"
)

// write writes the table into a directory. All ranks must write the same tables in the same order.
func (t table) write(out *Output) error {
	c, rows := out.ranks, t.values
	if t.items && c.Size() > 1 {
		rows = func(first, last int) ([]any, error) { return t.gathered(out.ctx, c, first, last) }
		for first, step := 0, t.groupRows(); !c.First() && first < t.rows; first += step {
			if _, err := rows(first, min(first+step, t.rows)); err != nil {
				return err
			}
		}
	}
	if !c.First() {
		return context.Cause(out.ctx)
	}
	return out.WriteFile(t.file, func(w io.Writer) error { return t.encode(out.ctx, w, rows, out.wrote) })
}

// encode writes the table as Parquet. It calls wrote, unless that is nil, with the number of rows of every group.
func (t table) encode(ctx context.Context, w io.Writer, rows func(first, last int) ([]any, error),
	wrote func(rows int)) error {
	return tablefile.WriteTable(w, t.fields(), t.rows, t.groupRows(), func(first, last int) ([]any, error) {
		columns, err := rows(first, last)
		if wrote != nil {
			wrote(last - first)
		}
		return columns, cmp.Or(err, ctx.Err())
	})
}

// gathered returns rows first to last−1 on the first rank, to which the others send those that they hold.
func (t table) gathered(ctx context.Context, c *collective.Comm, first, last int) ([]any, error) {
	begin, end := c.Rows(t.rows)
	begin, end = max(begin, first), min(end, last)
	var columns []any
	if begin < end {
		columns, _ = t.values(begin, end)
	}
	parts := make([][]uint8, c.Size())
	if columns != nil && !c.First() {
		var message bytes.Buffer
		if err := gob.NewEncoder(&message).Encode(columns); err != nil {
			return nil, err
		}
		parts[0] = message.Bytes()
	}
	received, err := collective.AllToAll(ctx, c, parts)
	if err != nil || !c.First() {
		return nil, err
	}
	for _, part := range received {
		if len(part) == 0 {
			continue
		}
		var more []any
		if err := gob.NewDecoder(bytes.NewReader(part)).Decode(&more); err != nil {
			return nil, fmt.Errorf("model: rows of a table arrived damaged: %w", err)
		}
		if columns == nil {
			columns = more
			continue
		}
		for i := range columns {
			one := reflect.ValueOf(columns[i])
			columns[i] = reflect.AppendSlice(one.Slice3(0, one.Len(), one.Len()), reflect.ValueOf(more[i])).Interface()
		}
	}
	return columns, nil
}

// writtenCopies is the number of copies of a row group that is being written: the values, the pages, the compressed
// pages.
const writtenCopies = 4

// Bytes returns the memory that a table of n rows of k values takes while it is written.
func (Saving) Bytes(n, k int) int64 {
	return writtenCopies * matrix.Bytes[float64](min(groupRows, n), k)
}
