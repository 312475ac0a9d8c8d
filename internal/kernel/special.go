// This file holds the special functions of variational inference, over whole rows.

package kernel

import (
	"math"

	"anchorage/internal/aligned"
)

// Exponents are clamped to these bounds, so that no result is zero or infinite.
const (
	leastExponent    = -690
	greatestExponent = 709
)

// Exp sets dst[i] = exp(x[i]), for slices of the same length, a multiple of 8; they may be the same. Exponents below
// −690 count as −690, and those above 709 as 709. The relative error is below 4·10⁻¹⁶.
func Exp(dst, x []float64) {
	checkRows(dst, x)
	if len(x) == 0 {
		return
	}
	if assembly.exp == nil {
		for i, v := range x {
			dst[i] = clampedExp(v)
		}
		return
	}
	assembly.exp(len(x), &dst[0], &x[0])
}

// ExpDigamma sets dst[i] = exp(ψ(x[i])), with ψ the digamma function, for slices of the same length, a multiple of 8;
// they may be the same. x is from 0 to 10³⁰; below about 0.00145 the result is no less than about 10⁻²⁹⁹. The relative
// error is below 4·10⁻¹⁵ from 0.1, and below 4·10⁻¹⁶ times |ψ(x)| for smaller values.
func ExpDigamma(dst, x []float64) {
	checkRows(dst, x)
	if len(x) == 0 {
		return
	}
	if assembly.expDigamma == nil {
		for i, v := range x {
			y := v + digammaShift
			dst[i] = y * clampedExp(digammaSeries(y)-harmonic(v))
		}
		return
	}
	assembly.expDigamma(len(x), &dst[0], &x[0])
}

func checkRows(dst, x []float64) {
	if len(dst) != len(x) || len(x)%aligned.Lane != 0 {
		panic("kernel: rows are of different length or not padded")
	}
}

func clampedExp(v float64) float64 { return math.Exp(min(max(v, leastExponent), greatestExponent)) }

// Digamma returns ψ(x) = Γ'(x)/Γ(x) for x from 0 to 10³⁰; ψ(0) is −∞. From ψ(x) = ψ(x+8) − Σ_{i<8} 1/(x+i) and the
// asymptotic series at x+8 (Abramowitz & Stegun 6.3.5, 6.3.18), whose error there is below 3·10⁻¹⁷.
func Digamma(x float64) float64 {
	y := x + digammaShift
	return math.Log(y) + digammaSeries(y) - harmonic(x)
}

const digammaShift = 8

// harmonic returns Σ_{i<8} 1/(x+i), as the quotient of the derivative of Π(x+i) and that product.
func harmonic(x float64) float64 {
	num, den := 1.0, x
	for i := 1.0; i < digammaShift; i++ {
		factor := x + i
		num, den = num*factor+den, den*factor
	}
	return num / den
}

// digammaSeries returns ψ(y) − ln y for y from 8.
func digammaSeries(y float64) float64 {
	w := 1 / y
	squared := w * w
	series := -43867. / 14364
	for _, term := range [...]float64{3617. / 8160, -1. / 12, 691. / 32760, -1. / 132, 1. / 240, -1. / 252,
		1. / 120, -1. / 12} {
		series = series*squared + term
	}
	return series*squared - w/2
}
