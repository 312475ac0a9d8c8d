// This file solves least-squares problems over the simplex by ADMM.

package anchor

import (
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
)

// admm solves the problems by the alternating direction method of multipliers in the form of a relaxed Douglas–Rachford
// splitting (Eckstein & Bertsekas, Math. Program. 55, 1992; the JSMF family's "admmDR"): from z,
//
//	b = P(z),  w = (γG + I)⁻¹(2b − z + γc),  z ← z + λ(w − b)
//
// where P(z) is the point of the simplex nearest to z. At a fixed point b solves the problem. Where the constraints do not matter,
// γ = 1/√(ab) is best, with a and b the greatest and the smallest eigenvalue of G (Giselsson & Boyd, IEEE Trans. Automat.
// Contr. 62, 2017).
type admm struct {
	*simplexPoints
	scale   float64   // γ
	inverse []float64 // (γG + I)⁻¹, rows at distance stride

	b, z, w, gradient, sorted []float64
}

const (
	// relaxation is λ, between 0 and 2.
	relaxation = 1.6
	// smallestEigenvalue is the least that an eigenvalue of G counts as, relative to the greatest. Otherwise points that depend
	// on others would slow all problems down.
	smallestEigenvalue = 1e-5
)

func newADMM(ctx context.Context, p *simplexPoints) (*admm, error) {
	s := &admm{simplexPoints: p, b: make([]float64, p.stride), z: make([]float64, p.k), w: make([]float64, p.stride),
		gradient: make([]float64, p.stride), sorted: make([]float64, p.k), inverse: make([]float64, p.k*p.stride)}
	gram := make([]float64, p.k*p.k)
	for i := range p.k {
		copy(gram[i*p.k:(i+1)*p.k], p.gram[i*p.stride:])
	}
	values, vectors, err := kernel.SymmetricEigen(ctx, gram, p.k, 1)
	if err != nil {
		return nil, err
	}
	if values[0] > 0 {
		s.scale = 1 / math.Sqrt(values[0]*max(values[p.k-1], smallestEigenvalue*values[0]))
	}
	for i := range p.k {
		for j := range p.k {
			for q, v := range values {
				s.inverse[i*p.stride+j] += vectors[i*p.k+q] * vectors[j*p.k+q] / (1 + s.scale*max(v, 0))
			}
		}
	}
	return s, nil
}

func (s *admm) solution() []float64 { return s.b }

func (s *admm) solve(c []float64) (iterations int, residual float64) {
	for j := range s.z {
		s.z[j] = 1 / float64(s.k)
	}
	for {
		s.project()
		if iterations%iterativeCheck == 0 {
			s.differentiate(s.gradient, s.b, c)
			if residual = s.residual(s.b, s.gradient, c); residual <= iterativeTarget || iterations >= iterativeLimit {
				return iterations, residual
			}
		}
		iterations++
		clear(s.w)
		for j, v := range s.z {
			kernel.Axpy(2*s.b[j]-v+s.scale*c[j], s.inverse[j*s.stride:(j+1)*s.stride], s.w)
		}
		for j := range s.z {
			s.z[j] += relaxation * (s.w[j] - s.b[j])
		}
	}
}

// project sets b to the point of the simplex nearest to z: max(z − θ, 0) with θ such that the sum is 1 (Held, Wolfe &
// Crowder, Math. Program. 6, 1974).
func (s *admm) project() {
	copy(s.sorted, s.z)
	slices.Sort(s.sorted)
	sum, theta := -1.0, 0.0
	for r := s.k - 1; r >= 0; r-- {
		sum += s.sorted[r]
		if next := sum / float64(s.k-r); next < s.sorted[r] {
			theta = next
		}
	}
	for j, v := range s.z {
		s.b[j] = max(v-theta, 0)
	}
}
