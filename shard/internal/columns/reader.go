// This file reads a row per document: the columns of items and of counts in step, one list of each per row.

package columns

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/longtable"
	"anchorage/shard/internal/roles"
)

type reader struct {
	walk
	watch   *access.Watch
	builder *bag.Builder
	lists   []*Column // items, and counts unless every occurrence counts 1
	at      string    // name of the column being decoded
	open    bool      // a row has been begun

	codes     bag.Codes
	runCodes  []int32 // of the items of a run, and their counts
	runCounts []int32
}

// newReader returns a reader of rows that are documents.
func newReader(w *access.Watch, b *bag.Builder, from walk) *reader {
	r := &reader{walk: from, watch: w, builder: b, lists: []*Column{from.items}, runCodes: make([]int32, RunValues),
		runCounts: slices.Repeat([]int32{1}, RunValues)} // which they remain where there are no counts
	if r.counts != nil {
		r.lists = append(r.lists, r.counts)
	}
	r.items.KeepIndices = true
	return r
}

func (r *reader) Next(batch *documents.Batch) error {
	if r.group == r.part.to {
		return io.EOF
	}
	r.codes.Forget()
	err := r.builder.Fill(batch, r.plan().FirstRow+r.row, r.fill)
	if err == nil || err == io.EOF || r.watch.Ended(err) {
		return err
	}
	if _, placed := errors.AsType[*fault.Error](err); placed {
		return err
	}
	return r.fail(r.at, err)
}

// fail returns an error about the row under construction.
func (r *reader) fail(column string, err error) error {
	e := &fault.Error{Path: r.part.in.Path, Column: column, Err: err}
	if r.group < r.part.to {
		e.Group = r.plan().Number
		if r.inside {
			e.Row = r.plan().FirstRow + r.row + 1
		}
	}
	return e
}

// fill reads documents until the batch is complete or the part has ended.
func (r *reader) fill() {
	fault.Throw(r.watch.Check())
	for full := false; r.group < r.part.to && !full; {
		if !r.inside {
			r.at, r.open = "", false
			fault.Throw(r.begin())
			r.codes.Forget()
		}
		r.refill()
		if slices.ContainsFunc(r.lists, func(c *Column) bool { return c.passing }) {
			for _, c := range r.lists {
				c.passRow()
			}
			continue
		}
		levels := r.items.N - r.items.Pos
		if r.counts != nil {
			left := r.counts.N - r.counts.Pos
			if (left == 0) != (levels == 0) {
				r.leave(r.fail("", bag.ErrTwoLists), 0)
				continue
			}
			levels = min(levels, left)
		}
		if levels > 0 {
			full = r.consume(levels)
		} else {
			full = r.endGroup()
		}
	}
}

// refill decodes the next run of each column whose run is used up.
func (r *reader) refill() {
	for _, c := range r.lists {
		if c.Pos < c.N {
			continue
		}
		fault.Throw(r.watch.Check())
		r.at = c.Leaf.Name
		fault.Throw(c.next())
		if c == r.items {
			r.codes.Grow(c.Entries())
		}
	}
}

// endGroup closes the last row of a group and moves on to the next group. It reports whether the batch is complete.
func (r *reader) endGroup() (full bool) {
	full = r.open && r.endRow()
	if want := r.plan().Rows; r.row != want {
		fault.Throw(r.fail(r.items.Leaf.Name, fmt.Errorf("the column has %d rows, the row group %d", r.row, want)))
	}
	r.group++
	r.inside, r.row = false, 0
	return full
}

// endRow closes the open row. It reports whether the batch is complete.
func (r *reader) endRow() (full bool) {
	if r.document != nil {
		text, number, null, err := r.document.ID()
		if err == nil && !null {
			err = r.builder.SetName(longtable.IDText(text, number))
		}
		if err != nil {
			fault.Throw(r.fail(r.document.Leaf.Name, err))
		}
	}
	r.open = false
	r.row++
	return r.builder.EndDocument()
}

// consume takes the next n levels of both columns. It stops in front of a row when the batch is complete, and in a row
// that is left out.
func (r *reader) consume(n int) (full bool) {
	items, counts := r.items, r.counts
	for end := items.Pos + n; items.Pos < end && !items.passing; {
		// What the run has of one row.
		from, to := items.Pos, items.Pos+1
		for to < end && items.Rep[to] != 0 {
			to++
		}
		begun := 0 // levels at which a row begins
		switch {
		case items.Rep[from] == 0 && (counts == nil || counts.Rep[counts.Pos] == 0):
			if r.open && r.endRow() {
				return true
			}
			if r.row == r.plan().Rows {
				fault.Throw(r.fail(items.Leaf.Name, fmt.Errorf("the column has more rows than the %d of the row group", r.row)))
			}
			r.open = true
			begun = 1
		case !r.open && items.Rep[from] != 0 && (counts == nil || counts.Rep[counts.Pos] != 0):
			fault.Throw(r.fail(items.Leaf.Name, errors.New("a row group begins in the middle of a row")))
		}
		var err error
		if counts != nil && !slices.Equal(items.Rep[from:to], counts.Rep[counts.Pos:counts.Pos+to-from]) {
			err = r.fail("", bag.ErrTwoLists)
		} else {
			err = r.add(to - from)
		}
		if err != nil {
			r.leave(err, begun)
		}
	}
	return false
}

// add adds the next n levels, all of one row. With an error no level has been passed.
func (r *reader) add(n int) (err error) {
	var before [2]struct{ level, value int }
	complete := true
	for i, c := range r.lists {
		before[i].level, before[i].value = c.Pos, c.Value
		complete = complete && c.complete(n)
	}
	if complete {
		err = r.addRun(n)
	} else {
		err = r.addLevels(n)
	}
	if err != nil {
		for i, c := range r.lists {
			c.Pos, c.Value = before[i].level, before[i].value
		}
	}
	return err
}

// leave makes the open row, about which err is an error, an empty document, if bad rows may be left out. begun is the
// number of levels from here that are known to belong to it.
func (r *reader) leave(err error, begun int) {
	if r.open {
		err = r.builder.Leave(err)
	}
	fault.Throw(err)
	for _, c := range r.lists {
		c.skip(begun)
		c.passing = true
	}
}

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
