// This file holds a product with several tall matrices side by side that takes no more memory than they do.

package kernel

import (
	"context"
	"sync"

	"anchorage/internal/aligned"
	"anchorage/matrix"
)

// combinedBlocks is the least number of blocks of rows that a step of Combined computes.
const combinedBlocks = 4

// Combined returns [a₁ a₂ …]·s, N×cols, for tall matrices of N rows each and a small matrix s, row-major, with as many
// rows as they have columns together. It uses the matrices up: it releases them block by block, so that a result with
// no more columns than they have never comes on top of them. They may be away. The result takes the memory of those
// with its stride, and what is left of that goes to spare, which may be nil.
func Combined[T aligned.Real](ctx context.Context, matrices []*matrix.TallOf[T], s []float64,
	cols, workers int, spare *matrix.Spare[T]) *matrix.TallOf[T] {
	if spare == nil {
		spare = new(matrix.Spare[T])
	}
	small := make([]packed[T], len(matrices))
	rows := matrices[0].Rows()
	for i, a := range matrices {
		if a.Rows() != rows || len(s) < a.Cols()*cols {
			panic("kernel: shapes of a product do not fit")
		}
		small[i] = packSmall[T](s[:a.Cols()*cols], a.Cols(), cols, 1)
		s = s[a.Cols()*cols:]
	}
	if len(s) > 0 {
		panic("kernel: shapes of a product do not fit")
	}
	from, to := matrices[0].HeldRows()
	c := matrix.Unfilled[T](matrices[0], cols)
	step := combinedRows(workers)
	loaders := sync.Pool{New: func() any { return new(loader[T]) }}
	for first := from; first < to; first += step {
		last := min(first+step, to)
		c.Fill(last, spare)
		begin := pieces(first)
		each(ctx, workers, pieces(last)-begin, func(p int) {
			loads := loaders.Get().(*loader[T])
			defer loaders.Put(loads)
			out, low, high := piece(c, begin+p)
			for i, a := range matrices {
				if ctx.Err() != nil {
					return
				}
				loads.t = a
				small[i].product(add, operand[T]{out, c.Stride()}, operand[T]{loads.piece(begin + p), a.Stride()}, high-low)
			}
		})
		for _, a := range matrices {
			done := a.Values()[first/matrix.BlockRows : (last+matrix.BlockRows-1)/matrix.BlockRows]
			if a.Stride() == c.Stride() && !a.IsAway() {
				spare.Put(done...)
			}
			clear(done)
		}
	}
	for _, a := range matrices {
		a.Release()
	}
	return c
}

func combinedRows(workers int) int { return max(combinedBlocks, Workers(workers)) * matrix.BlockRows }

// CombinedBytes returns the most memory that Combined takes beyond its matrices, for a result of the given shape with
// no more columns than any of them.
func CombinedBytes(rows, cols, workers int) int64 {
	return matrix.Bytes[float64](min(combinedRows(workers), rows), cols)
}
