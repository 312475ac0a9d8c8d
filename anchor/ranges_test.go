package anchor

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

// The sums have the bits of ranges that are summed on their own and added up in order, however many are summed at a time.
func TestSumRanges(t *testing.T) {
	const length = 3
	value := func(i, j int) float64 { return math.Sin(float64(i*length + j)) }
	add := func(sum []float64, first, last int) {
		for i := first; i < last; i++ {
			for j := range sum {
				sum[j] += value(i, j)
			}
		}
	}
	for _, n := range []int{0, 1, rangeRows, 4*rangeRows + 1, 21*rangeRows - 5} {
		want := make([]float64, length)
		for first := 0; first < n; first += rangeRows {
			part := make([]float64, length)
			add(part, first, min(first+rangeRows, n))
			addTo(want, part)
		}
		for _, workers := range []int{1, 2, 3, 7} {
			got, err := sumRanges(context.Background(), workers, n, length, add)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d items, %d workers: %v, %v instead of %v", n, workers, got, err, want)
			}
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sumRanges(done, 1, 10, length, add); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
