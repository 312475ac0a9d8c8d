// This file makes the columns of tall matrices orthonormal.

package kernel

import (
	"fmt"
	"math"
)

// gramFloor is the smallest eigenvalue of a scaled Gram matrix, relative to its largest and per row and column, that
// stands for a direction and not for rounding: the matrix itself is only known to that accuracy.
const gramFloor = 4 * 0x1p-52

// Orthonormalize replaces t by a matrix Q with orthonormal columns that span the same space, in place, by repeated
// singular value decompositions of its Gram matrix (Stathopoulos & Wu, SIAM J. Sci. Comput. 23, 2002, Algorithm 3.1),
// and returns r, Q.Cols×t.Cols row-major, with t = Q·r. Directions that are lost in rounding, below about 1e-7 of the
// largest after every column is scaled to length 1, are left out, as are columns of length zero. It fails when t holds
// values that are not finite.
func Orthonormalize(t *Tall, workers int) (r []float64, err error) {
	cols := t.cols
	first := Gram(t, t, workers)
	total := identity(cols)
	for round, gram := 0, first; round < 3 && offOrthonormal(gram, t.cols) > float64(t.cols)*0x1p-50; round++ {
		s, kept, err := orthonormalizer(gram, t.cols)
		if err != nil {
			return nil, fmt.Errorf("orthonormalizing %d columns: %w", cols, err)
		}
		total = Times(total, s, cols, t.cols, kept)
		t.Transform(s, kept, workers)
		gram = Gram(t, t, workers)
	}
	// With Q = t·total, Qᵀ·t = totalᵀ·(tᵀ·t).
	return TransposedTimes(total, first, cols, t.cols, cols), nil
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
			// Written so that NaN counts as far off.
			if off := math.Abs(gram[i*n+j] - want); !(off <= worst) {
				worst = off
			}
		}
	}
	return worst
}

// orthonormalizer returns the n×kept matrix S with Sᵀ·G·S = I for a Gram matrix G: S = D·U·Θ^−½ with D scaling G to unit
// diagonal and U·Θ·Uᵀ = D·G·D.
func orthonormalizer(gram []float64, n int) (s []float64, kept int, err error) {
	scale := make([]float64, n)
	for i := range n {
		if g := gram[i*n+i]; g > 0 {
			scale[i] = 1 / math.Sqrt(g)
		}
	}
	scaled := make([]float64, n*n)
	for i := range n {
		for j := range n {
			scaled[i*n+j] = gram[i*n+j] * scale[i] * scale[j]
		}
	}
	values, vectors, err := SymmetricEigen(scaled, n, 1)
	if err != nil {
		return nil, 0, err
	}
	for kept < n && values[kept] > gramFloor*float64(n)*values[0] {
		kept++
	}
	s = make([]float64, n*kept)
	for i := range n {
		for j := range kept {
			s[i*kept+j] = scale[i] * vectors[i*n+j] / math.Sqrt(values[j])
		}
	}
	return s, kept, nil
}
