// This file finds out how bursty documents are, which decides what they are refined for.

package svi

import (
	"context"
	"math"

	"anchorage/infer"
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
// Burstiness is how many times as often as the topics explain two tokens of a document are the same item. Both frequencies weight item
// i by 1/√tf_i; else the few items that are everywhere would decide. With n_d tokens, the one observed is the mean over documents of
// Σ_i X(X−1)/√tf_i/(n(n−1)), and the one explained that of Σ_i X·p(i | θ)/√tf_i/n. Words of a text that have come once are likely to
// come again (Church & Gale, "Poisson mixtures", Natural Language Engineering 1, 1995); items of a basket are not.
func (r *refiner) survey(ctx context.Context) error {
	var all repeats
	of := make([]repeats, refineDocuments)
	err := r.batches(ctx, r.part(0, 0), func() error {
		err := r.local(ctx, func(w *infer.Worker, d int) { of[d] = r.repeats(w, d) })
		for d := range of[:r.batch.documents()] {
			all.add(&of[d])
			of[d] = repeats{}
		}
		return err
	})
	if err != nil {
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
		for i := range r.n {
			r.counts(i, float64(r.start.Frequency[i]))
		}
		return r.renew(ctx)
	}
	r.meanWeight = all.weight / all.tokens
	r.meanLength = all.distinct / r.meanWeight / all.documents
	for i := range r.n { // as if every item were repeated alike
		r.counts(i, float64(r.start.Frequency[i])*all.entries/all.tokens*r.omega(int32(i))/r.meanWeight)
	}
	return r.renew(ctx)
}

// repeats returns the repetitions of document d of the batch, which was inferred last. It leaves out documents of one token.
func (r *refiner) repeats(w *infer.Worker, d int) (of repeats) {
	b, n := r.batch, r.tokens[d]
	first, last := b.offsets[d], b.offsets[d+1]
	if n < 2 {
		return of
	}
	probabilities := make([]float64, last-first)
	w.Probabilities(probabilities)
	for at, p := range probabilities {
		x, item := b.counts[int(first)+at], b.items[b.rows[int(first)+at]]
		rarity := 1 / math.Sqrt(max(float64(r.start.Frequency[item]), 1))
		of.observed += rarity * x * (x - 1) / (n * (n - 1))
		of.explained += rarity * x * p / n
		of.weight += x * r.omega(item)
		of.distinct += r.omega(item)
	}
	of.documents, of.tokens, of.entries = 1, n, float64(last-first)
	return of
}

func (r *repeats) add(of *repeats) {
	r.observed += of.observed
	r.explained += of.explained
	r.documents += of.documents
	r.tokens += of.tokens
	r.entries += of.entries
	r.weight += of.weight
	r.distinct += of.distinct
}

// omega returns the weight of an item.
func (r *refiner) omega(item int32) float64 {
	if r.start.Weights == nil {
		return 1
	}
	return r.start.Weights[item]
}
