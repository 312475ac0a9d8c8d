// This file finds out how bursty documents are, which decides what they are refined for.

package refine

import (
	"context"
	"math"

	"anchorage/bayes/infer"
	"anchorage/internal/kernel"
)

// repeats is what a survey finds: sums over documents.
type repeats [8]float64

// The sums of repeats.
const (
	observedPairs = iota
	explainedPairs
	singles
	surveyed        // documents
	surveyedTokens  // their tokens
	surveyedEntries // their distinct items
	tokenWeight     // Σ ω over tokens
	entryWeight     // Σ ω over distinct items
)

// survey finds out how bursty the documents are, and how long they are as they are counted.
//
// Burstiness is how many times as often as the topics explain two tokens of a document are the same item. Both
// frequencies weight item i by 1/√tf_i; else the few items that are everywhere would decide. With n_d tokens, the one
// observed is the mean over documents of Σ_i X(X−1)/√tf_i/(n(n−1)), and the one explained that of Σ_i X·p(i |
// θ)/√tf_i/n. Words of a text that have come once are likely to come again (Church & Gale, "Poisson mixtures", Natural
// Language Engineering 1, 1995); items of a basket are not.
func (r *refiner) survey(ctx context.Context) error {
	var all repeats
	err := r.eachRepeats(ctx, func(of repeats) {
		for i, v := range of {
			all[i] += v
		}
	})
	if err != nil {
		return err
	}
	if err := kernel.AddUp(ctx, r.layout, all[:]); err != nil { // of all processes, in their order
		return err
	}
	return r.decide(ctx, all)
}

// eachRepeats calls fn with the repetitions of each document of a part, in their order.
func (r *refiner) eachRepeats(ctx context.Context, fn func(repeats)) error {
	of := make([]repeats, batchDocuments)
	return r.batches(ctx, r.members(0, 0), false, func() error {
		err := r.local(ctx, func(w *infer.Worker, d int) { of[d] = r.repeats(w, d) })
		for d := range of[:r.batch.Documents()] {
			fn(of[d])
			of[d] = repeats{}
		}
		return err
	})
}

// decide begins the passes that follow a survey: it sets what the topics are refined for, the dispersion, and how long
// documents are.
func (r *refiner) decide(ctx context.Context, all repeats) error {
	if all[explainedPairs] > 0 {
		r.found.Burstiness = all[observedPairs] / all[explainedPairs]
	}
	r.found.For = r.options.For
	if r.found.For == ForAuto {
		r.found.For = ForPrediction
		if r.found.Burstiness >= BurstyRatio {
			r.found.For = ForReading
		}
	}
	if all[surveyed] == 0 {
		r.found.For = ForPrediction // where no document repeats anything, both count the same
	}
	forgets := r.earlier != nil && r.start.EarlierFor != r.found.For
	if forgets {
		r.earlier = nil
	}
	// Of two tokens of a Dirichlet compound multinomial, both are item i with probability q_i·(s·q_i + 1)/(s + 1).
	r.setDispersion((all[singles] - all[observedPairs]) / max(all[observedPairs]-all[explainedPairs], 0))
	if r.found.For == ForPrediction {
		if !forgets {
			return nil
		}
		r.expect(func(i int) float64 { return float64(r.start.Frequency[i]) })
		return r.renew(ctx)
	}
	r.meanWeight = all[tokenWeight] / all[surveyedTokens]
	r.meanLength = all[entryWeight] / r.meanWeight / all[surveyed]
	r.expect(func(i int) float64 { // as if every item were repeated alike
		return float64(r.start.Frequency[i]) * all[surveyedEntries] / all[surveyedTokens] * r.omega(int32(i)) / r.meanWeight
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
		of[observedPairs] += rarity * x * (x - 1) / (n * (n - 1))
		of[explainedPairs] += rarity * x * p / n
		of[singles] += rarity * x / n
		of[tokenWeight] += x * r.omega(item)
		of[entryWeight] += r.omega(item)
	}
	of[surveyed], of[surveyedTokens], of[surveyedEntries] = 1, n, float64(last-first)
	return of
}

// omega returns the weight of an item.
func (r *refiner) omega(item int32) float64 {
	if r.start.Weights == nil {
		return 1
	}
	return r.start.Weights[item]
}
