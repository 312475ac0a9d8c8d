// This file counts rows of C in the documents. Their items are not known beforehand.

package metric

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/exact"
	"anchorage/internal/kernel"
	"anchorage/sketch"
)

// rowCounter counts the rows of C of some items, except for the factor that is the same for all entries,
//
//	C_si = Σ_m w_m·ω_s·h_sm·ω_i·(h_im − δ_si)
//
// Each term is rounded to a unit that follows from the row sum of s, 2⁻⁶¹ of it or less, and sums of these are exact.
// So they depend on neither the workers, nor the ranks, nor the order of the documents.
type rowCounter struct {
	marginals *sketch.Marginals
	workers   int
	place     map[int32]int32 // of every item whose row is counted
	counted   []uint64        // the same items as bits
	units     []exact.Unit    // of every row
	rows      []*rowTally
	// whole are Σ_i C_si/ω_i, what a row sums to in whole documents, in separate units. They are nil without weights.
	whole      []int64
	wholeUnits []exact.Unit
	found      [][]occurrence // of each part of the documents that are added
}

// occurrence is an item whose row is counted in a document.
type occurrence struct {
	document, at, row int32
	factor            float64 // w_m·ω_s·h_sm
}

// newRowCounter returns a counter of the rows of items, none of which comes twice. The marginals are those of the
// documents that come.
func newRowCounter(m *sketch.Marginals, items []int, workers int) *rowCounter {
	n := len(m.RowSums)
	c := &rowCounter{marginals: m, workers: workers, place: make(map[int32]int32, len(items)),
		counted: make([]uint64, (n+63)/64),
		found:   make([][]occurrence, kernel.Workers(workers))}
	least := 1.0
	for _, weight := range m.Weights {
		least = min(least, weight)
	}
	for r, s := range items {
		c.place[int32(s)] = int32(r)
		c.counted[s/64] |= 1 << (s % 64)
		c.units = append(c.units, exact.UnitOf(m.RowSums[s]))
		c.rows = append(c.rows, newRowTally(n))
		if m.Weights != nil {
			c.whole, c.wholeUnits = append(c.whole, 0), append(c.wholeUnits, exact.UnitOf(m.RowSums[s]/least))
		}
	}
	return c
}

// weight returns ω of an item.
func (c *rowCounter) weight(item int32) float64 {
	if c.marginals.Weights == nil {
		return 1
	}
	return c.marginals.Weights[item]
}

// count makes the pass.
func (c *rowCounter) count(ctx context.Context, pass corpus.Pass) error {
	return pass(ctx, func(docs *corpus.Documents) error { return c.add(ctx, docs) })
}

// add adds documents: workers look for the items in parts of the documents, and then each adds what some of the rows
// get.
func (c *rowCounter) add(ctx context.Context, docs *corpus.Documents) error {
	parts := len(c.found)
	if err := kernel.Parallel(ctx, c.workers, parts, func(part int) error {
		c.find(docs, part, part*docs.Documents()/parts, (part+1)*docs.Documents()/parts)
		return nil
	}); err != nil {
		return err
	}
	for _, found := range c.found {
		for _, o := range found {
			if c.whole != nil {
				_, counts := docs.Row(int(o.document))
				c.whole[o.row] += c.wholeUnits[o.row].Whole(o.factor * float64(corpus.Tokens(counts)-1))
			}
		}
	}
	return kernel.Parallel(ctx, c.workers, parts, func(part int) error {
		for _, found := range c.found {
			for _, o := range found {
				if int(o.row)%parts == part {
					c.addOccurrence(docs, o)
				}
			}
		}
		return nil
	})
}

// find notes the items in documents [first, last), as those of a part.
func (c *rowCounter) find(docs *corpus.Documents, part, first, last int) {
	found := c.found[part][:0]
	for d := first; d < last; d++ {
		items, counts := docs.Row(d)
		pairs := -1.0 // the weight of a pair, once it is needed
		for at, item := range items {
			if c.counted[item>>6]>>(item&63)&1 == 0 {
				continue
			}
			if pairs < 0 {
				_, pairs = sketch.PairWeight(items, counts, c.marginals.Weights, c.marginals.PairPrior)
			}
			if factor := pairs * c.weight(item) * float64(counts[at]); factor > 0 {
				found = append(found, occurrence{int32(d), int32(at), c.place[item], factor})
			}
		}
	}
	c.found[part] = found
}

// addOccurrence adds what is beside an item.
func (c *rowCounter) addOccurrence(docs *corpus.Documents, o occurrence) {
	items, counts := docs.Row(int(o.document))
	row, unit := c.rows[o.row], c.units[o.row]
	for u, item := range items {
		h := float64(counts[u])
		if u == int(o.at) {
			h-- // a token is no pair with itself
		}
		if h > 0 {
			row.add(item, unit.Whole(o.factor*h*c.weight(item)), 1)
		}
	}
}

// supporting is how many documents are enough for an item to be beside an anchor: more are not counted.
const supporting = 3

const (
	// of an item with a place in the table: its number and place there, its sum and its documents, with room to grow
	placedBytes = 40
	directBytes = 8 + 1 // of an item, where each has its own place
	directShare = 4     // every item has its own place as soon as one in directShare has one
	leastPlaces = 64
)

// rowTally holds the sums of the items of a row of n: by a table of their places, or in a place for every item once
// that is smaller.
type rowTally struct {
	n         int
	places    map[int32]int32 // nil where every item has its own
	items     []int32         // of the places; nil likewise
	sums      []int64
	documents []uint8 // of every sum, up to supporting
}

func newRowTally(n int) *rowTally { return &rowTally{n: n, places: make(map[int32]int32)} }

// place returns where the sum of an item is.
func (t *rowTally) place(item int32) int {
	if t.places == nil {
		return int(item)
	}
	at, known := t.places[item]
	if !known {
		if len(t.sums) >= leastPlaces && directShare*len(t.sums) >= t.n {
			t.spread()
			return int(item)
		}
		at = int32(len(t.sums))
		t.places[item] = at
		t.items, t.sums, t.documents = append(t.items, item), append(t.sums, 0), append(t.documents, 0)
	}
	return int(at)
}

// spread gives every item its own place.
func (t *rowTally) spread() {
	sums, documents := make([]int64, t.n), make([]uint8, t.n)
	for at, item := range t.items {
		sums[item], documents[item] = t.sums[at], t.documents[at]
	}
	t.places, t.items, t.sums, t.documents = nil, nil, sums, documents
}

// add adds a value that some documents have.
func (t *rowTally) add(item int32, value int64, documents uint8) {
	at := t.place(item)
	t.sums[at] += value
	t.documents[at] = min(t.documents[at]+documents, supporting)
}

// all yields the items whose sums are positive, in no particular order, with the places of the sums.
func (t *rowTally) all(yield func(item int32, at int) bool) {
	for at, sum := range t.sums {
		item := int32(at)
		if t.places != nil {
			item = t.items[at]
		}
		if sum > 0 && !yield(item, at) {
			return
		}
	}
}

// row returns the values as a row that sums to 1, and empties the tally.
func (t *rowTally) row() SparseRow {
	var row SparseRow
	total := int64(0)
	for item, at := range t.all {
		row.Items = append(row.Items, item)
		total += t.sums[at]
	}
	slices.Sort(row.Items)
	row.Values = make([]float64, len(row.Items))
	for at, item := range row.Items {
		row.Values[at] = float64(t.sums[t.place(item)]) / float64(total)
	}
	*t = rowTally{}
	return row
}

// tallyBytes bounds the bytes of a tally of the given number of items, of n, with what it grows from.
func tallyBytes(items, n int) int64 {
	return min(int64(items+leastPlaces)*placedBytes*3/2, int64(n)*directBytes+int64(n/directShare+leastPlaces)*placedBytes)
}
