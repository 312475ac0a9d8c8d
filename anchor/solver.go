// This file holds what the solvers of least-squares problems over the simplex have in common, and the choice of one.

package anchor

import (
	"context"
	"math"

	"anchorage/internal/kernel"
)

// Solver says how mixtures are found. All solvers find the same mixtures; docs/decisions/solvers.md compares their speed.
type Solver int

const (
	// ActiveSet moves from face to face of the simplex, with a Cholesky factor of each. It is exact up to rounding. The default.
	ActiveSet Solver = iota
	// ExponentiatedGradient multiplies every entry by the exponential of its gradient, and needs no factorisation.
	ExponentiatedGradient
	// ADMM alternates between the least-squares problem without constraints and the nearest point of the simplex.
	ADMM
)

// simplexSolver solves min ½·bᵀGb − cᵀb over b ≥ 0, Σ b = 1, for one G and one c after another.
type simplexSolver interface {
	// solve finds b and returns the number of iterations and the KKT residual as activeSet.solve defines it.
	solve(c []float64) (iterations int, residual float64)
	// solution returns b, K values and padding, valid until the next solve.
	solution() []float64
}

// start returns a solver of problems with the given points. It belongs to one goroutine.
func (s Solver) start(ctx context.Context, points *simplexPoints) (simplexSolver, error) {
	switch s {
	case ActiveSet:
		return newActiveSet(points), nil
	case ExponentiatedGradient:
		return newExponentiatedGradient(points), nil
	case ADMM:
		return newADMM(ctx, points)
	}
	panic("anchor: unknown solver")
}

func (s *activeSet) solution() []float64 { return s.b }

const (
	// iterativeTarget is the KKT residual at which the iterative solvers stop.
	iterativeTarget = 1e-9
	// iterativeTolerance is the greatest residual of their solutions. An entry that is zero in the solution, but whose gradient is hardly
	// greater than that of the others, goes to zero ever more slowly. The residual of such entries stays at this
	// difference of gradients.
	iterativeTolerance = 1e-5
	// iterativeLimit is the most iterations that they make.
	iterativeLimit = 50_000
	// iterativeCheck is the number of iterations between two looks at the residual.
	iterativeCheck = 10
)

// tolerance returns the greatest KKT residual of a solution.
func (s Solver) tolerance() float64 {
	if s == ActiveSet {
		return kktTolerance
	}
	return iterativeTolerance
}

// differentiate sets dst = G·b − c, the gradient. All have the padded length.
func (p *simplexPoints) differentiate(dst, b, c []float64) {
	clear(dst)
	for j, v := range c[:p.k] {
		dst[j] = -v
	}
	for j, v := range b[:p.k] {
		if v != 0 {
			kernel.Axpy(v, p.gram[j*p.stride:(j+1)*p.stride], dst)
		}
	}
}

// residual returns the KKT residual of b with the given gradient.
func (p *simplexPoints) residual(b, gradient, c []float64) float64 {
	mean, square, target := 0.0, 0.0, 0.0
	for j, v := range b[:p.k] {
		mean += v * gradient[j]
		square += v * p.at(j, j)
		if p.length[j] > 0 {
			target = max(target, math.Abs(c[j])/p.length[j])
		}
	}
	length, worst := math.Sqrt(square), 0.0
	for j, v := range b[:p.k] {
		off := mean - gradient[j]
		if v > 0 {
			off = math.Abs(off)
		}
		if off > 0 {
			worst = max(worst, off/((p.length[j]+length)*(target+length)))
		}
	}
	return worst
}
