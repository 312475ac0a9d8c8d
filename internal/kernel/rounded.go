// This file adds up rows that are rounded first, so that the sum does not depend on the order.

package kernel

import (
	"math"

	"anchorage/internal/aligned"
)

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
