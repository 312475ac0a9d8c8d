// This file weighs the pairs of a document, and counts items in a pass that forms nothing else.

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

// PairWeight returns n_m = Σ_i ω_i·h_im of a document and w_m = 1/(n_m² − Σ_i ω_i²·h_im), the weight of its pairs. The
// latter is 0 where the document has fewer than two tokens or no pair of positive weight. Weights are ω, one for every
// item of the vocabulary; nil means 1 each, and then w_m = 1/(n_m(n_m−1)). With a prior κ, w_m is multiplied by
// v = t(t−1)/(t(t−1)+κ), where t is the number of tokens.
func PairWeight(items, counts []int32, weights []float64, prior float64) (n, w float64) {
	return pairWeight(nil, items, counts, weights, prior)
}

// pairWeight is PairWeight. It sets shares, unless they are nil, to ω_i·h_im.
func pairWeight(shares []float64, items, counts []int32, weights []float64, prior float64) (n, w float64) {
	var tokens int64
	single, omega := 0.0, 1.0
	for t, count := range counts {
		tokens += int64(count)
		if weights != nil {
			omega = weights[items[t]]
		}
		v := omega * float64(count)
		n += v
		single += v * omega
		if shares != nil {
			shares[t] = v
		}
	}
	of := float64(tokens) * float64(tokens-1)
	if weights == nil {
		if n = float64(tokens); tokens >= 2 {
			w = 1 / (of + prior)
		}
		return n, w
	}
	if pairs := n*n - single; tokens >= 2 && pairs > 1e-12*single {
		w = 1 / pairs
		if prior > 0 {
			w *= of / (of + prior)
		}
	}
	return n, w
}

// Add adds an item that occurs count times in a document of weight v, with n and w as PairWeight returns them, but w
// times v.
func (m *Marginals) Add(item, count int32, n, w, v float64) {
	diagonal, rowSum := m.shares(item, count, n, w, v)
	m.Diagonal[item] += diagonal
	m.RowSums[item] += rowSum
	m.DocumentFrequency[item]++
	m.TermFrequency[item] += int64(count)
}

// shares returns what Add adds to Diagonal and RowSums.
func (m *Marginals) shares(item, count int32, n, w, v float64) (diagonal, rowSum float64) {
	h := float64(count)
	switch {
	case m.Weights != nil:
	case m.PairPrior > 0:
		return h * w, h * (n - 1) * w
	default:
		return h * w, v * h / n
	}
	weight := m.Weights[item]
	return weight * weight * h * w, weight * h * (n - weight) * w
}

// NewMarginals returns the marginals of n items in no documents, with weights and a prior of pairs as in Options.
func NewMarginals(n int, weights []float64, prior float64) *Marginals {
	m := &Marginals{Weights: weights, PairPrior: prior}
	m.grow(n)
	return m
}
