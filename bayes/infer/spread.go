// This file computes how far the share of a document's top topic is known, and intervals of shares.

package infer

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// deviation returns the posterior standard deviation of the mixture's share of a topic, m. Of the counts n of tokens
// per topic, let V be the posterior variance of n_top. Given n, θ_top has a Beta distribution with parameters α_top +
// n_top and the rest of S = Σ_k α_k + Σ_i X_i. So by the law of total variance, with m = (α_top + E n_top)/S,
//
//	Var θ_top = (m(1−m) + V/S)/(S+1)
//
// If tokens were independent, V would be Σ_i X_i p_i(1−p_i), with p_i = γ_i,top. They are not: a token that changes its
// topic draws others along. Linear response (Giordano, Broderick & Jordan, NIPS 2015) gives V as the derivative of E
// n_top by a tilt of the top topic. With the other topics kept in proportion, token i follows it by p_i(1−p_i) plus f_i
// times what all other tokens have moved:
//
//	V = Σ_i X_i p_i(1−p_i)/(1+f_i) / (1 − Σ_i X_i f_i/(1+f_i))
//	f_i = p_i(1−p_i)·(1/c_i + 1/(S−1−c_i))      c_i = m·S − p_i
//
// V is at most what it would be if all tokens moved as one, E n_top·(Σ_i X_i − E n_top).
func (w *Worker) deviation(top int) float64 {
	t := w.t
	m, s := float64(w.mixture[top]), t.total+w.tokens
	if w.tokens == 0 {
		return math.Sqrt(max(m*(1-m), 0) / (s + 1))
	}
	width, long := len(w.a), len(w.items) > blockRows
	own, moved, followed := 0.0, 0.0, 0.0 // E n_top without α, and the two sums of V
	for first := 0; first < len(w.items); first += blockRows {
		last := min(first+blockRows, len(w.items))
		if long {
			w.gather(first, last)
			w.respond(w.a, w.scratch[:width], first)
		}
		for i, count := range w.counts[first:last] {
			x, p := float64(count), float64(w.gamma[i*width+top])
			own += x * p
			if spread := p * (1 - p); spread > 0 {
				c := max(m*s-p, 1e-9)
				f := spread * (1/c + 1/max(s-1-c, 1e-9))
				moved += x * spread / (1 + f)
				followed += x * f / (1 + f)
			}
		}
	}
	v := max(own*(w.tokens-own), 0)
	if followed < 1 {
		v = min(moved/(1-followed), v)
	}
	return math.Sqrt(max(m*(1-m)+v/s, 0) / (s + 1))
}

// Interval returns bounds within which a share lies with the given probability, of the Beta distribution with the given
// mean and standard deviation. If the density of that distribution has no bound at 0, at 1, or at both, the interval
// extends to there: the share may well be none, or all. Otherwise it leaves out as much on either side.
func Interval(mean, deviation, probability float64) (low, high float64) {
	if !(mean > 0 && mean < 1) || !(deviation > 0) {
		return mean, mean
	}
	c := mean*(1-mean)/(deviation*deviation) - 1
	if !(c > 1e-6) { // all or nothing
		return 0, 1
	}
	a, b := mean*c, (1-mean)*c
	quantile := func(p float64) float64 { return mathext.InvRegIncBeta(a, b, p) }
	out := 1 - probability
	switch {
	case a < 1 && b < 1:
		return 0, 1
	case a < 1:
		return 0, quantile(1 - out)
	case b < 1:
		return quantile(out), 1
	}
	return quantile(out / 2), quantile(1 - out/2)
}
