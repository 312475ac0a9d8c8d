// This file holds the result: what follows from the mixtures by Bayes' rule.

package anchor

import (
	"context"

	"anchorage/matrix"
)

// Topics is what LAW and AW infer. Topic k is at position k everywhere.
type Topics struct {
	K       int
	Anchors []int     // the anchor items s_k, in the order of selection
	Pivots  []float64 // |R_kk|: the distance of C̄'s row s_k from the span of the rows of the anchors before it
	// Margins say how clearly each anchor was the best when it was selected: 1 − the score of the runner-up/its own score. A small
	// margin is not a fault, since the runner-up may be another item of the same topic.
	Margins []float64
	// Certain says for each anchor whether its row stood out by more than noise. It is nil if the noise is not known.
	Certain []bool
	// InHalves says in how many halves of the documents, 0 to 2, each topic is found from that half alone: of the K anchors that
	// are selected by the rows of the half, one has the topic for at least half of its mixture. It is nil if the halves are not
	// known.
	InHalves []int
	// Reliability is ρ of every item, from 0 to 1: the share of its mixture that is its own; the rest is the prior. It is nil if
	// the noise is not known.
	Reliability []float64
	// Mixtures is the transpose of B̆, N×K: row i is p(topic | item i) and sums to 1. For items without weight it is Prior.
	Mixtures *matrix.Tall
	// RowSums are the N row sums d by which the rows of C were divided; 0 for items without weight.
	RowSums []float64
	// Masses are the K sums Σ_i B̆_ki·d_i, the weight of each topic. Prior is the same divided by their sum: p(topic).
	Masses, Prior []float64
	// TopicJoint is A, K×K, row-major and symmetric: the joint probabilities of topics. The further its sum is from 1, the further
	// C is from B·A·Bᵀ.
	TopicJoint []float64
	Stats      Stats

	factor  *matrix.Tall // Y; nil where C is dense
	dense   *matrix.Tall // C, N×N; nil where it is Y·Yᵀ
	workers int
}

// Stats says how the inference went.
type Stats struct {
	Solver     SolverStats
	Correction Correction
	Unpolished Unpolished // what Options.Polish left as it was
	Weightless int        // items without weight
}

// B returns B_ik = p(item i | topic k) = B̆_ki·d_i / Σ_j B̆_kj·d_j, which sums to 1 over all items. It is computed anew: B is as large
// as the mixtures and is not stored.
func (t *Topics) B(i, k int) float64 { return t.Mixtures.Row(i)[k] * t.RowSums[i] / t.Masses[k] }

// BRow sets dst, K values, to row i of B.
func (t *Topics) BRow(dst []float64, i int) {
	if len(dst) != t.K {
		panic("anchor: length of a row of B is not the number of topics")
	}
	for k, p := range t.Mixtures.Row(i) {
		dst[k] = p * t.RowSums[i] / t.Masses[k]
	}
}

// CharacteristicRow sets dst, N values, to the row of the anchor s of topic k in the corrected C̄: how likely each item is to
// co-occur with the anchor, (Y_s·Y_i + E_si)/d_s = max(Y_s·Y_i, 0)/d_s. It reads the whole factor, or one row of a dense C.
func (t *Topics) CharacteristicRow(dst []float64, k int) {
	if len(dst) != len(t.RowSums) {
		panic("anchor: length of a characteristic row is not the number of items")
	}
	s := t.Anchors[k]
	// Neither the context nor the function can make this fail.
	_ = eachRange(context.Background(), t.workers, len(dst), func(_, first, last int) error {
		for i := first; i < last; i++ {
			dst[i] = t.entry(s, i) / t.RowSums[s]
		}
		return nil
	})
}

// entry returns entry i, j of the corrected C, where i or j is an anchor.
func (t *Topics) entry(i, j int) float64 {
	if t.dense != nil {
		return max(t.dense.Row(i)[j], 0)
	}
	return max(dot(t.factor.Row(i), t.factor.Row(j)), 0)
}

// complete computes everything that follows from the anchors, the mixtures and the weights.
func (t *Topics) complete(ctx context.Context, opts *Options) error {
	opts.begin(StageTopics)
	masses, err := t.sumMasses(ctx, opts)
	if err != nil {
		return err
	}
	t.Masses = masses
	total := 0.0
	for _, mass := range masses {
		total += mass
	}
	t.Prior = make([]float64, t.K)
	for k, mass := range masses {
		if !(mass > 0) || !finite(mass) || !(t.B(t.Anchors[k], k) > 0) {
			return opts.itemError(EmptyTopic, t.Anchors[k:k+1], "the topic of this anchor has weight %v, and its anchor %v", mass, t.RowSums[t.Anchors[k]])
		}
		t.Prior[k] = mass / total
	}
	for i, weight := range t.RowSums {
		if weight <= 0 {
			t.RowSums[i] = 0
			copy(t.Mixtures.Row(i), t.Prior)
			t.Stats.Weightless++
		}
	}
	t.correlate()
	return nil
}

// sumMasses returns Σ_i B̆_ki·d_i for every topic.
func (t *Topics) sumMasses(ctx context.Context, opts *Options) ([]float64, error) {
	return sumRanges(ctx, opts.Workers, len(t.RowSums), t.K, func(sum []float64, first, last int) {
		for i := first; i < last; i++ {
			for k, p := range t.Mixtures.Row(i) {
				sum[k] += p * t.RowSums[i]
			}
		}
	})
}

// Reweigh computes Masses and Prior anew, after a change of Mixtures or RowSums. The error is that of ctx.
func (t *Topics) Reweigh(ctx context.Context) error {
	masses, err := t.sumMasses(ctx, &Options{Workers: t.workers})
	if err != nil {
		return err
	}
	total := 0.0
	for _, mass := range masses {
		total += mass
	}
	for k, mass := range masses {
		t.Prior[k] = mass / total
	}
	t.Masses = masses
	return nil
}

// correlate computes A = diag(B_SS)⁻¹·(C+E)_SS·diag(B_SS)⁻¹.
func (t *Topics) correlate() {
	t.TopicJoint = make([]float64, t.K*t.K)
	for k, s := range t.Anchors {
		for l, r := range t.Anchors[:k+1] {
			a := t.entry(s, r) / t.B(s, k) / t.B(r, l)
			t.TopicJoint[k*t.K+l], t.TopicJoint[l*t.K+k] = a, a
		}
	}
}

// Assembled returns topics whose fields the caller has set, so that their methods work. Those that need the matrix in which topics were
// found panic. workers is Options.Workers.
func (t *Topics) Assembled(workers int) *Topics {
	t.workers = workers
	return t
}
