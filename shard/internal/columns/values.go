// This file turns the values of Parquet columns into item codes and counts.

package columns

import (
	"anchorage/shard/documents"
	"anchorage/shard/internal/roles"
)

// code returns the code of value i of the run of items.
func (r *reader) code(i int) (int32, error) {
	if r.items.Coded {
		return r.codeOfIndex(r.items.Indices[i])
	}
	return r.codeOfID(r.items.id(i))
}

// codeOfID returns the code of an id: bytes, or a number where they are nil.
func (r *reader) codeOfID(text []byte, number int64, err error) (int32, error) {
	switch {
	case err != nil:
		return 0, err
	case text != nil:
		return r.builder.CodeOfBytes(text)
	}
	return r.builder.CodeOfNumber(number)
}

// codeOfIndex returns the code of a value of the dictionary.
func (r *reader) codeOfIndex(index uint32) (code int32, err error) {
	if entry := r.codes.Known[index]; entry >= r.codes.Base {
		return int32(entry - r.codes.Base), nil
	}
	if code, err = r.codeOfID(r.items.idOf(index)); err == nil {
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
	case r.items.Numbers != nil && r.items.Leaf.Kind == roles.Int:
		for i, number := range r.items.Numbers[from : from+len(codes)] {
			if codes[i], err = r.builder.CodeOfNumber(number); err != nil {
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
	if c.Numbers != nil && c.Leaf.Kind == roles.Int {
		bad := int64(0)
		for i, count := range c.Numbers[c.Value : c.Value+n] {
			bad |= (count - 1) | (documents.MaxCount - count) // negative if any is out of range
			counts[i] = int32(count)
		}
		return bad >= 0
	}
	left := r.builder.Left
	for i := range counts {
		count, err := c.count(&r.builder.Counter, c.Value+i)
		if err != nil || count == 0 {
			r.builder.Left = left // they are counted once more, one by one
			return false
		}
		counts[i] = count
	}
	return true
}
