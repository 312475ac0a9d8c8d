// This file lists the items that occur most beside the anchors in the documents.

package metric

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/sketch"
)

// Beside is an item that occurs beside an anchor s.
type Beside struct {
	Item        int
	Probability float64 // C̄_si, which is of thinned documents if items have weights
	Whole       float64 // the same in whole documents: C_si/ω_i over the sum of these
	Documents   int     // that have the item and the anchor, up to 3; 0 with BesideOptions.Whole
}

// before orders items: those of three documents or more come before those of two, and these before those of one; then
// by their entries, and then by their numbers.
func (b beside) before(other beside) int {
	return cmp.Or(cmp.Compare(other.documents, b.documents), cmp.Compare(other.sum, b.sum),
		cmp.Compare(b.item, other.item))
}

// beside is a Beside as it is counted.
type beside struct{ item, sum, documents int64 }

// BesideOptions say what CountBeside lists.
type BesideOptions struct {
	Count  int                 // items of each anchor
	Hidden func(item int) bool // items that are not listed; nil for none
	// Whole lists the greatest entries of the row, as published: with the anchor, and in however few documents.
	Whole bool
	Bytes int64 // about how much the rows of a pass may take; 0 for as much as there is
	// Workers is the number of goroutines; 0 is one per processor.
	Workers int
	// Layout says with whom the documents are shared: corpus.Corpus.Layout.
	Layout matrix.Layout
}

// CountBeside returns, for every anchor, the items of greatest entry in its row of C̄ (Lee et al. 2021, section 5),
// without itself. What fewer than three documents with the anchor have comes after all else: of an anchor in few
// documents, the words that one of them repeats would come first otherwise; see BesideOptions.Whole. The marginals are
// those of the documents.
//
// It makes one pass, or more if all rows together would take too much memory; documents without an anchor are only
// looked through. Processes that share the documents each count theirs, and get the same lists, whatever their number.
// The error is that of pass or ctx.
func CountBeside(ctx context.Context, pass corpus.Pass, m *sketch.Marginals, anchors []int,
	opts BesideOptions) ([][]Beside, error) {
	once := slices.Compact(slices.Sorted(slices.Values(anchors)))
	lists := make(map[int][]Beside, len(once))
	for _, group := range rowGroups(m, once, opts.Bytes, kernel.Sharers(opts.Layout)) {
		c := newRowCounter(m, group, opts.Workers)
		if err := c.count(ctx, pass); err != nil {
			return nil, err
		}
		if err := c.toHolders(ctx, opts.Layout); err != nil {
			return nil, err
		}
		found, err := c.lists(ctx, group, opts)
		if err != nil {
			return nil, err
		}
		for r, s := range group {
			lists[s] = found[r]
		}
	}
	all := make([][]Beside, len(anchors))
	for k, s := range anchors {
		all[k] = lists[s]
	}
	return all, ctx.Err()
}

// besideLonger is how many times the items of the mean document those of an anchor may have: anchors are rather in long
// documents.
const besideLonger = 2

// rowGroups cuts items into groups whose rows take about limit bytes at once; 0 for one group. All processes get the
// same.
func rowGroups(m *sketch.Marginals, items []int, limit int64, processes int) (groups [][]int) {
	entries, n := int64(0), len(m.RowSums)
	for _, df := range m.DocumentFrequency {
		entries += df
	}
	mean := besideLonger * (entries/max(m.Documents, 1) + 1)
	first, taken := 0, int64(0)
	for at, s := range items {
		beside := min(m.DocumentFrequency[s]*mean/int64(processes), int64(n))
		bytes := tallyBytes(int(beside), n)
		if processes > 1 {
			bytes += 2 * besideFields * 8 * beside // what is sent and received
		}
		if limit > 0 && at > first && taken+bytes > limit {
			groups = append(groups, items[first:at])
			first, taken = at, 0
		}
		taken += bytes
	}
	return append(groups, items[first:])
}

// besideFields is how many numbers are sent of an entry: the row with the item, the sum, and the documents.
const besideFields = 3

// toHolders gives every process the sums of the items that it holds, over the documents of all.
func (c *rowCounter) toHolders(ctx context.Context, layout matrix.Layout) error {
	if layout == nil {
		return ctx.Err()
	}
	n := len(c.marginals.RowSums)
	records, err := kernel.ToHolders(ctx, layout, n, func(send func(row int, record ...int64)) {
		for r, row := range c.rows {
			for item, at := range row.all {
				send(int(item), int64(r)<<32|int64(item), row.sums[at], int64(row.documents[at]))
			}
			c.rows[r] = newRowTally(n)
		}
	})
	if err != nil {
		return err
	}
	for record := range slices.Chunk(records, besideFields) {
		c.rows[record[0]>>32].add(int32(record[0]), record[1], uint8(record[2]))
	}
	return kernel.AddUp(ctx, layout, c.whole)
}

// lists returns the items beside those whose rows were counted.
func (c *rowCounter) lists(ctx context.Context, items []int, opts BesideOptions) ([][]Beside, error) {
	totals, best := make([]int64, len(items)), make([][]beside, len(items))
	for r, row := range c.rows {
		var own []beside
		var last beside // of those that are kept, once some were cut off
		cut := false
		for item, at := range row.all {
			totals[r] += row.sums[at]
			if int(item) == items[r] && !opts.Whole || opts.Hidden != nil && opts.Hidden(int(item)) {
				continue
			}
			b := beside{int64(item), row.sums[at], int64(row.documents[at])}
			if opts.Whole {
				b.documents = 0
			}
			if cut && last.before(b) < 0 {
				continue
			}
			if own = append(own, b); len(own) > 8*opts.Count+leastPlaces {
				own = first(own, opts.Count)
				last, cut = own[len(own)-1], true
			}
		}
		best[r] = first(own, opts.Count)
	}
	best, err := mergeLists(ctx, opts.Layout, best, opts.Count)
	if err != nil {
		return nil, err
	}
	if err := kernel.AddUp(ctx, opts.Layout, totals); err != nil {
		return nil, err
	}
	lists := make([][]Beside, len(items))
	for r, own := range best {
		unit := c.units[r]
		for _, b := range own {
			of := Beside{Item: int(b.item), Probability: float64(b.sum) / float64(totals[r]), Documents: int(b.documents)}
			if of.Whole = of.Probability; c.whole != nil {
				of.Whole = unit.Value(b.sum) / c.weight(int32(b.item)) / c.wholeUnits[r].Value(c.whole[r])
			}
			lists[r] = append(lists[r], of)
		}
	}
	return lists, nil
}

// first returns the first count of some items in their order.
func first(items []beside, count int) []beside {
	slices.SortFunc(items, beside.before)
	return items[:min(count, len(items))]
}

// mergeLists returns the first items of every list over all processes.
func mergeLists(ctx context.Context, layout matrix.Layout, lists [][]beside, count int) ([][]beside, error) {
	if layout == nil {
		return lists, ctx.Err()
	}
	var own []int64
	for r, list := range lists {
		for _, b := range list {
			own = append(own, int64(r)<<32|b.item, b.sum, b.documents)
		}
	}
	all, err := kernel.Concat(ctx, layout, own)
	if err != nil {
		return nil, err
	}
	merged := make([][]beside, len(lists))
	for record := range slices.Chunk(all, besideFields) {
		r, item := record[0]>>32, record[0]&math.MaxUint32
		merged[r] = append(merged[r], beside{item, record[1], record[2]})
	}
	for r := range merged {
		merged[r] = first(merged[r], count)
	}
	return merged, nil
}
