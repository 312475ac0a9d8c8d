// This file serves whoever learns topics from documents: the expectations of a document whose counts may be any
// positive numbers, under topics that change from pass to pass.

package infer

import (
	"context"
	"math"

	"anchorage/internal/kernel"
)

// renewedRows is how many rows of the table one call of parallel work sets.
const renewedRows = 1024

// Renew changes the topics and the prior: row sets dst, K values, to row i of B, as for New, and alpha are the K
// parameters of the Dirichlet prior. row is called from several goroutines. No worker may be at work. The error is that
// of ctx; then the table is of no use until Renew succeeds.
//
// Each process that shares the rows sets those that it holds, and row is called for no others.
func (t *Inferrer) Renew(ctx context.Context, workers int, alpha []float64, row func(dst []float64, i int)) error {
	if len(alpha) != t.k {
		panic("infer: number of parameters of the prior is not the number of topics")
	}
	t.setPrior(alpha)
	begin, end := t.table.HeldRows()
	err := kernel.Parallel(ctx, workers, (end-begin+renewedRows-1)/renewedRows, func(block int) error {
		values := make([]float64, t.k)
		for i := begin + block*renewedRows; i < min(begin+(block+1)*renewedRows, end); i++ {
			row(values, i)
			to := t.table.Row(i)
			clear(to)
			t.scales[i] = setRow(to, values)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return kernel.Complete(ctx, t.table.Layout(), t.scales)
}

// setPrior sets the parameters of the Dirichlet prior.
func (t *Inferrer) setPrior(alpha []float64) {
	copy(t.alpha, alpha)
	t.total = 0
	for _, a := range t.alpha {
		t.total += a
	}
	for k, v := range t.alpha {
		t.shares[k] = v / t.total
		t.single[k], t.weights[k] = float32(v), float32(v/t.total)
	}
}

// Expect finds the parameters of a document's posterior Dirichlet distribution, for items that the topics have and
// counts X_i that may be any positive numbers. It begins with responsibilities in proportion to B_ik·a_k, for an a of
// Width values: α, or what is known of the document. It sets a, whose padding is 0, to a_k = α_k + Σ_i X_i γ_ik, and
// gamma, a row of Width values per entry, to the responsibilities γ_i, each given those of all other tokens.
// LogLikelihood and Probabilities then are those of the document with θ = a/Σ a.
func (w *Worker) Expect(a, gamma []float32, items []int32, counts []float32) {
	width, own := len(w.a), w.gamma
	if len(a) != width || len(gamma) != len(items)*width || len(counts) != len(items) {
		panic("infer: lengths of a document do not fit")
	}
	w.items, w.counts = append(w.items[:0], items...), append(w.counts[:0], counts...)
	w.weigh()
	long := len(items) > blockRows
	if long {
		w.collapseLong(a)
	} else {
		w.gather(0, len(items))
		w.gamma = gamma[:0:len(gamma)]
		w.collapse(a)
	}
	for first := 0; long && first < len(items); first += blockRows { // what one token adds to so long a document is little
		last := min(first+blockRows, len(items))
		w.gather(first, last)
		w.gamma = gamma[first*width : first*width : last*width]
		w.respond(w.a, w.scratch[:width], first)
	}
	w.gamma = own
	copy(a, w.a)
}

// LogLikelihood returns Σ_i X_i ln Σ_k B_ik θ_k of the document that was inferred last, in nats.
func (w *Worker) LogLikelihood() (sum float64) {
	w.score()
	for i, p := range w.dots {
		sum += float64(w.counts[i]) * math.Log(float64(p)*w.t.scales[w.items[i]])
	}
	return sum
}

// Under sets out, a value per entry, to p(item | θ) with θ in proportion to a, Width values: what is expected of a
// document before it is inferred.
func (w *Worker) Under(out []float64, a []float32, items []int32) {
	w.items = append(w.items[:0], items...)
	copy(w.a, a)
	if len(items) <= blockRows {
		w.gather(0, len(items))
	}
	w.Probabilities(out)
}

// Width returns the width of rows of single precision: K, rounded up to 16.
func (t *Inferrer) Width() int { return len(t.single) }

// Prior returns the parameters α of the Dirichlet prior, Width values. They belong to the Inferrer.
func (t *Inferrer) Prior() []float32 { return t.single }

// Probabilities sets out, a value per entry, to p(item | θ) of the document that was inferred last.
func (w *Worker) Probabilities(out []float64) {
	if len(w.items) != len(out) {
		panic("infer: number of probabilities is not that of the document's entries")
	}
	w.score()
	for i, p := range w.dots {
		out[i] = float64(p) * w.t.scales[w.items[i]]
	}
}
