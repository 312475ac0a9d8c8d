// This file counts what variational inference must know before it begins.

package model

import (
	"anchorage/corpus"
	"anchorage/sketch"
	"anchorage/svi"
	"context"
)

// Count makes a pass that counts documents, items and tokens.
func Count(ctx context.Context, c *corpus.Corpus) (*sketch.Marginals, svi.Totals, error) {
	n := c.Vocabulary.Len()
	m := &sketch.Marginals{Diagonal: make([]float64, n), RowSums: make([]float64, n),
		DocumentFrequency: make([]int64, n), TermFrequency: make([]int64, n)}
	facts := svi.Totals{Items: n, Key: c.Vocabulary.Key}
	err := c.Pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			total := int64(0)
			for _, count := range counts {
				total += int64(count)
			}
			for j, item := range items {
				count, tokens := float64(counts[j]), float64(total)
				m.Diagonal[item] += count / (tokens * (tokens - 1))
				m.RowSums[item] += count / tokens
				m.DocumentFrequency[item]++
				m.TermFrequency[item] += int64(counts[j])
			}
			facts.Tokens += total
		}
		facts.Documents += int64(docs.Documents())
		return nil
	})
	m.Documents = facts.Documents
	return m, facts, err
}
