// This file lets the documents of a process meet rows that other processes hold.

package sketch

import (
	"context"

	"anchorage/corpus"
	"anchorage/internal/visit"
	"anchorage/matrix"
)

// source gives a product the rows of X that a batch needs, numbered as its items are.
type source func(ctx context.Context, b *visit.Batch, local *product) error

// fetched brings rows of x.
func fetched(x *matrix.Tall) source {
	return func(ctx context.Context, b *visit.Batch, local *product) error {
		rows, err := visit.Fetch(ctx, b, x)
		local.rows = denseRows(rows)
		return err
	}
}

// fetchedSingles brings rows of x that are added in single precision.
func fetchedSingles(x *matrix.Tall) source {
	return func(ctx context.Context, b *visit.Batch, local *product) error {
		rows, err := visit.Fetch(ctx, b, x)
		local.single = matrix.Converted[float32](rows)
		return err
	}
}

// keyed makes the rows of Ω.
func (o omega) keyed(key func(item int) uint64) source {
	return func(_ context.Context, b *visit.Batch, local *product) error {
		local.rows = func() rowAdder {
			return o.rows(func(item int) uint64 { return key(int(b.Items[item])) })
		}
		return nil
	}
}

// pass makes a pass and adds its documents to the sums. Where several processes share the sums, each reads its
// documents, and the sums of a batch of them go to those that hold the rows. Each process holds the rows of X and of
// the sums for the items of a batch.
func (p *product) pass(ctx context.Context, pass corpus.Pass, from source) error {
	if p.out.Whole() {
		return pass(ctx, func(docs *corpus.Documents) error { return p.add(ctx, docs) })
	}
	return p.visit(ctx, pass, 2*p.out.Stride(), func(b *visit.Batch, local *product) (err error) {
		if err := from(ctx, b, local); err != nil {
			return err
		}
		local.out = matrix.NewTall(len(b.Items), p.out.Cols())
		if err := local.add(ctx, b.Documents); err != nil {
			return err
		}
		return visit.Add(ctx, b, p.out, local.out)
	})
}

// visit makes a pass over the documents of all processes and calls fn with each batch, and with a product whose items
// are numbered as in the batch. numbers is how many the caller holds for each distinct item of a batch.
func (p *product) visit(ctx context.Context, pass corpus.Pass, numbers int,
	fn func(b *visit.Batch, local *product) error) error {
	local := *p
	return visit.Batches(ctx, p.out.Layout(), pass, p.out.Rows(), 8*numbers, func(b *visit.Batch) error {
		local.numbers, local.itemWeights = b.Items, pickedFrom(p.itemWeights, b.Items)
		return fn(b, &local)
	})
}

// pickedFrom returns the values of some items; nil of nil.
func pickedFrom(values []float64, items []int32) []float64 {
	if values == nil {
		return nil
	}
	picked := make([]float64, len(items))
	for at, item := range items {
		picked[at] = values[item]
	}
	return picked
}
