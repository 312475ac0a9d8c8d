// This file turns the values of Parquet columns into item codes and counts.

package parquet

import (
	"fmt"
	"math"

	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
)

// code returns the code of value i of the run of items.
func (r *reader) code(i int) (int32, error) {
	unsigned := r.items.List.Kind == roles.Uint
	switch {
	case r.items.Coded:
		return r.codeOfIndex(r.items.Indices[i])
	case r.items.Bytes != nil:
		return r.builder.CodeOfBytes(r.items.Bytes[i])
	case r.items.Ints32 != nil && unsigned:
		return r.builder.CodeOfNumber(int64(uint32(r.items.Ints32[i])))
	case r.items.Ints32 != nil:
		return r.builder.CodeOfNumber(int64(r.items.Ints32[i]))
	case unsigned && r.items.Ints64[i] < 0:
		return 0, fmt.Errorf("item id %d is greater than %d", uint64(r.items.Ints64[i]), int64(math.MaxInt64))
	}
	return r.builder.CodeOfNumber(r.items.Ints64[i])
}

// codeOfIndex returns the code of a value of the dictionary.
func (r *reader) codeOfIndex(index uint32) (code int32, err error) {
	if entry := r.codes.Known[index]; entry >= r.codes.Base {
		return int32(entry - r.codes.Base), nil
	}
	d := &r.items.Pages.Dictionary
	switch {
	case r.items.Bytes != nil:
		code, err = r.builder.CodeOfBytes(d.Text(index))
	case r.items.Ints32 != nil && r.items.List.Kind == roles.Uint:
		code, err = r.builder.CodeOfNumber(int64(d.Number(index)))
	case r.items.Ints32 != nil:
		code, err = r.builder.CodeOfNumber(int64(int32(d.Number(index))))
	default:
		number := int64(d.Number(index))
		if number < 0 && r.items.List.Kind == roles.Uint {
			return 0, fmt.Errorf("item id %d is greater than %d", uint64(number), int64(math.MaxInt64))
		}
		code, err = r.builder.CodeOfNumber(number)
	}
	if err == nil {
		r.codes.Set(index, code)
	}
	return code, err
}

// codeRun fills codes with those of the next items.
func (r *reader) codeRun(codes []int32) (err error) {
	from := r.items.Value
	switch {
	case r.items.Coded:
		known, base := r.codes.Known, r.codes.Base
		for i, index := range r.items.Indices[from : from+len(codes)] {
			if entry := known[index]; entry >= base {
				codes[i] = int32(entry - base)
			} else if codes[i], err = r.codeOfIndex(index); err != nil {
				return err
			}
		}
	case r.items.Ints32 != nil && r.items.List.Kind == roles.Int:
		for i, number := range r.items.Ints32[from : from+len(codes)] {
			if codes[i], err = r.builder.CodeOfNumber(int64(number)); err != nil {
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
func (r *reader) countRun(n int) bool {
	c := r.counts
	if c == nil {
		return true
	}
	counts := r.runCounts[:n]
	if c.Ints32 != nil && c.List.Kind == roles.Int {
		signs := int32(0)
		for i, count := range c.Ints32[c.Value : c.Value+n] {
			signs |= count | (count - 1) // negative if any count is less than 1
			counts[i] = count
		}
		return signs >= 0
	}
	for i := range counts {
		count, err := c.Count(c.Value + i)
		if err != nil || bag.CheckCount(count) != nil {
			return false
		}
		counts[i] = int32(count)
	}
	return true
}
