// This file opens a corpus from shards.

package stream

import (
	"context"
	"fmt"
	"os"
	"time"

	"anchorage/checkpoint"
	"anchorage/corpus"
	"anchorage/shard"
)

// Open opens a corpus of the documents of shards; see corpus.Open. If opts.Dir is empty, the compact copy is made in the system's
// folder for temporary files. With opts.Checkpoint, which needs shards that can be read again, shards whose size or time of change is
// another one are a *checkpoint.ChangedError.
func Open(ctx context.Context, shards []shard.Shard, opts corpus.Options) (*corpus.Corpus, error) {
	if err := CheckStock(shards); err != nil {
		return nil, err
	}
	if opts.Checkpoint != nil {
		opts.Checkpoint.Know(checkpoint.Fact{Name: "the number of shards", Value: fmt.Sprint(len(shards))})
		for _, s := range shards {
			opts.Checkpoint.Know(checkpoint.Fact{Name: s.Path, Value: fmt.Sprintf("%d bytes of %s, changed at %s", s.Size, s.Format, s.Modified().UTC().Format(time.RFC3339Nano))})
		}
	}
	if opts.Dir == "" {
		opts.Dir = os.TempDir()
	}
	return corpus.Open(ctx, Reading(shards, false), opts)
}

// CountItems counts the items of shards. It returns the items that pruning leaves, and an account; see corpus.CountItems.
func CountItems(ctx context.Context, shards []shard.Shard, opts corpus.Options) (*corpus.Vocabulary, corpus.Account, error) {
	if err := CheckStock(shards); err != nil {
		return nil, corpus.Account{}, err
	}
	return corpus.CountItems(ctx, Reading(shards, true), opts)
}

// Reading returns a corpus.Reading of shards. Its progress is in bytes. skipDigests is ReadOptions.SkipDigests.
func Reading(shards []shard.Shard, skipDigests bool) corpus.Reading {
	return func(ctx context.Context, opts corpus.ReadingOptions, fn func(*corpus.Documents) error) (*corpus.Intake, error) {
		return Read(ctx, shards, ReadOptions{ReadingOptions: opts, SkipDigests: skipDigests}, fn)
	}
}
