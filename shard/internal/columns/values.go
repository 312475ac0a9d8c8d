// This file adds the items and counts of a row.

package columns

import (
	"anchorage/shard/documents"
	"anchorage/shard/internal/bag"
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

// addLevels adds the items of the next n levels to the open row.
func (r *reader) addLevels(n int) error {
	items, counts := r.items, r.counts
	value, element := items.Leaf.Most, items.Leaf.Element
	for ; n > 0; n-- {
		defined := value
		if items.Def != nil {
			defined = items.Def[items.Pos]
		}
		if counts != nil {
			counted := counts.Leaf.Most
			if counts.Def != nil {
				counted = counts.Def[counts.Pos]
			}
			if (counted >= counts.Leaf.Element) != (defined >= element) {
				return r.fail("", bag.ErrTwoLists)
			}
			counts.Pos++
			if defined == value && counted < counts.Leaf.Most {
				if _, err := r.builder.Nothing(); err != nil {
					return r.fail(counts.Leaf.Name, err)
				}
				items.Pos++
				items.Value++
				continue
			}
		}
		items.Pos++
		switch {
		case defined == value:
			if err := r.addItem(); err != nil {
				return err
			}
		case defined >= element:
			return r.fail(items.Leaf.Name, bag.ErrNullItem)
		}
	}
	return nil
}

// addRun adds the next n items, all of which are there, to the open row.
func (r *reader) addRun(n int) error {
	for _, c := range r.lists {
		c.Pos += n
	}
	if !r.countRun(n) {
		// One of the amounts is left out or not valid: the slow way finds out which.
		for range n {
			if err := r.addItem(); err != nil {
				return err
			}
		}
		return nil
	}
	codes := r.runCodes[:n]
	err := r.codeRun(codes)
	if err == nil {
		err = r.builder.AddRun(codes, r.runCounts[:n])
	}
	if err != nil {
		return r.fail(r.items.Leaf.Name, err)
	}
	for _, c := range r.lists {
		c.Value += n
	}
	return nil
}

// addItem adds the next item, and its count, to the open row.
func (r *reader) addItem() error {
	count := int32(1)
	if r.counts != nil {
		var err error
		if count, err = r.counts.count(&r.builder.Counter, r.counts.Value); err != nil {
			return r.fail(r.counts.Leaf.Name, err)
		}
		r.counts.Value++
	}
	r.items.Value++
	if count == 0 {
		return nil // the rule leaves it out
	}
	code, err := r.code(r.items.Value - 1)
	if err == nil {
		err = r.builder.Add(code, count)
	}
	if err != nil {
		return r.fail(r.items.Leaf.Name, err)
	}
	return nil
}
