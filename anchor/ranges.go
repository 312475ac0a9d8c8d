// This file cuts work on items into ranges that depend only on the number of items.

package anchor

import (
	"context"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// rangeRows is the number of items in a range: enough that its buffers cost little time, and few enough that a few
// thousand items keep several workers busy.
const rangeRows = 512

// rangeCount returns the number of ranges that n items fall into.
func rangeCount(n int) int { return (n + rangeRows - 1) / rangeRows }

// heldRanges returns the number of ranges of the rows of n that this process holds.
func heldRanges(layout matrix.Layout, n int) int {
	first, last := kernel.Held(layout, n)
	return rangeCount(last - first)
}

// eachRange calls fn(part, first, last) for every range [first, last) of the rows of n that this process holds, in
// parallel; part numbers these ranges. Of several errors it returns that of the first range.
func eachRange(ctx context.Context, layout matrix.Layout, workers, n int, fn func(part, first, last int) error) error {
	begin, end := kernel.Held(layout, n)
	return kernel.ParallelAll(ctx, workers, rangeCount(end-begin), func(part int) error {
		first := begin + part*rangeRows
		return fn(part, first, min(first+rangeRows, end))
	})
}

// sumRanges returns a vector of the given length that is a sum over n items, on every process that shares them. Fn adds
// the share of a range to sum; see kernel.SumShared, which has the order of the sum. The error is that of ctx.
func sumRanges(ctx context.Context, layout matrix.Layout, workers, n, length int,
	fn func(sum []float64, first, last int)) ([]float64, error) {
	total := kernel.SumShared(ctx, layout, n, length, workers, func(sum []float64, first, last int) {
		for ; first < last && ctx.Err() == nil; first += rangeRows {
			fn(sum, first, min(first+rangeRows, last))
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return total, nil
}

// dot returns Σ_j a_j·b_j over the length of a, in four sums that do not wait for each other.
func dot[T aligned.Real](a []float64, b []T) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+4 <= len(a); j += 4 {
		u, v := a[j:j+4:j+4], b[j:j+4:j+4]
		s0 += u[0] * float64(v[0])
		s1 += u[1] * float64(v[1])
		s2 += u[2] * float64(v[2])
		s3 += u[3] * float64(v[3])
	}
	for ; j < len(a); j++ {
		s0 += a[j] * float64(b[j])
	}
	return (s0 + s1) + (s2 + s3)
}
