// This file holds eigenvalue problems of small symmetric matrices.

package kernel

import (
	"context"
	"fmt"
	"math"
)

// SymmetricEigen returns the eigenvalues of the n×n symmetric matrix a in decreasing order and the eigenvectors as the
// columns of an n×n row-major matrix. It reads the mean of a and its transpose. It returns an error if a value or an
// eigenvalue is not finite, if the iteration does not converge, or if ctx is done.
//
// Residuals and the distance from orthogonality are some units in the last place of ‖a‖; much smaller eigenvalues are
// no more accurate than that. Memory: about six matrices of the size of a.
func SymmetricEigen(ctx context.Context, a []float64, n, workers int) (values, vectors []float64, err error) {
	return LeadingEigen(ctx, a, n, n, workers)
}

// LeadingEigen is SymmetricEigen with the eigenvectors of the count greatest eigenvalues only, the columns of an
// n×count matrix. It returns all n eigenvalues. Fewer vectors take less time, a few of them about half.
//
// The steps: Householder reflections make a tridiagonal (tridiagonalize), divide and conquer finds its eigenvectors
// (tridiagonalEigen), and the reflections turn those into eigenvectors of a.
func LeadingEigen(ctx context.Context, a []float64, n, count, workers int) (values, vectors []float64, err error) {
	switch {
	case len(a) != n*n:
		panic("kernel: not a square matrix")
	case count < 0 || count > n:
		panic("kernel: more eigenvectors asked for than there are")
	case n == 0:
		return nil, nil, nil
	}
	matrix, exponent, err := scaledMean(a, n)
	if err != nil {
		return nil, nil, err
	}
	d, e, h := tridiagonalize(ctx, matrix, workers)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	values, z, err := tridiagonalEigen(ctx, d, e, h.stride, count, workers)
	if err != nil {
		return nil, nil, fmt.Errorf("kernel: the eigenvalues of a %d×%d matrix: %w", n, n, err)
	}
	for i, v := range values {
		if values[i] = math.Ldexp(v, exponent); math.IsInf(values[i], 0) {
			return nil, nil, fmt.Errorf("kernel: eigenvalue %d of a %d×%d matrix is too large for a number", i, n, n)
		}
	}
	h.takeBack(ctx, z, count, workers)
	return values, transposed(z, h.stride, n, count), ctx.Err()
}

// scaledMean returns the mean of a and its transpose times 2^−exponent, so that the greatest value is about 1 and
// squares of what counts neither overflow nor vanish.
func scaledMean(a []float64, n int) (m *square, exponent int, err error) {
	greatest := 0.0
	for i, v := range a {
		if v = math.Abs(v); !(v <= math.MaxFloat64) {
			return nil, 0, fmt.Errorf("kernel: entry %d,%d of a symmetric matrix is %v", i/n, i%n, a[i])
		}
		greatest = max(greatest, v)
	}
	_, exponent = math.Frexp(greatest)
	// Twice half the power, since the whole one may be out of range.
	first := math.Ldexp(1, -exponent/2)
	second := math.Ldexp(1, -exponent-(-exponent/2))
	m = newSquare(n)
	for i := range n {
		row := m.row(i)
		for j := range i {
			v := (a[i*n+j]*first*second + a[j*n+i]*first*second) / 2
			row[j], m.values[j*m.stride+i] = v, v
		}
		row[i] = a[i*n+i] * first * second
	}
	return m, exponent, nil
}

// transposed returns the n×count matrix whose columns are the rows of z, count×n with the given distance between rows.
func transposed(z []float64, stride, n, count int) []float64 {
	const edge = 16 // of the squares that are turned at a time, each within the nearest cache
	t := make([]float64, n*count)
	for i0 := 0; i0 < n; i0 += edge {
		for j0 := 0; j0 < count; j0 += edge {
			for i := i0; i < min(i0+edge, n); i++ {
				row := t[i*count:][:count]
				for j := j0; j < min(j0+edge, count); j++ {
					row[j] = z[j*stride+i]
				}
			}
		}
	}
	return t
}

// RankAbove returns how many of some decreasing eigenvalues are above a floor relative to the greatest.
func RankAbove(values []float64, floor float64) int {
	rank := 0
	for rank < len(values) && values[rank] > floor*values[0] {
		rank++
	}
	return rank
}
