package sketch

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// TestProductIsDocumentByDocument holds the bits of a product against the plain form: one document after the other, one
// entry after the other.
func TestProductIsDocumentByDocument(t *testing.T) {
	const n = 3000
	docs := drawn(n, 4, 700)
	weights := someWeights(n)
	for _, cols := range []int{1, 13, 64, 70, 130} {
		x, signs, vocabulary := matrix.NewTall(n, cols), omega{seed: 3, cols: cols}, numbered(n)
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range n {
			for j := range cols {
				x.Row(i)[j] = rng.NormFloat64()
			}
		}
		x.Row(1)[0], x.Row(2)[cols-1] = 5e-324, math.Copysign(0, -1)
		for name, p := range map[string]product{
			"dense":          {rows: denseRows(x)},
			"dense weighted": {rows: denseRows(x), itemWeights: weights},
			"signs":          {rows: func() rowAdder { return signs.rows(vocabulary.Key) }},
		} {
			row := x.PaddedRow
			if name == "signs" {
				row = func(i int) []float64 {
					r := make([]float64, x.Stride())
					setRow(signs, r[:cols], 0, vocabulary.Key(i))
					return r
				}
			}
			want := plainProduct(docs, row, n, cols, p.itemWeights)
			for _, workers := range []int{1, 3} {
				for _, batch := range []int{1000, 90} {
					p := p
					p.out, p.workers = matrix.NewTall(n, cols), workers
					err := inBatches(docs, batch)(context.Background(), func(part *corpus.Documents) error {
						return p.add(context.Background(), part)
					})
					if err != nil {
						t.Fatal(err)
					}
					for i := range n {
						for j, v := range p.out.PaddedRow(i) {
							if math.Float64bits(v) != math.Float64bits(want.PaddedRow(i)[j]) {
								t.Fatalf("%s, %d columns, %d workers, batches of %d: entry %d,%d is %v, want %v",
									name, cols, workers, batch, i, j, v, want.PaddedRow(i)[j])
							}
						}
					}
				}
			}
		}
	}
}

func plainProduct(docs *corpus.Documents, row func(i int) []float64, n, cols int, weights []float64) *matrix.Tall {
	out := matrix.NewTall(n, cols)
	z := make([]float64, out.Stride())
	p := product{itemWeights: weights}
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		_, w := PairWeight(items, counts, weights, 0)
		if w == 0 {
			continue
		}
		clear(z)
		for t, item := range items {
			kernel.Axpy(p.weighted(item, counts[t])*w, row(int(item)), z)
		}
		for t, item := range items {
			kernel.Axpy(p.weighted(item, counts[t]), z, out.PaddedRow(int(item)))
		}
	}
	return out
}

// TestSortEntries holds the sorted entries against a stable sort, over numbers of items that take one round, two and
// three.
func TestSortEntries(t *testing.T) {
	for _, items := range []int{1, 2, 3, 1 << mostDigitBits, 1<<mostDigitBits + 1, 1 << 22, 10_000_000} {
		rng := rand.New(rand.NewPCG(uint64(items), 1))
		docs := &corpus.Documents{Offsets: []int32{0}}
		var weights []float64
		var want []entry
		const first, last = 3, 90
		for d := range 100 {
			row := map[int32]bool{}
			for range rng.IntN(30) {
				row[int32(rng.IntN(items))] = true
			}
			weight := float64(rng.IntN(4)) // 0 at times
			var sorted []int32
			for item := range row {
				sorted = append(sorted, item)
			}
			slices.Sort(sorted)
			for _, item := range sorted {
				count := int32(1 + rng.IntN(9))
				docs.Items, docs.Counts = append(docs.Items, item), append(docs.Counts, count)
				if weight > 0 && d >= first && d < last {
					want = append(want, entry{item, int32(d - first), count})
				}
			}
			docs.Offsets = append(docs.Offsets, int32(len(docs.Items)))
			if d >= first && d < last {
				weights = append(weights, weight)
			}
		}
		slices.SortStableFunc(want, func(a, b entry) int { return int(a.item) - int(b.item) })
		for _, workers := range []int{1, 2, 7, 200} {
			var s entries
			if err := s.sort(context.Background(), docs, first, last, weights, items, workers); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.sorted, want) {
				t.Fatalf("%d items, %d workers: not the entries of a stable sort", items, workers)
			}
			checkRanges(t, &s, workers)
		}
	}
}

// checkRanges checks that ranges hold all entries once, and no item is in two of them.
func checkRanges(t *testing.T, s *entries, workers int) {
	t.Helper()
	owner, total := map[int32]*entry{}, make(chan int, 8*workers)
	parts := make(chan []entry, 8*workers)
	err := s.byRange(context.Background(), workers, func(part []entry) error {
		total <- len(part)
		parts <- part
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	close(total)
	close(parts)
	sum := 0
	for n := range total {
		sum += n
	}
	for part := range parts {
		for i := range part {
			if of, known := owner[part[i].item]; known && of != &part[0] {
				t.Fatalf("item %d is in two ranges", part[i].item)
			}
			owner[part[i].item] = &part[0]
		}
	}
	if sum != len(s.sorted) {
		t.Fatalf("ranges hold %d entries of %d", sum, len(s.sorted))
	}
}

func TestSortCancelled(t *testing.T) {
	docs := drawn(50, 3, 100)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var s entries
	weights := make([]float64, docs.Documents())
	if err := s.sort(ctx, docs, 0, docs.Documents(), weights, 50, 2); err == nil {
		t.Error("a cancelled sort says nothing")
	}
}
