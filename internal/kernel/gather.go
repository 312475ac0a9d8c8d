// This file sums rows that are picked from a tall matrix, and prefetches them.

package kernel

import (
	"unsafe"

	"anchorage/internal/aligned"
	"anchorage/matrix"
)

// CombineRows adds weighted rows of t to out: out += Σ_i weights[i]·t_rows[i], in the order of i. Out has t.Stride
// values, a row with its padding.
func CombineRows(out []float64, t *matrix.Tall, rows []int32, weights []float64) {
	combineRows(assembly.combineTall, out, t, rows, weights)
}

// CombineSingles is CombineRows for a matrix of single precision. Weights are rounded to single precision. Every
// product is added with one rounding in assembly, and with two in Go.
func CombineSingles(out []float32, t *matrix.Single, rows []int32, weights []float64) {
	combineRows(assembly.combineSingles, out, t, rows, weights)
}

func combineRows[T aligned.Real](assembly combination[T], out []T, t *matrix.TallOf[T], rows []int32,
	weights []float64) {
	if len(weights) != len(rows) || len(out) != t.Stride() {
		panic("kernel: shapes of a combination do not fit")
	}
	for _, r := range rows {
		if uint(r) >= uint(t.Rows()) {
			panic("kernel: a row that the matrix does not have")
		}
	}
	if len(rows) == 0 || len(out) == 0 {
		return
	}
	if assembly != nil {
		assembly(len(rows), &rows[0], &weights[0], &t.Values()[0], len(out), &out[0])
		return
	}
	for i, r := range rows {
		w := T(weights[i])
		for j, v := range t.PaddedRow(int(r)) {
			out[j] += w * v
		}
	}
}

// combination is a function in assembly that adds up rows.
type combination[T aligned.Real] func(n int, rows *int32, weights *float64, blocks *[]T, width int, out *T)

// Prefetch asks the processor for row i, which will be changed soon. Otherwise rows that are visited in no order would
// be waited for.
func Prefetch[T aligned.Real](t *matrix.TallOf[T], i int) {
	if row := t.PaddedRow(i); assembly.prefetch != nil && len(row) > 0 {
		assembly.prefetch(len(row)*aligned.Size[T]()/aligned.LineBytes, (*byte)(unsafe.Pointer(&row[0])))
	}
}
