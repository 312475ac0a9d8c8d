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

// narrow reports whether numbers have 32 bits.
func (c *Column) narrow() bool { return c.values.width == 4 }

// Count returns the count of value i of the run of amounts, 0 if the counter leaves it out.
func (c *Column) Count(counter *bag.Counter, i int) (int32, error) {
	if c.Bytes != nil {
		return c.decimals.Bytes(counter, c.Bytes[i])
	}
	n := c.Numbers[i]
	switch {
	case c.decimals != nil:
		return c.decimals.Small(counter, n)
	case c.List.Kind == roles.Float && c.narrow():
		return counter.Float(float64(math.Float32frombits(uint32(n))))
	case c.List.Kind == roles.Float:
		return counter.Float(math.Float64frombits(uint64(n)))
	case c.List.Kind == roles.Uint && c.narrow():
		return counter.Integer(int64(uint32(n)))
	case c.List.Kind == roles.Uint:
		return counter.Unsigned(uint64(n))
	}
	return counter.Integer(n)
}

// ID returns value i of the run as an id: bytes, or a number where they are nil.
func (c *Column) ID(i int) (text []byte, number int64, err error) {
	if c.Bytes != nil {
		return c.textID(c.Bytes[i])
	}
	return c.numberID(c.Numbers[i])
}

// IDOf returns value i of the dictionary as an id.
func (c *Column) IDOf(i uint32) (text []byte, number int64, err error) {
	if c.Bytes != nil {
		return c.textID(c.Pages.Dictionary.Text(i))
	}
	return c.numberID(c.Pages.Dictionary.Number(i))
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
	if c.List.Kind == roles.Uint && c.narrow() {
		n = int64(uint32(n))
	} else if c.List.Kind == roles.Uint && n < 0 {
		return nil, 0, fault.InRow(fmt.Errorf("id %d is greater than %d", uint64(n), int64(math.MaxInt64)))
	}
	return nil, n, nil
}
