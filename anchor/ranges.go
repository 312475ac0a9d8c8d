// This file cuts work on items into ranges that depend only on the number of items, and finds the two best columns
// among those of all ranges.

package anchor

import (
	"context"
	"slices"

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

// contest keeps the two columns with the greatest positive scores; of equal columns the first offered.
type contest struct {
	item  [2]int // −1 for none
	score [2]float64
}

func newContest() contest { return contest{item: [2]int{-1, -1}} }

func (c *contest) offer(item int, score float64) {
	switch {
	case score > c.score[0]:
		c.item[1], c.score[1] = c.item[0], c.score[0]
		c.item[0], c.score[0] = item, score
	case score > c.score[1]:
		c.item[1], c.score[1] = item, score
	}
}

// merge offers the columns of another contest, among later columns.
func (c *contest) merge(other contest) {
	for at, item := range other.item {
		if item >= 0 {
			c.offer(item, other.score[at])
		}
	}
}

// winners returns the contest of all columns, given those of the ranges that are held.
func winners(ctx context.Context, layout matrix.Layout, ranges []contest) (contest, error) {
	own := newContest()
	for _, b := range ranges {
		own.merge(b)
	}
	all, err := kernel.Concat(ctx, layout, []float64{float64(own.item[0]), own.score[0],
		float64(own.item[1]), own.score[1]})
	total := newContest()
	for of := range slices.Chunk(all, 4) {
		total.merge(contest{[2]int{int(of[0]), int(of[2])}, [2]float64{of[1], of[3]}})
	}
	return total, err
}
