// This file holds products with rows that are picked from a table: the inner loops of mixture models.

package kernel

import "anchorage/internal/aligned"

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
