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
	"anchorage/shard/internal/text"
)

// take moves on to the next row of a column of one value per row. place is that of its value in the run, -1 for a null.
func (c *Column) take() (place int, err error) {
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

// ID takes the next value as an id: bytes, or a number where they are nil. null says that it is missing. The id is
// valid until the next call.
func (c *Column) ID() (text []byte, number int64, null bool, err error) {
	i, err := c.take()
	if err != nil || i < 0 {
		return nil, 0, i < 0, err
	}
	text, number, err = c.id(i)
	return text, number, false, err
}

// Count takes the next value as a count, 0 if the counter leaves it out.
func (c *Column) Count(counter *bag.Counter) (int32, error) {
	i, err := c.take()
	if err != nil {
		return 0, err
	}
	if i < 0 {
		return counter.Nothing()
	}
	return c.count(counter, i)
}

// walk goes through the rows of the groups of a part.
type walk struct {
	file    access.Source
	part    groupRun
	decoder Decoder
	columns []*Column

	document, items, counts *Column // nil where there are none
	texts                   []*Column

	group  int   // that is read; part.to after the last
	inside bool  // it has been opened
	row    int64 // rows of it that have been begun; of a row per document, those that are complete
}

// plan returns the current group.
func (p *walk) plan() *Group { return &p.part.groups[p.group] }

// begin opens the current group.
func (p *walk) begin() error {
	if err := p.decoder.Begin(p.group); err != nil {
		return err
	}
	for _, c := range p.columns {
		c.begin()
	}
	p.inside, p.row = true, 0
	return nil
}

// next moves on to the next row and says where it is. The error is io.EOF after the last one.
func (p *walk) next(place *fault.Error) error {
	*place = fault.Error{}
	for p.group < p.part.to {
		if !p.inside {
			if err := p.begin(); err != nil {
				return err
			}
		}
		plan := p.plan()
		more := p.row < plan.Rows
		if p.part.flat {
			c := p.columns[0]
			if c.Pos == c.N {
				if err := c.next(); err != nil {
					return err
				}
			}
			more = c.N > 0
		}
		if more {
			p.row++
			place.Row, place.Group = plan.FirstRow+p.row, plan.Number
			return nil
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
func (p *walk) Close() error {
	p.decoder.Close()
	return p.file.Close()
}

// longRows is the longtable.Source of a long table.
type longRows struct {
	walk
	counter *bag.Counter
}

// Next implements longtable.Source. All columns move on, whatever is wrong with the row, so that it can be left out.
func (p *longRows) Next(row *longtable.Row) (first error) {
	if err := p.walk.next(&row.Place); err != nil {
		return err
	}
	fail := func(c *Column, err error) {
		if err != nil && (first == nil || fault.IsRow(first) && !fault.IsRow(err)) {
			first, row.Place.Column = err, c.Leaf.Name
		}
	}
	take := func(c *Column, missing error) ([]byte, int64) {
		text, number, null, err := c.ID()
		if err == nil && null {
			err = missing
		}
		fail(c, err)
		return text, number
	}
	row.Document, row.DocumentNumber = take(p.document, bag.ErrNullDocument)
	row.Item, row.ItemNumber = take(p.items, bag.ErrNullItem)
	row.Count = 1
	if p.counts != nil {
		count, err := p.counts.Count(p.counter)
		row.Count = count
		fail(p.counts, err)
	}
	return first
}

// textRows is the text.CellSource of a table with columns of texts.
type textRows struct{ walk }

func (p *textRows) Next(row *text.Cells) error {
	if err := p.walk.next(&row.Place); err != nil {
		return err
	}
	row.Name, row.Values = row.Name[:0], row.Values[:0]
	for _, c := range p.texts {
		value, _, _, err := c.ID()
		if err != nil {
			row.Place.Column = c.Leaf.Name
			return err
		}
		row.Values = append(row.Values, value)
	}
	if p.document == nil {
		return nil
	}
	id, number, null, err := p.document.ID()
	if err == nil && !null {
		row.Name = append(row.Name, longtable.IDText(id, number)...)
	}
	return err
}
