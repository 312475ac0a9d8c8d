// This file counts what variational inference needs to know in advance.

package model

import (
	"context"

	"anchorage/corpus"
	"anchorage/sketch"
	"anchorage/svi"
)

// Count counts documents, items and tokens in one pass.
func Count(ctx context.Context, c *corpus.Corpus) (*sketch.Marginals, svi.Totals, error) {
	m, _, err := sketch.CountMarginals(ctx, c.Pass, c.Vocabulary.Len(), nil)
	if err != nil {
		return nil, svi.Totals{}, err
	}
	return m, svi.Totals{Items: c.Vocabulary.Len(), Documents: m.Documents, Tokens: m.Tokens(), Key: c.Vocabulary.Key}, nil
}
