// This file predicts how far the topics are from those that other documents of the same kind would give.

package refine

import (
	"context"
	"math"
	"slices"

	"anchorage/bayes/infer"
	"anchorage/internal/random"
	"anchorage/matrix"
)

const (
	// shaken is the logarithm of the factor by which the tokens of an item and a topic are changed at most.
	shaken = 2
	// unrelated is the error of a topic that other documents do not give, in parts of its distance from the corpus. It was
	// chosen on drawn corpora without topics; bench certificate tests it on others: docs/accuracy.md.
	unrelated = 0.9
)

// ErrorPasses is how many passes over the documents the errors take: those of each half of them.
const ErrorPasses = 4

// The errors of 90 of 100 topics are between LeastError and MostError times what is predicted: docs/accuracy.md.
const LeastError, MostError = 0.6, 1.7

// predict sets the errors of the result, once the mixtures are refined:
//
//	errors_k = min(ē·w_k/w̄, u_k)   e_k = min(max(d_k/2 + d_k³, s_k)/(1 + h/2), u_k)   u_k = 0.9·δ_k
//	s_k = Σ_i E|X − n_ik|/n_k   w_k = s_k/ρ_k   ρ_k = Σ_d Σ_i w_d X_id γ_idk²/n_k   for reading w_k = p_k^−½
//
// with means over topics ē and w̄, and d_k = ‖b_k − b′_k‖₁.
//
// B and B′ are the topics of two halves of the documents, each after four passes over it. They start from the refined
// topics, after the tokens n_ik were multiplied by factors of e^−2 to e^2 at random, others for each half. Topics that
// the documents determine come back; those that only the start determined do not. Of the former each half has √2 times
// the error, and both differ by twice the error: d_k/2. The latter keep much of their start in four passes, so that
// they are farther from what other documents would give than from each other: d_k³. They are not farther than unrelated
// topics, u_k, where δ_k = ‖b_k − p‖₁ is the distance from p(item) of the corpus. h is hold for reading, where topics
// are held to those that they started from and the halves are not, and 0 for prediction. s_k, with X of a Poisson
// distribution of mean n_ik, is the error of counts whose topics are known.
//
// One pair of halves says well how far topics are in the mean, and is noisy for each. Which of them are worse, w_k
// says: the error of counts over the share of them that is the topic's own in the halves. A token adds γ² to the
// information on b_k, not γ (Louis, J. R. Stat. Soc. B 44, 1982). Topics for reading are held to others, whose
// errors are not those of counts: there the share p_k of the topic says more.
//
// It uses the arrays of the refiner and as many again. A half without tokens leaves the errors unknown.
func (r *refiner) predict(ctx context.Context) error {
	r.point.Leave()
	least, err := r.sampling(ctx)
	if err != nil {
		return err
	}
	most, err := r.apart(ctx)
	if err != nil {
		return err
	}
	second, err := infer.NewShared(r.layout, r.n, r.k, r.found.Joint)
	if err != nil {
		return err
	}
	clear(r.carried)
	a, err := r.half(ctx, 0, r.sums, r.inferrer)
	if err != nil {
		return err
	}
	b, err := r.half(ctx, 1, matrix.Like(r.sums), second)
	if err != nil {
		return err
	}
	own := make([]float64, r.k)
	for _, h := range []*refiner{a, b} {
		for pass := range ErrorPasses {
			var sums passSums
			if pass == ErrorPasses-1 && r.found.For != ForReading {
				sums.squares, h.squares = make([]float64, r.k), make([]float32, len(r.a))
			}
			if err := h.learn(ctx, &sums, 1, 0, allParts); err != nil {
				return err
			}
			if sums.tokens == 0 {
				return nil
			}
			if err := h.end(&sums); err != nil {
				return err
			}
			if err := h.renew(ctx); err != nil {
				return err
			}
			for k, v := range sums.squares {
				own[k] += v
			}
		}
	}
	if r.found.Errors, err = distances(ctx, a, b); err != nil {
		return err
	}
	tokens, err := a.total(ctx, r.k, func(sums, _ []float64, i int) {
		for k, n := range a.sums.Row(i) {
			sums[k] += float64(n) + float64(b.sums.Row(i)[k])
		}
	})
	if err != nil {
		return err
	}
	r.found.Unrelated = most
	held := 1.0
	if r.found.For == ForReading {
		held += hold / 2.0
	}
	before, after := 0.0, 0.0
	for k, distance := range r.found.Errors {
		before += min(max(distance/2+math.Pow(distance, 3), least[k])/held, most[k])
		if r.found.For == ForReading {
			own[k] = 1 / math.Sqrt(max(r.shares[k], math.SmallestNonzeroFloat64))
		} else {
			own[k] = least[k] * tokens[k] / max(own[k], math.SmallestNonzeroFloat64)
		}
		after += own[k]
	}
	for k, w := range own {
		r.found.Errors[k] = min(w*before/max(after, math.SmallestNonzeroFloat64), most[k])
	}
	return err
}

// apart returns u_k of every topic.
func (r *refiner) apart(ctx context.Context) ([]float64, error) {
	mixtures := r.start.Mixtures
	tokens, err := r.total(ctx, r.k+1, func(sums, _ []float64, i int) {
		n := float64(r.start.Frequency[i])
		for k, p := range mixtures.Row(i) {
			sums[k] += n * p
		}
		sums[r.k] += n
	})
	if err != nil {
		return nil, err
	}
	for k, n := range tokens {
		tokens[k] = max(n, math.SmallestNonzeroFloat64)
	}
	distances, err := r.total(ctx, r.k, func(sums, _ []float64, i int) {
		n := float64(r.start.Frequency[i])
		for k, p := range mixtures.Row(i) {
			sums[k] += math.Abs(n*p/tokens[k] - n/tokens[r.k])
		}
	})
	for k := range distances {
		distances[k] *= unrelated
	}
	return distances, err
}

// sampling returns s_k of every topic.
func (r *refiner) sampling(ctx context.Context) ([]float64, error) {
	sums, err := r.total(ctx, 2*r.k, func(sums, _ []float64, i int) {
		for k, n := range r.sums.Row(i) {
			sums[k] += meanDeviation(float64(n))
			sums[r.k+k] += float64(n)
		}
	})
	if err != nil {
		return nil, err
	}
	for k := range r.k {
		sums[k] /= max(sums[r.k+k], math.SmallestNonzeroFloat64)
	}
	return sums[:r.k], nil
}

// meanDeviation returns E|X − λ| for X of a Poisson distribution of mean λ: 2·λ^(⌊λ⌋+1)·e^−λ/⌊λ⌋!.
func meanDeviation(lambda float64) float64 {
	least := math.Floor(lambda)
	if least < 1 { // most counts of a large vocabulary
		return 2 * lambda * math.Exp(-lambda)
	}
	factorial, _ := math.Lgamma(least + 1)
	return 2 * math.Exp((least+1)*math.Log(lambda)-lambda-factorial)
}

// half returns a refiner of half of the documents, which takes over sums and inferrer. It starts from the refined
// mixtures, shaken.
func (r *refiner) half(ctx context.Context, half int, sums *matrix.Single, inferrer *infer.Inferrer) (*refiner, error) {
	h := &refiner{start: r.start, options: r.options, pass: r.pass, n: r.n, k: r.k, layout: r.layout, inferrer: inferrer,
		shares: slices.Clone(r.shares), scratch: r.scratch, only: func(document uint64) bool {
			return random.Uniform(r.options.Seed, random.RefineHalf, document, 0) < 0.5 == (half == 0)
		}}
	h.options.Report = nil
	h.sums, h.alpha, h.carried, h.found.For = sums, slices.Clone(r.alpha), r.carried, r.found.For
	h.meanWeight, h.meanLength, h.dispersion = r.meanWeight, r.meanLength, r.dispersion
	err := h.each(ctx, func(_ []float64, i int) {
		tokens, row := float64(r.start.Frequency[i]), sums.Row(i)
		for k, p := range r.start.Mixtures.Row(i) {
			factor := math.Exp(shaken * (2*random.Uniform(r.options.Seed, random.RefineShake, uint64(i), uint64(2*k+half)) - 1))
			row[k] = float32(tokens * max(p, 0) * factor)
		}
	})
	if err != nil {
		return nil, err
	}
	h.prepare()
	return h, h.renew(ctx)
}

// distances returns the ℓ1 distances of the topics of a and b.
func distances(ctx context.Context, a, b *refiner) ([]float64, error) {
	k := a.k
	masses, err := a.total(ctx, 2*k, func(sums, row []float64, i int) {
		for at, h := range []*refiner{a, b} {
			tokens := h.mixture(row, i)
			for topic, p := range row {
				sums[at*k+topic] += tokens * p
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for topic, mass := range masses {
		masses[topic] = max(mass, math.SmallestNonzeroFloat64) // a topic without tokens divides by it
	}
	return a.total(ctx, k, func(sums, row []float64, i int) {
		ours := a.mixture(row, i)
		other := make([]float64, k)
		theirs := b.mixture(other, i)
		for topic := range sums {
			sums[topic] += math.Abs(row[topic]*ours/masses[topic] - other[topic]*theirs/masses[k+topic])
		}
	})
}
