// This file takes one document from its items to its result.

package infer

import (
	"math"
	"slices"

	"anchorage/internal/kernel"
)

// Result is what is found of a document beside its mixture.
type Result struct {
	Top           int     // the topic with the greatest share, the first of equal ones
	Known         int64   // tokens of items that the topics have
	Unknown       int64   // other tokens
	LogLikelihood float64 // mean of ln p(item | θ) over the known tokens, in nats; NaN if there are none
	// Deviation is the posterior standard deviation of θ_top. Without known tokens it is that of the prior.
	Deviation float64
}

// Worker infers documents one by one. It belongs to one goroutine.
type Worker struct {
	t *Inferrer

	// The document: its known items, their counts, and their rows.
	items  []int32
	counts []float32
	tokens float64
	// The counts in double precision, and the numbers 0, 1, 2, … of as many rows, as kernel.Combine takes both.
	weights []float64
	rows    []int32
	table   []float32 // a row per item, of single precision, padded
	gamma   []float32 // a row per item: its responsibilities

	a       []float32 // padded: α_k + Σ_i X_i γ_ik, or what is in proportion to θ
	scratch []float32 // two rows
	mixture []float32 // padded
	dots    []float32
}

// Worker returns a worker.
func (t *Inferrer) Worker() *Worker {
	width := len(t.single)
	row := func() []float32 { return make([]float32, width) }
	return &Worker{t: t, a: row(), scratch: make([]float32, 2*width), mixture: row()}
}

// blockRows is the most entries of a document whose rows are held at a time. Longer documents are read block by block,
// so that the memory of a worker does not grow with them.
const blockRows = 4096

// Infer sets mixture, K values, to the mixture of a document with the given items and counts, and returns what else is
// found. Items below 0, and items that no topic has, are unknown. Counts are positive. It panics if the lengths do not
// fit.
func (w *Worker) Infer(mixture []float32, items, counts []int32) Result {
	t := w.t
	if len(mixture) != t.k || len(items) != len(counts) {
		panic("infer: lengths of a document do not fit")
	}
	r := w.take(items, counts)
	w.weigh()
	w.tokens = float64(r.Known)
	if r.Known == 0 {
		copy(w.mixture, t.weights)
		r.LogLikelihood = math.NaN()
	} else {
		if len(w.items) > blockRows {
			w.collapseLong(t.single)
		} else {
			w.gather(0, len(w.items))
			w.collapse(w.t.single)
		}
		r.LogLikelihood = w.LogLikelihood() / w.tokens
	}
	copy(mixture, w.mixture[:t.k])
	for k, v := range mixture {
		if v > mixture[r.Top] {
			r.Top = k
		}
	}
	r.Deviation = w.deviation(r.Top)
	return r
}

// take sets the document's known items and their counts.
func (w *Worker) take(items, counts []int32) (r Result) {
	w.items, w.counts = w.items[:0], w.counts[:0]
	for i, item := range items {
		if counts[i] < 1 {
			panic("infer: a count that is not positive")
		}
		if item < 0 || w.t.scales[item] == 0 {
			r.Unknown += int64(counts[i])
			continue
		}
		r.Known += int64(counts[i])
		w.items, w.counts = append(w.items, item), append(w.counts, float32(counts[i]))
	}
	return r
}

// weigh sets what depends on the counts.
func (w *Worker) weigh() {
	w.weights, w.tokens = resize(w.weights, len(w.counts)), 0
	for i, count := range w.counts {
		w.weights[i] = float64(count)
		w.tokens += w.weights[i]
	}
	for len(w.rows) < len(w.counts) {
		w.rows = append(w.rows, int32(len(w.rows)))
	}
}

// gather copies the rows of items [first, last) to the table.
func (w *Worker) gather(first, last int) {
	width := len(w.a)
	w.table = resize(w.table, (last-first)*width)
	items := w.items[first:last]
	for _, item := range items {
		kernel.Prefetch(w.t.table, int(item))
	}
	for i, item := range items {
		copy(w.table[i*width:][:width], w.t.table.PaddedRow(int(item)))
	}
}

// respond sets the responsibilities of the entries that were gathered, of which the first is number first, to γ_ik ∝
// B_ik·a_k, and adds X_i·γ_i to sum.
func (w *Worker) respond(a, sum []float32, first int) {
	n := len(w.table) / len(a)
	w.gamma = resize(w.gamma, len(w.table))
	kernel.Respond(w.counts[first:first+n], w.table, w.gamma, a, sum)
}

// score sets the mixture to a, scaled to sum to 1, and dots to the products of the rows with it.
func (w *Worker) score() {
	sum := 0.0
	for _, v := range w.a {
		sum += float64(v)
	}
	for k, v := range w.a {
		w.mixture[k] = float32(float64(v) / sum)
	}
	width := len(w.a)
	long := len(w.items) > blockRows
	w.dots = resize(w.dots, len(w.items))
	for first := 0; first < len(w.items); first += blockRows {
		last := min(first+blockRows, len(w.items))
		if long {
			w.gather(first, last)
		}
		kernel.RowDots(w.dots[first:last], w.table[:(last-first)*width], w.mixture)
	}
}

// resize returns s with length n and undefined content, in new memory if its capacity is too small.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
