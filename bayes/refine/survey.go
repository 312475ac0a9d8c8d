// This file finds out how bursty documents are, which decides what they are refined for.

package refine

import (
	"context"
	"math"

	"anchorage/bayes/infer"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// repeats is what a survey finds.
type repeats struct {
	observed, explained float64 // Σ over documents
	documents           float64
	tokens, entries     float64
	weight, distinct    float64 // Σ ω over tokens, and over entries
}

// survey finds out how bursty the documents are, and how long they are as they are counted.
//
// Burstiness is how many times as often as the topics explain two tokens of a document are the same item. Both
// frequencies weight item i by 1/√tf_i; else the few items that are everywhere would decide. With n_d tokens, the one
// observed is the mean over documents of Σ_i X(X−1)/√tf_i/(n(n−1)), and the one explained that of Σ_i X·p(i |
// θ)/√tf_i/n. Words of a text that have come once are likely to come again (Church & Gale, "Poisson mixtures", Natural
// Language Engineering 1, 1995); items of a basket are not.
func (r *refiner) survey(ctx context.Context) error {
	var all repeats
	of := make([]repeats, batchDocuments)
	err := r.batches(ctx, r.members(0, 0), false, func() error {
		err := r.local(ctx, func(w *infer.Worker, d int) { of[d] = r.repeats(w, d) })
		for d := range of[:r.batch.Documents()] {
			all.add(&of[d])
			of[d] = repeats{}
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := all.addUp(ctx, r.layout); err != nil {
		return err
	}
	if all.explained > 0 {
		r.found.Burstiness = all.observed / all.explained
	}
	r.found.For = r.options.For
	if r.found.For == ForAuto {
		r.found.For = ForPrediction
		if r.found.Burstiness >= BurstyRatio {
			r.found.For = ForReading
		}
	}
	if all.documents == 0 {
		r.found.For = ForPrediction // where no document repeats anything, both count the same
	}
	forgets := r.earlier != nil && r.start.EarlierFor != r.found.For
	if forgets {
		r.earlier = nil
	}
	if r.found.For == ForPrediction {
		if !forgets {
			return nil
		}
		r.expect(func(i int) float64 { return float64(r.start.Frequency[i]) })
		return r.renew(ctx)
	}
	r.meanWeight = all.weight / all.tokens
	r.meanLength = all.distinct / r.meanWeight / all.documents
	r.expect(func(i int) float64 { // as if every item were repeated alike
		return float64(r.start.Frequency[i]) * all.entries / all.tokens * r.omega(int32(i)) / r.meanWeight
	})
	return r.renew(ctx)
}

// repeats returns the repetitions of document d of the batch, which was inferred last. It leaves out documents of one
// token.
func (r *refiner) repeats(w *infer.Worker, d int) (of repeats) {
	b, n := r.batch, r.tokens[d]
	first, last := b.Offsets[d], b.Offsets[d+1]
	if n < 2 {
		return of
	}
	probabilities := make([]float64, last-first)
	w.Probabilities(probabilities)
	for at, p := range probabilities {
		x, item := b.Counts[int(first)+at], r.near.item(b.Items[b.Rows[int(first)+at]])
		rarity := 1 / math.Sqrt(max(float64(r.start.Frequency[item]), 1))
		of.observed += rarity * x * (x - 1) / (n * (n - 1))
		of.explained += rarity * x * p / n
		of.weight += x * r.omega(item)
		of.distinct += r.omega(item)
	}
	of.documents, of.tokens, of.entries = 1, n, float64(last-first)
	return of
}

// figures are all sums.
func (r *repeats) figures() [7]*float64 {
	return [...]*float64{&r.observed, &r.explained, &r.documents, &r.tokens, &r.entries, &r.weight, &r.distinct}
}

func (r *repeats) add(of *repeats) {
	to := r.figures()
	for i, v := range of.figures() {
		*to[i] += *v
	}
}

// addUp adds the sums of all processes, in their order.
func (r *repeats) addUp(ctx context.Context, layout matrix.Layout) error {
	figures := r.figures()
	all := make([]float64, len(figures))
	for i, v := range figures {
		all[i] = *v
	}
	err := kernel.AddUp(ctx, layout, all)
	for i, v := range figures {
		*v = all[i]
	}
	return err
}

// omega returns the weight of an item.
func (r *refiner) omega(item int32) float64 {
	if r.start.Weights == nil {
		return 1
	}
	return r.start.Weights[item]
}
