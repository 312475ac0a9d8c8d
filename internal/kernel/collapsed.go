// This file holds the inner loops of the collapsed local step: a document's responsibilities, entry by entry, in single
// precision; and products of rows with one vector, in which searches spend their time.

package kernel

import "anchorage/matrix"

// singleLane is how many values of single precision fill a line. Rows have a multiple of it.
const singleLane = 16

// Collapsed goes once through the entries of a document, two at a time, and changes the responsibilities of its topics
// for each. With e_i row i of table, γ_i row i of gamma, and a = least + Σ_i counts[i]·γ_i, it does for the pairs i = 0
// and 1, 2 and 3, …
//
//	c = max(a − γ_i, least)     γ_i ← c∘e_i/(c·e_i)     then a ← a + Σ counts[i]·(the change of γ_i) over the pair
//
// and returns Σ_i counts[i]·‖the change of γ_i‖₁. All rows have len(a) values, a multiple of 16; scratch has twice as
// many. A row with c·e_i = 0 makes the result NaN.
func Collapsed(counts, table, gamma, a, least, scratch []float32) float32 {
	width, n := len(a), len(counts)
	if width%singleLane != 0 || len(least) != width || len(scratch) != 2*width || len(table) < n*width ||
		len(gamma) < n*width {
		panic("kernel: shapes of a collapsed step do not fit")
	}
	if n == 0 || width == 0 {
		return 0
	}
	if assembly.collapsed != nil {
		return assembly.collapsed(n, &counts[0], &table[0], &gamma[0], width, &a[0], &least[0], &scratch[0])
	}
	return goCollapsed(counts, table, gamma, a, least, scratch)
}

// goCollapsed is Collapsed in plain Go: the reference.
func goCollapsed(counts, table, gamma, a, least, scratch []float32) (change float32) {
	width, n := len(a), len(counts)
	for first := 0; first < n; first += 2 {
		last := min(first+2, n)
		var norms [2]float32
		for i := first; i < last; i++ {
			g, to := gamma[i*width:][:width], scratch[(i-first)*width:][:width]
			for k, e := range table[i*width:][:width] {
				to[k] = max(a[k]-g[k], least[k]) * e
				norms[i-first] += to[k]
			}
		}
		for i := first; i < last; i++ {
			g, moved, inverse := gamma[i*width:][:width], float32(0), 1/norms[i-first]
			for k, u := range scratch[(i-first)*width:][:width] {
				next := u * inverse
				difference := next - g[k]
				g[k] = next
				a[k] += counts[i] * difference
				moved += max(difference, -difference)
			}
			change += counts[i] * moved
		}
	}
	return change
}

// Respond sets row i of gamma to the responsibilities e_i∘a/(e_i·a), with e_i row i of table, and adds counts[i] times
// it to out. All rows have len(a) values, a multiple of 16.
func Respond(counts, table, gamma, a, out []float32) {
	width, n := len(a), len(counts)
	if width%singleLane != 0 || len(out) != width || len(table) < n*width || len(gamma) < n*width {
		panic("kernel: shapes of responsibilities do not fit")
	}
	if n == 0 || width == 0 {
		return
	}
	if assembly.respond != nil {
		assembly.respond(n, &counts[0], &table[0], &gamma[0], width, &a[0], &out[0])
		return
	}
	for i, count := range counts {
		g, norm := gamma[i*width:][:width], float32(0)
		for k, e := range table[i*width:][:width] {
			g[k] = e * a[k]
			norm += g[k]
		}
		for k, inverse := 0, 1/norm; k < width; k++ {
			g[k] *= inverse
			out[k] += count * g[k]
		}
	}
}

// RowDots sets out[i] = e_i·x for row i of a table whose rows have len(x) values, a multiple of 16.
func RowDots(out, table, x []float32) {
	width := len(x)
	if width%singleLane != 0 || len(table) < len(out)*width {
		panic("kernel: shapes of products with rows do not fit")
	}
	if len(out) == 0 || width == 0 {
		clear(out)
		return
	}
	if assembly.rowDots32 != nil {
		assembly.rowDots32(len(out), &table[0], width, &x[0], &out[0])
		return
	}
	for i := range out {
		sum := float32(0)
		for k, e := range table[i*width:][:width] {
			sum += e * x[k]
		}
		out[i] = sum
	}
}

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
