// This file sums rows that are picked from a tall matrix or a table, also rounded first, so that the sum does not
// depend on the order; and prefetches them.

package kernel

import (
	"math"
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

// Prefetch asks the processor for row i, which will be read or changed soon. Otherwise rows that are visited in no
// order would be waited for.
func Prefetch[T aligned.Real](t *matrix.TallOf[T], i int) { PrefetchValues(t.PaddedRow(i)) }

// PrefetchValues is Prefetch for any values.
func PrefetchValues[T any](values []T) {
	if assembly.prefetch != nil && len(values) > 0 {
		bytes := len(values) * int(unsafe.Sizeof(values[0]))
		assembly.prefetch((bytes+aligned.LineBytes-1)/aligned.LineBytes, (*byte)(unsafe.Pointer(&values[0])))
	}
}

// Mixture computes the responsibilities of a document's topics for its entries. For every i, with e_i the row rows[i]
// of a table whose rows have len(t) values, a multiple of 8,
//
//	norms[i] = e_i·t        out += (counts[i]/norms[i])·e_i
//
// so that t∘out is the share of each topic. A norm of zero makes out infinite or NaN; callers must check the norms.
func Mixture(rows []int32, counts, table, t, norms, out []float64) {
	width := len(t)
	checkPicked(rows, table, width, len(out))
	if len(counts) != len(rows) || len(norms) != len(rows) {
		panic("kernel: shapes of a mixture do not fit")
	}
	if len(rows) == 0 || width == 0 {
		return
	}
	if assembly.mixture != nil {
		assembly.mixture(len(rows), &rows[0], &counts[0], &table[0], width, &t[0], &norms[0], &out[0])
		return
	}
	for i, r := range rows {
		row := table[int(r)*width:][:width]
		norm := 0.0
		for j, v := range row {
			norm += v * t[j]
		}
		norms[i] = norm
		weight := counts[i] / norm
		for j, v := range row {
			out[j] += weight * v
		}
	}
}

// Combine adds weighted rows of a table to out: out += Σ_i weights[i]·e_i, with e_i the row rows[i] of a table whose
// rows have len(out) values, a whole number of cache lines. Weights are rounded to the precision of the rows.
func Combine[T aligned.Real](rows []int32, weights []float64, table, out []T) {
	width := len(out)
	checkPicked(rows, table, width, width)
	if len(weights) != len(rows) {
		panic("kernel: shapes of a combination do not fit")
	}
	if len(rows) == 0 || width == 0 {
		return
	}
	switch out := any(out).(type) {
	case []float64:
		if assembly.combine != nil {
			assembly.combine(len(rows), &rows[0], &weights[0], &any(table).([]float64)[0], width, &out[0])
			return
		}
	case []float32:
		if assembly.combine32 != nil {
			assembly.combine32(len(rows), &rows[0], &weights[0], &any(table).([]float32)[0], width, &out[0])
			return
		}
	}
	for i, r := range rows {
		w := T(weights[i])
		for j, v := range table[int(r)*width:][:width] {
			out[j] += w * v
		}
	}
}

// checkPicked checks row numbers, which the assembly does not.
func checkPicked[T aligned.Real](rows []int32, table []T, width, out int) {
	if width%aligned.Columns[T](1) != 0 || out != width {
		panic("kernel: rows are of different length or not padded")
	}
	count := 0
	if width > 0 {
		count = len(table) / width
	}
	for _, r := range rows {
		if uint(r) >= uint(count) {
			panic("kernel: a row that the table does not have")
		}
	}
}

// CombineRounded adds rounded rows of a table to out, a multiple of 8 values. The rows of the table begin apart values
// from each other, at least as many as out has:
//
//	out_j += Σ_i r_ij      r_ij = (weights[i]·table_rows[i],j + shift) − shift
//
// The sum in brackets is rounded once, to the nearest multiple of q, and r is its exact distance from shift, where
// shift = 1.5·2⁵²·q for a power of two q. Sums of multiples of q are exact as long as all values, those of out among
// them, have magnitudes that add up to less than 2⁵¹·q. So the result is the same in whatever order, and in however
// many calls, rows are added. Values of out must be multiples of q, and table must be finite. Go and assembly give the
// same bits.
func CombineRounded[T aligned.Real](rows []int32, weights []float64, table []T, apart int, out []float64,
	shift float64) {
	width := len(out)
	if len(weights) != len(rows) || apart < width || width%aligned.Lane != 0 {
		panic("kernel: shapes of a combination do not fit")
	}
	for _, r := range rows {
		if uint(r) >= uint(len(table)/max(apart, 1)) {
			panic("kernel: a row that the table does not have")
		}
	}
	if len(rows) == 0 || width == 0 {
		return
	}
	switch table := any(table).(type) {
	case []float64:
		if assembly.combineRounded != nil && apart == width {
			assembly.combineRounded(len(rows), &rows[0], &weights[0], &table[0], width, shift, &out[0])
			return
		}
	case []float32:
		if assembly.widenRounded != nil {
			assembly.widenRounded(len(rows), &rows[0], &weights[0], &table[0], apart, width, shift, &out[0])
			return
		}
	}
	for i, r := range rows {
		w := weights[i]
		for j, v := range table[int(r)*apart:][:width] {
			out[j] += math.FMA(w, float64(v), shift) - shift
		}
	}
}

// GreatestMagnitude returns the greatest |v| of some values; NaN if one is not a number.
func GreatestMagnitude(values []float64) float64 {
	greatest := uint64(0) // as bits: they have the order of the magnitudes
	for _, v := range values {
		greatest = max(greatest, math.Float64bits(v)&^(1<<63))
	}
	return math.Float64frombits(greatest)
}
