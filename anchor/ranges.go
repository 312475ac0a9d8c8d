// This file cuts work on items into ranges that depend on the number of items alone.

package anchor

import (
	"context"

	"anchorage/internal/kernel"
)

// rangeRows is the number of items in a range: enough that its buffers cost little time, and few enough that a few thousand items
// keep several workers busy.
const rangeRows = 512

// rangeCount returns the number of ranges that n items fall into.
func rangeCount(n int) int { return (n + rangeRows - 1) / rangeRows }

// eachRange calls fn(part, first, last) for every range [first, last) of n items, in parallel. Of several errors it returns that
// of the first range, so that the error does not depend on the number of workers either.
func eachRange(ctx context.Context, workers, n int, fn func(part, first, last int) error) error {
	failures := make([]error, rangeCount(n))
	err := kernel.Parallel(ctx, workers, len(failures), func(part int) error {
		first := part * rangeRows
		failures[part] = fn(part, first, min(first+rangeRows, n))
		return nil
	})
	if err != nil {
		return err
	}
	for _, failure := range failures {
		if failure != nil {
			return failure
		}
	}
	return nil
}

// sumRanges adds up a vector of the given length over all ranges, in their order; fn adds the share of a range to sum. It works on
// several ranges at a time, each with its own vector. Their number does not change the sum.
func sumRanges(ctx context.Context, workers, n, length int, fn func(sum []float64, first, last int)) ([]float64, error) {
	total := make([]float64, length)
	parts := make([][]float64, min(sumsAtATime(workers), rangeCount(n)))
	for i := range parts {
		parts[i] = make([]float64, length)
	}
	for start := 0; start < rangeCount(n); start += len(parts) {
		part := parts[:min(len(parts), rangeCount(n)-start)]
		err := kernel.Parallel(ctx, workers, len(part), func(i int) error {
			clear(part[i])
			first := (start + i) * rangeRows
			fn(part[i], first, min(first+rangeRows, n))
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, sum := range part {
			addTo(total, sum)
		}
	}
	return total, nil
}

// sumsAtATime is how many ranges sumRanges sums at a time.
func sumsAtATime(workers int) int { return 4 * kernel.Workers(workers) }

// dot returns Σ_j a_j·b_j over the length of a, in four sums that do not wait for each other.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+4 <= len(a); j += 4 {
		u, v := a[j:j+4:j+4], b[j:j+4:j+4]
		s0 += u[0] * v[0]
		s1 += u[1] * v[1]
		s2 += u[2] * v[2]
		s3 += u[3] * v[3]
	}
	for ; j < len(a); j++ {
		s0 += a[j] * b[j]
	}
	return (s0 + s1) + (s2 + s3)
}
