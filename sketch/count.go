// This file counts items in a pass that forms nothing else.

package sketch

import (
	"context"

	"anchorage/corpus"
)

// CountMarginals makes one pass over documents with items from 0 to items−1. It returns the marginals of C and the
// diagonal of C,
//
//	C_ii = (1/M) Σ_m v_m·w_m·ω_i²·h_im·(h_im − 1)
//
// Weights are ω and prior is κ, as in Options; nil is 1 each. Documents without a pair of tokens count nowhere. The
// error is that of pass.
func CountMarginals(ctx context.Context, pass corpus.Pass, items int, weights []float64,
	prior float64) (*Marginals, []float64, error) {
	m := NewMarginals(items, weights, prior)
	diagonal := make([]float64, items)
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			row, counts := docs.Row(d)
			n, w := PairWeight(row, counts, weights, prior)
			if w == 0 {
				continue
			}
			v := docs.Weight(d)
			w *= v
			m.Documents++
			for t, item := range row {
				m.Add(item, counts[t], n, w, v)
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
		diagonal[i] /= m.Total()
	}
	return m, diagonal, nil
}

// Entries returns the number of entries of H: Σ_i DocumentFrequency_i.
func (m *Marginals) Entries() int64 { return total(m.DocumentFrequency) }

// Tokens returns the number of tokens in the documents that count: Σ_i TermFrequency_i.
func (m *Marginals) Tokens() int64 { return total(m.TermFrequency) }

func total(counts []int64) int64 {
	sum := int64(0)
	for _, count := range counts {
		sum += count
	}
	return sum
}
