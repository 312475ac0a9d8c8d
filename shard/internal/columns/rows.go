// This file reads columns that have one value per row: long tables, and the ids of documents.

package columns

import (
	"errors"
	"fmt"
	"io"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/reading"
)

// flatColumn reads a column of one value per row through the groups of a part.
type flatColumn struct{ *Column }

// take moves on to the next row. place is that of its value in the run, -1 for a null.
func (c *flatColumn) take() (place int, err error) {
	if c.Pos == c.N {
		if err := c.next(); err != nil {
			return 0, err
		}
		if c.N == 0 {
			return 0, errors.New("the column has fewer rows than the row group")
		}
	}
	c.Pos++
	if c.Def != nil && c.Def[c.Pos-1] < c.Leaf.Most {
		return -1, nil
	}
	c.Value++
	return c.Value - 1, nil
}

// ID implements longtable.Column. The id is valid until the next call.
func (c *flatColumn) ID() (text []byte, number int64, null bool, err error) {
	i, err := c.take()
	if err != nil || i < 0 {
		return nil, 0, i < 0, err
	}
	text, number, err = c.id(i)
	return text, number, false, err
}

// Count implements longtable.Column.
func (c *flatColumn) Count(counter *bag.Counter) (int32, error) {
	i, err := c.take()
	if err != nil {
		return 0, err
	}
	if i < 0 {
		return counter.Nothing()
	}
	return c.count(counter, i)
}

// Name implements longtable.Column.
func (c *flatColumn) Name() string { return c.Leaf.Name }

// longRows is the longtable.Source of a long table: it goes through the rows of the groups of a part.
type longRows struct {
	file    access.Source
	part    groupRun
	decoder Decoder
	columns []*flatColumn // documents, items, and counts if there are some
	counts  longtable.Column
	counter *bag.Counter
	group   int   // that is read; part.to after the last
	inside  bool  // it has been opened
	row     int64 // rows of it that have been begun
}

// openLong opens a part of a long table.
func (part groupRun) openLong(w *access.Watch, file access.Source, decoder Decoder,
	columns [3]*Column) reading.Reader {
	p := &longRows{file: file, part: part, group: part.from, decoder: decoder,
		columns: []*flatColumn{{columns[2]}, {columns[0]}}}
	if columns[1] != nil {
		counts := &flatColumn{columns[1]}
		p.columns, p.counts = append(p.columns, counts), counts
	}
	r := longtable.New(w, part.in, p)
	p.counter = r.Counter()
	return r
}

// Next implements longtable.Source.
func (p *longRows) Next(row *longtable.Row) error {
	row.Place = fault.Error{}
	for p.group < p.part.to {
		plan := &p.part.groups[p.group]
		if !p.inside {
			if err := p.decoder.Begin(p.group); err != nil {
				return err
			}
			for _, c := range p.columns {
				c.begin()
			}
			p.inside, p.row = true, 0
		}
		if p.row < plan.Rows {
			p.row++
			row.Place.Row, row.Place.Group = plan.FirstRow+p.row, plan.Number
			return row.Take(p.counter, p.columns[0], p.columns[1], p.counts)
		}
		for _, c := range p.columns {
			if c.Pos < c.N {
				return fmt.Errorf("column %q has more rows than the %d of row group %d", c.Leaf.Name, plan.Rows, plan.Number)
			}
		}
		p.group++
		p.inside = false
	}
	return io.EOF
}

// Close may be called more than once.
func (p *longRows) Close() error {
	p.decoder.Close()
	return p.file.Close()
}
