// This file reads a corpus and holds documents out.

package refining

import (
	"context"
	"errors"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// divide reads a corpus and holds documents out. The caller must close what there is to learn from.
func divide(ctx context.Context, path string, seed uint64, workers int) (of *documents.Division, err error) {
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		return nil, err
	}
	whole, err := stream.Open(ctx, shards, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 2, Workers: workers})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, whole.Close()) }()
	return documents.Divide(ctx, whole, corpus.Options{Workers: workers, MinItems: corpus.ByKind, MinTokens: corpus.ByKind,
		Pruning: corpus.Pruning{MinDF: corpus.ByKind, MaxDFRatio: corpus.ByKind}}, seed)
}
