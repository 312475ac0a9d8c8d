// This file holds the columns that are read, in runs of levels and values, and reads those that have one value per
// row: long tables, and the ids of documents.

package columns

import (
	"errors"
	"fmt"
	"io"
	"math"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/roles"
	"anchorage/shard/internal/text"
)

// RunValues is the greatest number of levels of a run.
const RunValues = 4 << 10

// Leaf is a column that is read, or the part of one: a value per row, or a list of values.
type Leaf struct {
	Name string // of the column at the top
	Part string // of the field within its pairs; empty where an element is a value
	// Index is the number by which the format knows the leaf.
	Index   int
	Kind    roles.Kind
	Most    int16 // definition level of a value
	Element int16 // definition level from which an element is there, though it may be null; 0 of a value per row
	Narrow  bool  // numbers have 32 bits
	Decimal bool  // values are unscaled decimals: numbers, or bytes in two's complement with the highest first
	Scale   int   // digits of decimals after the point
}

// FullName returns the column's name, "" of none, with that of the field within pairs.
func (l *Leaf) FullName() string {
	switch {
	case l == nil:
		return ""
	case l.Part != "":
		return l.Name + "." + l.Part
	}
	return l.Name
}

// Run is a run of a column: N levels, of which those with the greatest definition level have a value, Present of them,
// in Bytes or Numbers. Numbers are integers, with their sign, or the bits of floats. Where Coded is true, Indices has
// the values instead, as places in the dictionary.
type Run struct {
	N, Present int
	Coded      bool
	Indices    []uint32
	Def, Rep   []int16 // nil where all are 0 or, of Def, the greatest
	Bytes      [][]byte
	Numbers    []int64

	// KeepIndices asks for Coded runs where there is a dictionary.
	KeepIndices bool
}

// Filler decodes a column of the group that its Decoder has begun.
type Filler interface {
	// Fill decodes the next run, which is empty at the end of the group. It is valid until the next call.
	Fill() error
	// Levels returns the run that Fill overwrites.
	Levels() *Run
	// Entries returns the number of values in the dictionary.
	Entries() int
	// Text and Number return value i of the dictionary. A text is valid until the next call.
	Text(i uint32) []byte
	Number(i uint32) int64
}

// Column is a column on its way through a run.
type Column struct {
	*Run
	Filler
	Leaf  *Leaf
	Pos   int // levels of the run used so far
	Value int // values of the run used so far
	// passing says that the rest of the open row, which is bad, is to be passed over.
	passing bool

	decimals *bag.Decimals // nil where the values are no decimals
}

// newColumn returns a column without a run.
func newColumn(leaf *Leaf, filler Filler) *Column {
	c := &Column{Run: filler.Levels(), Filler: filler, Leaf: leaf}
	if leaf.Decimal {
		c.decimals = bag.NewDecimals(leaf.Scale)
	}
	return c
}

// begin forgets the run: a group begins.
func (c *Column) begin() { c.N, c.Pos, c.Value = 0, 0, 0 }

// next decodes the next run.
func (c *Column) next() error {
	c.Pos, c.Value = 0, 0
	return c.Fill()
}

// complete reports whether the next n levels all have a value.
func (c *Column) complete(n int) bool {
	if c.Present == c.N {
		return true
	}
	return c.valuesIn(n) == n
}

// valuesIn returns how many of the next n levels have a value.
func (c *Column) valuesIn(n int) (values int) {
	if c.Def == nil {
		return n
	}
	for _, level := range c.Def[c.Pos : c.Pos+n] {
		if level == c.Leaf.Most {
			values++
		}
	}
	return values
}

// skip passes over the next n levels and their values.
func (c *Column) skip(n int) {
	c.Value += c.valuesIn(n)
	c.Pos += n
}

// passRow passes over what the run has of a row that is to be passed over.
func (c *Column) passRow() {
	if !c.passing {
		return
	}
	to := c.Pos
	for to < c.N && c.Rep[to] != 0 {
		to++
	}
	c.skip(to - c.Pos)
	c.passing = c.N > 0 && c.Pos == c.N // the next run may have more of it
}

// count returns the count of value i of the run of amounts, 0 if the counter leaves it out.
func (c *Column) count(counter *bag.Counter, i int) (int32, error) {
	if c.Bytes != nil {
		return c.decimals.Bytes(counter, c.Bytes[i])
	}
	n := c.Numbers[i]
	switch {
	case c.decimals != nil:
		return c.decimals.Small(counter, n)
	case c.Leaf.Kind == roles.Float && c.Leaf.Narrow:
		return counter.Float(float64(math.Float32frombits(uint32(n))))
	case c.Leaf.Kind == roles.Float:
		return counter.Float(math.Float64frombits(uint64(n)))
	case c.Leaf.Kind == roles.Uint && c.Leaf.Narrow:
		return counter.Integer(int64(uint32(n)))
	case c.Leaf.Kind == roles.Uint:
		return counter.Unsigned(uint64(n))
	}
	return counter.Integer(n)
}

// id returns value i of the run as an id: bytes, or a number where they are nil.
func (c *Column) id(i int) (text []byte, number int64, err error) {
	if c.Bytes != nil {
		return c.textID(c.Bytes[i])
	}
	return c.numberID(c.Numbers[i])
}

// idOf returns value i of the dictionary as an id.
func (c *Column) idOf(i uint32) (text []byte, number int64, err error) {
	if c.Bytes != nil {
		return c.textID(c.Text(i))
	}
	return c.numberID(c.Number(i))
}

// text returns the next value of the run as people read it.
func (c *Column) text() string {
	n := int64(0)
	switch {
	case c.Bytes != nil && c.decimals == nil:
		return string(c.Bytes[c.Value])
	case c.Bytes == nil:
		n = c.Numbers[c.Value]
	}
	switch float := c.Leaf.Kind == roles.Float; {
	case float && c.Leaf.Narrow:
		return fmt.Sprintf("%.6g", math.Float32frombits(uint32(n)))
	case float:
		return fmt.Sprintf("%.6g", math.Float64frombits(uint64(n)))
	}
	text, number, err := c.id(c.Value)
	switch {
	case err != nil:
		return "?"
	case text != nil:
		return string(text)
	}
	return fmt.Sprint(number)
}

// textID returns the id that bytes encode: the bytes themselves, or the number that they write.
func (c *Column) textID(data []byte) (text []byte, number int64, err error) {
	if c.decimals != nil {
		return c.decimals.ID(data)
	}
	if data == nil {
		data = []byte{}
	}
	return data, 0, nil
}

// numberID returns the id that a number encodes.
func (c *Column) numberID(n int64) (text []byte, number int64, err error) {
	if c.Leaf.Kind == roles.Uint && c.Leaf.Narrow {
		n = int64(uint32(n))
	} else if c.Leaf.Kind == roles.Uint && n < 0 {
		return nil, 0, fault.InRow(fmt.Errorf("id %d is greater than %d", uint64(n), int64(math.MaxInt64)))
	}
	return nil, n, nil
}

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
