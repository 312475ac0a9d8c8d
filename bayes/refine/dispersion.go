// This file counts tokens as documents do whose words come in bursts: those of a Dirichlet compound multinomial.

package refine

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// A document whose topics give item i the probability q_i = Σ_k θ_k B_ik has a distribution of items from
// Dirichlet(s·q): Madsen, Kauchak & Elkan, "Modeling Word Burstiness Using the Dirichlet Distribution", ICML 2005; with
// topics, Doyle & Elkan, "Accounting for Burstiness in Topic Models", ICML 2009. Of its X_i tokens of item i, the
// topics are expected to have given
//
//	E_i = s·q_i·(ψ(s·q_i + X_i) − ψ(s·q_i)) = Σ_{j<X_i} s·q_i/(s·q_i + j)
//
// and the others repeat these (Antoniak, Annals of Statistics 2, 1974). So topics are learned from E_i, from 1 to X_i,
// in place of X_i. One s is for all documents: the greater, the fewer repetitions; with s = ∞ this is LDA. It goes up
// the likelihood
//
//	Σ_d ln Γ(s)/Γ(s + n_d) + Σ_i ln Γ(s·q_i + X_i)/Γ(s·q_i)
//
// by one step of Newton's method in ln s after each pass, from where pairs of tokens say that it is (survey).
const (
	// dispersionStep is the most by which a step multiplies or divides s.
	dispersionStep = 4
	// fewTokens is up to how many tokens of an item sums are added up; beyond, digamma functions take less time.
	fewTokens = 24
	// noBursts is an s that is as good as ∞: tokens count as they are.
	noBursts = 1e6
)

// The bounds of s. Tests change them.
var leastDispersion, mostDispersion = 1.0, float64(noBursts)

// repetitions are what the tokens of a document say of s.
type repetitions struct {
	tokens       float64
	slope, curve float64 // the first and second derivative of the log-likelihood by s
}

// disperse sets the counts of the entries of document d to what its topics are expected to have given, if those give
// items the probabilities q.
func (r *refiner) disperse(d int, q []float64) {
	first := int(r.batch.Offsets[d])
	r.tokens[d] = 0
	for at, p := range q {
		mean := max(r.dispersion*p, math.SmallestNonzeroFloat32)
		given := mean * reciprocals(mean, r.batch.Counts[first+at])
		r.scaled[first+at] = float32(given)
		r.tokens[d] += given
	}
}

// judge returns the log-likelihood of document d, and notes what it says of s, if its topics give items the
// probabilities q.
func (r *refiner) judge(d int, q []float64) (value float64) {
	s, first, of := r.dispersion, int(r.batch.Offsets[d]), &r.repetitions[d]
	*of = repetitions{}
	for at, p := range q {
		x, mean := r.batch.Counts[first+at], max(s*p, math.SmallestNonzeroFloat32)
		of.tokens += x
		value += rising(mean, x)
		of.slope += p * reciprocals(mean, x)
		of.curve -= p * p * squares(mean, x)
	}
	of.slope -= reciprocals(s, of.tokens)
	of.curve += squares(s, of.tokens)
	return value - rising(s, of.tokens)
}

// moveDispersion moves s up the likelihood whose derivatives the documents have.
func (r *refiner) moveDispersion(of repetitions) {
	s := r.dispersion
	slope, curve := s*of.slope, s*of.slope+s*s*of.curve // by ln s
	step := math.Copysign(math.Inf(1), slope)
	if curve < 0 {
		step = -slope / curve
	}
	most := math.Log(dispersionStep)
	r.setDispersion(s * math.Exp(min(max(step, -most), most)))
}

// setDispersion sets s, in its bounds. NaN is what documents without pairs of tokens give.
func (r *refiner) setDispersion(s float64) {
	r.dispersion = mostDispersion
	if s < mostDispersion {
		r.dispersion = max(s, leastDispersion)
	}
}

// reciprocals returns Σ_{j<x} 1/(a+j) = ψ(a+x) − ψ(a).
func reciprocals(a, x float64) (sum float64) {
	if x > fewTokens {
		return mathext.Digamma(a+x) - mathext.Digamma(a)
	}
	for j := 0.0; j < x; j++ {
		sum += 1 / (a + j)
	}
	return sum
}

// squares returns Σ_{j<x} 1/(a+j)² = ψ′(a) − ψ′(a+x).
func squares(a, x float64) (sum float64) {
	if x > fewTokens {
		return mathext.Zeta(2, a) - mathext.Zeta(2, a+x)
	}
	for j := 0.0; j < x; j++ {
		sum += 1 / ((a + j) * (a + j))
	}
	return sum
}

// rising returns ln Γ(a+x)/Γ(a) = Σ_{j<x} ln(a+j).
func rising(a, x float64) float64 {
	if x > fewTokens {
		above, _ := math.Lgamma(a + x)
		below, _ := math.Lgamma(a)
		return above - below
	}
	product := 1.0 // of at most 24 factors up to 10⁶
	for j := 0.0; j < x; j++ {
		product *= a + j
	}
	return math.Log(product)
}
