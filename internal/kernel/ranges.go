// This file cuts sums over rows into ranges, and adds them in a tree that is the same for any number of workers and of ranks.

package kernel

import (
	"context"
	"math/bits"

	"anchorage/internal/aligned"
	"anchorage/internal/collective"
	"anchorage/matrix"
)

// fewBlocks is the number of blocks below which every piece is a range of its own, so that a small matrix keeps several workers busy. Of more
// rows every section is one.
const fewBlocks = 64

// rangeCount returns the number of ranges that a sum over so many rows is cut into. Their number and their bounds depend on nothing else.
func rangeCount(rows int) int {
	if rows < fewBlocks*matrix.BlockRows {
		return pieces(rows)
	}
	return matrix.Sections(rows)
}

// ranges are the ranges of a rank: those from first, before last, of all.
type ranges struct {
	rows, first, last, all int
}

// heldRanges returns the ranges of the rows that are held, which must be those of the rank that ctx is of.
func heldRanges[T aligned.Real](ctx context.Context, t *matrix.TallOf[T]) ranges {
	first, last := t.HeldRows()
	if !t.Whole() {
		if low, high := collective.From(ctx).Rows(t.Rows()); low != first || high != last {
			panic("kernel: a sum over rows that are not those of this rank")
		}
		return rangesOf(t.Rows(), first, last)
	}
	return rangesOf(t.Rows(), 0, t.Rows())
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

// bounds returns the rows [first, last) of range number i of the rank.
func (r ranges) bounds(i int) (first, last int) {
	if r.all == pieces(r.rows) {
		first = (r.first + i) * pieceRows
		return first, min(first+pieceRows, r.rows)
	}
	return matrix.Section(r.rows, r.first+i)
}

// pieces returns the pieces [first, last) of range number i of the rank.
func (r ranges) pieces(i int) (first, last int) {
	first, last = r.bounds(i)
	return pieces(first), pieces(last)
}

// SumRows returns a sum over the rows of t, so many values, to which fn adds what rows first to last−1 have. Fn is called for several ranges of
// rows at once, each with sums of its own. Of a matrix that several ranks share, each adds its own rows, and all get the sum.
func SumRows[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], width, workers int, fn func(sums []float64, first, last int)) []float64 {
	return sumRanges(ctx, heldRanges(ctx, t), t.Whole(), width, workers, fn)
}

// SumShared is SumRows over n rows that the ranks share, without a matrix.
func SumShared(ctx context.Context, n, width, workers int, fn func(sums []float64, first, last int)) []float64 {
	first, last := collective.From(ctx).Rows(n)
	return sumRanges(ctx, rangesOf(n, first, last), false, width, workers, fn)
}

// sumSlots returns how many sums of ranges may be held: four for each worker, as far as gramBytes allow.
func sumSlots(width, workers int) int { return min(gramSlots(1, width), 4*Workers(workers)) }

// SumBytes returns the most memory that SumRows and SumShared take for a sum of so many values over some rows.
func SumBytes(rows, width, workers int) int64 {
	ranges := rangeCount(rows)
	return 8 * int64(width) * int64(min(sumSlots(width, workers), ranges)+bits.Len(uint(ranges)))
}

// sumRanges adds up ranges; alone says that they are all.
func sumRanges(ctx context.Context, r ranges, alone bool, width, workers int, fn func(sums []float64, first, last int)) []float64 {
	sum, parts := collective.NewTreeSum(r.all, width), make([][]float64, min(sumSlots(width, workers), max(r.count(), 1)))
	_ = Ordered(ctx, workers, r.count(), len(parts), nil, func(i, slot int) error {
		if parts[slot] == nil {
			parts[slot] = make([]float64, width)
		}
		clear(parts[slot])
		first, last := r.bounds(i)
		fn(parts[slot], first, last)
		return nil
	}, func(i, slot int) error {
		sum.Add(r.first+i, parts[slot])
		return nil
	}) // the caller asks ctx
	return total(ctx, sum, alone)
}

// total returns a sum of this rank alone, or of all ranks.
func total(ctx context.Context, sum *collective.TreeSum, alone bool) []float64 {
	var c *collective.Comm
	if !alone {
		c = collective.From(ctx)
	}
	all, _ := sum.Total(ctx, c) // the caller asks ctx
	return all
}

// SumTraffic returns the bytes that all of so many ranks send for a sum of width values over n rows that they share. The product of Gram for an m×k
// result has as many values as m rows padded to whole lines.
func SumTraffic(n, width, ranks int) int64 {
	all := rangesOf(n, 0, n).all
	rangeOf := func(row int) int {
		if row == n {
			return all
		}
		if all == pieces(n) {
			return pieces(row)
		}
		return matrix.SectionOf(n, row)
	}
	bytes, own := int64(ranks-1)*8*int64(width), int64(0) // the total, from rank 0
	for rank := 1; rank < ranks; rank++ {
		beyond := min(rank+rank&-rank, ranks) // it sends what it has with those from which it has received
		first, _ := collective.Divided(n, rank, ranks)
		_, last := collective.Divided(n, beyond-1, ranks)
		if nodes := int64(collective.Nodes(rangeOf(first), rangeOf(last))); first < last {
			own += nodes * (1 + 8*int64(width))
		}
		own += 16 // their number and place
	}
	return bytes + own
}
