// This file says how much of the rectified co-occurrences the topics explain.

package anchor

import (
	"context"

	"anchorage/internal/kernel"
)

// Misfit returns ‖Y·Yᵀ − B·A·Bᵀ‖_F² and ‖Y·Yᵀ‖_F², where A is TopicJoint: what the topics leave of the rectified
// co-occurrences. With G = BᵀB, H = YᵀY and J = BᵀY they are
//
//	‖Y·Yᵀ‖² = Σ H∘H     ⟨Y·Yᵀ, B·A·Bᵀ⟩ = Σ A∘(J·Jᵀ)     ‖B·A·Bᵀ‖² = Σ (A·G)∘(G·A)
//
// It reads B and the factor once, and holds K×K values besides. Topics of a dense C panic. The error is that of ctx.
func (t *Topics) Misfit(ctx context.Context) (left, all float64, err error) {
	if t.factor == nil {
		panic("anchor: topics of a dense C have no factor")
	}
	k, width := t.K, t.factor.Cols()
	row := k + width
	sums, err := sumRanges(ctx, t.Mixtures.Layout(), t.workers, len(t.RowSums), k*row,
		func(sum []float64, first, last int) { // G and J, side by side
			both := make([]float64, row)
			for i := first; i < last; i++ {
				t.BRow(both[:k], i)
				copy(both[k:], t.factor.Row(i))
				for a, v := range both[:k] {
					if v != 0 {
						addScaled(sum[a*row:][:row], v, both)
					}
				}
			}
		})
	if err != nil {
		return 0, 0, err
	}
	for _, h := range kernel.Gram(ctx, t.factor, t.factor, t.workers) {
		all += h * h
	}
	inner, model := 0.0, 0.0
	for a := range k {
		for b := range k {
			inner += t.TopicJoint[a*k+b] * kernel.Dot(sums[a*row+k:][:width], sums[b*row+k:][:width])
			ag, ga := 0.0, 0.0
			for c := range k {
				ag += t.TopicJoint[a*k+c] * sums[c*row+b]
				ga += sums[a*row+c] * t.TopicJoint[c*k+b]
			}
			model += ag * ga
		}
	}
	return max(all-2*inner+model, 0), all, ctx.Err()
}

// addScaled adds scale times v to sum.
func addScaled(sum []float64, scale float64, v []float64) {
	for j, value := range v {
		sum[j] += scale * value
	}
}
