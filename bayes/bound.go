// This file computes the variational bound with the best p, term by term and with all constants.

package bayes

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/kernel"
)

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// gammaTerm returns E ln p − E ln q of a variable with the prior Gamma(shape, rate) and q = Gamma(a, b); logB is ln b.
func gammaTerm(shape, rate, a, b, logB float64) float64 {
	psi := kernel.Digamma(a)
	return shape*math.Log(rate) - lgamma(shape) + (shape-1)*(psi-logB) - rate*a/b +
		a - logB + lgamma(a) + (1-a)*psi
}

// localBound returns the part of the bound that belongs to the documents of the batch. It must come after infer and
// before addRows, which overwrites the norms.
func (e *engine) localBound() float64 {
	documents := e.b.Documents()
	bounds := make([]float64, documents)
	kernel.Each(e.s.Options.Workers, documents, func(d int) { bounds[d] = e.documentBound(d) })
	sum := 0.0
	for _, v := range bounds {
		sum += v
	}
	return sum
}

// documentBound returns E ln p(X_d | β, ω_d) + E ln p(local) + H(local): Σ_v X_vd ln Σ_k exp{E ln β_vk + E ln ω_kd} for
// the best p, and the other terms of the model.
func (e *engine) documentBound(d int) float64 {
	o := &e.s.Options
	rows, counts, first := e.b.Document(d)
	l := e.local(d, first, len(rows))
	bound, n := 0.0, 0.0
	for i, c := range counts {
		bound += c * (math.Log(l.norms[i]) + e.tableLog[rows[i]] + e.factorLog)
		if o.Model != LDA {
			bound -= lgamma(c + 1)
		}
		n += c
	}
	switch o.Model {
	case BNMF:
		for k := range o.Topics {
			b := e.s.localRate(k)
			bound += gammaTerm(o.A0, o.B0, l.a[k], b, math.Log(b)) - e.masses[k]*l.a[k]/b
		}
	case LDA:
		sum, norm := 0.0, 0.0
		for _, a := range l.a[:o.Topics] {
			sum += a
			norm += lgamma(a) - lgamma(o.A0)
		}
		psi := kernel.Digamma(sum)
		bound += norm + lgamma(o.A0*float64(o.Topics)) - lgamma(sum) - n*psi
		for _, a := range l.a[:o.Topics] {
			bound += (o.A0 - a) * (kernel.Digamma(a) - psi)
		}
	case CNMF:
		if n > 0 { // ω = exp(α+ℓ·u), and l.t is exp(ℓ·u) up to a factor: the logarithm of the quotient is still missing
			k := floats.MaxIdx(l.t[:o.Topics])
			bound += n * (math.Log(l.a[k]) - math.Log(l.t[k]))
		}
		bound -= n + dot(l.u, l.u)/2 + float64(o.Latent)/2*math.Log(2*math.Pi)
	}
	return bound
}

// globalBound returns the part of the bound that belongs to the global variables, E ln p + H. It adds blocks of items
// in their order.
func (s *State) globalBound() float64 {
	o := &s.Options
	prior := s.prior()
	logs := make([]float64, o.Topics)
	for k := range logs {
		if o.Model == LDA {
			logs[k] = kernel.Digamma(s.sums[k])
		} else {
			logs[k] = math.Log(s.rates[k])
		}
	}
	parts := make([]float64, s.excess.Blocks())
	kernel.Each(o.Workers, len(parts), func(b int) {
		_, first, last := s.excess.Block(b)
		row := make([]float64, o.Topics)
		for v := first; v < last; v++ {
			s.Row(row, v)
			for k, g := range row {
				if o.Model == LDA {
					parts[b] += (prior-g)*(kernel.Digamma(g)-logs[k]) + lgamma(g) - lgamma(prior)
				} else {
					parts[b] += gammaTerm(prior, o.C0, g, s.rates[k], logs[k])
				}
			}
		}
	})
	bound := 0.0
	for _, part := range parts {
		bound += part
	}
	if o.Model == LDA {
		for _, sum := range s.sums {
			bound += lgamma(o.C0) - lgamma(sum)
		}
	}
	if o.Model == CNMF {
		bound -= dot(s.locations, s.locations)/(2*o.Variance) + float64(o.Topics*o.Latent)/2*math.Log(2*math.Pi*o.Variance)
	}
	return bound
}
