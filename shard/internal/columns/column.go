// This file holds the columns that are read, in runs of levels and values.

package columns

import (
	"fmt"
	"math"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
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
