// This file lists the items that occur most beside the anchors in the documents.

package metric

import (
	"cmp"
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/sketch"
)

// Beside is an item that occurs beside an anchor s.
type Beside struct {
	Item        int
	Probability float64 // C̄_si, which is of thinned documents if items have weights
	Whole       float64 // the same in whole documents: C_si/ω_i over the sum of these
	Documents   int     // that have the item and the anchor, up to 3
}

// before orders items: those of three documents or more come before those of two, and these before those of one; then by their entries, and
// then by their numbers.
func (b beside) before(other beside) int {
	return cmp.Or(cmp.Compare(other.documents, b.documents), cmp.Compare(other.sum, b.sum), cmp.Compare(b.item, other.item))
}

// beside is a Beside as it is counted.
type beside struct{ item, sum, documents int64 }

// BesideOptions say what CountBeside lists.
type BesideOptions struct {
	Count  int                 // items of each anchor
	Hidden func(item int) bool // items that are not listed; nil for none
	Bytes  int64               // about how much the rows of a pass may take; 0 for as much as there is
	// Workers is the number of goroutines; 0 stands for one per processor.
	Workers int
}

// CountBeside returns, for every anchor, the items of greatest entry in its row of C̄ (Lee et al. 2021, section 5), without itself. What
// fewer than three documents with the anchor have comes after all else: of an anchor in few documents, the words that one of them repeats would stand first
// otherwise. The marginals are those of the documents.
//
// It makes one pass, or more if all rows together would take too much memory; documents without an anchor are only looked through. Several ranks
// count their own documents, and get the same lists, whatever their number. The error is that of pass or ctx.
func CountBeside(ctx context.Context, pass corpus.Pass, m *sketch.Marginals, anchors []int, opts BesideOptions) ([][]Beside, error) {
	once := slices.Compact(slices.Sorted(slices.Values(anchors)))
	lists := make(map[int][]Beside, len(once))
	for _, group := range rowGroups(m, once, opts.Bytes, collective.From(ctx).Size()) {
		c := newRowCounter(m, group, opts.Workers)
		if err := c.count(ctx, pass); err != nil {
			return nil, err
		}
		if err := c.exchange(ctx); err != nil {
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

// besideLonger is how many times as many items as the mean document those of an anchor may have: anchors stand in long documents rather.
const besideLonger = 2

// rowGroups cuts items into groups whose rows take so many bytes at once, about; 0 for one group. All ranks get the same.
func rowGroups(m *sketch.Marginals, items []int, limit int64, ranks int) (groups [][]int) {
	entries, n := int64(0), len(m.RowSums)
	for _, df := range m.DocumentFrequency {
		entries += df
	}
	mean := besideLonger * (entries/max(m.Documents, 1) + 1)
	first, taken := 0, int64(0)
	for at, s := range items {
		beside := min(m.DocumentFrequency[s]*mean/int64(ranks), int64(n))
		bytes := tallyBytes(int(beside), n)
		if ranks > 1 {
			bytes += 2 * exchangedFields * 8 * beside // what is sent and received
		}
		if limit > 0 && at > first && taken+bytes > limit {
			groups = append(groups, items[first:at])
			first, taken = at, 0
		}
		taken += bytes
	}
	return append(groups, items[first:])
}

// exchangedFields is how many numbers are sent of an entry: the row with the item, the sum, and the documents.
const exchangedFields = 3

// exchange gives every rank the sums of its own items, over the documents of all.
func (c *rowCounter) exchange(ctx context.Context) error {
	comm, n := collective.From(ctx), len(c.marginals.RowSums)
	if comm.Size() == 1 {
		return ctx.Err()
	}
	parts := make([][]int64, comm.Size())
	for r, row := range c.rows {
		for item, at := range row.all {
			owner := comm.Owner(n, int(item))
			parts[owner] = append(parts[owner], int64(r)<<32|int64(item), row.sums[at], int64(row.documents[at]))
		}
		c.rows[r] = newRowTally(n)
	}
	received, err := collective.AllToAll(ctx, comm, parts)
	if err != nil {
		return err
	}
	for _, values := range received {
		for ; len(values) > 0; values = values[exchangedFields:] {
			c.rows[values[0]>>32].add(int32(values[0]), values[1], uint8(values[2]))
		}
	}
	return collective.Sum(ctx, comm, c.whole)
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
			if int(item) == items[r] || opts.Hidden != nil && opts.Hidden(int(item)) {
				continue
			}
			b := beside{int64(item), row.sums[at], int64(row.documents[at])}
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
	best, err := mergeLists(ctx, best, opts.Count)
	if err != nil {
		return nil, err
	}
	if err := collective.Sum(ctx, collective.From(ctx), totals); err != nil {
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

// mergeLists returns the first items of every list over all ranks.
func mergeLists(ctx context.Context, lists [][]beside, count int) ([][]beside, error) {
	comm := collective.From(ctx)
	if comm.Size() == 1 {
		return lists, ctx.Err()
	}
	var own []int64 // of every list the number of items, and these
	for _, list := range lists {
		own = append(own, int64(len(list)))
		for _, b := range list {
			own = append(own, b.item, b.sum, b.documents)
		}
	}
	all, err := collective.AllGather(ctx, comm, own)
	if err != nil {
		return nil, err
	}
	merged := make([][]beside, len(lists))
	for r := range merged {
		for from, values := range all {
			length := int(values[0])
			for values = values[1:]; length > 0; length, values = length-1, values[3:] {
				merged[r] = append(merged[r], beside{values[0], values[1], values[2]})
			}
			all[from] = values
		}
		merged[r] = first(merged[r], count)
	}
	return merged, nil
}
