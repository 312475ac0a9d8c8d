// This file holds the product of a tall matrix of single precision with one vector. Searches spend their time here.

package kernel

import "anchorage/matrix"

// EachScore computes the products of the rows of t with x, t.Cols values, and passes those of each of the Pieces of t
// to fn: scores[i] belongs to row first + i. Several pieces are worked on at once. The last digits of scores depend on
// the instruction set.
func EachScore(t *matrix.Single, x []float32, workers int, fn func(piece, first int, scores []float32)) {
	if len(x) != t.Cols() {
		panic("kernel: shapes of a product do not fit")
	}
	padded := make([]float32, t.Stride())
	copy(padded, x)
	Each(workers, pieces(t.Rows()), func(p int) {
		values, first, last := piece(t, p)
		products := make([]float32, last-first)
		RowDots(products, values, padded)
		fn(p, first, products)
	})
}
