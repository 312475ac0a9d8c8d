// This file solves least-squares problems over the simplex by exponentiated gradient.

package anchor

import "math"

// exponentiatedGradient solves the problems by exponentiated gradient (Kivinen & Warmuth, Inf. Comput. 132, 1997; for
// anchor words: Arora et al., ICML 2013, section 4.1), accelerated: with a = log b,
//
//	y ∝ exp(a + β(a − a₋)),  b ∝ y·exp(−η(G·y − c))
//
// where β grows from 0 to 1 (Nesterov's (t−1)/(t+2)) and begins anew when a step has gone uphill (O'Donoghue & Candès, Found.
// Comput. Math. 15, 2015). With D the greatest distance between two points, ½·vᵀGv ≤ D²/8·‖v‖₁² ≤ D²/4·KL(y+v, y) for Σ v =
// 0, so that η = 4/D² never overshoots.
//
// No entry becomes zero this way. A mixture is that of the entries above negligibleShare, scaled to the sum 1.
type exponentiatedGradient struct {
	*simplexPoints
	step              float64 // η
	log, before       []float64
	y, gradient, b, g []float64
}

// negligibleShare is what an entry of b counts as zero below, times 1/K: all of them together move no gradient by more than
// a hundredth of the residual that is sought.
const negligibleShare = 1e-11

// lowestLog bounds the logarithm of an entry from below, so that one which was driven down can come back.
const lowestLog = -60

func newExponentiatedGradient(p *simplexPoints) *exponentiatedGradient {
	s := &exponentiatedGradient{simplexPoints: p, log: make([]float64, p.k), before: make([]float64, p.k),
		y: make([]float64, p.stride), gradient: make([]float64, p.stride), b: make([]float64, p.stride), g: make([]float64, p.stride)}
	square := 0.0
	for i := range p.k {
		for j := range i {
			square = max(square, p.at(i, i)+p.at(j, j)-2*p.at(i, j))
		}
	}
	if square > 0 {
		s.step = 4 / square
	}
	return s
}

func (s *exponentiatedGradient) solution() []float64 { return s.b }

func (s *exponentiatedGradient) solve(c []float64) (iterations int, residual float64) {
	for j := range s.log {
		s.log[j], s.before[j] = -math.Log(float64(s.k)), -math.Log(float64(s.k))
	}
	run := 0 // iterations since momentum began
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
		uphill := 0.0
		for j, v := range s.y[:s.k] {
			s.log[j] = math.Log(v) - s.step*s.gradient[j]
		}
		total := logSum(s.log)
		for j := range s.log {
			s.log[j] = max(s.log[j]-total, lowestLog)
			uphill += s.gradient[j] * (math.Exp(s.log[j]) - math.Exp(s.before[j]))
		}
		if uphill > 0 {
			run = 0
		}
	}
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
