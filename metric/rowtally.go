// This file adds up a row of C whose items are not known beforehand.

package metric

import "slices"

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
