// This file brings documents and their topics together: where several processes share the rows, the rows of the items
// of a batch of documents come to it, and its sums go back.

package refine

import (
	"context"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/visit"
	"anchorage/matrix"
)

// near is what the documents of a batch meet of the topics: everything, or copies of the rows of their items, and new
// sums for these.
type near struct {
	items    []int32 // the number of the item of each row; nil if rows have their own numbers
	inferrer *infer.Inferrer
	sums     *matrix.Single // n, or what the documents add to it
}

// prepare makes what documents meet before there are any, and its workers.
func (r *refiner) prepare() {
	at := &r.near
	if at.inferrer = r.inferrer; r.layout != nil {
		at.inferrer = &infer.Inferrer{}
		at.inferrer.Copy(r.inferrer, matrix.NewSingle(0, r.k), nil)
	}
	r.idle = make(chan *infer.Worker, kernel.Workers(r.options.Workers))
	for range cap(r.idle) {
		r.idle <- at.inferrer.Worker()
	}
}

// item returns the number of the item whose row in near is given.
func (at *near) item(row int32) int32 {
	if at.items == nil {
		return row
	}
	return at.items[row]
}

// batches calls fn with the documents of this process for which belongs is true, or all if it is nil, in r.batch, batch
// by batch, and with what they meet of the topics in r.near. If it learns, what fn adds to sums there comes to those of
// the topics.
func (r *refiner) batches(ctx context.Context, belongs func(document uint64) bool, learns bool, fn func() error) error {
	if r.layout == nil {
		r.near.sums = r.sums
		r.batch.Grow(r.n)
		return r.cut(ctx, r.pass, belongs, fn)
	}
	r.queue = r.queue[:0]
	return visit.Batches(ctx, r.layout, r.chosen(belongs), r.n, visitBytes(r.k),
		func(b *visit.Batch) error {
			if err := r.approach(ctx, b); err != nil {
				return err
			}
			pass := func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(b.Documents) }
			if err := r.cut(ctx, pass, nil, fn); err != nil {
				return err
			}
			if !learns {
				return nil
			}
			// what the documents have said goes to the processes that hold the rows
			return visit.Add(ctx, b, r.sums, r.near.sums)
		})
}

// chosen returns the pass over the documents for which belongs is true, by their numbers among those of all processes,
// or all if it is nil. It notes their numbers in this process.
func (r *refiner) chosen(belongs func(document uint64) bool) corpus.Pass {
	return func(ctx context.Context, fn func(*corpus.Documents) error) error {
		var chosen corpus.Documents
		document := uint64(r.start.Before)
		return r.pass(ctx, func(docs *corpus.Documents) error {
			chosen.Offsets, chosen.Items, chosen.Counts = chosen.Offsets[:0], chosen.Items[:0], chosen.Counts[:0]
			for d := range docs.Documents() {
				if belongs == nil || belongs(document) {
					r.queue = append(r.queue, int64(document)-r.start.Before)
					chosen.Append(docs.Row(d))
				}
				document++
			}
			return fn(&chosen)
		})
	}
}

// approach brings the rows that a batch needs.
func (r *refiner) approach(ctx context.Context, b *visit.Batch) (err error) {
	at := &r.near
	at.items = b.Items
	table, err := visit.Fetch(ctx, b, r.inferrer.Table())
	if err != nil {
		return err
	}
	at.inferrer.Copy(r.inferrer, table, b.Items)
	at.sums = matrix.Like(table)
	r.batch.Grow(len(b.Items))
	return err
}

// visitBytes returns what a process holds for each distinct item of a batch. Tests set it to something else, for small
// batches.
var visitBytes = func(k int) int { return 4*2*aligned.Columns[float32](k) + 16 }
