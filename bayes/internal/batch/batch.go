// Package batch holds a mini-batch of documents with an index by item, as the inference of package bayes and the
// refinement of package refine go through it. A batch is not safe for concurrent changes.
package batch

import (
	"slices"

	"anchorage/corpus"
)

// Batch is a set of documents with an index by item. Items are numbered in order of appearance: row r is item Items[r].
type Batch struct {
	Offsets []int32   // of each document in Rows and Counts
	Rows    []int32   // of each entry
	Counts  []float64 // of each entry
	Items   []int32   // of each row

	place []int32 // of each item of the vocabulary: its row plus 1, or 0
	// The entries of row r are ByRow[Starts[r]] to ByRow[Starts[r+1]], in the order of the documents; Owner is the
	// document of each of them. Index sets them.
	Starts, ByRow, Owner []int32
}

// New returns an empty batch of documents whose items are below the given number.
func New(items int) *Batch { return &Batch{Offsets: []int32{0}, place: make([]int32, items)} }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	for _, item := range b.Items {
		b.place[item] = 0
	}
	b.Offsets, b.Rows, b.Counts, b.Items = b.Offsets[:1], b.Rows[:0], b.Counts[:0], b.Items[:0]
}

// Grow makes room for the places of the given number of items. The batch must be empty.
func (b *Batch) Grow(items int) {
	if len(b.place) < items {
		b.place = make([]int32, items)
	}
}

// Documents returns the number of documents.
func (b *Batch) Documents() int { return len(b.Offsets) - 1 }

// Add appends documents [first, last) of docs.
func (b *Batch) Add(docs *corpus.Documents, first, last int) {
	for d := first; d < last; d++ {
		items, counts := docs.Row(d)
		for j, item := range items {
			b.Rows = append(b.Rows, b.row(item))
			b.Counts = append(b.Counts, float64(counts[j]))
		}
		b.Offsets = append(b.Offsets, int32(len(b.Rows)))
	}
}

// row returns the row of an item, a new row if the batch does not have the item yet.
func (b *Batch) row(item int32) int32 {
	if b.place[item] == 0 {
		b.Items = append(b.Items, item)
		b.place[item] = int32(len(b.Items))
	}
	return b.place[item] - 1
}

// Document returns the rows and counts of document d, and the number of its first entry.
func (b *Batch) Document(d int) (rows []int32, counts []float64, first int) {
	start, end := b.Offsets[d], b.Offsets[d+1]
	return b.Rows[start:end], b.Counts[start:end], int(start)
}

// Index sorts the entries by row.
func (b *Batch) Index() {
	b.Starts = Resize(b.Starts, len(b.Items)+1)
	clear(b.Starts)
	for _, r := range b.Rows {
		b.Starts[r+1]++
	}
	for r := range b.Items {
		b.Starts[r+1] += b.Starts[r]
	}
	b.ByRow, b.Owner = Resize(b.ByRow, len(b.Rows)), Resize(b.Owner, len(b.Rows))
	for d := range b.Documents() {
		for e := b.Offsets[d]; e < b.Offsets[d+1]; e++ {
			at := &b.Starts[b.Rows[e]]
			b.ByRow[*at], b.Owner[*at] = e, int32(d)
			*at++
		}
	}
	copy(b.Starts[1:], b.Starts[:len(b.Items)]) // each start has moved to the next one
	b.Starts[0] = 0
}

// Resize returns s with length n and undefined content, in new memory if its capacity is too small.
func Resize[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}
