// This file cuts sums over rows into ranges, and adds them in a tree that is the same for any number of workers and of
// ranks.

package kernel

import (
	"context"
	"math/bits"

	"anchorage/internal/aligned"
	"anchorage/matrix"
)

// fewBlocks is the number of blocks below which every piece is a range, so that a small matrix keeps several workers
// busy. Of more rows every section is one.
const fewBlocks = 64

// rangeCount returns the number of ranges that a sum over rows is cut into. Their number and their bounds depend on
// nothing else.
func rangeCount(rows int) int {
	if rows < fewBlocks*matrix.BlockRows {
		return pieces(rows)
	}
	return matrix.Sections(rows)
}

// ranges are the ranges of the rows that this process holds: those from first, before last, of all.
type ranges struct {
	rows, first, last, all int
}

// heldRanges returns the ranges of the rows that are held.
func heldRanges[T aligned.Real](t *matrix.TallOf[T]) ranges {
	first, last := t.HeldRows()
	return rangesOf(t.Rows(), first, last)
}

// rangesOf returns the ranges of rows [first, last) of n, which are whole sections.
func rangesOf(n, first, last int) ranges {
	r := ranges{rows: n, all: rangeCount(n)}
	switch {
	case first == last:
	case r.all == pieces(n):
		r.first, r.last = pieces(first), pieces(last)
	default:
		r.first, r.last = matrix.SectionOf(n, first), matrix.SectionOf(n, last-1)+1
	}
	return r
}

func (r ranges) count() int { return r.last - r.first }

// bounds returns the rows [first, last) of range number i of those that are held.
func (r ranges) bounds(i int) (first, last int) {
	if r.all == pieces(r.rows) {
		first = (r.first + i) * pieceRows
		return first, min(first+pieceRows, r.rows)
	}
	return matrix.Section(r.rows, r.first+i)
}

// pieces returns the pieces [first, last) of range number i of those that are held.
func (r ranges) pieces(i int) (first, last int) {
	first, last = r.bounds(i)
	return pieces(first), pieces(last)
}

// SumRows returns a sum over the rows of t, width values, to which fn adds what rows first to last−1 have. Fn is called
// for several ranges of rows at once, each with separate sums. Each process that shares the matrix adds the rows that
// it holds, and all get the sum.
func SumRows[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], width, workers int, fn func(sums []float64,
	first, last int)) []float64 {
	return SumShared(ctx, t.Layout(), t.Rows(), width, workers, fn)
}

// SumShared is SumRows over n rows with a layout, without a matrix.
func SumShared(ctx context.Context, layout matrix.Layout, n, width, workers int, fn func(sums []float64, first,
	last int)) []float64 {
	first, last := Held(layout, n)
	r := rangesOf(n, first, last)
	return r.sum(ctx, layout, width, sumSlots(width, workers), workers, func(i int, sums []float64) {
		first, last := r.bounds(i)
		fn(sums, first, last)
	})
}

// sum returns the sum of all ranges, width values, to which fn adds what range number i of those that are held has. At
// most the given number of sums are kept at a time. The caller asks ctx.
func (r ranges) sum(ctx context.Context, layout matrix.Layout, width, slots, workers int,
	fn func(i int, sums []float64)) []float64 {
	sum, parts := NewTreeSum(r.all, width), make([][]float64, min(slots, max(r.count(), 1)))
	_ = Ordered(ctx, workers, r.count(), len(parts), nil, func(i, slot int) error {
		if parts[slot] == nil {
			parts[slot] = aligned.Make[float64](width)
		}
		clear(parts[slot])
		fn(i, parts[slot])
		return nil
	}, func(i, slot int) error {
		sum.Add(r.first+i, parts[slot])
		return nil
	})
	all, _ := sum.Total(ctx, layout)
	return all
}

// sumSlots returns how many sums of ranges may be held: four for each worker, as far as gramBytes allow.
func sumSlots(width, workers int) int { return min(gramSlots(1, width), 4*Workers(workers)) }

// SumBytes returns the most memory that SumRows and SumShared take for a sum of width values over some rows.
func SumBytes(rows, width, workers int) int64 {
	ranges := rangeCount(rows)
	return 8 * int64(width) * int64(min(sumSlots(width, workers), ranges)+bits.Len(uint(ranges)))
}
