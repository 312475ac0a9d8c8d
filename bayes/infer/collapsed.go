// This file holds the collapsed local step: the responsibilities of each token given those of all others.

package infer

import (
	"anchorage/internal/kernel"
)

// collapse sets a to α + Σ_i X_i γ_i by going through the entries until their responsibilities no longer change. It
// begins with γ_ik in proportion to B_ik·begin_k. The X_i tokens of an item share one γ_i, of which the update leaves
// out one.
func (w *Worker) collapse(begin []float32) {
	t := w.t
	copy(w.a, t.single)
	w.respond(begin, w.a, 0)
	least := float32(t.options.Tolerance * (t.total + w.tokens))
	for range t.options.Iterations {
		if kernel.Collapsed(w.counts, w.table, w.gamma, w.a, t.single, w.scratch) <= least {
			break
		}
	}
	copy(w.a, t.single) // once more, without the rounding errors of the changes
	kernel.Combine(w.rows[:len(w.items)], w.weights, w.gamma, w.a)
}

// collapseLong is collapse for documents whose rows are not all held. What the X_i tokens of one item add is little
// beside the rest of so long a document, and the update does not leave it out: γ_ik ∝ B_ik·a_k, for all i before a
// changes.
func (w *Worker) collapseLong(begin []float32) {
	t := w.t
	copy(w.a, begin)
	least := t.options.Tolerance * (t.total + w.tokens)
	next := w.mixture
	for range t.options.Iterations {
		copy(next, t.single)
		for first := 0; first < len(w.items); first += blockRows {
			last := min(first+blockRows, len(w.items))
			w.gather(first, last)
			w.respond(w.a, next, first)
		}
		change := 0.0
		for k, v := range next {
			change += max(float64(v-w.a[k]), float64(w.a[k]-v))
		}
		copy(w.a, next)
		if change <= least {
			return
		}
	}
}
