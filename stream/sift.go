// This file separates the shards that can be read from those that cannot.

package stream

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"syscall"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/shard"
)

// Sift reads every shard to its end. It returns the shards that can be read, in order, and those that cannot. If none can be read,
// it returns the error of the first.
//
// Documents that were delivered cannot be taken back, so a bad shard must be found before the pass. This costs one more reading
// and hashing of all shards. Read compares each good shard with the digest that Sift found, and reports a shard that has changed.
//
// If progress is not nil, Sift calls it at the end with the bytes of all shards. workers is the number of goroutines; 0 stands for
// the number of processors. The result does not depend on it.
func Sift(ctx context.Context, shards []shard.Shard, workers int, progress func(done, total int64)) ([]shard.Shard, []corpus.Skipped, error) {
	failures := make([]error, len(shards))
	sifted := make([]shard.Shard, len(shards))
	var total, done atomic.Int64
	for _, s := range shards {
		total.Add(s.Size)
	}
	err := kernel.Parallel(ctx, workers, len(shards), func(i int) error {
		digest, err := readThrough(ctx, shards[i])
		var bad *shard.Error
		switch {
		case err == nil:
			sifted[i] = shards[i].Expecting(digest, "its first reading")
		case errors.As(err, &bad) && !exhausted(err):
			failures[i] = err
		default:
			return err
		}
		done.Add(shards[i].Size)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if progress != nil {
		progress(done.Load(), total.Load())
	}
	var good []shard.Shard
	var skipped []corpus.Skipped
	var first error
	for i := range shards {
		if failures[i] == nil {
			good = append(good, sifted[i])
		} else {
			skipped = append(skipped, corpus.Skipped{Path: shards[i].Path, Reason: failures[i].Error()})
			if first == nil {
				first = failures[i]
			}
		}
	}
	if len(good) == 0 && len(skipped) > 0 {
		return nil, nil, first
	}
	return good, skipped, nil
}

// exhausted reports whether the machine ran out of a resource, so that the shard is not to blame.
func exhausted(err error) bool {
	for _, cause := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOSPC} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// readThrough decodes a whole shard, as Read does, and returns its digest.
func readThrough(ctx context.Context, s shard.Shard) (digest string, err error) {
	parts, err := s.Parts(ctx)
	if err != nil {
		return "", err
	}
	var batch shard.Batch
	for _, part := range parts {
		if err := readPart(ctx, part, &batch); err != nil {
			return "", err
		}
	}
	return s.Digest(ctx)
}

func readPart(ctx context.Context, part shard.Part, batch *shard.Batch) error {
	reader, err := shard.Open(ctx, part)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		if err := reader.Next(batch); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
