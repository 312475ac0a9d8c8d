// This file opens a corpus: it reads the documents once, chooses the items, and keeps the documents for further passes.

package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"anchorage/internal/checkpoint"
	"anchorage/internal/durable"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// Options say which documents and items of a Reading count, and how documents are kept. The zero value chooses all
// limits by the kind of the documents; see Kind. Everything returns those that leave nothing out.
type Options struct {
	// Vocabulary fixes the items and their order. If it is nil, items are counted and pruned.
	Vocabulary *Vocabulary
	// Pruning chooses the items if Vocabulary is nil.
	Pruning Pruning
	// NoPrune keeps every item, numbered in order of appearance.
	NoPrune bool
	// A document needs at least MinItems distinct items of the vocabulary and MinTokens tokens of them, and always two
	// tokens. With 0 the kind of the documents decides; 1 is no limit.
	MinItems, MinTokens int
	// Kind says what the documents are like, where that decides on limits; AnyKind finds it out.
	Kind Kind
	// StopWord, if not nil, knows the stop words of languages, by which texts are found out; see Kind.
	StopWord func(id string) bool
	// KeepLeft keeps the items that pruning leaves out, for LeftItems, Left and PassWithLeft. A single pass over the
	// origin keeps none.
	KeepLeft bool
	// AllowSingles accepts documents of which more than half have a single item. Otherwise ten or more such documents are
	// a *DataError with the Lack SingleItems, unless Vocabulary fixes the items.
	AllowSingles bool
	// Passes is the number of passes to come, 0 if unknown. The origin itself is read if there is one pass only and items
	// need no counting before it. Otherwise documents are copied; by several ranks, always.
	Passes int
	// Dir is the folder in which a scratch folder for the compact copy is made. If it is empty, the copy is kept in
	// memory.
	Dir string
	// Workers is the number of goroutines of a pass; 0 means the number of processors.
	Workers int
	// Skipped is copied to Corpus.Skipped; nothing else uses it.
	Skipped []Skipped
	// Log, if not nil, receives what was read. Progress, if not nil, is called with the stage, "reading" or "sketching",
	// and how much of it is done; total is 0 while it is unknown.
	Log      *slog.Logger
	Progress func(stage string, done, total int64)
}

// Everything returns options that keep all items, in the order of Vocabulary.Prune, and all documents with at least two
// tokens.
func Everything() Options {
	return Options{Pruning: Pruning{MinDF: 1, MaxDFRatio: 1}, MinItems: 1, MinTokens: 1, AllowSingles: true}
}

// Corpus is a set of documents that can be read in passes. It belongs to one goroutine. The caller must Close it.
type Corpus struct {
	// Vocabulary numbers the items. If Growing, the first pass adds the items to it.
	Vocabulary *Vocabulary
	// Account records what was read and left out. Its counts of documents are complete after the first pass.
	Account Account
	Inputs  []Input
	Skipped []Skipped
	// Naming, if not nil, reads names of items and returns the function that gives that of an item, empty without one;
	// that may be nil, too. See NameItems.
	Naming func(ctx context.Context) (func(id []byte) string, error)

	named   func(id []byte) string // what Naming has returned
	options Options
	read    Reading
	view    View
	copy    *Copy            // nil if the only pass reads the origin
	scratch *durable.Scratch // of the copy; nil without one
	seen    int              // number of items before pruning
	bytes   int64            // memory that the reading took
	kept    *checkpoint.Folder
	part    bool // the copy belongs to another corpus
	begun   time.Time
	tally   Tally
	left    leftBehind
	lowest  Pruning // the limits as far as they are given, and none where the kind decides

	viewBytes int64     // ViewBytes, of stored documents and of several ranks
	origin    io.Closer // what the only pass reads, of stored documents

	layout     matrix.Layout // nil unless there are other ranks
	readBefore int64         // documents that lower ranks have read
	readAll    int64         // documents that all ranks have read
	measured   bool          // the next two are known, and Account has what passes leave out
	before     int64         // documents that passes deliver to lower ranks
	here       int64         // documents that passes deliver to this one
	counted    *Vocabulary   // what Vocabulary will be after the only pass; nil for as it is
}

// Open opens a corpus. The error is a *DataError if there are no documents or no items. Otherwise it comes from the
// Reading or the copy. Where the context has other ranks, every rank opens the corpus with a Reading of its
// documents, at the same time and with the same options; see the package comment.
//
// If ctx carries a checkpoint, the copy is kept there, and how far the reading has come after each input, so that a run
// that was interrupted or killed can continue. The Reading must know ReadingOptions.Before and After, as those of
// package stream do. A single pass over the origin keeps nothing, nor do several ranks, which read again. The facts of
// the checkpoint must have everything that decides Weight.
func Open(ctx context.Context, read Reading, opts Options) (_ *Corpus, err error) {
	c := newCorpus(read, opts)
	if c.kept = checkpoint.FolderOf(ctx); c.kept != nil {
		c.kept.Know(opts.facts()...)
	}
	if err := c.join(ctx); err != nil {
		return nil, err
	}
	if c.layout == nil && opts.onlyPass() {
		c.Vocabulary = cmp.Or(opts.Vocabulary, NewVocabulary())
		return c, c.limit(ctx)
	}
	defer func() {
		if err != nil {
			c.Close()
			err = c.lost(ctx, err)
		}
	}()
	intake, err := c.makeCopy(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.mergeReadings(ctx, intake); err != nil {
		return nil, err
	}
	if err := c.chooseVocabulary(ctx, intake); err != nil {
		return nil, err
	}
	if err := c.chooseLimits(ctx); err != nil {
		return nil, err
	}
	if err := c.countPasses(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// newCorpus returns a corpus of which nothing has been read.
func newCorpus(read Reading, opts Options) *Corpus {
	c := &Corpus{begun: time.Now(), options: opts, read: read, Skipped: opts.Skipped,
		Account: Account{FixedVocabulary: opts.Vocabulary != nil, MinItems: opts.MinItems, MinTokens: opts.MinTokens},
		view:    View{MinItems: opts.MinItems, MinTokens: opts.MinTokens}}
	if opts.Log == nil {
		c.options.Log = slog.New(slog.DiscardHandler)
	}
	if p := &opts.Pruning; c.pruned() {
		a := &c.Account
		a.MinDF, a.MaxDFRatio, a.MaxItems, a.Stopwords = p.MinDF, p.MaxDFRatio, p.MaxItems, len(p.Stopwords)
	}
	return c
}

// chooseLimits chooses the limits for documents and logs all limits.
func (c *Corpus) chooseLimits(ctx context.Context) error {
	if err := c.limit(ctx); err != nil {
		return err
	}
	c.options.Log.Info("limits", "documents_are", c.Account.Kind, "because", c.Account.KindBecause, "min_df",
		c.Account.MinDF, "min_items",
		c.Account.MinItems, "min_tokens", c.Account.MinTokens, "max_df_ratio", c.Account.MaxDFRatio)
	return nil
}

// makeCopy reads the documents into a compact copy and opens it.
func (c *Corpus) makeCopy(ctx context.Context) (intake *Intake, err error) {
	if c.kept != nil && c.layout == nil { // ranks share the folder, and none has all documents
		return c.keepCopy(ctx)
	}
	if c.options.Dir == "" {
		var memory bytes.Buffer
		if intake, err = c.fill(ctx, &memory); err == nil {
			c.copy, err = openMemory(memory.Bytes())
		}
		return intake, err
	}
	if c.scratch, err = durable.NewScratch(c.options.Dir, "corpus"); err != nil {
		return nil, fmt.Errorf("making a folder for the copy of the documents: %w", err)
	}
	path := filepath.Join(c.scratch.Path(), "corpus")
	err = durable.WriteFile(path, func(to io.Writer) (err error) {
		intake, err = c.fill(ctx, to)
		return err
	})
	if err == nil {
		c.copy, err = OpenCopy(path)
	}
	return intake, err
}

// fill reads all documents and writes a copy of them.
func (c *Corpus) fill(ctx context.Context, to io.Writer) (*Intake, error) {
	writer, err := NewCopyWriter(to)
	if err != nil {
		return nil, err
	}
	intake, err := c.read(ctx, c.readingOptions("reading"), func(docs *Documents) error {
		c.tally.Add(docs)
		return writer.Append(docs)
	})
	if err != nil {
		return nil, err
	}
	return intake, writer.Close()
}

// readingOptions returns the options of a reading in the named stage.
func (c *Corpus) readingOptions(stage string) ReadingOptions {
	opts := ReadingOptions{Workers: c.options.Workers, Vocabulary: c.options.Vocabulary}
	if progress := c.options.Progress; progress != nil {
		opts.Progress = func(done, total int64) { progress(stage, done, total) }
	}
	return opts
}

// pruned reports whether items are counted first and then chosen.
func (c *Corpus) pruned() bool { return c.options.Vocabulary == nil && !c.options.NoPrune }

// Copied reports whether Open read and copied the documents, for more passes than one. If so, Account has their numbers
// and the vocabulary is complete.
func (c *Corpus) Copied() bool { return c.copy != nil && !(c.layout != nil && c.options.onlyPass()) }

// Growing reports whether the vocabulary grows during the first pass, which discovers the items.
func (c *Corpus) Growing() bool { return c.copy == nil && c.options.Vocabulary == nil }

// ReadingBytes returns approximately how much memory the reading took, in bytes. It is 0 if Open did not read the
// documents.
func (c *Corpus) ReadingBytes() int64 { return c.bytes }

// ViewBytes returns the size in bytes of the table that renumbers items during a pass.
func (c *Corpus) ViewBytes() int64 {
	return cmp.Or(c.viewBytes, 4*int64(len(c.view.Remap)))
}

// chooseVocabulary records what was read, chooses the limits for items, and fails if nothing is left to learn from.
func (c *Corpus) chooseVocabulary(ctx context.Context, intake *Intake) error {
	unlike, err := c.take(ctx, intake)
	if err != nil {
		return err
	}
	if err = c.checkItems(); err == nil {
		err = unlike
	}
	return c.common(ctx, err)
}

// take records what was read and chooses the kind of the documents, which may be unlike any; if items are pruned, it
// chooses them. The error wraps syscall.ENOMEM if the process lacks memory for that.
func (c *Corpus) take(ctx context.Context, intake *Intake) (unlike, err error) {
	a := &c.Account
	a.DocumentsRead, a.Entries, a.Tokens, a.UnknownTokens = intake.Documents, intake.Entries, intake.Tokens,
		intake.Unknown.Tokens
	a.LeftOut = intake.LeftOut
	c.Inputs = append(c.Inputs, intake.Inputs...)
	c.bytes = intake.Bytes
	if unlike, err = c.chooseItems(ctx, intake); err != nil {
		return nil, err
	}
	a.Items = c.Vocabulary.Len()
	a.VocabularySHA256 = c.Vocabulary.Fingerprint()
	c.options.Log.Info("documents read", "seconds", time.Since(c.begun).Seconds(), "documents", a.DocumentsRead, "entries",
		a.Entries, "tokens", a.Tokens,
		"unknown_tokens", a.UnknownTokens, "items_seen", c.seen, "items_kept", a.Items,
		"below_min_df", a.Pruned.MinDF.Items, "above_max_df_ratio", a.Pruned.MaxDFRatio.Items,
		"stopwords", a.Pruned.Stopwords.Items, "beyond_max_items", a.Pruned.MaxItems.Items)
	if l := a.LeftOut; l != (LeftOut{}) {
		c.options.Log.Warn("rows left out", "negative", l.Negative, "zero", l.Zero, "empty", l.Empty, "bad", l.Bad,
			"first_bad", l.First, "totals", l.Totals)
	}
	return unlike, nil
}

// chooseItems sets the vocabulary, of all items or of those that pruning keeps.
func (c *Corpus) chooseItems(ctx context.Context, intake *Intake) (unlike, err error) {
	var shared []int32 // the numbers of this rank's items
	if c.layout != nil {
		if shared, err = c.shareItems(ctx, intake); err != nil {
			return nil, err
		}
	}
	c.Vocabulary, c.seen, c.view.Remap = intake.Vocabulary, intake.Vocabulary.Len(), shared
	unlike = c.chooseKind(intake.Vocabulary, ratio(intake.Tokens, intake.Entries))
	if !c.pruned() {
		return unlike, nil
	}
	if err := process.Reserve(intake.Vocabulary.pruneBytes(c.options.Pruning)); err != nil {
		return nil, err
	}
	p := &c.options.Pruning
	c.Vocabulary, c.view.Remap, c.Account.Pruned = intake.Vocabulary.Prune(*p, intake.Documents)
	if c.lower(c.Vocabulary.Len()) {
		c.Vocabulary, c.view.Remap, c.Account.Pruned = intake.Vocabulary.Prune(*p, intake.Documents)
	}
	if err := c.keepLeft(intake.Vocabulary); err != nil {
		return nil, err
	}
	if c.layout != nil {
		for i, number := range shared {
			shared[i] = c.view.Remap[number]
		}
		c.view.Remap = shared
	}
	return unlike, nil
}

// lower lowers the limits of the kind if they leave next to no items. It reports whether it did.
func (c *Corpus) lower(left int) bool {
	a, p := &c.Account, &c.options.Pruning
	if left >= fewItems || c.seen == 0 || c.lowest.MinDF >= p.MinDF && c.lowest.MaxDFRatio <= p.MaxDFRatio {
		return false
	}
	c.options.Log.Warn("limits for items are lowered, because they would leave next to nothing", "items", left, "min_df",
		c.lowest.MinDF, "max_df_ratio", c.lowest.MaxDFRatio)
	p.MinDF, p.MaxDFRatio = c.lowest.MinDF, c.lowest.MaxDFRatio
	a.MinDF, a.MaxDFRatio, a.Lowered = p.MinDF, p.MaxDFRatio, true
	return true
}

// checkItems fails if nothing is left to learn from.
func (c *Corpus) checkItems() error {
	a := &c.Account
	switch {
	case a.DocumentsRead == 0:
		return lacks(NoDocuments, "%s no documents", c.inputs())
	case a.Items == 0 && c.pruned() && a.Tokens > 0:
		return lacks(AllItemsPruned, "pruning leaves no items: of %d, %d are in too few documents, %d in too many and %d "+
			"are stop words",
			a.Pruned.Total().Items, a.Pruned.MinDF.Items, a.Pruned.MaxDFRatio.Items, a.Pruned.Stopwords.Items)
	case a.Items == 0:
		return lacks(NoItems, "%s documents, but no items", c.inputs())
	}
	return nil
}

// inputs begins a sentence about the input: its name and the verb "holds".
func (c *Corpus) inputs() string {
	switch n := len(c.Inputs); n {
	case 0:
		return "the input holds"
	case 1:
		return c.Inputs[0].Path + " holds"
	default:
		return fmt.Sprintf("%s and %d more shards hold", c.Inputs[0].Path, n-1)
	}
}

// Pass calls fn with the documents that count, in order; see the type Pass. It records in Account what was dropped. The
// error is a *DataError if no document is left. Of several ranks, each gets its own documents.
func (c *Corpus) Pass(ctx context.Context, fn func(*Documents) error) error {
	var dropped Dropped
	err := c.countPasses(ctx)
	if err != nil {
		return err
	}
	if c.copy != nil {
		dropped, err = c.copy.Pass(ctx, c.options.Workers, &c.view, fn)
	} else {
		dropped, err = c.passOverOrigin(ctx, fn)
	}
	if err != nil {
		return c.lost(ctx, err)
	}
	if c.layout == nil {
		c.count(dropped)
	} else if c.counted != nil {
		c.Vocabulary, c.counted = c.counted, nil
	}
	a := &c.Account
	dropped = a.Dropped
	if a.Documents == 0 {
		return c.common(ctx, lacks(AllDocumentsShort, "no document is left: of %d, %d have fewer than 2 tokens of the "+
			"vocabulary, %d fewer than %d distinct items and %d fewer than %d tokens",
			a.DocumentsRead, dropped.NoPair, dropped.FewItems, a.MinItems, dropped.FewTokens, a.MinTokens))
	}
	return nil
}

// count records what passes leave out.
func (c *Corpus) count(dropped Dropped) {
	c.Account.Dropped = dropped
	c.Account.Documents = c.Account.DocumentsRead - dropped.Documents()
}

// Watched returns the pass over the corpus with progress: that is called from time to time with the documents delivered
// so far and how many there are, or at most, if no pass was made before. Each of several ranks reports its own
// documents.
func (c *Corpus) Watched(progress func(done, total int64)) Pass {
	return func(ctx context.Context, fn func(*Documents) error) error {
		total := cmp.Or(c.Account.Documents, c.Account.DocumentsRead)
		if c.measured {
			total = c.here
		}
		done := int64(0)
		progress(done, total)
		return c.Pass(ctx, func(docs *Documents) error {
			err := fn(docs)
			done += int64(docs.Documents())
			progress(done, total)
			return err
		})
	}
}

// passOverOrigin makes the only pass if there is no copy.
func (c *Corpus) passOverOrigin(ctx context.Context, fn func(*Documents) error) (dropped Dropped, err error) {
	opts := c.readingOptions("sketching")
	if opts.Vocabulary == nil {
		opts.Growing = c.Vocabulary
	}
	var seen Documents
	intake, err := c.read(ctx, opts, func(docs *Documents) error {
		c.tally.Add(docs)
		dropped.Add(c.view.Apply(&seen, docs))
		return fn(&seen)
	})
	if err != nil {
		return dropped, err
	}
	return dropped, c.chooseVocabulary(ctx, intake)
}

// Close removes the copy of the documents. An error says that the copy is left, and nothing about what was made from
// it.
func (c *Corpus) Close() error {
	if c.part {
		c.copy = nil
		return nil
	}
	var err error
	if c.copy != nil {
		err = c.copy.Close()
		c.copy = nil
	}
	if c.origin != nil {
		err = errors.Join(err, c.origin.Close())
		c.origin = nil
	}
	c.scratch.Remove()
	c.scratch = nil
	return err
}

// CountItems reads all documents and counts their items. It returns the items that pruning leaves, and an account. It
// does not keep the documents.
func CountItems(ctx context.Context, read Reading, opts Options) (*Vocabulary, Account, error) {
	c := newCorpus(read, opts)
	c.Account.MinItems, c.Account.MinTokens = 0, 0 // no document is left out
	intake, err := read(ctx, c.readingOptions("reading"), func(docs *Documents) error {
		c.tally.Add(docs)
		return nil
	})
	if err != nil {
		return nil, c.Account, err
	}
	err = c.chooseVocabulary(ctx, intake)
	return c.Vocabulary, c.Account, err
}
