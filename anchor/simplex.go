// This file solves one least-squares problem over the simplex: the mixture of given points that comes nearest to another.

package anchor

import (
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
)

// kktTarget is the KKT residual at which an iteration stops, relative to the size of the terms that the gradient is the sum
// of: some thousands of roundings.
const kktTarget = 1e-12

// settledShare is the residual in the passive set, relative to that outside, up to which further entries join before the
// passive ones have been moved to their minimum. A full step leaves far less and a blocked one far more.
const settledShare = 1e-3

// simplexPoints is what the problems with the same K points X_S share: their Gram matrix. It is not changed by solving, and
// serves any number of solvers.
type simplexPoints struct {
	k, stride  int
	gram       []float64 // X_S·X_Sᵀ, rows at distance stride, a multiple of 8, padded with zeros
	length     []float64 // ‖X_s‖
	meanSquare float64   // of the lengths
}

// newSimplexPoints takes the K×K Gram matrix of the points, row-major.
func newSimplexPoints(gram []float64, k int) *simplexPoints {
	p := &simplexPoints{k: k, stride: aligned.Columns[float64](k), length: make([]float64, k)}
	p.gram = make([]float64, k*p.stride)
	for i := range k {
		copy(p.gram[i*p.stride:], gram[i*k:(i+1)*k])
		p.length[i] = math.Sqrt(gram[i*k+i])
		p.meanSquare += gram[i*k+i] / float64(k)
	}
	return p
}

func (p *simplexPoints) at(i, j int) float64 { return p.gram[i*p.stride+j] }

// shifted returns entry i, j of the Gram matrix that is factorised.
//
// Since Σ b = 1, the problem stays the same when all points get one further coordinate √shift. Points on a common hyperplane
// through the origin, and a point at the origin, then have a positive definite Gram matrix, as all points have of which none
// is an affine combination of the others. The shift is as large as the square of the best vertex: one much larger than the
// points that make up the solution would bury the differences between them.
func (s *activeSet) shifted(i, j int) float64 { return s.at(i, j) + s.shift }

// activeSet solves min ½·bᵀGb − cᵀb over b ≥ 0, Σ b = 1, for G = X_S·X_Sᵀ and c = X_S·x, by a primal active-set method in the
// manner of Lawson & Hanson (Solving Least Squares Problems, 1974, chapter 23). The passive set holds the entries of b that
// are free; a Cholesky factor of their block of G, shifted, is kept while entries come and go. Every step is computed from
// the gradient at hand, not from c, so that errors of the factor are made good by the next step. An activeSet is one
// goroutine's; it can be used again without allocation.
type activeSet struct {
	*simplexPoints
	b, gradient  []float64 // of length stride, the padding zero
	mean         float64   // bᵀg: the value that g has in the passive set at a solution, and at least has outside
	bLength      float64   // bound of ‖X_Sᵀb‖: √Σ b_j·‖X_j‖²
	targetLength float64   // lower bound of ‖x‖: max |c_j|/‖X_j‖
	passive      []int
	isPassive    []bool
	refused      []bool    // entries that rounding kept from growing; until b moves again
	factor       []float64 // row r: the r+1 values of a lower triangular matrix, at distance k
	inverse      []float64 // of the factor's diagonal
	ones         []float64 // factor⁻¹·e
	step         []float64
	shift        float64 // see shifted
}

func newActiveSet(p *simplexPoints) *activeSet {
	return &activeSet{simplexPoints: p, b: make([]float64, p.stride), gradient: make([]float64, p.stride),
		passive: make([]int, 0, p.k), isPassive: make([]bool, p.k), refused: make([]bool, p.k),
		factor: make([]float64, p.k*p.k), inverse: make([]float64, p.k), ones: make([]float64, p.k), step: make([]float64, p.k)}
}

// solve sets b to the solution for c, K values, and returns the number of iterations and the KKT residual of b,
//
//	max of |g_j − bᵀg| / u_j over b_j > 0 and of (bᵀg − g_j) / u_j over b_j = 0,   g = G·b − c,
//
// where u_j = (‖X_j‖ + ‖b‖_X)·(‖x‖ + ‖b‖_X), with ‖b‖_X² = Σ b_i·‖X_i‖², bounds the terms that the difference is the sum of
// (for ‖x‖ the lower bound max |c_j|/‖X_j‖ stands). The residual is at most kktTarget unless rounding allows no progress, or
// the number of iterations exceeds what an active-set method can sensibly need; it is for the caller to judge.
func (s *activeSet) solve(c []float64) (iterations int, residual float64) {
	s.start(c)
	for {
		s.differentiate(c)
		inside := s.insideResidual()
		outside, refused := s.outsideResidual()
		residual = max(inside, outside, refused)
		if residual <= kktTarget || iterations == 10*s.k+100 {
			return iterations, residual
		}
		// Far from the minimum of the passive entries, what an entry outside has to offer may vanish on the way there.
		settled := inside <= max(kktTarget, settledShare*outside)
		if settled && outside == 0 {
			return iterations, residual
		}
		iterations++
		before := len(s.passive)
		if settled {
			s.grow(outside)
		}
		s.findStep()
		for s.refuse(before) {
			s.findStep()
		}
		if !settled || len(s.passive) > before {
			s.advance()
		}
	}
}

// start sets b to the best vertex.
func (s *activeSet) start(c []float64) {
	clear(s.b)
	clear(s.isPassive)
	clear(s.refused)
	s.passive = s.passive[:0]
	s.targetLength = 0
	best, bestValue := 0, math.Inf(1)
	for j := range s.k {
		if value := s.at(j, j)/2 - c[j]; value < bestValue {
			best, bestValue = j, value
		}
		if s.length[j] > 0 {
			s.targetLength = max(s.targetLength, math.Abs(c[j])/s.length[j])
		}
	}
	if s.shift = s.at(best, best); s.shift == 0 {
		s.shift = s.meanSquare // the vertex is the origin, and has no length to go by
	}
	s.append(best)
	s.b[best] = 1
}

// differentiate sets the gradient G·b − c, reading the rows of G for the passive set only, and what it is measured by.
func (s *activeSet) differentiate(c []float64) {
	for j, v := range c[:s.k] {
		s.gradient[j] = -v
	}
	square := 0.0
	for _, j := range s.passive {
		kernel.Axpy(s.b[j], s.gram[j*s.stride:(j+1)*s.stride], s.gradient)
		square += s.b[j] * s.at(j, j)
	}
	s.bLength = math.Sqrt(square)
	s.mean = 0
	for _, j := range s.passive {
		s.mean += s.b[j] * s.gradient[j]
	}
}

// unit returns u_j, what differences of the gradient's entry j are relative to.
func (s *activeSet) unit(j int) float64 {
	return (s.length[j] + s.bLength) * (s.targetLength + s.bLength)
}

func (s *activeSet) insideResidual() float64 {
	worst := 0.0
	for _, j := range s.passive {
		if off := math.Abs(s.gradient[j] - s.mean); off > 0 {
			worst = max(worst, off/s.unit(j))
		}
	}
	return worst
}

// outsideResidual returns the greatest residual outside the passive set, that of the refused apart; 0 where there is none.
func (s *activeSet) outsideResidual() (residual, refused float64) {
	bound := 0.0 // the residual to beat, times what all units have in common: most entries then cost no division
	for j, g := range s.gradient[:s.k] {
		if off := s.mean - g; off > bound*(s.length[j]+s.bLength) && !s.isPassive[j] {
			if s.refused[j] {
				refused = max(refused, off/s.unit(j))
			} else {
				bound = off / (s.length[j] + s.bLength)
			}
		}
	}
	if bound > 0 {
		residual = bound / (s.targetLength + s.bLength)
	}
	return residual, refused
}

// How many entries join the passive set at a time, and how near to the greatest residual theirs must be. Joining one by one
// takes nearly twice the iterations; joining many takes in too many that have to leave again.
const (
	growCount = 4
	growShare = 0.8
)

// grow adds to the passive set the first entries whose residual is near the greatest outside it.
func (s *activeSet) grow(outside float64) {
	limit := growShare * outside * (s.targetLength + s.bLength)
	most := len(s.passive) + growCount
	for j, g := range s.gradient[:s.k] {
		if s.mean-g >= limit*(s.length[j]+s.bLength) && !s.isPassive[j] && !s.refused[j] && len(s.passive) < most {
			s.append(j)
		}
	}
}

// refuse takes out again, of the entries that joined at or after position first, those that the step would make negative, and
// says whether there were any. The step without them still descends, and does not at once run into a bound.
func (s *activeSet) refuse(first int) bool {
	joined := len(s.passive)
	for r := joined - 1; r >= first; r-- {
		if s.step[r] <= 0 {
			s.refused[s.passive[r]] = true
			s.remove(r)
		}
	}
	return len(s.passive) < joined
}

// findStep sets step to the change of the passive entries that leads to their minimum with Σ step = 0: for the gradient g on
// the passive set and H its block of G, H·step = −g + μ·e.
func (s *activeSet) findStep() {
	p := len(s.passive)
	x := s.step[:p]
	var onesX, onesOnes float64
	for r, j := range s.passive {
		row := s.factor[r*s.k : r*s.k+r+1]
		v := (s.mean - s.gradient[j] - dot(row[:r], x)) * s.inverse[r]
		x[r] = v
		onesX += s.ones[r] * v
		onesOnes += s.ones[r] * s.ones[r]
	}
	multiplier := onesX / onesOnes
	for r := range x {
		x[r] -= multiplier * s.ones[r]
	}
	for r := p - 1; r >= 0; r-- {
		row := s.factor[r*s.k : r*s.k+r+1]
		v := x[r] * s.inverse[r]
		x[r] = v
		for q, l := range row[:r] {
			x[q] -= v * l
		}
	}
}

// advance moves b along the step as far as no entry becomes negative, and takes those that reach zero out of the passive set.
func (s *activeSet) advance() {
	length, blocking := 1.0, -1
	for r, j := range s.passive {
		if s.step[r] < 0 && s.b[j] < -length*s.step[r] {
			length, blocking = s.b[j]/-s.step[r], r
		}
	}
	total := 0.0
	for r, j := range s.passive {
		if s.b[j] += length * s.step[r]; r == blocking {
			s.b[j] = 0
		}
		s.b[j] = max(s.b[j], 0)
		total += s.b[j]
	}
	for r := len(s.passive) - 1; r >= 0; r-- {
		if j := s.passive[r]; s.b[j] == 0 {
			s.remove(r)
		} else {
			s.b[j] /= total // the steps add up to zero only but for rounding
		}
	}
	clear(s.refused)
}
