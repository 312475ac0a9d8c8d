// This file gathers what one pass over documents tells of items alone, where C itself is not formed.

package metric

import (
	"context"

	"anchorage/sketch"
	"anchorage/stream"
)

// Tally returns, in one pass over documents with items from 0 to items−1, the marginals of C and its diagonal C_ii =
// (1/M) Σ_m h_im(h_im−1)/(n_m(n_m−1)).
func Tally(ctx context.Context, pass sketch.Pass, items int) (*sketch.Marginals, []float64, error) {
	m := &sketch.Marginals{
		Diagonal: make([]float64, items), RowSums: make([]float64, items),
		DocumentFrequency: make([]int64, items), TermFrequency: make([]int64, items),
	}
	diagonal := make([]float64, items)
	err := pass(ctx, func(docs *stream.Documents) error {
		for d := range docs.Documents() {
			row, counts := docs.Row(d)
			n, weight := pairWeight(counts)
			if weight == 0 {
				continue
			}
			m.Documents++
			for t, item := range row {
				h := float64(counts[t])
				m.Diagonal[item] += h * weight
				m.RowSums[item] += h / n
				m.DocumentFrequency[item]++
				m.TermFrequency[item] += int64(counts[t])
				diagonal[item] += h * (h - 1) * weight
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

// pairWeight returns n_m of a document and 1/(n_m(n_m−1)), 0 where n_m < 2.
func pairWeight(counts []int32) (n, weight float64) {
	var sum int64
	for _, count := range counts {
		sum += int64(count)
	}
	if n = float64(sum); sum >= 2 {
		weight = 1 / (n * (n - 1))
	}
	return n, weight
}
