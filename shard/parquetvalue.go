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
	case r.items.coded:
		return r.codeOfIndex(r.items.indices[i])
	case r.items.bytes != nil:
		return r.builder.codeOfBytes(r.items.bytes[i])
	case r.items.ints32 != nil && unsigned:
		return r.builder.codeOfNumber(int64(uint32(r.items.ints32[i])))
	case r.items.ints32 != nil:
		return r.builder.codeOfNumber(int64(r.items.ints32[i]))
	case unsigned && r.items.ints64[i] < 0:
		return 0, fmt.Errorf("item id %d is greater than %d", uint64(r.items.ints64[i]), int64(math.MaxInt64))
	}
	return r.builder.codeOfNumber(r.items.ints64[i])
}

// codeOfIndex returns the code of a value of the dictionary.
func (r *parquetReader) codeOfIndex(index uint32) (code int32, err error) {
	if entry := r.codes.codes[index]; entry >= r.codes.base {
		return int32(entry - r.codes.base), nil
	}
	d := &r.items.pages.dictionary
	switch {
	case r.items.bytes != nil:
		code, err = r.builder.codeOfBytes(d.text(index))
	case r.items.ints32 != nil && r.items.list.kind == kindUint:
		code, err = r.builder.codeOfNumber(int64(d.number(index)))
	case r.items.ints32 != nil:
		code, err = r.builder.codeOfNumber(int64(int32(d.number(index))))
	default:
		number := int64(d.number(index))
		if number < 0 && r.items.list.kind == kindUint {
			return 0, fmt.Errorf("item id %d is greater than %d", uint64(number), int64(math.MaxInt64))
		}
		code, err = r.builder.codeOfNumber(number)
	}
	if err == nil {
		r.codes.set(index, code)
	}
	return code, err
}

// codeRun fills codes with those of the next items.
func (r *parquetReader) codeRun(codes []int32) (err error) {
	from := r.items.value
	switch {
	case r.items.coded:
		known, base := r.codes.codes, r.codes.base
		for i, index := range r.items.indices[from : from+len(codes)] {
			if entry := known[index]; entry >= base {
				codes[i] = int32(entry - base)
			} else if codes[i], err = r.codeOfIndex(index); err != nil {
				return err
			}
		}
	case r.items.ints32 != nil && r.items.list.kind == kindInt:
		for i, number := range r.items.ints32[from : from+len(codes)] {
			if codes[i], err = r.builder.codeOfNumber(int64(number)); err != nil {
				return err
			}
		}
	default:
		for i := range codes {
			if codes[i], err = r.code(from + i); err != nil {
				return err
			}
		}
	}
	return nil
}

// countRun fills the first n of runCounts with the next counts and reports whether all of them are counts.
func (r *parquetReader) countRun(n int) bool {
	c := r.counts
	if c == nil {
		return true
	}
	counts := r.runCounts[:n]
	if c.ints32 != nil && c.list.kind == kindInt {
		signs := int32(0)
		for i, count := range c.ints32[c.value : c.value+n] {
			signs |= count | (count - 1) // negative if any count is less than 1
			counts[i] = count
		}
		return signs >= 0
	}
	for i := range counts {
		count, err := c.count(c.value + i)
		if err != nil || checkCount(count) != nil {
			return false
		}
		counts[i] = int32(count)
	}
	return true
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
