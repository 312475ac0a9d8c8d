// This file makes the columns of tall matrices orthonormal.

package kernel

import (
	"context"
	"fmt"
	"math"

	"anchorage/matrix"
)

// gramFloor is the smallest eigenvalue of a scaled Gram matrix, relative to its largest and per row and column, that is
// more than rounding: the matrix itself is no more accurate.
const gramFloor = 4 * 0x1p-52

// Orthonormalize overwrites t with a matrix Q with orthonormal columns that span the same space, and returns r,
// Q.Cols×t.Cols row-major, with t = Q·r. It leaves out columns of length zero, and directions that are lost in
// rounding: those below about 1e-7 of the largest after every column has been scaled to length 1. It returns an error
// if t holds values that are not finite, or that of ctx.
//
// Every round makes the columns as orthonormal as the accuracy of their Gram matrix allows, by its Cholesky
// decomposition (Yamamoto, Nakatsukasa, Yanagisawa & Fukaya, Electron. Trans. Numer. Anal. 44, 2015: CholeskyQR2).
// Where the decomposition cannot rule out that something is lost in rounding, a round uses the eigenvalues of the Gram
// matrix, which show what is (Stathopoulos & Wu, SIAM J. Sci. Comput. 23, 2002, Algorithm 3.1). A shift would make the
// former work for more matrices (Fukaya et al., SIAM J. Sci. Comput. 42, 2020), but would only add directions that must
// be left out.
func Orthonormalize(ctx context.Context, t *matrix.Tall, workers int) (r []float64, err error) {
	cols := t.Cols()
	r = identity(cols)
	for range 3 {
		n, gram := t.Cols(), Gram(ctx, t, t, workers)
		off := offOrthonormal(gram, n)
		if off <= float64(n)*0x1p-50 {
			break
		}
		s, back, kept, ok := choleskyStep(ctx, gram, n)
		if !ok {
			if s, back, kept, err = eigenStep(ctx, gram, n, workers); err != nil {
				return nil, fmt.Errorf("orthonormalizing %d columns: %w", cols, err)
			}
		}
		r = Times(ctx, back, r, kept, n, cols)
		Transform(ctx, t, s, kept, workers)
		if 2*off*float64(n) < 1 {
			break // the Gram matrix had a condition below 3: nothing but rounding is left
		}
	}
	return r, ctx.Err()
}

func identity(n int) []float64 {
	m := make([]float64, n*n)
	for i := range n {
		m[i*n+i] = 1
	}
	return m
}

// offOrthonormal returns the largest entry of |gram − I|.
func offOrthonormal(gram []float64, n int) float64 {
	worst := 0.0
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = 1
			}
			// NaN counts as far off.
			if off := math.Abs(gram[i*n+j] - want); !(off <= worst) {
				worst = off
			}
		}
	}
	return worst
}

// ScaledGram returns the Gram matrix of the columns scaled to length 1, and their lengths before.
func ScaledGram(gram []float64, n int) (scaled, lengths []float64) {
	lengths, inverse := make([]float64, n), make([]float64, n)
	for i := range n {
		if g := gram[i*n+i]; g > 0 {
			lengths[i] = math.Sqrt(g)
			inverse[i] = 1 / lengths[i]
		}
	}
	scaled = make([]float64, n*n)
	for i := range n {
		for j := range n {
			scaled[i*n+j] = gram[i*n+j] * inverse[i] * inverse[j]
		}
	}
	return scaled, lengths
}

// choleskyStep returns the n×n matrices S and S⁻¹ with Sᵀ·G·S = I for a Gram matrix G = D·L·Lᵀ·D, where D holds the
// lengths of the columns: S = D⁻¹·L⁻ᵀ. It is ok only if all eigenvalues of L·Lᵀ are certain to be above gramFloor: the
// least is at least 1/‖L⁻¹‖², and the greatest at most the greatest sum of a row's magnitudes. Kept is n.
func choleskyStep(ctx context.Context, gram []float64, n int) (s, back []float64, kept int, ok bool) {
	l, lengths := ScaledGram(gram, n)
	greatest := 0.0
	for i := range n {
		sum := 0.0
		for _, v := range l[i*n : (i+1)*n] {
			sum += math.Abs(v)
		}
		greatest = max(greatest, sum)
	}
	inverse, squares, ok := invertedCholesky(ctx, l, n)
	if !ok || !(1 > gramFloor*float64(n)*greatest*squares) {
		return nil, nil, 0, false
	}
	s, back = make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			s[i*n+j] = inverse[j*n+i] / lengths[i]
			back[i*n+j] = l[j*n+i] * lengths[j]
		}
	}
	return s, back, n, true
}

// invertedCholesky replaces the lower triangle of a by L with a = L·Lᵀ, and returns L⁻¹ and the sum of its squares. It
// is ok only if a is positive definite, and ctx is not done.
func invertedCholesky(ctx context.Context, a []float64, n int) (inverse []float64, squares float64, ok bool) {
	inverse = make([]float64, n*n)
	for i := range n {
		row, own := a[i*n:][:n], inverse[i*n:][:i+1]
		for j := range i {
			row[j] = (row[j] - Dot(row[:j], a[j*n:][:j])) * inverse[j*n+j]
		}
		pivot := row[i] - Dot(row[:i], row[:i])
		if !(pivot > 0 && pivot <= math.MaxFloat64) || ctx.Err() != nil {
			return nil, 0, false
		}
		row[i] = math.Sqrt(pivot)
		for k, v := range row[:i] {
			for j, w := range inverse[k*n:][:k+1] {
				own[j] -= v * w
			}
		}
		own[i] = 1
		for j := range own {
			own[j] /= row[i]
			squares += own[j] * own[j]
		}
	}
	return inverse, squares, true
}

// eigenStep returns the n×kept matrix S with Sᵀ·G·S = I for a Gram matrix G = D·U·Θ·Uᵀ·D, where D holds the lengths of
// the columns, and the kept×n matrix that inverts it: S = D⁻¹·U·Θ^−½ and Θ^½·Uᵀ·D. It leaves out eigenvalues below
// gramFloor.
func eigenStep(ctx context.Context, gram []float64, n, workers int) (s, back []float64, kept int, err error) {
	scaled, lengths := ScaledGram(gram, n)
	values, vectors, err := SymmetricEigen(ctx, scaled, n, workers)
	if err != nil {
		return nil, nil, 0, err
	}
	kept = RankAbove(values, gramFloor*float64(n))
	s, back = make([]float64, n*kept), make([]float64, kept*n)
	for i, length := range lengths {
		for j := range kept {
			if root := math.Sqrt(values[j]); length > 0 {
				s[i*kept+j] = vectors[i*n+j] / root / length
				back[j*n+i] = vectors[i*n+j] * root * length
			}
		}
	}
	return s, back, kept, nil
}
