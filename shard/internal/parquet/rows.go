// This file reads the columns of Parquet files that have one value per row: long tables, and the ids of documents.

package parquet

import (
	"errors"
	"fmt"
	"io"

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

// ID implements longtable.Column. The id is valid until the next call.
func (c *flatColumn) ID() (text []byte, number int64, null bool, err error) {
	i, err := c.next()
	if err != nil || i < 0 {
		return nil, 0, i < 0, err
	}
	text, number, err = c.Column.ID(i)
	return text, number, false, err
}

// Count implements longtable.Column.
func (c *flatColumn) Count(counter *bag.Counter) (int32, error) {
	i, err := c.next()
	if err != nil {
		return 0, err
	}
	if i < 0 {
		return counter.Nothing()
	}
	return c.Column.Count(counter, i)
}

// Name implements longtable.Column.
func (c *flatColumn) Name() string { return c.List.Name }

// longRows is the longtable.Source of a long table: it goes through the rows of the row groups of a part.
type longRows struct {
	file    access.Source
	part    groupRun
	codec   pages.Decompressor
	columns []*flatColumn // documents, items, and counts if there are some
	counts  longtable.Column
	counter *bag.Counter
	group   int   // that is read; part.to after the last
	inside  bool  // it has been opened
	row     int64 // rows of it that have been begun
}

// openLong opens a part of a long table.
func (part groupRun) openLong(w *access.Watch) (reading.Reader, error) {
	file, err := w.Open(part.in.Object)
	if err != nil {
		return nil, err
	}
	p := &longRows{file: file, part: part, group: part.from}
	p.columns = []*flatColumn{
		{pages.NewColumn(part.plan.document, &p.codec), func(g *groupPlan) pages.Chunk { return g.document }},
		{pages.NewColumn(part.plan.items, &p.codec), func(g *groupPlan) pages.Chunk { return g.items }}}
	if part.plan.counts != nil {
		counts := &flatColumn{pages.NewColumn(part.plan.counts, &p.codec), func(g *groupPlan) pages.Chunk { return g.counts }}
		p.columns, p.counts = append(p.columns, counts), counts
	}
	r := longtable.New(w, part.in, p)
	p.counter = r.Counter()
	return r, nil
}

// Next implements longtable.Source.
func (p *longRows) Next(row *longtable.Row) error {
	row.Place = fault.Error{}
	for p.group < p.part.to {
		plan := &p.part.plan.groups[p.group]
		if !p.inside {
			for _, c := range p.columns {
				c.begin(p.file, plan)
			}
			p.inside, p.row = true, 0
		}
		if p.row < plan.rows {
			p.row++
			row.Place.Row, row.Place.Group = plan.firstRow+p.row, plan.number
			return row.Take(p.counter, p.columns[0], p.columns[1], p.counts)
		}
		for _, c := range p.columns {
			if c.Pos < c.N {
				return fmt.Errorf("column %q has more rows than the %d of row group %d", c.List.Name, plan.rows, plan.number)
			}
		}
		p.group++
		p.inside = false
	}
	return io.EOF
}

// Close may be called more than once.
func (p *longRows) Close() error {
	p.codec.Close()
	return p.file.Close()
}
