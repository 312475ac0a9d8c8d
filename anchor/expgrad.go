// This file solves least-squares problems over the simplex by exponentiated gradient.

package anchor

import "math"

// exponentiatedGradient solves the problems by exponentiated gradient (Kivinen & Warmuth, Inf. Comput. 132, 1997; for
// anchor words: Arora et al., ICML 2013, section 4.1), accelerated: with a = log b,
//
//	y ∝ exp(a + β(a − a₋)),  b ∝ y·exp(−η(G·y − c))
//
// where β grows from 0 to 1 (Nesterov's (t−1)/(t+2)) and restarts at 0 after a step uphill (O'Donoghue & Candès, Found.
// Comput. Math. 15, 2015). η is short enough as long as ½·(b−y)ᵀG(b−y) ≤ KL(b, y)/η: then the model of the objective that b
// minimises lies above the objective. With D the greatest distance between two points, vᵀGv ≤ D²/4·‖v‖₁² ≤ D²/2·KL(y+v, y) if
// Σ v = 0, so η = 4/D² is always short enough. If the solution mixes only points near each other, much longer steps are too. So
// η is halved when it was too long, and grows otherwise.
//
// This way no entry becomes zero. The mixture has the entries above negligibleShare, scaled to the sum 1.
type exponentiatedGradient struct {
	*simplexPoints
	safe                    float64 // an η that is always short enough
	log, before             []float64
	y, gradient, b, g, move []float64
	zero                    []float64
}

// negligibleShare, times 1/K, is the value below which an entry of b counts as zero. All such entries together change the residual by
// less than its target.
const negligibleShare = 1e-10

// lowestLog is the least logarithm of an entry, so that an entry that became small can grow again.
const lowestLog = -60

func newExponentiatedGradient(p *simplexPoints) *exponentiatedGradient {
	s := &exponentiatedGradient{simplexPoints: p, log: make([]float64, p.k), before: make([]float64, p.k),
		y: make([]float64, p.stride), gradient: make([]float64, p.stride), b: make([]float64, p.stride),
		g: make([]float64, p.stride), move: make([]float64, p.stride), zero: make([]float64, p.k)}
	square := 0.0
	for i := range p.k {
		for j := range i {
			square = max(square, p.at(i, i)+p.at(j, j)-2*p.at(i, j))
		}
	}
	if square > 0 {
		s.safe = 4 / square
	}
	return s
}

func (s *exponentiatedGradient) solution() []float64 { return s.b }

func (s *exponentiatedGradient) solve(c []float64) (iterations int, residual float64) {
	for j := range s.log {
		s.log[j], s.before[j] = -math.Log(float64(s.k)), -math.Log(float64(s.k))
	}
	run, step := 0, s.safe // iterations since momentum began, and η
	for {
		if iterations%iterativeCheck == 0 {
			s.round()
			s.differentiate(s.g, s.b, c)
			if residual = s.residual(s.b, s.g, c); residual <= iterativeTarget || iterations >= iterativeLimit {
				return iterations, residual
			}
		}
		iterations++
		run++
		beta := float64(run-1) / float64(run+2)
		for j, v := range s.log {
			s.y[j] = v + beta*(v-s.before[j])
			s.before[j] = v
		}
		softmax(s.y[:s.k], s.y[:s.k])
		s.differentiate(s.gradient, s.y, c)
		for !s.try(step) && step > s.safe {
			step = max(step/2, s.safe)
		}
		step *= stepGrowth
		uphill := 0.0
		for j, v := range s.log {
			uphill += s.gradient[j] * (math.Exp(v) - math.Exp(s.before[j]))
		}
		if uphill > 0 {
			run = 0
		}
	}
}

// stepGrowth is the factor by which η grows in every iteration. After it was halved it is back in seven iterations.
const stepGrowth = 1.1

// try sets log to that of y·exp(−η·gradient), scaled to the sum 1, and reports whether the step was short enough.
func (s *exponentiatedGradient) try(step float64) bool {
	for j, v := range s.y[:s.k] {
		s.log[j] = math.Log(v) - step*s.gradient[j]
	}
	total, divergence := logSum(s.log), 0.0
	for j, v := range s.y[:s.k] {
		s.log[j] = max(s.log[j]-total, lowestLog)
		s.move[j] = math.Exp(s.log[j]) - v
		divergence += v * relativeDivergence(s.move[j]/v)
	}
	s.differentiate(s.g, s.move, s.zero)
	return dot(s.g, s.move)/2 <= divergence/step
}

// relativeDivergence returns (1+t)·log(1+t) − t, without cancellation for small t.
func relativeDivergence(t float64) float64 {
	if math.Abs(t) < 1e-3 {
		return t * t * (0.5 - t*(1./6-t/12)) // the next term is below 1e-10 of the first
	}
	return (1+t)*math.Log1p(t) - t
}

// round sets b to the entries that are not negligible.
func (s *exponentiatedGradient) round() {
	softmax(s.b[:s.k], s.log)
	total := 0.0
	for j, v := range s.b[:s.k] {
		if v*float64(s.k) < negligibleShare {
			s.b[j] = 0
		}
		total += s.b[j]
	}
	for j := range s.b[:s.k] {
		s.b[j] /= total
	}
}

// softmax sets dst to exp(log), scaled to the sum 1.
func softmax(dst, log []float64) {
	total := logSum(log)
	for j, v := range log {
		dst[j] = math.Exp(max(v-total, lowestLog))
	}
}

// logSum returns log Σ exp(log_j).
func logSum(log []float64) float64 {
	greatest, sum := math.Inf(-1), 0.0
	for _, v := range log {
		greatest = max(greatest, v)
	}
	for _, v := range log {
		sum += math.Exp(v - greatest)
	}
	return greatest + math.Log(sum)
}
