// This file plans the reading of a Parquet file: which bytes hold the items and counts of which rows.

package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

var parquetMagic = []byte("PAR1")

// parquetBegins says what in the first bytes of a file tells Parquet.
func parquetBegins(head []byte, _ int64) string {
	if bytes.HasPrefix(head, parquetMagic) {
		return "begins with PAR1"
	}
	return ""
}

// partBytes is the size from which a run of row groups is worth a part of its own.
const partBytes = 8 << 20

// parquetPlan is what readers need to know of a file. It is not changed once made.
type parquetPlan struct {
	long          bool        // one row per document and item
	document      *listColumn // nil where documents have no ids
	items, counts *listColumn // counts is nil where every occurrence counts 1
	groups        []groupPlan
}

// groupPlan is a row group.
type groupPlan struct {
	number        int   // from 1
	firstRow      int64 // within the file, from 0
	rows          int64
	items, counts chunkPlan
	document      chunkPlan // not part of bytes
}

// chunkPlan is a column of a row group.
type chunkPlan struct {
	start, end int64 // bytes of the file
	values     int64 // number of levels
	codec      compress.Compression
}

func (g *groupPlan) bytes() int64 { return g.items.end - g.items.start + g.counts.end - g.counts.start }

// parquetParts returns the parts of a Parquet shard.
func parquetParts(ctx context.Context, in input) ([]part, error) {
	file, footer, err := openFooter(ctx, in.object)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var plan *parquetPlan
	err = guard(func() (err error) {
		plan, err = planParquet(in, footer, file.Size())
		return err
	})
	if err != nil {
		return nil, fileError(in.path, err)
	}
	var parts []part
	for from := 0; from < len(plan.groups); {
		var p part
		to := from
		for to < len(plan.groups) && (p.Bytes < partBytes || plan.long) {
			p.Bytes += plan.groups[to].bytes()
			p.Rows += plan.groups[to].rows
			to++
		}
		if plan.long {
			p.Rows = -1 // a document has several rows, which may lie in several row groups
		}
		run := parquetPart{in, plan, from, to}
		p.Open, p.Floor = run.open, run.floor
		parts = append(parts, p)
		from = to
	}
	return parts, nil
}

// parquetPart is a run of row groups.
type parquetPart struct {
	in       input
	plan     *parquetPlan
	from, to int
}

// open opens the part in the layout of its shard.
func (part parquetPart) open(w *watch) (Reader, error) {
	if part.plan.long {
		return part.openLong(w)
	}
	r, err := part.openDocuments(w)
	if err == nil && part.plan.document != nil {
		r, err = part.openNamed(w, r)
	}
	return r, err
}

func planParquet(in input, footer *metadata.FileMetaData, size int64) (*parquetPlan, error) {
	columns, err := findColumns(footer.Schema, in.Columns)
	if err != nil {
		return nil, err
	}
	items, counts := columns.items, columns.counts
	plan := &parquetPlan{long: columns.long, document: columns.document, items: items, counts: counts}
	if !plan.long && !in.Names {
		plan.document = nil
	}
	row := int64(0)
	for i := range footer.RowGroups {
		place := Error{Path: in.path, Group: i + 1}
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
			list *listColumn
			plan *chunkPlan
		}{{items, &g.items}, {counts, &g.counts}, {plan.document, &g.document}} {
			if column.list == nil {
				continue
			}
			if *column.plan, err = planChunk(group, column.list.index, column.list.leaf, size); err != nil {
				place.Column, place.Err = column.list.name, err
				return nil, &place
			}
		}
		if g.rows > 0 {
			plan.groups = append(plan.groups, g)
		}
	}
	return plan, nil
}

// planChunk finds a column's bytes in a row group of a file of the given size.
func planChunk(group *metadata.RowGroupMetaData, index int, leaf *schema.Column, size int64) (plan chunkPlan, err error) {
	var chunk *metadata.ColumnChunkMetaData
	err = guard(func() (err error) {
		chunk, err = group.ColumnChunk(index)
		if err != nil {
			return err
		}
		start := chunk.DataPageOffset()
		if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 && chunk.DictionaryPageOffset() < start {
			start = chunk.DictionaryPageOffset()
		}
		plan = chunkPlan{start: start, values: chunk.NumValues(), codec: chunk.Compression()}
		length := chunk.TotalCompressedSize()
		if start < int64(len(parquetMagic)) || length < 0 || start > size || length > size-start {
			return fmt.Errorf("its %d bytes at offset %d are not within the file of %d bytes", length, start, size)
		}
		plan.end = start + length
		return nil
	})
	switch {
	case err != nil:
		return plan, err
	case chunk.CryptoMetadata() != nil:
		return plan, errors.New("the column is encrypted, which is not supported")
	case chunk.FilePath() != "":
		return plan, errors.New("the column stands in another file, which is not supported")
	case chunk.Type() != leaf.PhysicalType():
		return plan, fmt.Errorf("the row group says %v, the schema %v", chunk.Type(), leaf.PhysicalType())
	case plan.values < 0:
		return plan, fmt.Errorf("the number of values %d is impossible", plan.values)
	}
	return plan, checkCodec(plan.codec)
}
