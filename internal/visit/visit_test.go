package visit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/matrix"
)

// documents returns documents [first, last) of a corpus of n items.
func documents(n, first, last int) *corpus.Documents {
	d := &corpus.Documents{}
	for m := first; m < last; m++ {
		random := rand.New(rand.NewPCG(3, uint64(m)))
		var items, counts []int32
		for item := random.IntN(50); item < n; item += 1 + random.IntN(n/20+1) {
			items, counts = append(items, int32(item)), append(counts, int32(1+random.IntN(3)))
		}
		d.Append(items, counts)
	}
	for m := first; m < last; m++ {
		d.Weights = append(d.Weights, float64(m+1))
	}
	return d
}

// TestVisits checks that documents meet the rows of their items, and that sums come to the right rows, for several
// ranks, batch sizes and documents only on some ranks.
func TestVisits(t *testing.T) {
	const n, m, cols = 5*matrix.BlockRows + 7, 60, 3
	value := func(i, j int) float64 { return float64(i*10 + j) }
	want := matrix.NewTall(n, cols)
	all := documents(n, 0, m)
	for d := range m {
		items, counts := all.Row(d)
		for at, item := range items {
			for j := range cols {
				want.Row(int(item))[j] += float64(counts[at]) * all.Weight(d) * value(int(item), j)
			}
		}
	}
	for _, ranks := range []int{1, 2, 3, 8} {
		for _, rowBytes := range []int{1, batchBytes / 100} {
			for _, alone := range []bool{false, true} {
				err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
					c := collective.From(ctx)
					first, last := c.Rank()*m/ranks, (c.Rank()+1)*m/ranks
					if alone {
						first, last = 0, 0
						if c.Rank() == ranks-1 {
							last = m
						}
					}
					x, sums := matrix.NewShared[float64](c.Layout(), n, cols), matrix.NewShared[float64](c.Layout(), n, cols)
					low, high := x.HeldRows()
					for i := low; i < high; i++ {
						for j := range cols {
							x.Row(i)[j] = value(i, j)
						}
					}
					met, calls := 0, 0
					pass := func(_ context.Context, fn func(*corpus.Documents) error) error {
						for d := first; d < last; d += 7 {
							if err := fn(documents(n, d, min(d+7, last))); err != nil {
								return err
							}
						}
						return nil
					}
					err := Batches(ctx, c.Layout(), pass, n, rowBytes, func(b *Batch) error {
						calls++
						rows, err := Fetch(ctx, b, x)
						if err != nil {
							return err
						}
						local := matrix.Like(rows)
						for d := range b.Documents.Documents() {
							items, counts := b.Documents.Row(d)
							original, _ := all.Row(first + met)
							met++
							for at, item := range items {
								if b.Items[item] != original[at] {
									return fmt.Errorf("document %d has item %d, not %d", first+met, b.Items[item], original[at])
								}
								for j, v := range rows.Row(int(item)) {
									local.Row(int(item))[j] += float64(counts[at]) * b.Documents.Weight(d) * v
								}
							}
						}
						return Add(ctx, b, sums, local)
					})
					if err != nil {
						return err
					}
					if met != last-first {
						return fmt.Errorf("met %d documents of %d", met, last-first)
					}
					if rowBytes > 1 && calls < 2 {
						return fmt.Errorf("all in %d batches", calls)
					}
					for i := low; i < high; i++ {
						if !slices.Equal(sums.Row(i), want.Row(i)) {
							return fmt.Errorf("row %d is %v, not %v", i, sums.Row(i), want.Row(i))
						}
					}
					return nil
				})
				if err != nil {
					t.Errorf("%d ranks, %d bytes a row, all on one: %v: %v", ranks, rowBytes, alone, err)
				}
			}
		}
	}
}
