// This file holds the schedule by which ENN takes longer steps than the published iteration does.

package rectify

import (
	"math"
	"slices"
)

// An iteration of ENN, Y ← G(Y), is a step of length 1 of Euler's method for the flow dY/dt = G(Y) − Y. Near a
// rectified matrix the derivative of G is the product of two projections, onto the matrices of rank K and onto those
// whose corrected entries are 0. So its eigenvalues lie between 0 and 1, and those of the flow between −1 and 0. Those
// near 0 make the iteration slow. For such flows, stabilized Runge-Kutta methods go about as far with s evaluations of
// G as s² iterations (van der Houwen & Sommeijer, Z. Angew. Math. Mech. 60, 1980; Verwer, Hundsdorfer & Sommeijer,
// Numer. Math. 57, 1990):
//
//	Y_1 = Y_0 + μ̃_1·h·F(Y_0)
//	Y_j = μ_j·Y_{j−1} + ν_j·Y_{j−2} + μ̃_j·h·F(Y_{j−1}),  F(Y) = G(Y) − Y,  j = 2 … s
//
//	μ_j = 2·w₀·T_{j−1}(w₀)/T_j(w₀)   ν_j = −T_{j−2}(w₀)/T_j(w₀)   μ̃_j = 2·w₁·T_{j−1}(w₀)/T_j(w₀), but μ̃_1 = w₁/w₀
//	w₀ = 1 + ε/s²   w₁ = T_s(w₀)/T_s'(w₀)   h ≤ (1 + w₀)/w₁
//
// with the Chebyshev polynomials T_j. It is not enough to end in some fixed point: there are many, and the last anchors
// depend on which one is reached. So the steps must follow the flow. See docs/decisions/enn.md.

const (
	// damping is ε: it damps oscillations, at the price of a shorter step.
	damping = 1
	// stepSafety is the share of the longest stable step that is made: subspace iteration follows G with a lag.
	stepSafety = 0.95
)

// defaultStages are the numbers of stages s of the steps, at most. The flow is fast at first, so that long steps would
// leave it. On real data the first 19 stages or fewer are enough; the last four steps are for what has not settled by
// then. Steps of four settle 30,000 drawn items in 23 stages, steps of eight in 26.
var defaultStages = []int{1, 1, 1, 2, 2, 4, 8, 4, 4, 4, 4}

// stage says how one evaluation of F is used: Y_j = current·Y_{j−1} + before·Y_{j−2} + advance·F(Y_{j−1}).
type stage struct {
	current, before, advance float64
}

// iterationStage is a step of the published iteration.
var iterationStage = stage{current: 1, advance: 1}

// chebyshevStages returns the stages of a step with s stages. One stage is a published iteration.
func chebyshevStages(s int) []stage {
	if s == 1 {
		return []stage{iterationStage}
	}
	w0 := 1 + damping/float64(s*s)
	t, derivative := make([]float64, s+1), make([]float64, s+1)
	t[0], t[1], derivative[1] = 1, w0, 1
	for j := 2; j <= s; j++ {
		t[j] = 2*w0*t[j-1] - t[j-2]
		derivative[j] = 2*t[j-1] + 2*w0*derivative[j-1] - derivative[j-2]
	}
	w1 := t[s] / derivative[s]
	h := stepSafety * (1 + w0) / w1
	result := []stage{{current: 1, advance: w1 / w0 * h}}
	for j := 2; j <= s; j++ {
		result = append(result, stage{current: 2 * w0 * t[j-1] / t[j], before: -t[j-2] / t[j],
			advance: 2 * w1 * t[j-1] / t[j] * h})
	}
	return result
}

// growth is how far above its least so far ‖E‖_F may come in a step; beyond it the step has left the flow.
const growth = 2

// pacer chooses the stages. An iteration cannot let ‖E‖_F grow (see the package comment), but a long step can: where
// the K-th eigenvalue of C' is hardly greater than the next ones, the derivative of G has eigenvalues below 0, whose
// directions grow in a long step and shrink in iterations. So the pacer breaks off a step in which ‖E‖_F grows, makes
// iterations until it is as short as it was, and then steps of at most half the length: at last, if need be, single
// iterations. The number of products stays the same.
type pacer struct {
	steps  []int   // numbers of stages of the steps after this one
	stages []stage // left of this step
	size   int     // number of stages of this step when it began
	least  float64 // least distance so far
	limit  int     // most stages of a step; 0 for any number
	settle float64 // distance at which iterations end; 0 outside of iterations
}

func newPacer(steps []int) *pacer {
	if steps == nil {
		steps = defaultStages
	}
	return &pacer{steps: slices.Clone(steps), least: math.Inf(1)}
}

// left returns how many stages are left.
func (p *pacer) left() int {
	left := len(p.stages)
	for _, s := range p.steps {
		left += s
	}
	return left
}

// next returns the next stage; there must be one left.
func (p *pacer) next() stage {
	if len(p.stages) == 0 {
		s := p.steps[0]
		if p.limit > 0 && s > p.limit {
			p.steps[0], s = s-p.limit, p.limit
		} else {
			p.steps = p.steps[1:]
		}
		if p.settle > 0 && s > 1 {
			p.steps, s = append([]int{s - 1}, p.steps...), 1
		}
		p.stages, p.size = chebyshevStages(s), s
	}
	first := p.stages[0]
	p.stages = p.stages[1:]
	return first
}

// note records the distance ‖E‖_F at the last stage.
func (p *pacer) note(distance float64) {
	switch {
	case p.settle > 0 && distance <= p.settle:
		p.settle = 0
	case p.settle == 0 && p.size > 1 && distance > growth*p.least:
		if rest := len(p.stages); rest > 0 {
			p.steps = append([]int{rest}, p.steps...)
		}
		p.stages, p.limit, p.settle = nil, p.size/2, p.least
	}
	p.least = min(p.least, distance)
}
