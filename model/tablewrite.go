// This file writes tables with several goroutines, which encode a row group each, and over several ranks: each encodes
// the row groups whose rows it holds, and rank 0 puts the file together. The bytes are those that one goroutine writes.

package model

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"path/filepath"
	"reflect"

	"anchorage/internal/collective"
	"anchorage/internal/durable"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/shard/tablefile"
)

// write writes the table into a directory. All ranks must write the same tables in the same order.
func (t table) write(out *Output) error {
	c := out.ranks
	if c.Size() == 1 {
		return out.WriteFile(t.file, func(w io.Writer) error { return t.encode(out.ctx, w, out.workers, out.wrote) })
	}
	if t.items {
		return t.reported(out, c, t.writeTogether(out, c))
	}
	if !c.First() {
		return context.Cause(out.ctx)
	}
	return t.reported(out, c, out.WriteFile(t.file, func(w io.Writer) error { return t.encode(out.ctx, w, 1, nil) }))
}

// reported says, on the first of several ranks, that the whole table was written, unless err says that it was not. It
// returns err.
func (t table) reported(out *Output, c *collective.Comm, err error) error {
	if err == nil && c.First() && out.wrote != nil {
		out.wrote(t.rows)
	}
	return err
}

// writingWorkers bounds the goroutines that encode row groups: each has one in memory, in up to writtenCopies.
const writingWorkers = 2

// writingSlots returns how many row groups of a table are in memory at once.
func writingSlots(workers int) int { return min(kernel.Workers(workers), writingWorkers) + 1 }

// encode writes the table as Parquet, with up to the given number of goroutines. It calls wrote, unless that is nil,
// with the number of rows of every group.
func (t table) encode(ctx context.Context, w io.Writer, workers int, wrote func(rows int)) error {
	slots, fields := writingSlots(workers), t.fields()
	values, encoded := make([][]any, slots), make([][]byte, slots)
	assembler, err := tablefile.NewAssembler(w, fields)
	if err != nil {
		return err
	}
	err = kernel.Ordered(ctx, slots-1, t.groups(), slots,
		func(g, slot int) error {
			values[slot] = t.values(t.group(g))
			return nil
		},
		func(_, slot int) (err error) {
			encoded[slot], err = tablefile.Encode(fields, values[slot]...)
			values[slot] = nil
			return err
		},
		func(g, slot int) error {
			err := assembler.Append(encoded[slot])
			encoded[slot] = nil
			if first, last := t.group(g); err == nil && wrote != nil {
				wrote(last - first)
			}
			return err
		})
	if err != nil {
		return err
	}
	return assembler.Close()
}

// writeTogether writes a table with a row per item. A row group is encoded by the rank that holds its first row; ranks
// send the rows that they have of a group that begins on another to that. Encoded groups go to working files, and from
// there to rank 0 in their order.
func (t table) writeTogether(out *Output, c *collective.Comm) error {
	groups, err := t.ownGroups(out.ctx, c)
	if err != nil {
		return err
	}
	if !c.First() {
		return groups.send(out, c)
	}
	return out.WriteFile(t.file, func(w io.Writer) error {
		assembler, err := tablefile.NewAssembler(w, t.fields())
		if err != nil {
			return err
		}
		if err := groups.each(assembler.Append); err != nil {
			return err
		}
		sizes, err := collective.AllGather(out.ctx, c, []int64(nil))
		if err != nil {
			return err
		}
		for r, sizes := range sizes {
			for _, size := range sizes {
				encoded := make([]byte, size)
				if err := collective.Move(out.ctx, c, r, 0, encoded); err != nil {
					return err
				}
				if err := assembler.Append(encoded); err != nil {
					return err
				}
			}
		}
		return assembler.Close()
	})
}

// ownGroups are the row groups of a table that a rank encodes.
type ownGroups struct {
	table       table
	first, last int   // the rows of which it holds those of the groups
	foreign     []any // the rows of the last group that other ranks hold: one slice per column; nil if it holds all itself
}

// ownGroups gives rows of groups that begin on other ranks to these, and takes those of its last group.
func (t table) ownGroups(ctx context.Context, c *collective.Comm) (*ownGroups, error) {
	first, last := c.Rows(t.rows)
	step := t.groupRows()
	begin := min((first+step-1)/step*step, last) // of the first group that begins here
	parts := make([][]uint8, c.Size())
	if first < begin {
		var message bytes.Buffer
		if err := gob.NewEncoder(&message).Encode(t.values(first, begin)); err != nil {
			return nil, err
		}
		parts[c.Owner(t.rows, first/step*step)] = message.Bytes()
	}
	received, err := collective.AllToAll(ctx, c, parts)
	if err != nil {
		return nil, err
	}
	g := &ownGroups{table: t, first: begin, last: last}
	for r, part := range received {
		if r == c.Rank() || len(part) == 0 {
			continue
		}
		var columns []any
		if err := gob.NewDecoder(bytes.NewReader(part)).Decode(&columns); err != nil {
			return nil, fmt.Errorf("model: rows of a table arrived damaged: %w", err)
		}
		g.foreign = joined(g.foreign, columns)
	}
	return g, nil
}

// each calls fn with every row group, encoded.
func (g *ownGroups) each(fn func(encoded []byte) error) error {
	step := g.table.groupRows()
	for first := g.first; first < g.last; first += step {
		columns := g.table.values(first, min(first+step, g.last))
		if first+step > g.last {
			columns = joined(columns, g.foreign)
		}
		encoded, err := tablefile.Encode(g.table.fields(), columns...)
		if err != nil {
			return err
		}
		if err := fn(encoded); err != nil {
			return err
		}
	}
	return nil
}

// joined returns columns with those of later rows after them. Either may be nil.
func joined(columns, later []any) []any {
	if columns == nil || later == nil {
		return append(columns, later...)
	}
	for i := range columns {
		one := reflect.ValueOf(columns[i])
		columns[i] = reflect.AppendSlice(one.Slice3(0, one.Len(), one.Len()), reflect.ValueOf(later[i])).Interface()
	}
	return columns
}

// send encodes the groups into a working file, and sends them to rank 0.
func (g *ownGroups) send(out *Output, c *collective.Comm) error {
	scratch, err := out.Scratch()
	if err != nil {
		return err
	}
	file, err := durable.CreateWork(filepath.Join(scratch, g.table.file))
	if err != nil {
		return err
	}
	defer file.Close()
	var sizes []int64
	if err := g.each(func(encoded []byte) error {
		sizes = append(sizes, int64(len(encoded)))
		_, err := file.Write(encoded)
		return err
	}); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := collective.AllGather(out.ctx, c, sizes); err != nil {
		return err
	}
	for _, size := range sizes {
		encoded := make([]byte, size)
		if _, err := io.ReadFull(file, encoded); err != nil {
			return err
		}
		if err := collective.Move(out.ctx, c, c.Rank(), 0, encoded); err != nil {
			return err
		}
	}
	return durable.Remove(file.Name())
}

// writtenCopies is the number of copies of a row group that is being written: the values, the pages, the compressed
// pages.
const writtenCopies = 4

// Bytes returns the memory that a table of n rows of k values takes while it is written: each worker has a row group,
// and one more waits.
func (how Saving) Bytes(n, k int) int64 {
	groups := min(writingSlots(how.Workers), (n+groupRows-1)/groupRows)
	return int64(groups) * writtenCopies * matrix.Bytes[float64](min(groupRows, n), k)
}
