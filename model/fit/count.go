// This file counts what variational inference needs to know in advance.

package fit

import (
	"context"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/sketch"
)

// Count counts documents, items and tokens in one pass.
func Count(ctx context.Context, c *corpus.Corpus) (*sketch.Marginals, bayes.Totals, error) {
	return count(ctx, c, c.Pass)
}

// count is Count by the given pass over the corpus.
func count(ctx context.Context, c *corpus.Corpus, pass corpus.Pass) (*sketch.Marginals, bayes.Totals, error) {
	m, _, err := sketch.CountMarginals(ctx, pass, c.Vocabulary.Len(), nil)
	if err != nil {
		return nil, bayes.Totals{}, err
	}
	return m, bayes.Totals{Items: c.Vocabulary.Len(), Documents: m.Documents, Tokens: m.Tokens(),
		Key: c.Vocabulary.Key}, nil
}
