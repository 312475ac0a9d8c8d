// This file infers documents together, with only the rows of the items that they have.

package infer

import (
	"context"
	"slices"
	"sync"

	"anchorage/internal/kernel"
)

// Batch collects documents and infers them together. It holds the rows of B of their items only, 12·K bytes for each,
// and 4·K bytes for each document. It belongs to one goroutine.
type Batch struct {
	row     func(dst []float64, i int)
	joint   []float64
	k       int
	workers int
	local   []int32 // of every item, its number in the batch; −1 if it has none
	items   []int32 // that the documents have
	offsets []int
	entries []int32 // items of the documents, by their numbers in items
	counts  []int32
	rows    []float64
}

// BatchDocument is a document of a batch with its mixture. It is valid until the function that gets it returns, except
// Mixture.
type BatchDocument struct {
	Result
	Mixture []float32
	Counts  []int32 // of its entries

	entries []int32
	batch   *Batch
}

// Item returns the item of an entry.
func (d *BatchDocument) Item(at int) int32 { return d.batch.items[d.entries[at]] }

// Row returns the row of B of the item of an entry.
func (d *BatchDocument) Row(at int) []float64 {
	return d.batch.rows[int(d.entries[at])*d.batch.k:][:d.batch.k]
}

// NewBatch returns an empty batch for N items and K topics; see New for row and joint. 0 workers are one per processor.
func NewBatch(n, k int, row func(dst []float64, i int), joint []float64, workers int) *Batch {
	return &Batch{row: row, joint: joint, k: k, workers: workers, local: slices.Repeat([]int32{-1}, n), offsets: []int{0}}
}

// Add adds a document.
func (b *Batch) Add(items, counts []int32) {
	for _, item := range items {
		if b.local[item] < 0 {
			b.local[item] = int32(len(b.items))
			b.items = append(b.items, item)
		}
		b.entries = append(b.entries, b.local[item])
	}
	b.counts, b.offsets = append(b.counts, counts...), append(b.offsets, len(b.entries))
}

// Items returns the number of different items of the documents.
func (b *Batch) Items() int { return len(b.items) }

// Infer infers the documents, empties the batch, and returns the parameters of the prior. Several goroutines call fn
// with the documents, by their numbers in the batch, in no order. The error is that of New or of ctx.
func (b *Batch) Infer(ctx context.Context, fn func(d int, of BatchDocument)) (alpha []float64, err error) {
	b.rows = slices.Grow(b.rows[:0], len(b.items)*b.k)[:len(b.items)*b.k]
	err = kernel.Parallel(ctx, b.workers, len(b.items), func(i int) error {
		b.row(b.rows[i*b.k:][:b.k], int(b.items[i]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	inferrer, err := New(len(b.items), b.k, func(dst []float64, i int) { copy(dst, b.rows[i*b.k:]) }, b.joint, Options{})
	if err != nil {
		return nil, err
	}
	workers := sync.Pool{New: func() any { return inferrer.Worker() }}
	documents := len(b.offsets) - 1
	mixtures := make([]float32, documents*b.k)
	err = kernel.Parallel(ctx, b.workers, documents, func(d int) error {
		w := workers.Get().(*Worker)
		defer workers.Put(w)
		first, last := b.offsets[d], b.offsets[d+1]
		of := BatchDocument{Mixture: mixtures[d*b.k:][:b.k], Counts: b.counts[first:last], entries: b.entries[first:last],
			batch: b}
		of.Result = w.Infer(of.Mixture, of.entries, of.Counts)
		fn(d, of)
		return nil
	})
	for _, item := range b.items {
		b.local[item] = -1
	}
	b.items, b.entries, b.counts, b.offsets = b.items[:0], b.entries[:0], b.counts[:0], b.offsets[:1]
	return inferrer.Alpha(), err
}
