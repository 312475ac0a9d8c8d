// This file learns the hyperparameters c₀, a₀ and b₀ by empirical Bayes: it maximises the bound over them.

package bayes

import (
	"math"

	"anchorage/internal/kernel"
)

// leastPrior is the least learned hyperparameter, and MostParameter the greatest: exp ψ and its like can be computed.
const leastPrior = 1e-9

// learnPriors moves a₀, b₀ and c₀ towards the maximum of the bound, after a step with the given step size on the batch
// in the engine. Each of them makes a step of a fixed-point iteration, of which the logarithm is taken as far as ρ
// goes: ln a ← (1−ρ) ln a + ρ ln â.
//
// Given p, the bound with the best q(θ) and q(β) is the likelihood of a Dirichlet-multinomial (LDA) or of a product of
// negative binomials (Bayesian NMF) of the expected counts n_kd = Σ_v X p. Where its derivative is 0,
//
//	LDA   â₀ = a₀ Σ_kd{ψ(a₀+n_kd) − ψ(a₀)} / (K Σ_d{ψ(Ka₀+n_d) − ψ(Ka₀)})
//	BNMF  â₀ = a₀ Σ_kd{ψ(a₀+n_kd) − ψ(a₀)} / Σ_kd ln(1 + Σ_v E β_vk/b₀)      b̂₀ = a₀ / mean_kd E θ_kd
//
// The first is equation 55 of Minka, "Estimating a Dirichlet distribution" (2000); the others follow in the same way,
// and so does c₀ from the expected counts x_vk = g_vk − c₀/V and N_k = Σ_v x_vk, with γ = c₀/V:
//
//	LDA         γ̂ = γ Σ_vk{ψ(γ+x_vk) − ψ(γ)} / (V Σ_k{ψ(Vγ+N_k) − ψ(Vγ)})
//	BNMF, CNMF  γ̂ = γ Σ_vk{ψ(γ+x_vk) − ψ(γ)} / (V Σ_k{ln(h_k/c₀) + (c₀+N_k)/h_k − 1})
//
// g and h then have the new c₀, since they are the best q(β) for the expected counts. σ² is not learned: ℓ is a point,
// and the density of a point has no greatest value. Learning takes time in proportion to V·K for each step.
func (e *engine) learnPriors(rho float64) {
	o := &e.s.Options
	if o.Model != CNMF {
		e.learnDocumentPriors(rho)
		for k := range e.how.Prior {
			e.how.Prior[k] = o.A0
		}
	}
	e.s.learnTopicPrior(rho)
}

// learnDocumentPriors learns a₀ and b₀ from the documents of the batch.
func (e *engine) learnDocumentPriors(rho float64) {
	o := &e.s.Options
	documents, topics := e.b.Documents(), float64(o.Topics)
	lead, whole := kernel.Digamma(o.A0), kernel.Digamma(topics*o.A0)
	gains, costs, weights := make([]float64, documents), make([]float64, documents), make([]float64, documents)
	kernel.Each(o.Workers, documents, func(d int) {
		l, sum := e.local(d, 0, 0), 0.0
		for k, a := range l.a[:o.Topics] {
			gains[d] += kernel.Digamma(a) - lead
			sum += a
			weights[d] += a / (o.B0 + e.masses[k])
		}
		if o.Model == LDA {
			costs[d] = topics * (kernel.Digamma(sum) - whole)
		}
	})
	gain, cost, weight := 0.0, 0.0, 0.0
	for d := range documents {
		gain, cost, weight = gain+gains[d], cost+costs[d], weight+weights[d]
	}
	if o.Model == BNMF {
		for _, mass := range e.masses[:o.Topics] {
			cost += float64(documents) * math.Log1p(mass/o.B0)
		}
	}
	a0 := o.A0
	o.A0 = towards(o.A0, o.A0*gain/cost, rho)
	if o.Model == BNMF {
		o.B0 = towards(o.B0, a0*topics*float64(documents)/weight, rho)
	}
}

// learnTopicPrior learns c₀, and changes what depends on it.
func (s *State) learnTopicPrior(rho float64) {
	o := &s.Options
	prior, items := s.prior(), float64(s.Corpus.Items)
	lead := kernel.Digamma(prior)
	gains := make([]float64, s.excess.Blocks())
	kernel.Each(o.Workers, len(gains), func(b int) {
		_, first, last := s.excess.Block(b)
		for v := first; v < last; v++ {
			for _, x := range s.excess.Row(v) {
				if x *= s.scale; x > 0 {
					gains[b] += kernel.Digamma(prior+x) - lead
				}
			}
		}
	})
	gain, cost := 0.0, 0.0
	for _, g := range gains {
		gain += g
	}
	whole := kernel.Digamma(o.C0)
	for k, sum := range s.sums {
		if o.Model == LDA {
			cost += items * (kernel.Digamma(sum) - whole)
		} else {
			cost += items * (math.Log(s.rates[k]/o.C0) + s.mass(k) - 1)
		}
	}
	before := o.C0
	o.C0 = towards(o.C0, o.C0*gain/cost, rho)
	for k := range s.sums {
		s.sums[k] += o.C0 - before
	}
	for k := range s.rates {
		s.rates[k] += o.C0 - before
	}
}

// towards returns the value moved towards another by a share of the way between their logarithms. It stays where the
// other is no positive number: the documents say nothing about it.
func towards(value, to, share float64) float64 {
	if !(to > 0) || math.IsInf(to, 1) {
		return value
	}
	return min(max(math.Exp((1-share)*math.Log(value)+share*math.Log(to)), leastPrior), MostParameter)
}
