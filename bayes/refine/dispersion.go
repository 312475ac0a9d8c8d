// This file finds out how bursty documents are, which decides what they are refined for, and counts tokens as documents
// do whose words come in bursts: those of a Dirichlet compound multinomial.

package refine

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mathext"

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

// A document whose topics give item i the probability q_i = Σ_k θ_k B_ik has a distribution of items from
// Dirichlet(s·q): Madsen, Kauchak & Elkan, "Modeling Word Burstiness Using the Dirichlet Distribution", ICML 2005; with
// topics, Doyle & Elkan, "Accounting for Burstiness in Topic Models", ICML 2009. Of its X_i tokens of item i, the
// topics are expected to have given
//
//	E_i = s·q_i·(ψ(s·q_i + X_i) − ψ(s·q_i)) = Σ_{j<X_i} s·q_i/(s·q_i + j)
//
// and the others repeat these (Antoniak, Annals of Statistics 2, 1974). So topics are learned from E_i, from 1 to X_i,
// in place of X_i. One s is for all documents: the greater, the fewer repetitions; with s = ∞ this is LDA. It goes up
// the likelihood
//
//	Σ_d ln Γ(s)/Γ(s + n_d) + Σ_i ln Γ(s·q_i + X_i)/Γ(s·q_i)
//
// by one step of Newton's method in ln s after each pass, from where pairs of tokens say that it is (survey).
const (
	// dispersionStep is the most by which a step multiplies or divides s.
	dispersionStep = 4
	// fewTokens is up to how many tokens of an item sums are added up; beyond, digamma functions take less time.
	fewTokens = 24
	// noBursts is an s that is as good as ∞: tokens count as they are.
	noBursts = 1e6
)

// The bounds of s. Tests change them.
var leastDispersion, mostDispersion = 1.0, float64(noBursts)

// repetitions are what the tokens of a document say of s.
type repetitions struct {
	tokens       float64
	slope, curve float64 // the first and second derivative of the log-likelihood by s
}

// disperse sets the counts of the entries of document d to what its topics are expected to have given, if those give
// items the probabilities q.
func (r *refiner) disperse(d int, q []float64) {
	first := int(r.batch.Offsets[d])
	r.tokens[d] = 0
	for at, p := range q {
		mean := max(r.dispersion*p, math.SmallestNonzeroFloat32)
		given := mean * reciprocals(mean, r.batch.Counts[first+at])
		r.scaled[first+at] = float32(given)
		r.tokens[d] += given
	}
}

// judge returns the log-likelihood of document d, and notes what it says of s, if its topics give items the
// probabilities q.
func (r *refiner) judge(d int, q []float64) (value float64) {
	s, first, of := r.dispersion, int(r.batch.Offsets[d]), &r.repetitions[d]
	*of = repetitions{}
	product := 1.0 // of means whose logarithms are still to be added: one logarithm is for many
	for at, p := range q {
		x, mean := r.batch.Counts[first+at], max(s*p, math.SmallestNonzeroFloat32)
		if of.tokens += x; x != 1 {
			value += rising(mean, x)
			of.slope += p * reciprocals(mean, x)
			of.curve -= p * p * squares(mean, x)
			continue
		}
		ratio := p / mean
		of.slope += ratio
		of.curve -= ratio * ratio
		if product *= mean; product < 1e-200 || product > 1e200 {
			value += math.Log(product)
			product = 1
		}
	}
	value += math.Log(product)
	of.slope -= reciprocals(s, of.tokens)
	of.curve += squares(s, of.tokens)
	return value - rising(s, of.tokens)
}

// moveDispersion moves s up the likelihood whose derivatives the documents have.
func (r *refiner) moveDispersion(of repetitions) {
	s := r.dispersion
	slope, curve := s*of.slope, s*of.slope+s*s*of.curve // by ln s
	step := math.Copysign(math.Inf(1), slope)
	if curve < 0 {
		step = -slope / curve
	}
	most := math.Log(dispersionStep)
	r.setDispersion(s * math.Exp(min(max(step, -most), most)))
}

// setDispersion sets s, in its bounds. NaN is what documents without pairs of tokens give.
func (r *refiner) setDispersion(s float64) {
	r.dispersion = mostDispersion
	if s < mostDispersion {
		r.dispersion = max(s, leastDispersion)
	}
}

// reciprocals returns Σ_{j<x} 1/(a+j) = ψ(a+x) − ψ(a).
func reciprocals(a, x float64) (sum float64) {
	if x > fewTokens {
		return mathext.Digamma(a+x) - mathext.Digamma(a)
	}
	for j := 0.0; j < x; j++ {
		sum += 1 / (a + j)
	}
	return sum
}

// squares returns Σ_{j<x} 1/(a+j)² = ψ′(a) − ψ′(a+x).
func squares(a, x float64) (sum float64) {
	if x > fewTokens {
		return mathext.Zeta(2, a) - mathext.Zeta(2, a+x)
	}
	for j := 0.0; j < x; j++ {
		sum += 1 / ((a + j) * (a + j))
	}
	return sum
}

// rising returns ln Γ(a+x)/Γ(a) = Σ_{j<x} ln(a+j).
func rising(a, x float64) float64 {
	if x > fewTokens {
		above, _ := math.Lgamma(a + x)
		below, _ := math.Lgamma(a)
		return above - below
	}
	product := 1.0 // of at most 24 factors up to 10⁶
	for j := 0.0; j < x; j++ {
		product *= a + j
	}
	return math.Log(product)
}
