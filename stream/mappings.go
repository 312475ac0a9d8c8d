// This file finds out how shards are read, before they are.

package stream

import (
	"context"

	"anchorage/internal/kernel"
	"anchorage/shard"
)

// Mappings returns how each of the shards is read; see shard.Shard.Mapping. workers is the number of goroutines; 0 stands for the
// number of processors. An error is that of the first shard that cannot be read.
func Mappings(ctx context.Context, shards []shard.Shard, workers int) ([]shard.Mapping, error) {
	mappings := make([]shard.Mapping, len(shards))
	failures := make([]error, len(shards))
	err := kernel.Parallel(ctx, workers, len(shards), func(i int) error {
		mappings[i], failures[i] = shards[i].Mapping(ctx)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return mappings, nil
}
