// This file reads the columns of Parquet files that have one value per row: long tables, and the ids of documents.

package parquet

import (
	"errors"
	"fmt"
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/pages"
	"anchorage/shard/internal/reading"
)

// flatColumn reads a column of one value per row through the row groups of a part.
type flatColumn struct {
	*pages.Column
	chunk func(*groupPlan) pages.Chunk
}

func newFlatColumn(list *pages.Leaf, codec *pages.Decompressor, chunk func(*groupPlan) pages.Chunk) *flatColumn {
	if list == nil {
		return nil
	}
	return &flatColumn{pages.NewColumn(list, codec), chunk}
}

// begin opens the column in a row group.
func (c *flatColumn) begin(file access.Source, group *groupPlan) {
	c.Open(file, c.chunk(group))
	c.Pos, c.Value = 0, 0
}

// next moves on to the next row. place is that of its value in the run, -1 for a null.
func (c *flatColumn) next() (place int, err error) {
	if c.Pos == c.N {
		if err := c.Fill(); err != nil {
			return 0, err
		}
		if c.Pos, c.Value = 0, 0; c.N == 0 {
			return 0, errors.New("the column has fewer rows than the row group")
		}
	}
	c.Pos++
	if c.Def != nil && c.Def[c.Pos-1] < c.Leaf.MaxDefinitionLevel() {
		return -1, nil
	}
	c.Value++
	return c.Value - 1, nil
}

// id returns the next row's id: bytes, or a number where they are nil. It is valid until the next call.
func (c *flatColumn) id() (text []byte, number int64, null bool, err error) {
	i, err := c.next()
	if err != nil || i < 0 {
		return nil, 0, i < 0, err
	}
	text, number, err = c.ID(i)
	return text, number, false, err
}

// groupRows goes through the rows of the row groups of a part.
type groupRows struct {
	file    access.Source
	part    groupRun
	codec   pages.Decompressor
	columns []*flatColumn
	group   int   // that is read; part.to after the last
	inside  bool  // it has been opened
	row     int64 // rows of it that have been begun
}

func (part groupRun) openRows(w *access.Watch) (*groupRows, error) {
	file, err := w.Open(part.in.Object)
	if err != nil {
		return nil, err
	}
	return &groupRows{file: file, part: part, group: part.from}, nil
}

// add returns a reader of a column, nil for none.
func (g *groupRows) add(list *pages.Leaf, chunk func(*groupPlan) pages.Chunk) *flatColumn {
	c := newFlatColumn(list, &g.codec, chunk)
	if c != nil {
		g.columns = append(g.columns, c)
	}
	return c
}

// next moves on to the next row. The error is io.EOF after the last one.
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
			if c.Pos < c.N {
				return fmt.Errorf("column %q has more rows than the %d of row group %d", c.List.Name, plan.rows, plan.number)
			}
		}
		g.group++
		g.inside = false
	}
	return io.EOF
}

// place says where the current row is.
func (g *groupRows) place(column string) fault.Error {
	if g.group >= g.part.to {
		return fault.Error{}
	}
	plan := &g.part.plan.groups[g.group]
	return fault.Error{Row: plan.firstRow + g.row, Group: plan.number, Column: column}
}

// Close may be called more than once.
func (g *groupRows) Close() error {
	g.codec.Close()
	if g.file == nil {
		return nil
	}
	err := g.file.Close()
	g.file = nil
	return err
}

// longRows is the longtable.Source of a long table.
type longRows struct {
	*groupRows
	document, items, counts *flatColumn // counts may be nil
	counter                 *bag.Counter
}

// openLong opens a part of a long table.
func (part groupRun) openLong(w *access.Watch) (reading.Reader, error) {
	rows, err := part.openRows(w)
	if err != nil {
		return nil, err
	}
	p := &longRows{groupRows: rows}
	p.document = rows.add(part.plan.document, func(g *groupPlan) pages.Chunk { return g.document })
	p.items = rows.add(part.plan.items, func(g *groupPlan) pages.Chunk { return g.items })
	p.counts = rows.add(part.plan.counts, func(g *groupPlan) pages.Chunk { return g.counts })
	r := longtable.New(w, part.in, p)
	p.counter = r.Counter()
	return r, nil
}

// Next implements longtable.Source.
func (p *longRows) Next(row *longtable.Row) (err error) {
	row.Count = 1
	row.Place = p.place(p.document.List.Name)
	if err := p.groupRows.next(); err != nil {
		return err
	}
	// All columns move on to the next row, whatever is wrong with it, so that it can be left out.
	places := [3]int{2: -1}
	for i, c := range []*flatColumn{p.document, p.items, p.counts} {
		if c == nil {
			continue
		}
		row.Place = p.place(c.List.Name)
		if places[i], err = c.next(); err != nil {
			return err
		}
	}
	row.Place = p.place(p.document.List.Name)
	if places[0] < 0 {
		return bag.ErrNullDocument
	}
	if row.Document, row.DocumentNumber, err = p.document.ID(places[0]); err != nil {
		return err
	}
	row.Place.Column = p.items.List.Name
	if places[1] < 0 {
		return bag.ErrNullItem
	}
	if row.Item, row.ItemNumber, err = p.items.ID(places[1]); err != nil {
		return err
	}
	if p.counts != nil {
		row.Place.Column = p.counts.List.Name
		if err := p.count(row, places[2]); err != nil {
			return err
		}
	}
	row.Place.Column = ""
	return nil
}

// count sets the count of a row to that of a value of the run, which is missing below 0.
func (p *longRows) count(row *longtable.Row, value int) (err error) {
	if value < 0 {
		row.Count, err = p.counter.Nothing()
	} else {
		row.Count, err = p.counts.Count(p.counter, value)
	}
	return err
}

// namedReader adds the names of the documents to the batches of a Parquet reader.
type namedReader struct {
	reading.Reader
	path  string
	rows  *groupRows
	names *flatColumn
}

// openNamed adds the names of the documents to what inner reads.
func (part groupRun) openNamed(w *access.Watch, inner reading.Reader) (reading.Reader, error) {
	rows, err := part.openRows(w)
	if err != nil {
		inner.Close()
		return nil, err
	}
	r := &namedReader{Reader: inner, path: part.in.Path, rows: rows}
	r.names = rows.add(part.plan.document, func(g *groupPlan) pages.Chunk { return g.document })
	return r, nil
}

// Next implements Reader.
func (r *namedReader) Next(batch *documents.Batch) error {
	if err := r.Reader.Next(batch); err != nil {
		return err
	}
	batch.Names.Reset()
	err := fault.Guard(func() error {
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
			if len(text) > bag.MaxItemBytes {
				return fmt.Errorf("the name of a document has %d bytes; at most %d are possible", len(text), bag.MaxItemBytes)
			}
			batch.Names.Append(longtable.IDText(text, number))
		}
		return nil
	})
	if err != nil {
		place := r.rows.place(r.names.List.Name)
		place.Path, place.Err = r.path, err
		return &place
	}
	return nil
}

// Close implements Reader.
func (r *namedReader) Close() error { return errors.Join(r.Reader.Close(), r.rows.Close()) }
