// This file holds the result: what follows from the mixtures by Bayes' rule.

package anchor

import (
	"context"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Topics is what LAW and AW infer. Topic k is at position k everywhere. Processes that share them have the rows that
// they hold in Mixtures, and the same of everything else; they must call the methods that take a context together.
type Topics struct {
	K       int
	Anchors []int     // the anchor items s_k, in the order of selection
	Pivots  []float64 // |R_kk|: the distance of C̄'s row s_k from the span of the rows of the anchors before it
	// Margins say how clearly each anchor was the best when it was selected: 1 − the score of the runner-up/its own score.
	// A small margin is not a fault, since the runner-up may be another item of the same topic.
	Margins []float64
	// Certain says for each anchor whether its row stood out by more than noise. It is nil if the noise is not known.
	Certain []bool
	// Reliability is ρ of every item, from 0 to 1: the share of its mixture that is its own; the rest is the prior. It is
	// nil if the noise is not known.
	Reliability []float64
	// Mixtures is the transpose of B̆, N×K: row i is p(topic | item i) and sums to 1. For items without weight it is
	// Prior.
	Mixtures *matrix.Tall
	// RowSums are the N row sums d by which the rows of C were divided; 0 for items without weight.
	RowSums []float64
	// Masses are the K sums Σ_i B̆_ki·d_i, the weight of each topic. Prior is the same divided by their sum: p(topic).
	Masses, Prior []float64
	// TopicJoint is A, K×K, row-major and symmetric: the joint probabilities of topics. The further its sum is from 1, the
	// further C is from B·A·Bᵀ.
	TopicJoint []float64
	Stats      Stats

	factor  *matrix.Tall // Y; nil where C is dense
	dense   *matrix.Tall // C, N×N; nil where it is Y·Yᵀ
	workers int
}

// In gives topics from a checkpoint the matrix that they were found in: a factor or, for AW, a dense C; the other is
// nil. Without either, methods that need the matrix panic. workers is Options.Workers.
func (t *Topics) In(factor, dense *matrix.Tall, workers int) {
	t.factor, t.dense, t.workers = factor, dense, workers
}

// Stats says how the inference went.
type Stats struct {
	Solver     SolverStats
	Correction Correction
	Unpolished Unpolished // what Options.Polish left as it was
	Weightless int        // items without weight
}

// B returns B_ik = p(item i | topic k) = B̆_ki·d_i / Σ_j B̆_kj·d_j, which sums to 1 over all items. It is computed on
// each call: B is as large as the mixtures and is not stored.
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

// CharacteristicRow sets dst, N values, to the row of the anchor s of topic k in the corrected C̄: how likely each item
// is to co-occur with the anchor, (Y_s·Y_i + E_si)/d_s = max(Y_s·Y_i, 0)/d_s. It reads the whole factor, or one row of
// a dense C. Processes that share the topics call it together, and each sets the values of its items. The error is that
// of ctx.
func (t *Topics) CharacteristicRow(ctx context.Context, dst []float64, k int) error {
	if len(dst) != len(t.RowSums) {
		panic("anchor: length of a characteristic row is not the number of items")
	}
	rows, err := t.rowsOf(ctx, t.Anchors[k:k+1])
	if err != nil {
		return err
	}
	return eachItem(ctx, t.Mixtures.Layout(), t.workers, len(dst), func(i int) error {
		dst[i] = t.entry(rows, i) / t.RowSums[t.Anchors[k]]
		return nil
	})
}

// rowsOf returns the rows of some items in the matrix that the topics were found in, one after the other.
func (t *Topics) rowsOf(ctx context.Context, items []int) ([]float64, error) {
	if t.dense != nil {
		return kernel.RowsOf(ctx, t.dense, items)
	}
	return kernel.RowsOf(ctx, t.factor, items)
}

// entry returns entry i of the row of an anchor in the corrected C, given the anchor's row of the matrix that the
// topics were found in.
func (t *Topics) entry(row []float64, i int) float64 {
	if t.dense != nil {
		return max(row[i], 0)
	}
	return max(kernel.Dot(row, t.factor.Row(i)), 0)
}

// complete computes everything that follows from the anchors, the mixtures and the weights.
func (t *Topics) complete(ctx context.Context, opts *Options) error {
	t.Prior = make([]float64, t.K)
	if err := t.Reweigh(ctx); err != nil {
		return err
	}
	ofAnchors, err := t.ofAnchors(ctx)
	if err != nil {
		return err
	}
	for k, mass := range t.Masses {
		if !(mass > 0) || !finite(mass) || !(ofAnchors[k] > 0) {
			return opts.itemError(EmptyTopic, t.Anchors[k:k+1], "the topic of this anchor has weight %v, and its anchor %v",
				mass, t.RowSums[t.Anchors[k]])
		}
	}
	begin, end := t.Mixtures.HeldRows()
	for i, weight := range t.RowSums {
		if weight <= 0 {
			t.RowSums[i] = 0
			t.Stats.Weightless++
			if i >= begin && i < end {
				copy(t.Mixtures.Row(i), t.Prior)
			}
		}
	}
	return t.correlate(ctx, ofAnchors)
}

// ofAnchors returns the diagonal of B_SS: B of every anchor in its topic.
func (t *Topics) ofAnchors(ctx context.Context) ([]float64, error) {
	mixtures, err := kernel.RowsOf(ctx, t.Mixtures, t.Anchors)
	if err != nil {
		return nil, err
	}
	b := make([]float64, t.K)
	for k, s := range t.Anchors {
		b[k] = mixtures[k*t.K+k] * t.RowSums[s] / t.Masses[k]
	}
	return b, nil
}

// Reweigh computes Masses and Prior again, after a change of Mixtures or RowSums. The error is that of ctx.
func (t *Topics) Reweigh(ctx context.Context) error {
	masses, err := sumRanges(ctx, t.Mixtures.Layout(), t.workers, len(t.RowSums), t.K,
		func(sum []float64, first, last int) {
			for i := first; i < last; i++ {
				for k, p := range t.Mixtures.Row(i) {
					sum[k] += p * t.RowSums[i]
				}
			}
		})
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

// correlate computes A = diag(B_SS)⁻¹·(C+E)_SS·diag(B_SS)⁻¹, given the diagonal of B_SS.
func (t *Topics) correlate(ctx context.Context, b []float64) error {
	rows, err := t.rowsOf(ctx, t.Anchors)
	if err != nil {
		return err
	}
	width := len(rows) / t.K
	t.TopicJoint = make([]float64, t.K*t.K)
	for k := range t.Anchors {
		row := rows[k*width:][:width]
		for l, r := range t.Anchors[:k+1] {
			entry := 0.0
			if t.dense != nil {
				entry = row[r]
			} else {
				entry = kernel.Dot(row, rows[l*width:][:width])
			}
			a := max(entry, 0) / b[k] / b[l]
			t.TopicJoint[k*t.K+l], t.TopicJoint[l*t.K+k] = a, a
		}
	}
	return nil
}
