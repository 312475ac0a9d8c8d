package toplist

import (
	"anchorage/internal/collective"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive sorts all entries and cuts them off.
func naive(entries []Entry, limit int) []Entry {
	sorted := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return math.IsNaN(e.Score) })
	slices.SortFunc(sorted, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Item, b.Item))
	})
	return sorted[:min(limit, len(sorted))]
}

// someEntries returns entries of which many have equal scores, some are negative and some are NaN.
func someEntries(random *rand.Rand, n int) []Entry {
	entries := make([]Entry, n)
	for i := range entries {
		entries[i] = Entry{i, float64(random.IntN(7) - 3)}
		if random.IntN(10) == 0 {
			entries[i].Score = math.NaN()
		}
	}
	return entries
}

// TestListAgainstSort offers items in random order, to one list and to two that are merged.
func TestListAgainstSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 17, 200} {
		for _, limit := range []int{-1, 0, 1, 2, 5, 16, 300} {
			entries := someEntries(random, n)
			want := naive(entries, max(limit, 0))
			random.Shuffle(n, func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
			whole, first, second := New(limit), New(limit), New(limit)
			for i, e := range entries {
				whole.Offer(e.Item, e.Score)
				if i%3 == 0 {
					first.Offer(e.Item, e.Score)
				} else {
					second.Offer(e.Item, e.Score)
				}
			}
			first.Merge(&second)
			for name, got := range map[string][]Entry{"one list": whole.Sorted(), "two lists": first.Sorted()} {
				if !slices.Equal(got, want) {
					t.Fatalf("%d items, limit %d, %s: %v, want %v", n, limit, name, got, want)
				}
			}
		}
	}
}

func TestColumnsAgainstSort(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 9, 500} {
		const columns, limit = 3, 6
		of := make([][]Entry, columns)
		for c := range of {
			of[c] = someEntries(random, n)
		}
		for _, workers := range []int{1, 2, 5} {
			got := Columns(n, columns, limit, workers, func(dst []float64, i int) {
				for c := range dst {
					dst[c] = of[c][i].Score
				}
			})
			for c := range of {
				positive := slices.DeleteFunc(slices.Clone(of[c]), func(e Entry) bool { return !(e.Score > 0) })
				if want := naive(positive, limit); fmt.Sprint(got[c]) != fmt.Sprint(want) {
					t.Fatalf("%d rows, %d workers, column %d: %v, want %v", n, workers, c, got[c], want)
				}
			}
		}
	}
}

// Ranks find the best of all rows, those with equal scores in the order of the rows.
func TestSharedAgainstColumns(t *testing.T) {
	const n, columns, limit = 5*4096 + 3, 3, 9
	row := func(dst []float64, i int) {
		for c := range dst {
			dst[c] = float64((i*7919+c)%1000) - 10*float64(c)
		}
	}
	want := Columns(n, columns, limit, 2, row)
	for _, ranks := range []int{1, 2, 3, 8} {
		err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			got, err := Shared(ctx, collective.From(ctx).Layout(), n, columns, limit, 2, row)
			if err == nil && !slices.EqualFunc(got, want, slices.Equal[[]Entry]) {
				err = fmt.Errorf("%v instead of %v", got, want)
			}
			return err
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}
