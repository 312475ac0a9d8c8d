// This file finds the topics of a document by coordinate ascent: Bayesian NMF and LDA.

package svi

import (
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
)

const (
	// fullIterations is how many iterations use all topics before those with next to nothing are set aside.
	fullIterations = 4
	// negligible is how little a topic must have to be set aside: this share of what may still change, on average.
	negligible = 0.1
)

// reduced is a document cut down to the topics that matter for it: its rows of the table with their columns alone.
type reduced struct {
	topics        []int32
	table         []float64
	identity      []int32
	a, t, resp    []float64
	norms, counts []float64
}

// iterate alternates (11.24) and (11.28), from a_kd = a₀ + n_d/K unless warm, until a no longer changes. At the end norms
// belong to a, and resp is what a would become next, without a₀.
//
// After a few iterations most topics have next to nothing of a document. They are set aside, with a_kd as it is, until the
// others no longer change: a coordinate ascent in fewer coordinates, which also raises the bound. Then all topics take part
// again until the end.
func (e *engine) iterate(work *ascent, rows []int32, counts []float64, l local, warm bool) {
	o := &e.s.Options
	a := l.a[:o.Topics]
	if !warm {
		begin := o.A0 + tokens(counts)/float64(o.Topics)
		for k := range a {
			a[k] = begin
		}
	}
	clear(l.a[o.Topics:])
	for i := 1; ; i++ {
		kernel.ExpDigamma(l.t, l.a)
		clear(l.resp)
		kernel.Mixture(rows, counts, e.table, l.t, l.norms, l.resp)
		change, sum := 0.0, 0.0
		for k, t := range l.t[:o.Topics] {
			r := l.resp[k] * t
			l.resp[k] = r
			change += math.Abs(o.A0 + r - a[k])
			sum += o.A0 + r
		}
		if change <= o.LocalTolerance*sum || i >= o.LocalIterations {
			return
		}
		if i == fullIterations && work.reduced.take(e, rows, counts, l, negligible*o.LocalTolerance*sum/float64(o.Topics)) {
			i += work.reduced.iterate(o, sum, o.LocalIterations-i-1)
			for j, k := range work.reduced.topics {
				a[k] = work.reduced.a[j]
			}
			continue
		}
		for k, r := range l.resp[:o.Topics] {
			a[k] = o.A0 + r
		}
	}
}

// take cuts a document down to the topics that have more than least of it, and reports whether they are few enough to save time. What
// the other topics contribute to the norms is in one more column, after those of the topics.
func (r *reduced) take(e *engine, rows []int32, counts []float64, l local, least float64) bool {
	topics := e.s.Options.Topics
	r.topics = r.topics[:0]
	for k, v := range l.resp[:topics] {
		if v > least {
			r.topics = append(r.topics, int32(k))
		}
	}
	width := aligned.Columns[float64](len(r.topics) + 1)
	if 2*width > e.s.stride {
		return false
	}
	r.table = resize(r.table, len(rows)*width)
	clear(r.table)
	r.a, r.t, r.resp = resize(r.a, width), resize(r.t, width), resize(r.resp, width)
	r.norms, r.counts = resize(r.norms, len(rows)), counts
	for len(r.identity) < len(rows) {
		r.identity = append(r.identity, int32(len(r.identity)))
	}
	for i, row := range rows {
		from, to := e.table[int(row)*e.s.stride:][:e.s.stride], r.table[i*width:][:width]
		rest := l.norms[i]
		for j, k := range r.topics {
			to[j] = from[k]
			rest -= from[k] * l.t[k]
		}
		to[len(r.topics)] = max(rest, 0)
	}
	clear(r.a)
	for j, k := range r.topics {
		r.a[j] = e.s.Options.A0 + l.resp[k]
	}
	return true
}

// iterate updates a until it no longer changes, at most so many times, and returns the number of iterations. Sum is Σ_k a_k over all
// topics.
func (r *reduced) iterate(o *Options, sum float64, most int) int {
	a := r.a[:len(r.topics)]
	for i := 1; i <= most; i++ {
		kernel.ExpDigamma(r.t, r.a)
		r.t[len(a)] = 1
		clear(r.resp)
		kernel.Mixture(r.identity[:len(r.counts)], r.counts, r.table, r.t, r.norms, r.resp)
		change := 0.0
		for j, t := range r.t[:len(a)] {
			next := o.A0 + r.resp[j]*t
			change += math.Abs(next - a[j])
			a[j] = next
		}
		if change <= o.LocalTolerance*sum {
			return i
		}
	}
	return max(most, 0)
}
