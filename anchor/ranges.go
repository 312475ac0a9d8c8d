// This file cuts work on items into ranges that depend only on the number of items.

package anchor

import (
	"context"

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

// eachItem calls fn for every row of n that this process holds, in parallel. Of several errors it returns that of the
// first item.
func eachItem(ctx context.Context, layout matrix.Layout, workers, n int, fn func(i int) error) error {
	return eachRange(ctx, layout, workers, n, func(_, first, last int) error {
		for i := first; i < last; i++ {
			if err := fn(i); err != nil {
				return err
			}
		}
		return nil
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
