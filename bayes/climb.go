// This file finds the location of a document by steepest ascent: correlated NMF.

package bayes

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/bayes/infer"
	"anchorage/bayes/internal/batch"
	"anchorage/internal/kernel"
)

// ascent is the scratch of an optimisation.
type ascent struct {
	dirichlet   infer.Ascent
	here, there place
	gradient    []float64 // padded m
	residual    []float64 // padded K: Σ_v X p_k − E β_vk ω_kd
	before      []float64 // the last gradient
	held        heldScratch
}

// place is a location u and the values there.
type place struct {
	u     []float64 // padded m
	e     []float64 // padded K: exp(ℓ_k·u − their maximum)
	resp  []float64 // padded K: Σ_v X p_k
	norms []float64 // per entry: Σ_k table·e
	total float64   // Σ_k Σ_v E β_vk e_k
	value float64   // the objective
}

func newAscent(s *State) ascent {
	row := func(n int) []float64 { return make([]float64, n) }
	var w ascent
	w.held.shares = row(s.stride)
	w.held.a, w.held.t, w.held.resp, w.held.u = row(s.stride), row(s.stride), row(s.stride), row(s.latent)
	if s.locations != nil {
		w.gradient, w.before, w.residual = row(s.latent), row(s.latent), row(s.stride)
		for _, p := range []*place{&w.here, &w.there} {
			p.u, p.e, p.resp = row(s.latent), row(s.stride), row(s.stride)
		}
	}
	return w
}

// climb finds u_d by steepest ascent on the bound, with the best p and α at every step (11.24, 11.32). It begins at u =
// 0 unless warm:
//
//	f(u) = Σ_v X_vd ln Σ_k exp{E ln β_vk + ℓ_k·u} − n_d ln Σ_k E β_k exp{ℓ_k·u} − ‖u‖²/2 + constant
//
// with E β_k = Σ_v E β_vk. The best α is already inserted, so no exponential of a number above 0 is taken. The first
// step length is a guess and the next ones are those of Barzilai & Borwein (IMA J. Numer. Anal. 8, 1988); each is
// halved until f has risen (Armijo). At the end l.a is ω, and l.t is exp(ℓ_k·u) up to a factor.
func (e *engine) climb(w *ascent, rows []int32, counts []float64, l local, warm bool) {
	o := &e.s.Options
	n := floats.Sum(counts)
	if !warm || n == 0 { // an empty document lies where the prior puts it, and its ω is 0, with α = −∞
		clear(l.u)
	}
	w.here.norms, w.there.norms = batch.Resize(w.here.norms, len(rows)), batch.Resize(w.there.norms, len(rows))
	copy(w.here.u, l.u)
	e.evaluate(&w.here, rows, counts, n)
	e.ascend(w, n)
	length := 1 / (1 + n*e.highestSq/float64(o.Latent))
	for i := 0; n > 0 && i < o.LocalIterations; i++ {
		moved := e.search(w, rows, counts, n, &length)
		if moved <= o.LocalTolerance*(1+math.Sqrt(dot(w.here.u, w.here.u))) {
			break
		}
	}
	copy(l.u, w.here.u)
	copy(l.t, w.here.e)
	copy(l.norms, w.here.norms)
	for k := range o.Topics {
		l.resp[k] = w.here.resp[k]
		l.a[k] = n * w.here.e[k] / w.here.total
	}
}

// search makes one step along the gradient: it halves length until the objective rises, and chooses the next length. It
// returns how far it went, 0 if no point was higher.
func (e *engine) search(w *ascent, rows []int32, counts []float64, n float64, length *float64) float64 {
	const enough, least = 1e-4, 1e-12
	square := dot(w.gradient, w.gradient)
	for ; ; *length /= 2 {
		if !(*length*square > least*least) {
			return 0
		}
		for j, g := range w.gradient {
			w.there.u[j] = w.here.u[j] + *length*g
		}
		e.evaluate(&w.there, rows, counts, n)
		if w.there.value >= w.here.value+enough**length*square {
			break
		}
	}
	w.here, w.there = w.there, w.here
	w.gradient, w.before = w.before, w.gradient
	e.ascend(w, n)
	moved := *length * math.Sqrt(square)
	curvature := 0.0
	for j, g := range w.before {
		curvature += *length * g * (g - w.gradient[j])
	}
	if curvature > 0 {
		*length = moved * moved / curvature
	} else { // the objective is not concave here
		*length *= 2
	}
	return moved
}

// evaluate computes the values of a place from p.u.
func (e *engine) evaluate(p *place, rows []int32, counts []float64, n float64) {
	s := e.s
	clear(p.e)
	kernel.Combine(e.identity[:s.Options.Latent], p.u[:s.Options.Latent], s.across, p.e)
	floats.AddConst(-floats.Max(p.e[:s.Options.Topics]), p.e)
	kernel.Exp(p.e, p.e)
	clear(p.resp)
	kernel.Mixture(rows, counts, e.table, p.e, p.norms, p.resp)
	p.total = 0
	for k, mass := range e.masses {
		p.total += mass * p.e[k]
		p.resp[k] *= p.e[k]
	}
	p.value = -n*math.Log(p.total) - dot(p.u, p.u)/2
	for i, norm := range p.norms {
		p.value += counts[i] * math.Log(norm)
	}
}

// ascend sets the gradient at w.here (11.31): Σ_k (Σ_v X p_k − E β_k ω_k) ℓ_k − u.
func (e *engine) ascend(w *ascent, n float64) {
	s, p := e.s, &w.here
	for k, mass := range e.masses {
		w.residual[k] = p.resp[k] - n*mass*p.e[k]/p.total
	}
	clear(w.gradient)
	kernel.Combine(e.identity[:s.Options.Topics], w.residual[:s.Options.Topics], s.locations, w.gradient)
	for j, u := range p.u {
		w.gradient[j] -= u
	}
}
