// This file adds the items and counts of a row.

package columns

import "anchorage/shard/internal/bag"

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
	for _, c := range r.columns {
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
	for _, c := range r.columns {
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
