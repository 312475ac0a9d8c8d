// This file turns the values of Parquet columns into item codes and counts.

package shard

import (
	"fmt"
	"math"
)

// code returns the code of value i of the run of items.
func (r *parquetReader) code(i int) (int32, error) {
	unsigned := r.items.list.kind == kindUint
	switch {
	case r.items.bytes != nil:
		return r.codes.find(r.items.bytes[i], r.builder)
	case r.items.ints32 != nil && unsigned:
		return r.builder.codeOfNumber(int64(uint32(r.items.ints32[i])))
	case r.items.ints32 != nil:
		return r.builder.codeOfNumber(int64(r.items.ints32[i]))
	case unsigned && r.items.ints64[i] < 0:
		return 0, fmt.Errorf("item id %d is greater than %d", uint64(r.items.ints64[i]), int64(math.MaxInt64))
	}
	return r.builder.codeOfNumber(r.items.ints64[i])
}

// count returns value i of the run of counts as an integer.
func (c *column) count(i int) (int64, error) {
	unsigned := c.list.kind == kindUint
	switch {
	case c.ints32 != nil && unsigned:
		return int64(uint32(c.ints32[i])), nil
	case c.ints32 != nil:
		return int64(c.ints32[i]), nil
	case c.ints64 != nil && unsigned && c.ints64[i] < 0:
		return 0, fmt.Errorf("count %d is greater than %d", uint64(c.ints64[i]), MaxCount)
	case c.ints64 != nil:
		return c.ints64[i], nil
	case c.floats32 != nil:
		return integer(float64(c.floats32[i]))
	}
	return integer(c.floats64[i])
}

// integer returns the value of a float that holds a whole number.
func integer(value float64) (int64, error) {
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		return 0, fmt.Errorf("count %v is not a number", value)
	case value != math.Trunc(value):
		return 0, fmt.Errorf("count %v is not a whole number", value)
	case math.Abs(value) > 1<<53:
		return 0, fmt.Errorf("count %v is greater than %d", value, MaxCount)
	}
	return int64(value), nil
}
