// This file holds products of small row-major matrices.

package kernel

import (
	"context"

	"anchorage/internal/aligned"
)

// Times returns a·b for m×k and k×n matrices.
func Times(ctx context.Context, a, b []float64, m, k, n int) []float64 {
	return smallProduct(ctx, &assembly.rows64, byRows, a, k, b, m, k, n)
}

// TimesTransposed returns a·bᵀ for m×k and n×k matrices.
func TimesTransposed(ctx context.Context, a, b []float64, m, n, k int) []float64 {
	return Times(ctx, a, Transposed(b, n, k), m, k, n)
}

// TransposedTimes returns aᵀ·b for k×m and k×n matrices.
func TransposedTimes(ctx context.Context, a, b []float64, k, m, n int) []float64 {
	return smallProduct(ctx, &assembly.columns64, byColumns, a, m, b, m, k, n)
}

// smallRows is the number of rows of a product with many columns between two looks at the context: a multiple of every
// tile's.
const smallRows = 240

// smallProduct returns the m×n product of a, in the given layout with rows at distance stride, and the k×n matrix b.
func smallProduct(ctx context.Context, t *tiles[float64], in layout, a []float64, stride int, b []float64, m, k,
	n int) []float64 {
	right := padSmall(b, k, n)
	c := aligned.Make[float64](m * right.stride)
	across := stride
	if in == byColumns {
		across = 1
	}
	for i := 0; i < m && ctx.Err() == nil; i += smallRows {
		blockProduct(t, in, set, operand64{c[i*right.stride:], right.stride}, operand64{a[min(i*across, len(a)):],
			stride}, right,
			min(smallRows, m-i), right.stride, k)
	}
	if right.stride == n {
		return c
	}
	return FirstColumns(c, m, right.stride, n)
}

// padSmall returns s with rows padded as block products need it.
func padSmall(s []float64, rows, cols int) operand64 {
	stride := aligned.Columns[float64](cols)
	padded := aligned.Make[float64](rows * stride)
	for i := range rows {
		copy(padded[i*stride:], s[i*cols:(i+1)*cols])
	}
	return operand64{padded, stride}
}

// FirstColumns returns the first n columns of an m×k matrix.
func FirstColumns(a []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		copy(c[i*n:(i+1)*n], a[i*k:i*k+n])
	}
	return c
}

// Bordered returns a symmetric n×n matrix with h, of lower order, as its leading block, and with the given last
// columns, row-major. It copies their upper part to the last rows.
func Bordered(h, columns []float64, n, cols int) []float64 {
	old := n - cols
	b := make([]float64, n*n)
	for i := range n {
		if i < old {
			copy(b[i*n:], h[i*old:(i+1)*old])
		}
		for j, v := range columns[i*cols : (i+1)*cols] {
			b[i*n+old+j] = v
			if i < old {
				b[(old+j)*n+i] = v
			}
		}
	}
	return b
}

// Transposed returns the transpose of an m×n matrix.
func Transposed(a []float64, m, n int) []float64 { return transposed(a, n, n, m) }
