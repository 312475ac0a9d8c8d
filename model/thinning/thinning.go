// Package thinning converts the quantities of thinned documents, in which a fit with item weights works, to those of
// whole documents, which a model holds, and back.
package thinning

import (
	"context"

	"anchorage/anchor"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/model"
)

// Thinning relates whole documents to those in which a token of item i is kept with a probability in proportion to ω_i.
// A topic of thinned documents is B′_ik ∝ ω_i·B_ik, so
//
//	B_ik = B′_ik/(ω_i·z_k)             z_k = Σ_i B′_ik/ω_i
//
// A topic keeps 1/z_k of its tokens, up to a factor that all topics share. To first order in the documents' mixtures
// the topics of a pair of tokens and of one token follow by
//
//	A_kl ∝ A′_kl·z_k·z_l               p(k) ∝ p′(k)·z_k               p(i) ∝ p′(i)/ω_i
//
// and p(k | i), which is in proportion to B_ik·p(k), is the same in both. The sum of A is kept: it says how well B·A·Bᵀ
// fits C. The reciprocal weights convert whole documents to thinned ones. A nil *Thinning converts nothing.
type Thinning struct {
	weights  []float64 // ω, N
	inverted []float64 // z, K
}

// New returns the conversion for weights ω, nil for no weights, and topics B′ of k columns with the given rows.
// Processes that share the rows call it together, and row is called for the rows that each holds. If ctx ends, the
// conversion is of no use.
func New(ctx context.Context, layout matrix.Layout, weights []float64, k int, row func(dst []float64,
	i int)) *Thinning {
	if weights == nil {
		return nil
	}
	t := &Thinning{weights: weights}
	t.inverted = kernel.SumShared(ctx, layout, len(weights), k, 0, func(sums []float64, first, last int) {
		one := make([]float64, k)
		for i := first; i < last; i++ {
			row(one, i)
			for topic, p := range one {
				sums[topic] += p / weights[i]
			}
		}
	})
	for topic, sum := range t.inverted {
		if !(sum > 0) {
			t.inverted[topic] = 1 // a topic without items
		}
	}
	return t
}

// OfItems returns the conversion for weights ω, nil for no weights, of what is said of items only.
func OfItems(weights []float64) *Thinning {
	if weights == nil {
		return nil
	}
	return &Thinning{weights: weights}
}

// Row converts row i of B′ in place.
func (t *Thinning) Row(row []float64, i int) {
	if t == nil {
		return
	}
	for k := range row {
		row[k] /= t.weights[i] * t.inverted[k]
	}
}

// Joint returns A.
func (t *Thinning) Joint(thinned []float64) []float64 {
	if t == nil {
		return thinned
	}
	k := len(t.inverted)
	return scaled(thinned, func(at int) float64 { return t.inverted[at/k] * t.inverted[at%k] })
}

// Thinned returns A′, the inverse of Joint.
func (t *Thinning) Thinned(joint []float64) []float64 {
	if t == nil {
		return joint
	}
	k := len(t.inverted)
	return scaled(joint, func(at int) float64 { return 1 / (t.inverted[at/k] * t.inverted[at%k]) })
}

// Shares returns the K values p(k).
func (t *Thinning) Shares(thinned []float64) []float64 {
	if t == nil {
		return thinned
	}
	return scaled(thinned, func(k int) float64 { return t.inverted[k] })
}

// Items returns p(i), or any other distribution of the items of a token.
func (t *Thinning) Items(thinned []float64) []float64 {
	if t == nil {
		return thinned
	}
	return scaled(thinned, func(i int) float64 { return 1 / t.weights[i] })
}

// Prominent converts lists of items with p′(item | topic). Without weights both probabilities are the same.
func (t *Thinning) Prominent(lists [][]anchor.Scored) [][]model.Listed {
	out := make([][]model.Listed, len(lists))
	for k, list := range lists {
		for _, s := range list {
			whole := s.Probability
			if t != nil {
				whole /= t.weights[s.Item] * t.inverted[k]
			}
			out[k] = append(out[k], model.Listed{Item: s.Item, Probability: whole, Weighted: s.Probability})
		}
	}
	return out
}

// scaled returns the values times their factors, then all divided so that their sum stays the same.
func scaled(values []float64, factor func(at int) float64) []float64 {
	out := make([]float64, len(values))
	before, after := 0.0, 0.0
	for at, v := range values {
		out[at] = v * factor(at)
		before += v
		after += out[at]
	}
	if after != 0 {
		for at := range out {
			out[at] *= before / after
		}
	}
	return out
}

// Item returns p of item i in a distribution of the items of a token, whose sum a factor keeps; see Scale.
func (t *Thinning) Item(thinned float64, i int, scale float64) float64 {
	if t == nil {
		return thinned
	}
	return thinned / t.weights[i] * scale
}

// Scale returns the factor by which a distribution of items, divided by their weights, keeps its sum.
func (t *Thinning) Scale(ctx context.Context, layout matrix.Layout, row []float64) float64 {
	if t == nil {
		return 1
	}
	sums := kernel.SumShared(ctx, layout, len(row), 2, 0, func(sums []float64, first, last int) {
		for i := first; i < last; i++ {
			sums[0] += row[i]
			sums[1] += row[i] / t.weights[i]
		}
	})
	if sums[1] == 0 {
		return 1
	}
	return sums[0] / sums[1]
}

// Undo converts B, A, p(topic) and p(item) in place to those of the thinned documents in which the fit worked; without
// item weights it changes nothing. package metric compares these with the weighted co-occurrences. To convert twice is
// the caller's mistake.
func Undo(m *model.Model) {
	if m.Weights == nil {
		return
	}
	reciprocal := make([]float64, len(m.Weights))
	for i, weight := range m.Weights {
		reciprocal[i] = 1 / weight
	}
	back := New(context.Background(), nil, reciprocal, m.Topics(), m.ItemRow)
	for i := range m.Items.Rows() {
		back.Row(m.Items.Row(i), i)
	}
	m.TopicJoint, m.Shares, m.Probability = back.Joint(m.TopicJoint), back.Shares(m.Shares), m.WeightedProbability
}
