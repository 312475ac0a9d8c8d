// This file holds what a document weighs in C, and the sums over documents that belong to items.

package sketch

// PairWeight returns n_m = Σ_i ω_i·h_im of a document and w_m = 1/(n_m² − Σ_i ω_i²·h_im), the weight of its pairs; 0 when it has
// fewer than two tokens or no pair of positive weight. Weights are ω, one for every item of the vocabulary; nil stands for
// 1 each, and then w_m = 1/(n_m(n_m−1)).
func PairWeight(items, counts []int32, weights []float64) (n, w float64) {
	var tokens int64
	for _, count := range counts {
		tokens += int64(count)
	}
	if weights == nil {
		if n = float64(tokens); tokens >= 2 {
			w = 1 / (n * (n - 1))
		}
		return n, w
	}
	single := 0.0
	for t, item := range items {
		v := weights[item] * float64(counts[t])
		n += v
		single += v * weights[item]
	}
	if pairs := n*n - single; tokens >= 2 && pairs > 1e-12*single {
		w = 1 / pairs
	}
	return n, w
}

// Add adds an item that comes count times in a document with n and w as PairWeight returns them.
func (m *Marginals) Add(item, count int32, n, w float64) {
	h := float64(count)
	if m.Weights == nil {
		m.Diagonal[item] += h * w
		m.RowSums[item] += h / n
	} else {
		weight := m.Weights[item]
		m.Diagonal[item] += weight * weight * h * w
		m.RowSums[item] += weight * h * (n - weight) * w
	}
	m.DocumentFrequency[item]++
	m.TermFrequency[item] += int64(count)
}

// NewMarginals returns those of no documents, of n items with weights as in Options.
func NewMarginals(n int, weights []float64) *Marginals {
	m := &Marginals{Weights: weights}
	m.grow(n)
	return m
}
