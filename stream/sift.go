// This file separates the shards that can be read from those that cannot.

package stream

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"syscall"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/shard"
)

// Sift reads every shard to its end. It returns the shards that can be read, in order, and those that cannot. If none
// can be read, it also returns the error of the first.
//
// Documents that were delivered cannot be taken back, so a bad shard must be found before the pass. This costs one more
// reading and hashing of all shards. Read compares each good shard with the digest that Sift found, and reports a shard
// that has changed.
//
// workers is the number of goroutines; 0 means the number of processors. The result does not depend on it. Of several
// ranks, each reads the shards that shard.Run gives it, and all get the same result.
func Sift(ctx context.Context, shards []shard.Shard, workers int) ([]shard.Shard, []corpus.Skipped, error) {
	ranks := collective.From(ctx)
	begin, end := shard.Run(shards, ranks.Rank(), ranks.Size())
	sifted := make([]verdict, end-begin)
	err := kernel.Parallel(ctx, workers, len(sifted), func(i int) error {
		s := shards[begin+i]
		digest, err := readThrough(ctx, s)
		if _, bad := errors.AsType[*shard.Error](err); err != nil && (!bad || exhausted(err)) {
			return err
		}
		sifted[i] = verdict{Digest: digest, err: err}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if sifted, err = gathered(ctx, ranks, sifted); err != nil {
		return nil, nil, err
	}
	var good []shard.Shard
	var skipped []corpus.Skipped
	var first error
	for i, v := range sifted {
		if v.err == nil {
			good = append(good, shards[i].Expecting(v.Digest, "its first reading"))
		} else {
			skipped = append(skipped, corpus.Skipped{Path: shards[i].Path, Reason: v.err.Error()})
			first = cmp.Or(first, v.err)
		}
	}
	if len(good) == 0 && len(skipped) > 0 {
		_ = ranks.Barrier(ctx) // so that all ranks return this error, and none the loss of another
		return nil, skipped, first
	}
	return good, skipped, nil
}

// verdict says what a shard is like: its digest, or why it cannot be read. Ranks send each other the fields with names
// in capitals.
type verdict struct {
	Digest string `json:"digest,omitempty"`
	err    error

	Path   string `json:"path,omitempty"`
	Row    int64  `json:"row,omitempty"`
	Group  int    `json:"group,omitempty"`
	Column string `json:"column,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// gathered returns the verdicts of all ranks, in the order of the shards.
func gathered(ctx context.Context, c *collective.Comm, own []verdict) ([]verdict, error) {
	if c.Size() == 1 {
		return own, nil
	}
	for i := range own {
		if bad, is := errors.AsType[*shard.Error](own[i].err); is {
			v := &own[i]
			v.Path, v.Row, v.Group, v.Column, v.Reason = bad.Path, bad.Row, bad.Group, bad.Column, bad.Err.Error()
		}
	}
	parts, err := collective.GatherJSON(ctx, c, own)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(parts...)
	for i := range all {
		if v := &all[i]; v.Reason != "" {
			v.err = &shard.Error{Path: v.Path, Row: v.Row, Group: v.Group, Column: v.Column, Err: errors.New(v.Reason)}
		}
	}
	return all, nil
}

// exhausted reports whether the machine ran out of a resource, so that the shard is not to blame.
func exhausted(err error) bool {
	return slices.ContainsFunc([]error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOSPC},
		func(cause error) bool { return errors.Is(err, cause) })
}

// readThrough decodes a whole shard, as Read does, and returns its digest.
func readThrough(ctx context.Context, s shard.Shard) (digest string, err error) {
	for _, err := range batches(ctx, s) {
		if err != nil {
			return "", err
		}
	}
	return s.Digest(ctx)
}
