// This file walks through the runs of a column.

package pages

import (
	"fmt"
	"math"

	"anchorage/shard/fault"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// Column is a list column on its way through a run of levels.
type Column struct {
	*ChunkReader
	List  *Leaf
	Pos   int // levels of the run used so far
	Value int // values of the run used so far

	decimals *bag.Decimals // nil where the values are no decimals
}

// NewColumn returns a column without a run. codec may be shared with other columns of one goroutine.
func NewColumn(list *Leaf, codec *Decompressor) *Column {
	c := &Column{ChunkReader: NewChunkReader(list.Leaf, codec), List: list}
	if scale, ok := decimalOf(list.Leaf); ok {
		c.decimals = bag.NewDecimals(scale)
	}
	return c
}

// Complete reports whether the next n levels all have a value.
func (c *Column) Complete(n int) bool {
	if c.present == c.N {
		return true
	}
	return c.valuesIn(n) == n
}

// valuesIn returns how many of the next n levels have a value.
func (c *Column) valuesIn(n int) (values int) {
	if c.Def == nil {
		return n
	}
	most := c.Leaf.MaxDefinitionLevel()
	for _, level := range c.Def[c.Pos : c.Pos+n] {
		if level == most {
			values++
		}
	}
	return values
}

// Skip passes over the next n levels and their values.
func (c *Column) Skip(n int) {
	c.Value += c.valuesIn(n)
	c.Pos += n
}

// Count returns the count of value i of the run of amounts, 0 if the counter leaves it out.
func (c *Column) Count(counter *bag.Counter, i int) (int32, error) {
	unsigned := c.List.Kind == roles.Uint
	switch {
	case c.decimals != nil && c.Bytes != nil:
		return c.decimals.Bytes(counter, c.Bytes[i])
	case c.decimals != nil && c.Ints32 != nil:
		return c.decimals.Small(counter, int64(c.Ints32[i]))
	case c.decimals != nil:
		return c.decimals.Small(counter, c.Ints64[i])
	case c.Ints32 != nil && unsigned:
		return counter.Integer(int64(uint32(c.Ints32[i])))
	case c.Ints32 != nil:
		return counter.Integer(int64(c.Ints32[i]))
	case c.Ints64 != nil && unsigned:
		return counter.Unsigned(uint64(c.Ints64[i]))
	case c.Ints64 != nil:
		return counter.Integer(c.Ints64[i])
	case c.Floats32 != nil:
		return counter.Float(float64(c.Floats32[i]))
	}
	return counter.Float(c.Floats64[i])
}

// ID returns value i of the run as an id: bytes, or a number where they are nil.
func (c *Column) ID(i int) (text []byte, number int64, err error) {
	switch {
	case c.Bytes != nil:
		return c.textID(c.Bytes[i])
	case c.Ints32 != nil:
		return c.numberID(uint64(int64(c.Ints32[i])), true)
	}
	return c.numberID(uint64(c.Ints64[i]), false)
}

// IDOf returns value i of the dictionary as an id.
func (c *Column) IDOf(i uint32) (text []byte, number int64, err error) {
	d := &c.Pages.Dictionary
	switch {
	case c.Bytes != nil:
		return c.textID(d.Text(i))
	case c.Ints32 != nil:
		return c.numberID(uint64(int64(int32(d.Number(i)))), true)
	}
	return c.numberID(d.Number(i), false)
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

// numberID returns the id that an integer, of 32 bits or of 64, encodes.
func (c *Column) numberID(bits uint64, small bool) (text []byte, number int64, err error) {
	if c.List.Kind == roles.Uint && small {
		bits = uint64(uint32(bits))
	} else if c.List.Kind == roles.Uint && int64(bits) < 0 {
		return nil, 0, fault.InRow(fmt.Errorf("id %d is greater than %d", bits, int64(math.MaxInt64)))
	}
	return nil, int64(bits), nil
}
