// This file opens a corpus from shards, and separates the shards that can be read from those that cannot.

package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/shard"
)

// Open opens a corpus of the documents of shards; see corpus.Open. If opts.Dir is empty, the compact copy is made in
// the system's folder for temporary files. If ctx carries a checkpoint, the shards must be readable again, and shards
// with another size or time of change are the error fit.ErrChanged.
//
// All ranks must name the same shards. Each reads those that shard.Run gives it, so that the documents of a rank follow
// those of the rank before; one for which there is no shard has no documents.
func Open(ctx context.Context, shards []shard.Shard, opts corpus.Options) (*corpus.Corpus, error) {
	if err := CheckStock(shards); err != nil {
		return nil, err
	}
	if kept := checkpoint.FolderOf(ctx); kept != nil {
		kept.Know(checkpoint.Fact{Name: "the number of shards", Value: fmt.Sprint(len(shards))})
		for _, s := range shards {
			kept.Know(checkpoint.Fact{Name: s.Path, Value: fmt.Sprintf("%d bytes of %s, changed at %s", s.Size, s.Format,
				s.Modified().UTC().Format(time.RFC3339Nano))})
		}
	}
	if opts.Dir == "" {
		opts.Dir = os.TempDir()
	}
	opts.Kind, opts.StopWord = kindOf(ctx, shards, opts.Kind), IsStopword
	ranks := collective.From(ctx)
	first, last := shard.Run(shards, ranks.Rank(), ranks.Size())
	if idle := ranks.Size() - len(shards); idle > 0 && ranks.First() && opts.Log != nil {
		opts.Log.Info("ranks without shards have no documents to read", "ranks", ranks.Size(), "shards", len(shards),
			"without", idle)
	}
	docs, err := corpus.Open(ctx, Reading(shards[first:last], false), opts)
	if err != nil || len(shards) == 0 {
		return docs, err
	}
	docs.Naming = func(ctx context.Context) (func(id []byte) string, error) {
		names, err := ReadItemNames(ctx, shards, shards[0].NamesColumn())
		if err != nil || names == nil {
			return nil, err
		}
		return names.Of, nil
	}
	// Each reading has counted the bad rows of its rank.
	if err := shards[len(shards)-1].CheckLeftOut(docs.Account.LeftOut); err != nil {
		_ = ranks.Barrier(ctx) // so that all ranks return this error, and none the loss of another
		return nil, errors.Join(err, docs.Close())
	}
	return docs, nil
}

// kindOf returns what the documents of shards are like: as given, or texts where they are cut into words.
func kindOf(ctx context.Context, shards []shard.Shard, given corpus.Kind) corpus.Kind {
	if given != corpus.AnyKind || len(shards) == 0 {
		return given
	}
	if m, err := shards[0].Mapping(ctx); shards[0].Tokenized() || err == nil && m.Words {
		return corpus.Texts
	}
	return given
}

// CountItems counts the items of shards. It returns the items that pruning leaves, or the given vocabulary, and an
// account; see corpus.CountItems.
func CountItems(ctx context.Context, shards []shard.Shard, opts corpus.Options) (*corpus.Vocabulary,
	corpus.Account, error) {
	if err := CheckStock(shards); err != nil {
		return nil, corpus.Account{}, err
	}
	opts.Kind, opts.StopWord = kindOf(ctx, shards, opts.Kind), IsStopword
	given := opts.Vocabulary
	if opts.Vocabulary = nil; given != nil {
		opts.Pruning = corpus.Everything().Pruning
	}
	counted, account, err := corpus.CountItems(ctx, Reading(shards, true), opts)
	return cmp.Or(given, counted), account, err
}

// Reading returns a corpus.Reading of shards. Its progress is in bytes. skipDigests is ReadOptions.SkipDigests.
func Reading(shards []shard.Shard, skipDigests bool) corpus.Reading {
	return func(ctx context.Context, opts corpus.ReadingOptions,
		fn func(*corpus.Documents) error) (*corpus.Intake, error) {
		return Read(ctx, shards, ReadOptions{ReadingOptions: opts, SkipDigests: skipDigests}, fn)
	}
}

// Mappings returns how each of the shards is read; see shard.Shard.Mapping. workers is the number of goroutines; 0
// means the number of processors. An error is that of the first shard that cannot be read.
func Mappings(ctx context.Context, shards []shard.Shard, workers int) ([]shard.Mapping, error) {
	mappings := make([]shard.Mapping, len(shards))
	return mappings, kernel.ParallelAll(ctx, workers, len(shards), func(i int) (err error) {
		mappings[i], err = shards[i].Mapping(ctx)
		return err
	})
}

// CheckStock returns a *corpus.DataError if all shards are empty files. Their sizes say so, so that a folder of a
// hundred thousand of them is refused at once.
func CheckStock(shards []shard.Shard) error {
	for _, s := range shards {
		if s.Size != 0 || s.Path == "-" {
			return nil
		}
	}
	switch len(shards) {
	case 0:
		return nil
	case 1:
		return &corpus.DataError{Lack: corpus.NoDocuments, Reason: shards[0].Path + " is empty: it holds no documents"}
	}
	return &corpus.DataError{Lack: corpus.NoDocuments, Reason: fmt.Sprintf("%s and %d more shards hold no documents: "+
		"they are empty files", shards[0].Path, len(shards)-1)}
}

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
