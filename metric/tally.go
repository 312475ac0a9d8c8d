// This file gathers what one pass over documents tells of items alone, where C itself is not formed.

package metric

import (
	"context"

	"anchorage/corpus"
	"anchorage/sketch"
)

// CountMarginals returns, in one pass over documents with items from 0 to items−1, the marginals of C and its diagonal C_ii =
// (1/M) Σ_m w_m·ω_i²·h_im(h_im−1). Weights are ω, as in sketch.Options; nil stands for 1 each.
func CountMarginals(ctx context.Context, pass corpus.Pass, items int, weights []float64) (*sketch.Marginals, []float64, error) {
	m := sketch.NewMarginals(items, weights)
	diagonal := make([]float64, items)
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			row, counts := docs.Row(d)
			n, w := sketch.PairWeight(row, counts, weights)
			if w == 0 {
				continue
			}
			m.Documents++
			for t, item := range row {
				m.Add(item, counts[t], n, w)
				h, weight := float64(counts[t]), 1.0
				if weights != nil {
					weight = weights[item]
				}
				diagonal[item] += weight * weight * h * (h - 1) * w
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range diagonal {
		diagonal[i] /= float64(max(m.Documents, 1))
	}
	return m, diagonal, nil
}
