// This file holds products of a few rows of a matrix with vectors. The reduction of a symmetric matrix to tridiagonal
// form spends its time here.

package kernel

import "anchorage/internal/aligned"

// rowKernels are the assembly forms of rowProducts: each call computes rows rows and columns in whole vectors. Without
// functions the products are computed in Go.
type rowKernels struct {
	rows     int
	products func(n int, a *float64, lda int, x, dots, left, y *float64)
	dots     func(n int, a *float64, lda int, x, dots *float64)
}

var rowsOf rowKernels

type operand64 = operand[float64]

// rowProducts multiplies n columns of the lane rows of a that begin at a[0], with distance stride, with a vector, and
// their transpose with another, in one go through a:
//
//	dots[r] += Σ_j a[r·stride+j]·x[j]    and    y[j] += Σ_r a[r·stride+j]·left[r]    for r < lane and j < n.
//
// n is a multiple of lane. A nil left leaves the second product out.
func rowProducts(n int, a []float64, stride int, x, dots, left, y []float64) {
	switch {
	case n == 0:
	case rowsOf.rows == 0:
		goRowProducts(n, a, stride, x, dots, left, y)
	case left == nil:
		for r := 0; r < aligned.Lane; r += rowsOf.rows {
			rowsOf.dots(n, &a[r*stride], stride, &x[0], &dots[r])
		}
	default:
		for r := 0; r < aligned.Lane; r += rowsOf.rows {
			rowsOf.products(n, &a[r*stride], stride, &x[0], &dots[r], &left[r], &y[0])
		}
	}
}

// goRowProducts is rowProducts in plain Go: the reference.
func goRowProducts(n int, a []float64, stride int, x, dots, left, y []float64) {
	x = x[:n]
	for r := range aligned.Lane {
		row, sum := a[r*stride:][:n], 0.0
		if left == nil {
			for j, v := range row {
				sum += v * x[j]
			}
		} else {
			out, factor := y[:n], left[r]
			for j, v := range row {
				sum += v * x[j]
				out[j] += v * factor
			}
		}
		dots[r] += sum
	}
}

// dot returns x·y, summed in four parts so that one addition need not wait for the other.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += x[i] * y[i]
		s1 += x[i+1] * y[i+1]
		s2 += x[i+2] * y[i+2]
		s3 += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}
