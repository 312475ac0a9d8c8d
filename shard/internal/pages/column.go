// This file walks through the runs of a column.

package pages

import (
	"fmt"

	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// Column is a list column on its way through a run of levels.
type Column struct {
	*ChunkReader
	List  *Leaf
	Pos   int // levels of the run used so far
	Value int // values of the run used so far
}

// Complete reports whether the next n levels all have a value.
func (c *Column) Complete(n int) bool {
	if c.present == c.N {
		return true
	}
	most := c.Leaf.MaxDefinitionLevel()
	for _, level := range c.Def[c.Pos : c.Pos+n] {
		if level < most {
			return false
		}
	}
	return true
}

// Count returns value i of the run of counts as an integer.
func (c *Column) Count(i int) (int64, error) {
	unsigned := c.List.Kind == roles.Uint
	switch {
	case c.Ints32 != nil && unsigned:
		return int64(uint32(c.Ints32[i])), nil
	case c.Ints32 != nil:
		return int64(c.Ints32[i]), nil
	case c.Ints64 != nil && unsigned && c.Ints64[i] < 0:
		return 0, fmt.Errorf("count %d is greater than %d", uint64(c.Ints64[i]), bag.MaxCount)
	case c.Ints64 != nil:
		return c.Ints64[i], nil
	case c.Floats32 != nil:
		return bag.IntegerOf(float64(c.Floats32[i]))
	}
	return bag.IntegerOf(c.Floats64[i])
}
