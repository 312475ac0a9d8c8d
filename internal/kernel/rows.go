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
	case assembly.rowsOf.rows == 0:
		goRowProducts(n, a, stride, x, dots, left, y)
	case left == nil:
		for r := 0; r < aligned.Lane; r += assembly.rowsOf.rows {
			assembly.rowsOf.dots(n, &a[r*stride], stride, &x[0], &dots[r])
		}
	default:
		for r := 0; r < aligned.Lane; r += assembly.rowsOf.rows {
			assembly.rowsOf.products(n, &a[r*stride], stride, &x[0], &dots[r], &left[r], &y[0])
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

// Dot returns Σ_j a_j·b_j over the length of a, in four sums that do not wait for each other.
func Dot[T aligned.Real](a []float64, b []T) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+4 <= len(a); j += 4 {
		u, v := a[j:j+4:j+4], b[j:j+4:j+4]
		s0 += u[0] * float64(v[0])
		s1 += u[1] * float64(v[1])
		s2 += u[2] * float64(v[2])
		s3 += u[3] * float64(v[3])
	}
	for ; j < len(a); j++ {
		s0 += a[j] * float64(b[j])
	}
	return (s0 + s1) + (s2 + s3)
}
