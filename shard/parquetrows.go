// This file reads the columns of Parquet files that have one value per row: long tables, and the ids of documents.

package shard

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// flatColumn reads a column of one value per row through the row groups of a part.
type flatColumn struct {
	column
	chunk func(*groupPlan) chunkPlan
}

func newFlatColumn(list *listColumn, codec *decompressor, chunk func(*groupPlan) chunkPlan) *flatColumn {
	if list == nil {
		return nil
	}
	return &flatColumn{column{chunkReader: newChunkReader(list.leaf, codec), list: list}, chunk}
}

// begin opens the column in a row group.
func (c *flatColumn) begin(file source, group *groupPlan) {
	c.open(file, c.chunk(group))
	c.pos, c.value = 0, 0
}

// next goes on to the next row. place is that of its value in the run, -1 for a null.
func (c *flatColumn) next() (place int, err error) {
	if c.pos == c.n {
		if err := c.fill(); err != nil {
			return 0, err
		}
		if c.pos, c.value = 0, 0; c.n == 0 {
			return 0, errors.New("the column has fewer rows than the row group")
		}
	}
	c.pos++
	if c.def != nil && c.def[c.pos-1] < c.leaf.MaxDefinitionLevel() {
		return -1, nil
	}
	c.value++
	return c.value - 1, nil
}

// id returns the next row's id: bytes, or a number where they are nil. It is valid until the next call.
func (c *flatColumn) id() (text []byte, number int64, null bool, err error) {
	i, err := c.next()
	if err != nil || i < 0 {
		return nil, 0, i < 0, err
	}
	unsigned := c.list.kind == kindUint
	switch {
	case c.bytes != nil:
		if text = c.bytes[i]; text == nil {
			text = []byte{}
		}
		return text, 0, false, nil
	case c.ints32 != nil && unsigned:
		return nil, int64(uint32(c.ints32[i])), false, nil
	case c.ints32 != nil:
		return nil, int64(c.ints32[i]), false, nil
	case unsigned && c.ints64[i] < 0:
		return nil, 0, false, fmt.Errorf("id %d is greater than %d", uint64(c.ints64[i]), int64(math.MaxInt64))
	}
	return nil, c.ints64[i], false, nil
}

// groupRows goes through the rows of the row groups of a part.
type groupRows struct {
	file    source
	part    parquetPart
	codec   decompressor
	columns []*flatColumn
	group   int   // that is read; part.to after the last
	inside  bool  // it has been opened
	row     int64 // rows of it that have been begun
}

func (part parquetPart) openRows(w *watch) (*groupRows, error) {
	file, err := w.open(part.in.object)
	if err != nil {
		return nil, err
	}
	return &groupRows{file: file, part: part, group: part.from}, nil
}

// add returns a reader of a column, nil for none.
func (g *groupRows) add(list *listColumn, chunk func(*groupPlan) chunkPlan) *flatColumn {
	c := newFlatColumn(list, &g.codec, chunk)
	if c != nil {
		g.columns = append(g.columns, c)
	}
	return c
}

// next goes on to the next row. The error is io.EOF after the last one.
func (g *groupRows) next() error {
	for g.group < g.part.to {
		plan := &g.part.plan.groups[g.group]
		if !g.inside {
			for _, c := range g.columns {
				c.begin(g.file, plan)
			}
			g.inside, g.row = true, 0
		}
		if g.row < plan.rows {
			g.row++
			return nil
		}
		for _, c := range g.columns {
			if c.pos < c.n {
				return fmt.Errorf("column %q has more rows than the %d of row group %d", c.list.name, plan.rows, plan.number)
			}
		}
		g.group++
		g.inside = false
	}
	return io.EOF
}

// place says where the current row stands.
func (g *groupRows) place(column string) Error {
	if g.group >= g.part.to {
		return Error{}
	}
	plan := &g.part.plan.groups[g.group]
	return Error{Row: plan.firstRow + g.row, Group: plan.number, Column: column}
}

// close may be called more than once.
func (g *groupRows) close() error {
	g.codec.close()
	if g.file == nil {
		return nil
	}
	err := g.file.Close()
	g.file = nil
	return err
}

// parquetRows is the rowSource of a long table.
type parquetRows struct {
	*groupRows
	document, items, counts *flatColumn // counts may be nil
}

// openLong opens a part of a long table.
func (part parquetPart) openLong(w *watch) (Reader, error) {
	rows, err := part.openRows(w)
	if err != nil {
		return nil, err
	}
	p := &parquetRows{groupRows: rows}
	p.document = rows.add(part.plan.document, func(g *groupPlan) chunkPlan { return g.document })
	p.items = rows.add(part.plan.items, func(g *groupPlan) chunkPlan { return g.items })
	p.counts = rows.add(part.plan.counts, func(g *groupPlan) chunkPlan { return g.counts })
	return newLongReader(w, part.in, p), nil
}

// next implements rowSource.
func (p *parquetRows) next(row *longRow) (err error) {
	row.place = p.place(p.document.list.name)
	if err := p.groupRows.next(); err != nil {
		return err
	}
	row.place = p.place(p.document.list.name)
	var null bool
	if row.document, row.documentNumber, null, err = p.document.id(); err != nil {
		return err
	} else if null {
		return errNullDocument
	}
	row.place.Column = p.items.list.name
	if row.item, row.itemNumber, null, err = p.items.id(); err != nil {
		return err
	} else if null {
		return errNullItem
	}
	row.count = 1
	if p.counts != nil {
		row.place.Column = p.counts.list.name
		i, err := p.counts.next()
		if err != nil {
			return err
		}
		if i < 0 {
			return errNullCount
		}
		if row.count, err = p.counts.count(i); err != nil {
			return err
		}
		if row.count < 1 || row.count > MaxCount {
			return checkCount(row.count)
		}
	}
	row.place.Column = ""
	return nil
}

// namedReader adds the names of the documents to the batches of a Parquet reader.
type namedReader struct {
	Reader
	path  string
	rows  *groupRows
	names *flatColumn
}

// openNamed adds the names of the documents to what inner reads.
func (part parquetPart) openNamed(w *watch, inner Reader) (Reader, error) {
	rows, err := part.openRows(w)
	if err != nil {
		inner.Close()
		return nil, err
	}
	r := &namedReader{Reader: inner, path: part.in.path, rows: rows}
	r.names = rows.add(part.plan.document, func(g *groupPlan) chunkPlan { return g.document })
	return r, nil
}

// Next implements Reader.
func (r *namedReader) Next(batch *Batch) error {
	if err := r.Reader.Next(batch); err != nil {
		return err
	}
	batch.Names.Reset()
	err := guard(func() error {
		for range batch.Documents() {
			if err := r.rows.next(); err != nil {
				return err
			}
			text, number, null, err := r.names.id()
			if err != nil {
				return err
			}
			if null {
				text = []byte{}
			}
			if len(text) > maxItemBytes {
				return fmt.Errorf("the name of a document has %d bytes; at most %d are possible", len(text), maxItemBytes)
			}
			batch.Names.Append(idText(text, number))
		}
		return nil
	})
	if err != nil {
		place := r.rows.place(r.names.list.name)
		place.Path, place.Err = r.path, err
		return &place
	}
	return nil
}

// Close implements Reader.
func (r *namedReader) Close() error { return errors.Join(r.Reader.Close(), r.rows.close()) }
