// This file solves one least-squares problem over the simplex: it finds the mixture of given points that is nearest to
// another point.

package anchor

import (
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
)

// kktTarget is the KKT residual at which the iteration stops, relative to the size of the terms of the gradient: some
// thousands of roundings.
const kktTarget = 1e-12

// settledShare is the residual in the passive set, relative to that outside, up to which more entries join before the
// passive entries are at their minimum. A full step leaves far less, and a blocked step far more.
const settledShare = 1e-3

// simplexPoints is what all problems with the same K points X_S share: their Gram matrix. Solving does not change it,
// and any number of solvers can use it together.
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
// Since Σ b = 1, the problem stays the same if all points get one more coordinate √shift. Then the Gram matrix is
// positive definite unless a point is an affine combination of others, even if the points lie on a hyperplane through
// the origin or one of them is the origin. The shift is the square of the best vertex: a shift much larger than the
// points of the solution would bury the differences between them.
func (s *activeSet) shifted(i, j int) float64 { return s.at(i, j) + s.shift }

// activeSet solves min ½·bᵀGb − cᵀb over b ≥ 0, Σ b = 1, for G = X_S·X_Sᵀ and c = X_S·x, by a primal active-set method
// like that of Lawson & Hanson (Solving Least Squares Problems, 1974, chapter 23). The passive set holds the entries of
// b that are free. A Cholesky factor of their block of the shifted G is updated as entries come and go. Every step is
// computed from the present gradient and not from c, so that the next step corrects errors of the factor. An activeSet
// belongs to one goroutine, and solves one problem after another without allocating.
type activeSet struct {
	*simplexPoints
	b, gradient  []float64 // of length stride, the padding zero
	mean         float64   // bᵀg: at a solution g has this value in the passive set, and at least this value outside
	bLength      float64   // bound of ‖X_Sᵀb‖: √Σ b_j·‖X_j‖²
	targetLength float64   // lower bound of ‖x‖: max |c_j|/‖X_j‖
	passive      []int
	isPassive    []bool
	refused      []bool    // entries that cannot grow because of rounding, until b moves again
	factor       []float64 // row r: the r+1 values of a lower triangular matrix, at distance k
	inverse      []float64 // of the factor's diagonal
	ones         []float64 // factor⁻¹·e
	step         []float64
	shift        float64 // see shifted
}

func newActiveSet(p *simplexPoints) *activeSet {
	return &activeSet{simplexPoints: p, b: make([]float64, p.stride), gradient: make([]float64, p.stride),
		passive: make([]int, 0, p.k), isPassive: make([]bool, p.k), refused: make([]bool, p.k),
		factor: make([]float64, p.k*p.k), inverse: make([]float64, p.k), ones: make([]float64, p.k),
		step: make([]float64, p.k)}
}

// NearestMixture returns the mixture b ≥ 0, Σ b = 1, of K points that is nearest to another point, given the K×K
// products of the points and their K products with that: arg min ½·bᵀGb − cᵀb.
func NearestMixture(products, with []float64) []float64 {
	s := newActiveSet(newSimplexPoints(products, len(with)))
	s.solve(with)
	return s.b[:len(with)]
}

// solve sets b to the solution for c, K values, and returns the number of iterations and the KKT residual of b,
//
//	max of |g_j − bᵀg| / u_j over b_j > 0 and of (bᵀg − g_j) / u_j over b_j = 0,   g = G·b − c,
//
// where u_j = (‖X_j‖ + ‖b‖_X)·(‖x‖ + ‖b‖_X), with ‖b‖_X² = Σ b_i·‖X_i‖², bounds the terms of the difference (with the
// lower bound max |c_j|/‖X_j‖ in place of ‖x‖). The residual is at most kktTarget, unless rounding stops all progress
// or the number of iterations reaches 10K+100. The caller must check it.
func (s *activeSet) solve(c []float64) (iterations int, residual float64) {
	s.start(c)
	return s.descend(c)
}

// resume is solve from a mixture that is near the solution, K values; all 0 for none.
func (s *activeSet) resume(c, near []float64) (iterations int, residual float64) {
	s.start(c)
	total := 0.0
	for _, share := range near {
		total += share
	}
	if !(total > 0) {
		return s.descend(c)
	}
	first := s.passive[0]
	if near[first] <= 0 {
		s.remove(0)
		s.b[first] = 0
	}
	for j, share := range near {
		if s.b[j] = share / total; share > 0 && !s.isPassive[j] {
			s.append(j)
		}
	}
	return s.descend(c)
}

// descend goes from b to the solution.
func (s *activeSet) descend(c []float64) (iterations int, residual float64) {
	for {
		s.differentiate(c)
		inside := s.insideResidual()
		outside, refused := s.outsideResidual()
		residual = max(inside, outside, refused)
		if residual <= kktTarget || iterations == 10*s.k+100 {
			return iterations, residual
		}
		// Far from the minimum of the passive entries, the residual of an entry outside may vanish on the way there.
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

// differentiate sets the gradient G·b − c, and bLength and mean. It reads only the rows of G of the passive set.
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

// unit returns u_j, the unit of residuals of entry j.
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

// outsideResidual returns the greatest residual outside the passive set, and separately that of the refused entries; 0
// for none.
func (s *activeSet) outsideResidual() (residual, refused float64) {
	bound := 0.0 // the residual to beat, times the common factor of all units: most entries then need no division
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

// How many entries join the passive set at a time, and how near to the greatest residual theirs must be. One at a time
// takes nearly twice the iterations. With many at a time, too many have to leave again.
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

// refuse removes those entries at or after position first, which have just joined, that the step would make negative.
// It reports whether there were any. The step without them still descends, and is not blocked at once.
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

// findStep sets step to the change of the passive entries that leads to their minimum with Σ step = 0: for the gradient
// g on the passive set and H its block of G, H·step = −g + μ·e.
func (s *activeSet) findStep() {
	p := len(s.passive)
	x := s.step[:p]
	var onesX, onesOnes float64
	for r, j := range s.passive {
		row := s.factor[r*s.k : r*s.k+r+1]
		v := (s.mean - s.gradient[j] - kernel.Dot(row[:r], x)) * s.inverse[r]
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

// advance moves b along the step until an entry would become negative. It removes entries that reach zero from the
// passive set.
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
			s.b[j] /= total // the sum of the steps is zero only up to rounding
		}
	}
	clear(s.refused)
}
