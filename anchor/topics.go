// This file holds the result: what follows from the mixtures by Bayes' rule, and how to read it.

package anchor

import (
	"context"

	"anchorage/matrix"
)

// Topics is what LAW and AW infer. Topic k stands at position k everywhere.
type Topics struct {
	K       int
	Anchors []int     // the anchor items s_k, in the order of selection
	Pivots  []float64 // |R_kk|: the distance of C̄'s row s_k from the span of the rows of the anchors before it
	// Margins are, of each anchor when it was selected, 1 less the runner-up's score over its own: how clearly it was the
	// best. A small one is no fault: the runner-up may be another item of the same topic.
	Margins []float64
	// Certain says of each anchor that its row stood out by more than noise. It is nil where the noise is not known.
	Certain []bool
	// InHalves says in how many halves of the documents, 0 to 2, the topic is found from that half alone: one of the K anchors
	// that the half's rows select has the topic for at least half of its mixture. It is nil where the halves are not known.
	InHalves []int
	// Reliability is ρ of every item, from 0 to 1: which share of its mixture is its own, the rest being the prior. It is
	// nil where the noise is not known.
	Reliability []float64
	// Mixtures is the transpose of B̆, N×K: row i is p(topic | item i) and sums to 1. For items without weight it is Prior.
	Mixtures *matrix.Tall
	// RowSums are the N row sums d that the rows of C were divided by; 0 for items without weight.
	RowSums []float64
	// Masses are Σ_i B̆_ki·d_i, what topic k has of all weight, and Prior the same divided by their sum: p(topic).
	Masses, Prior []float64
	// TopicJoint is A, K×K, row-major and symmetric: the joint probabilities of topics. How far its sum is from 1 shows how
	// far C is from B·A·Bᵀ.
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

// B returns B_ik = p(item i | topic k) = B̆_ki·d_i / Σ_j B̆_kj·d_j. Over all items it sums to 1. It is computed and not
// stored: B has the size of the mixtures.
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

// CharacteristicRow sets dst, N values, to the row of topic k's anchor s in the corrected C̄: how likely each item is to
// co-occur with the anchor, (Y_s·Y_i + E_si)/d_s = max(Y_s·Y_i, 0)/d_s. It takes one pass over the factor, or the row of a
// dense C.
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
