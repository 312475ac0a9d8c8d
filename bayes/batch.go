// This file holds a mini-batch: its documents, its items, and which documents have an item.

package bayes

import (
	"slices"

	"anchorage/corpus"
)

// batch is a set of documents with an index by item. Items are numbered in order of appearance; row r stands for item
// items[r].
type batch struct {
	offsets []int32   // of each document in rows and counts
	rows    []int32   // of each entry
	counts  []float64 // of each entry
	items   []int32   // of each row
	weights []float64 // of each document

	place []int32 // of each item of the vocabulary: its row plus 1, or 0
	// The entries of row r are byRow[starts[r]] to byRow[starts[r+1]], in the order of the documents; owner is the document of
	// each of them.
	starts, byRow, owner []int32
}

func newBatch(items int) *batch { return &batch{offsets: []int32{0}, place: make([]int32, items)} }

// reset empties the batch and keeps its memory.
func (b *batch) reset() {
	for _, item := range b.items {
		b.place[item] = 0
	}
	b.offsets, b.rows, b.counts, b.items, b.weights = b.offsets[:1], b.rows[:0], b.counts[:0], b.items[:0], b.weights[:0]
}

// grow makes room for the places of so many items. The batch must be empty.
func (b *batch) grow(items int) {
	if len(b.place) < items {
		b.place = make([]int32, items)
	}
}

func (b *batch) documents() int { return len(b.offsets) - 1 }

// add appends documents [first, last) of docs.
func (b *batch) add(docs *corpus.Documents, first, last int) {
	for d := first; d < last; d++ {
		items, counts := docs.Row(d)
		for j, item := range items {
			b.rows = append(b.rows, b.row(item))
			b.counts = append(b.counts, float64(counts[j]))
		}
		b.offsets = append(b.offsets, int32(len(b.rows)))
		b.weights = append(b.weights, docs.Weight(d))
	}
}

// row returns the row of an item, a new row if the batch does not have the item yet.
func (b *batch) row(item int32) int32 {
	if b.place[item] == 0 {
		b.items = append(b.items, item)
		b.place[item] = int32(len(b.items))
	}
	return b.place[item] - 1
}

// document returns the rows and counts of document d, and the number of its first entry.
func (b *batch) document(d int) (rows []int32, counts []float64, first int) {
	start, end := b.offsets[d], b.offsets[d+1]
	return b.rows[start:end], b.counts[start:end], int(start)
}

// row32 returns a copy of document d, as its items and counts.
func (b *batch) row32(d int) (items, counts []int32) {
	rows, values, _ := b.document(d)
	for i, r := range rows {
		items, counts = append(items, b.items[r]), append(counts, int32(values[i]))
	}
	return items, counts
}

// index sorts the entries by row.
func (b *batch) index() {
	b.starts = resize(b.starts, len(b.items)+1)
	clear(b.starts)
	for _, r := range b.rows {
		b.starts[r+1]++
	}
	for r := range b.items {
		b.starts[r+1] += b.starts[r]
	}
	b.byRow, b.owner = resize(b.byRow, len(b.rows)), resize(b.owner, len(b.rows))
	for d := range b.documents() {
		for e := b.offsets[d]; e < b.offsets[d+1]; e++ {
			at := &b.starts[b.rows[e]]
			b.byRow[*at], b.owner[*at] = e, int32(d)
			*at++
		}
	}
	copy(b.starts[1:], b.starts[:len(b.items)]) // each start has moved to the next one
	b.starts[0] = 0
}

// tokens returns Σ_v X_vd of counts.
func tokens(counts []float64) float64 {
	sum := 0.0
	for _, c := range counts {
		sum += c
	}
	return sum
}

// resize returns s with length n and undefined content, in new memory if its capacity is too small.
func resize[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}
