// This file brings documents from shards to the sketch: which items and documents count, and whether the documents are
// read once or kept for further passes.

package model

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"anchorage/shard"
	"anchorage/stream"
)

// Source says which documents a model is learned from, and which of their items.
type Source struct {
	Shards []shard.Shard
	// Skipped are the shards that were set aside; see stream.Sift. They are only recorded.
	Skipped []stream.Skipped
	// Vocabulary fixes the items and their order; nil lets them be counted and pruned.
	Vocabulary *stream.Vocabulary
	Pruning    stream.Pruning // of a vocabulary that is not fixed
	NoPrune    bool           // keep every item, numbered in order of appearance
	MinItems   int            // documents need so many distinct items of the vocabulary
	MinTokens  int            // and so many tokens
	SpillDir   string         // where the copy of the documents for further passes is kept; empty for the system's
	Workers    int
	Log        *slog.Logger
	Progress   Progress
}

// Progress is told how far a stage has come; total is 0 while it is unknown.
type Progress func(stage string, done, total int64)

// Corpus is a set of documents that can be read in passes.
type Corpus struct {
	Vocabulary *stream.Vocabulary
	Record     CorpusRecord
	Inputs     []InputRecord
	Skipped    []SkippedRecord

	source Source
	view   stream.View
	cache  *stream.Corpus // nil where the shards themselves are read, once
	dir    string         // where the cache lies

	seen      int   // items before any was left out
	seenBytes int64 // that these took
}

// Open prepares the documents for the given number of passes, 0 for a number yet unknown. Where one pass is all there is
// and the items need not be counted before it, the shards are read by that pass; otherwise they are decoded here, once,
// into a compact copy, which Close removes.
func (s Source) Open(ctx context.Context, passes int) (_ *Corpus, err error) {
	c := &Corpus{source: s, view: stream.View{MinItems: s.MinItems, MinTokens: s.MinTokens}}
	for _, skipped := range s.Skipped {
		c.Skipped = append(c.Skipped, SkippedRecord{Path: skipped.Path, Reason: skipped.Reason.Error()})
	}
	c.Record = CorpusRecord{FixedVocabulary: s.Vocabulary != nil, MinItems: s.MinItems, MinTokens: s.MinTokens}
	if c.pruned() {
		c.Record.MinDF, c.Record.MaxDFRatio = s.Pruning.MinDF, s.Pruning.MaxDFRatio
		c.Record.MaxItems, c.Record.Stopwords = s.Pruning.MaxItems, len(s.Pruning.Stopwords)
	}
	if passes == 1 && !c.pruned() {
		c.Vocabulary = s.Vocabulary
		if c.Vocabulary == nil {
			c.Vocabulary = stream.NewVocabulary()
		}
		return c, nil
	}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if c.dir, err = os.MkdirTemp(s.SpillDir, "anchorage-corpus-"); err != nil {
		return nil, fmt.Errorf("making room for a copy of the documents (--spill-dir): %w", err)
	}
	path := filepath.Join(c.dir, "corpus")
	writer, err := stream.NewCorpusWriter(path)
	if err != nil {
		return nil, err
	}
	defer writer.Abort()
	intake, err := stream.Read(ctx, s.Shards, stream.ReadOptions{
		Workers: s.Workers, Vocabulary: s.Vocabulary, Progress: s.progress("reading"),
	}, writer.Append)
	if err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	if c.cache, err = stream.OpenCorpus(path); err != nil {
		return nil, err
	}
	c.take(intake)
	return c, c.checkItems()
}

// pruned says that items are counted first, and chosen then.
func (c *Corpus) pruned() bool { return c.source.Vocabulary == nil && !c.source.NoPrune }

// growing says that the first pass is what meets the items.
func (c *Corpus) growing() bool { return c.cache == nil && c.source.Vocabulary == nil }

// weighable returns the vocabulary if its counts stand before the first pass, else nil: a vocabulary that is counted by the
// very pass is not yet.
func (c *Corpus) weighable() *stream.Vocabulary {
	if c.growing() {
		return nil
	}
	return c.Vocabulary
}

// take notes what was read and, where items are counted, chooses among them.
func (c *Corpus) take(intake *stream.Intake) {
	r := &c.Record
	r.DocumentsRead, r.Entries, r.Tokens, r.UnknownTokens = intake.Documents, intake.Entries, intake.Tokens, intake.Unknown.Tokens
	for _, in := range intake.Shards {
		c.Inputs = append(c.Inputs, InputRecord{Path: in.Path, Size: in.Size, SHA256: in.SHA256, Documents: in.Documents})
	}
	c.Vocabulary, c.seen, c.seenBytes = intake.Vocabulary, intake.Vocabulary.Len(), intake.Vocabulary.Bytes()
	if c.pruned() {
		c.Vocabulary, c.view.Remap, r.Pruned = intake.Vocabulary.Prune(c.source.Pruning, intake.Documents)
	}
	r.Items = c.Vocabulary.Len()
	r.VocabularySHA256 = c.Vocabulary.Fingerprint()
	c.source.Log.Info("documents read", "documents", r.DocumentsRead, "entries", r.Entries, "tokens", r.Tokens,
		"unknown_tokens", r.UnknownTokens, "items_seen", intake.Vocabulary.Len(), "items_kept", r.Items,
		"below_min_df", r.Pruned.MinDF.Items, "above_max_df_ratio", r.Pruned.MaxDFRatio.Items,
		"stopwords", r.Pruned.Stopwords.Items, "beyond_max_items", r.Pruned.MaxItems.Items)
}

// checkItems fails when pruning has left nothing to learn from.
func (c *Corpus) checkItems() error {
	r := &c.Record
	switch {
	case r.DocumentsRead == 0:
		return &DataError{c.shards() + " no documents"}
	case r.Items == 0 && c.pruned() && r.Tokens > 0:
		return &DataError{fmt.Sprintf("pruning leaves no items: of %d, %d are in too few documents, %d in too many and %d are stop words; lower --min-df or raise --max-df-ratio",
			r.Pruned.Total().Items, r.Pruned.MinDF.Items, r.Pruned.MaxDFRatio.Items, r.Pruned.Stopwords.Items)}
	case r.Items == 0:
		return &DataError{c.shards() + " documents, but no items"}
	}
	return nil
}

// shards names the input, up to a verb that says what it holds.
func (c *Corpus) shards() string {
	switch n := len(c.Inputs); n {
	case 0:
		return "the input holds"
	case 1:
		return c.Inputs[0].Path + " holds"
	default:
		return fmt.Sprintf("%s and %d more shards hold", c.Inputs[0].Path, n-1)
	}
}

// Pass calls fn with the documents that count, in order; see sketch.Pass.
func (c *Corpus) Pass(ctx context.Context, fn func(*stream.Documents) error) error {
	var dropped stream.Dropped
	var err error
	if c.cache != nil {
		dropped, err = c.cache.Pass(ctx, c.source.Workers, &c.view, fn)
	} else {
		dropped, err = c.passOverShards(ctx, fn)
	}
	if err != nil {
		return err
	}
	r := &c.Record
	r.Dropped = dropped
	r.Documents = r.DocumentsRead - dropped.Documents()
	if r.Documents == 0 {
		return &DataError{fmt.Sprintf("no document is left: of %d, %d have fewer than 2 tokens of the vocabulary, %d fewer than %d distinct items (--min-items) and %d fewer than %d tokens (--min-tokens)",
			r.DocumentsRead, dropped.NoPair, dropped.FewItems, r.MinItems, dropped.FewTokens, r.MinTokens)}
	}
	return nil
}

// passOverShards is the one pass that reads the shards themselves.
func (c *Corpus) passOverShards(ctx context.Context, fn func(*stream.Documents) error) (dropped stream.Dropped, err error) {
	opts := stream.ReadOptions{Workers: c.source.Workers, Vocabulary: c.source.Vocabulary, Progress: c.source.progress("sketching")}
	if opts.Vocabulary == nil {
		opts.Growing = c.Vocabulary
	}
	var seen stream.Documents
	intake, err := stream.Read(ctx, c.source.Shards, opts, func(docs *stream.Documents) error {
		dropped.Add(c.view.Apply(&seen, docs))
		return fn(&seen)
	})
	if err != nil {
		return dropped, err
	}
	c.take(intake)
	return dropped, c.checkItems()
}

// CountItems counts the items of shards and chooses among them.
func CountItems(ctx context.Context, shards []shard.Shard, pruning stream.Pruning, workers int, progress Progress, log *slog.Logger) (*stream.Vocabulary, CorpusRecord, error) {
	c := &Corpus{source: Source{Shards: shards, Pruning: pruning, Workers: workers, Log: log, Progress: progress}}
	intake, err := stream.Read(ctx, shards, stream.ReadOptions{Workers: workers, SkipDigests: true, Progress: c.source.progress("reading")},
		func(*stream.Documents) error { return nil })
	if err != nil {
		return nil, c.Record, err
	}
	c.take(intake)
	return c.Vocabulary, c.Record, c.checkItems()
}

// progress adapts the source's progress to a reading.
func (s Source) progress(stage string) func(stream.Progress) {
	if s.Progress == nil {
		return nil
	}
	return func(p stream.Progress) { s.Progress(stage, p.Bytes, p.TotalBytes) }
}

// Close removes the copy of the documents.
func (c *Corpus) Close() error {
	var err error
	if c.cache != nil {
		err = c.cache.Close()
		c.cache = nil
	}
	if c.dir != "" {
		if removal := os.RemoveAll(c.dir); err == nil {
			err = removal
		}
		c.dir = ""
	}
	return err
}

// DataError is input that can be read, but from which nothing can be learned.
type DataError struct {
	Reason string
}

// Error says why, and what may help.
func (e *DataError) Error() string { return e.Reason }
