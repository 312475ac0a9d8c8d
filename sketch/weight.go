// This file holds the weight of a document in C, and the marginals.

package sketch

// PairWeight returns n_m = Σ_i ω_i·h_im of a document and w_m = 1/(n_m² − Σ_i ω_i²·h_im), the weight of its pairs. The
// latter is 0 where the document has fewer than two tokens or no pair of positive weight. Weights are ω, one for every
// item of the vocabulary; nil means 1 each, and then w_m = 1/(n_m(n_m−1)). With a prior κ, w_m is multiplied by
// v = t(t−1)/(t(t−1)+κ), where t is the number of tokens.
func PairWeight(items, counts []int32, weights []float64, prior float64) (n, w float64) {
	var tokens int64
	for _, count := range counts {
		tokens += int64(count)
	}
	of := float64(tokens) * float64(tokens-1)
	if weights == nil {
		if n = float64(tokens); tokens >= 2 {
			w = 1 / (of + prior)
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
