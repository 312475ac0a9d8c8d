// This file plans the reading of a Parquet file: which bytes hold the items and counts of which rows.

package parquet

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet/metadata"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/reading"
)

// Begins says which of the first bytes of a file show that it is Parquet.
func Begins(head []byte, _ int64) string {
	if bytes.HasPrefix(head, pages.Magic) {
		return "begins with PAR1"
	}
	return ""
}

// filePlan is what readers need to know of a file. It is not changed once made.
type filePlan struct {
	long          bool        // one row per document and item
	document      *pages.Leaf // nil where documents have no ids
	items, counts *pages.Leaf // counts is nil where every occurrence counts 1
	groups        []groupPlan
}

// groupPlan is a row group.
type groupPlan struct {
	number        int   // from 1
	firstRow      int64 // within the file, from 0
	rows          int64
	items, counts pages.Chunk
	document      pages.Chunk // not part of bytes
}

func (g *groupPlan) bytes() int64 { return g.items.End - g.items.Start + g.counts.End - g.counts.Start }

// Parts returns the parts of a Parquet shard.
func Parts(ctx context.Context, in reading.Shard) ([]reading.Part, error) {
	file, footer, err := pages.OpenFooter(ctx, in.Object)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var plan *filePlan
	err = fault.Guard(func() (err error) {
		plan, err = planFile(in, footer, file.Size())
		return err
	})
	if err != nil {
		return nil, fault.InFile(in.Path, err)
	}
	size := func(i int) (bytes, rows int64) { return plan.groups[i].bytes(), plan.groups[i].rows }
	return reading.Divide(len(plan.groups), reading.PartBytes, plan.long, size, func(from, to int) reading.Part {
		run := groupRun{in, plan, from, to}
		return reading.Part{Open: run.open}
	}), nil
}

// groupRun is a run of row groups.
type groupRun struct {
	in       reading.Shard
	plan     *filePlan
	from, to int
}

// open opens the part in the layout of its shard.
func (part groupRun) open(w *access.Watch) (reading.Reader, error) {
	if part.plan.long {
		return part.openLong(w)
	}
	return part.openDocuments(w)
}

func planFile(in reading.Shard, footer *metadata.FileMetaData, size int64) (*filePlan, error) {
	columns, err := findColumns(footer.Schema, in.Columns)
	if err != nil {
		return nil, err
	}
	items, counts := columns.items, columns.counts
	plan := &filePlan{long: columns.long, document: columns.document, items: items, counts: counts}
	if !plan.long && !in.Names {
		plan.document = nil
	}
	row := int64(0)
	for i := range footer.RowGroups {
		place := fault.Error{Path: in.Path, Group: i + 1}
		group := footer.RowGroup(i)
		g := groupPlan{number: i + 1, firstRow: row, rows: group.NumRows()}
		if g.rows < 0 || g.rows > 1<<48-row {
			place.Err = fmt.Errorf("the number of rows %d is impossible", g.rows)
			return nil, &place
		}
		row += g.rows
		if group.NumColumns() != footer.Schema.NumColumns() {
			place.Err = fmt.Errorf("the row group has %d columns, the schema %d", group.NumColumns(), footer.Schema.NumColumns())
			return nil, &place
		}
		for _, column := range []struct {
			list *pages.Leaf
			plan *pages.Chunk
		}{{items, &g.items}, {counts, &g.counts}, {plan.document, &g.document}} {
			if column.list == nil {
				continue
			}
			if *column.plan, err = pages.PlanChunk(group, column.list.Index, column.list.Leaf, size); err != nil {
				place.Column, place.Err = column.list.Name, err
				return nil, &place
			}
		}
		if g.rows > 0 {
			plan.groups = append(plan.groups, g)
		}
	}
	return plan, nil
}
