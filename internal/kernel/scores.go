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
		scoreRows(products, values, padded)
		fn(p, first, products)
	})
}

// scores is scoreRows in assembly, for a multiple of 4 rows; nil without one.
var scores func(rows int, a *float32, width int, x *float32, dots *float32)

// scoreRows sets dots[r] = Σ_j a[r·width+j]·x[j], where width is the length of x.
func scoreRows(dots, a, x []float32) {
	done := 0
	if scores != nil && len(dots) >= 4 && len(x) > 0 {
		done = len(dots) &^ 3
		_ = a[done*len(x)-1]
		scores(done, &a[0], len(x), &x[0], &dots[0])
	}
	for r := done; r < len(dots); r++ {
		row, sum := a[r*len(x):][:len(x)], float32(0)
		for j, v := range row {
			sum += v * x[j]
		}
		dots[r] = sum
	}
}
