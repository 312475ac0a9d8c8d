// This file makes matrices that the ranks of a job share, and brings rows from the ranks that hold them.

package kernel

import (
	"context"

	"anchorage/internal/aligned"
	"anchorage/internal/collective"
	"anchorage/matrix"
)

// NewShared returns a zero matrix of which the rank of ctx holds its rows; all of them if it is the only one.
func NewShared[T aligned.Real](ctx context.Context, rows, cols int) *matrix.TallOf[T] {
	c := collective.From(ctx)
	if c == nil {
		return matrix.New[T](rows, cols)
	}
	first, last := c.Rows(rows)
	return matrix.NewPart[T](rows, cols, first, last)
}

// EachHeld calls fn for the held blocks of t, on at most workers goroutines; see Parallel.
func EachHeld[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], workers int, fn func(b int) error) error {
	low, high := t.HeldBlocks()
	return Parallel(ctx, workers, high-low, func(i int) error { return fn(low + i) })
}

// RowsOf returns copies of some rows of t, without padding, one after the other: len(rows)×t.Cols values. Every rank gets all of them; all
// must ask for the same rows. The error is that of ctx.
func RowsOf[T aligned.Real](ctx context.Context, t *matrix.TallOf[T], rows []int) ([]T, error) {
	cols := t.Cols()
	first, last := t.HeldRows()
	out, own := make([]T, len(rows)*cols), []T(nil)
	for at, i := range rows {
		if i >= first && i < last {
			if t.Whole() {
				copy(out[at*cols:], t.Row(i))
			} else {
				own = append(own, t.Row(i)...)
			}
		}
	}
	c := collective.From(ctx)
	if t.Whole() {
		return out, ctx.Err()
	}
	all, err := collective.AllGather(ctx, c, own)
	if err != nil {
		return nil, err
	}
	next := make([]int, len(all))
	for at, i := range rows {
		r := c.Owner(t.Rows(), i)
		copy(out[at*cols:][:cols], all[r][next[r]*cols:])
		next[r]++
	}
	return out, ctx.Err()
}
