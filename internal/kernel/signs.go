// This file holds sums of signs: products with a matrix of ±1 that is given by its bits.

package kernel

import (
	"math"

	"anchorage/internal/aligned"
)

// SignColumns is the number of signs in a word, and of columns that one call of AddSigns serves.
const SignColumns = 64

// AddSigns adds weights with signs to up to SignColumns columns, a multiple of 8: for every j < len(z) and t, in the
// order of t,
//
//	z[j] += weights[t]      or, where bit j of signs[t] is set,      z[j] −= weights[t]
//
// Go and assembly give the same bits, unless a value is NaN.
func AddSigns(z []float64, signs []uint64, weights []float64) {
	if len(z) > SignColumns || len(z)%aligned.Lane != 0 || len(signs) != len(weights) {
		panic("kernel: shapes of a sum of signs do not fit")
	}
	if len(signs) == 0 || len(z) == 0 {
		return
	}
	if assembly.addSigns != nil {
		assembly.addSigns(z, signs, weights)
		return
	}
	goAddSigns(z, signs, weights)
}

// goAddSigns is AddSigns in plain Go: the reference.
func goAddSigns(z []float64, signs []uint64, weights []float64) {
	for t, word := range signs {
		weight := math.Float64bits(weights[t])
		for j := range z {
			z[j] += math.Float64frombits(weight ^ word<<63)
			word >>= 1
		}
	}
}
