package anchor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

// The sums are those of all items, with the same bits for any number of workers and of ranks.
func TestSumRanges(t *testing.T) {
	const length = 3
	value := func(i, j int) float64 { return math.Sin(float64(i*length + j)) }
	add := func(sum []float64, first, last int) {
		if last-first > rangeRows {
			t.Errorf("a range from %d to %d", first, last)
		}
		for i := first; i < last; i++ {
			for j := range sum {
				sum[j] += value(i, j)
			}
		}
	}
	for _, n := range []int{0, 1, rangeRows, 4*rangeRows + 1, 3*matrix.BlockRows + 7, 70 * matrix.BlockRows} {
		plain := make([]float64, length)
		for first := 0; first < n; first += rangeRows {
			add(plain, first, min(first+rangeRows, n))
		}
		want, err := sumRanges(t.Context(), nil, 1, n, length, add)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range want {
			near(t, "a sum over ranges", v, plain[j], 1e-13*float64(n+1), 1)
		}
		for _, workers := range []int{2, 3, 7} {
			if got, err := sumRanges(t.Context(), nil, workers, n, length, add); err != nil || !slices.Equal(got, want) {
				t.Errorf("%d items, %d workers: %v, %v instead of %v", n, workers, got, err, want)
			}
		}
		for _, ranks := range []int{1, 2, 3, 5} {
			err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
				got, err := sumRanges(ctx, collective.From(ctx).Layout(), 2, n, length, add)
				if err == nil && !slices.Equal(got, want) {
					err = fmt.Errorf("%v instead of %v", got, want)
				}
				return err
			})
			if err != nil {
				t.Errorf("%d items, %d ranks: %v", n, ranks, err)
			}
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sumRanges(done, nil, 1, 10, length, add); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
