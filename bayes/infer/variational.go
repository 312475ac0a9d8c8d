// This file holds the variational local step: a Dirichlet distribution fitted to a document by coordinate ascent.

package infer

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

// Ascent finds the variational parameters of documents. It holds scratch and belongs to one goroutine; the zero value
// is ready to use.
type Ascent struct {
	topics        []int32
	table         []float64
	identity      []int32
	a, t, resp    []float64
	norms, counts []float64
}

// Step says how an Ascent goes.
type Step struct {
	Prior      []float64 // K: α
	Tolerance  float64   // ends the ascent when a changes by less, relative to its sum
	Iterations int       // most iterations
}

// Local are the variables of a document: rows of the table's width, and a value per entry.
type Local struct {
	A     []float64 // a_k
	T     []float64 // exp(ψ(a_k))
	Resp  []float64 // Σ_i X_i p_ik: what a would become next, without α
	Norms []float64 // of each entry: its row times T
}

// Infer alternates, with e_i the row of the table of entry i and X_i its count,
//
//	t_k = exp(ψ(a_k))      p_ik = e_ik t_k/(e_i·t)      a_k = α_k + Σ_i X_i p_ik
//
// from a_k = α_k + Σ_i X_i/K, or from l.A if warm, until a no longer changes. At the end l.Norms belongs to l.A. Rows
// have len(l.A) values, a multiple of 8, and zeros beyond K.
//
// After a few iterations most topics have next to nothing of a document. They are set aside, with a_k as it is, until
// the others no longer change: a coordinate ascent in fewer coordinates, which also raises the bound. Then all topics
// take part again until the end.
func (w *Ascent) Infer(s *Step, table []float64, rows []int32, counts []float64, l Local, warm bool) {
	topics := len(s.Prior)
	a := l.A[:topics]
	if !warm {
		sum := 0.0
		for _, c := range counts {
			sum += c
		}
		for k, prior := range s.Prior {
			a[k] = prior + sum/float64(topics)
		}
	}
	clear(l.A[topics:])
	for i := 1; ; i++ {
		kernel.ExpDigamma(l.T, l.A)
		clear(l.Resp)
		kernel.Mixture(rows, counts, table, l.T, l.Norms, l.Resp)
		change, sum := 0.0, 0.0
		for k, t := range l.T[:topics] {
			r := l.Resp[k] * t
			l.Resp[k] = r
			change += math.Abs(s.Prior[k] + r - a[k])
			sum += s.Prior[k] + r
		}
		if change <= s.Tolerance*sum || i >= s.Iterations {
			return
		}
		if i == fullIterations && w.take(s, table, rows, counts, l, negligible*s.Tolerance*sum/float64(topics)) {
			i += w.iterate(s, sum, s.Iterations-i-1)
			for j, k := range w.topics {
				a[k] = w.a[j]
			}
			continue
		}
		for k, r := range l.Resp[:topics] {
			a[k] = s.Prior[k] + r
		}
	}
}

// take cuts a document down to the topics that have more than least of it, and reports whether they are few enough to
// save time. What the other topics contribute to the norms is in one more column, after those of the topics.
func (w *Ascent) take(s *Step, table []float64, rows []int32, counts []float64, l Local, least float64) bool {
	topics, stride := len(s.Prior), len(l.A)
	w.topics = w.topics[:0]
	for k, v := range l.Resp[:topics] {
		if v > least {
			w.topics = append(w.topics, int32(k))
		}
	}
	width := aligned.Columns[float64](len(w.topics) + 1)
	if 2*width > stride {
		return false
	}
	w.table = resize(w.table, len(rows)*width)
	clear(w.table)
	w.a, w.t, w.resp = resize(w.a, width), resize(w.t, width), resize(w.resp, width)
	w.norms, w.counts = resize(w.norms, len(rows)), counts
	for len(w.identity) < len(rows) {
		w.identity = append(w.identity, int32(len(w.identity)))
	}
	for i, row := range rows {
		from, to := table[int(row)*stride:][:stride], w.table[i*width:][:width]
		rest := l.Norms[i]
		for j, k := range w.topics {
			to[j] = from[k]
			rest -= from[k] * l.T[k]
		}
		to[len(w.topics)] = max(rest, 0)
	}
	clear(w.a)
	for j, k := range w.topics {
		w.a[j] = s.Prior[k] + l.Resp[k]
	}
	return true
}

// iterate updates a until it no longer changes, at most the given number of times, and returns the number of
// iterations. Sum is Σ_k a_k over all topics.
func (w *Ascent) iterate(s *Step, sum float64, most int) int {
	a := w.a[:len(w.topics)]
	for i := 1; i <= most; i++ {
		kernel.ExpDigamma(w.t, w.a)
		w.t[len(a)] = 1
		clear(w.resp)
		kernel.Mixture(w.identity[:len(w.counts)], w.counts, w.table, w.t, w.norms, w.resp)
		change := 0.0
		for j, t := range w.t[:len(a)] {
			next := s.Prior[w.topics[j]] + w.resp[j]*t
			change += math.Abs(next - a[j])
			a[j] = next
		}
		if change <= s.Tolerance*sum {
			return i
		}
	}
	return max(most, 0)
}
