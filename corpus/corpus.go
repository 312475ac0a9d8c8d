// This file opens a corpus: documents are read once, items chosen, and the documents kept for further passes.

package corpus

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// Options say which documents and items of a Reading count, and how they are kept. The zero value keeps all items and all
// documents with at least two tokens.
type Options struct {
	// Vocabulary fixes the items and their order; nil lets them be counted and pruned.
	Vocabulary *Vocabulary
	// Pruning chooses among the items of a vocabulary that is not fixed.
	Pruning Pruning
	// NoPrune keeps every item, numbered in order of appearance.
	NoPrune bool
	// MinItems and MinTokens are how many distinct items of the vocabulary and how many tokens a document must have.
	MinItems, MinTokens int
	// Passes is how often the documents will be read, 0 for a number yet unknown. A single pass over items that need not be
	// counted first reads the origin itself; otherwise the documents are copied.
	Passes int
	// Dir is the folder of the compact copy, below which a scratch folder is made; empty keeps the copy in memory.
	Dir string
	// Workers is the number of goroutines of a pass; 0 stands for the number of processors.
	Workers int
	// Inputs and Skipped are only noted.
	Skipped []Skipped
	// Log, if not nil, is told what was read. Progress, if not nil, is called with a stage, "reading" or "sketching", and how far it
	// has come; total is 0 while it is unknown.
	Log      *slog.Logger
	Progress func(stage string, done, total int64)
}

// Corpus is a set of documents that can be read in passes. It belongs to one goroutine. Close it in the end.
type Corpus struct {
	// Vocabulary numbers the items. Where the only pass reads the origin, it grows during that pass.
	Vocabulary *Vocabulary
	// Account says what was read and left out. What concerns documents is complete after the first pass.
	Account Account
	Inputs  []Input
	Skipped []Skipped

	options Options
	read    Reading
	view    View
	copy    *Copy  // nil where the origin itself is read, once
	dir     string // where the copy lies
	seen    int    // items before any was left out
	bytes   int64  // memory of the reading
}

// Open opens a corpus. The error is a *DataError if there are no documents or no items, and otherwise that of the Reading or
// of the copy.
func Open(ctx context.Context, read Reading, opts Options) (_ *Corpus, err error) {
	c := &Corpus{options: opts, read: read, Skipped: opts.Skipped, view: View{MinItems: opts.MinItems, MinTokens: opts.MinTokens}}
	if c.options.Log == nil {
		c.options.Log = slog.New(slog.DiscardHandler)
	}
	c.Account = Account{FixedVocabulary: opts.Vocabulary != nil, MinItems: opts.MinItems, MinTokens: opts.MinTokens}
	if c.pruned() {
		c.Account.MinDF, c.Account.MaxDFRatio = opts.Pruning.MinDF, opts.Pruning.MaxDFRatio
		c.Account.MaxItems, c.Account.Stopwords = opts.Pruning.MaxItems, len(opts.Pruning.Stopwords)
	}
	if opts.Passes == 1 && !c.pruned() {
		c.Vocabulary = opts.Vocabulary
		if c.Vocabulary == nil {
			c.Vocabulary = NewVocabulary()
		}
		return c, nil
	}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	intake, err := c.makeCopy(ctx)
	if err != nil {
		return nil, err
	}
	c.take(intake)
	return c, c.checkItems()
}

// makeCopy reads the documents into a compact copy and opens it.
func (c *Corpus) makeCopy(ctx context.Context) (*Intake, error) {
	if c.options.Dir == "" {
		writer, memory := newMemoryWriter()
		intake, err := c.fill(ctx, writer)
		if err != nil {
			return nil, err
		}
		c.copy, err = openMemory(memory.Bytes())
		return intake, err
	}
	var err error
	if c.dir, err = os.MkdirTemp(c.options.Dir, "anchorage-corpus-"); err != nil {
		return nil, fmt.Errorf("making a folder for the copy of the documents: %w", err)
	}
	path := filepath.Join(c.dir, "corpus")
	writer, err := NewCopyWriter(path)
	if err != nil {
		return nil, err
	}
	defer writer.Abort()
	intake, err := c.fill(ctx, writer)
	if err != nil {
		return nil, err
	}
	c.copy, err = OpenCopy(path)
	return intake, err
}

// fill writes all documents as they are read.
func (c *Corpus) fill(ctx context.Context, writer *CopyWriter) (*Intake, error) {
	intake, err := c.read(ctx, c.readingOptions("reading"), writer.Append)
	if err != nil {
		return nil, err
	}
	return intake, writer.Close()
}

// readingOptions are those of a reading that is part of the named stage.
func (c *Corpus) readingOptions(stage string) ReadingOptions {
	opts := ReadingOptions{Workers: c.options.Workers, Vocabulary: c.options.Vocabulary}
	if progress := c.options.Progress; progress != nil {
		opts.Progress = func(done, total int64) { progress(stage, done, total) }
	}
	return opts
}

// pruned reports whether items are counted first, and chosen then.
func (c *Corpus) pruned() bool { return c.options.Vocabulary == nil && !c.options.NoPrune }

// Copied reports whether the documents were read and copied when the corpus was opened: then Account has their numbers, and
// the vocabulary is complete.
func (c *Corpus) Copied() bool { return c.copy != nil }

// Growing reports whether the vocabulary grows during the first pass, which discovers the items.
func (c *Corpus) Growing() bool { return c.copy == nil && c.options.Vocabulary == nil }

// ItemsSeen returns the number of items before any was left out; 0 while it is unknown.
func (c *Corpus) ItemsSeen() int { return c.seen }

// ReadingBytes returns about how much memory the reading took, 0 if the documents were not read when the corpus was opened.
func (c *Corpus) ReadingBytes() int64 { return c.bytes }

// ViewBytes returns the memory of the renumbering of items that a pass applies.
func (c *Corpus) ViewBytes() int64 { return 4 * int64(len(c.view.Remap)) }

// take notes what was read and, where items are counted, chooses among them.
func (c *Corpus) take(intake *Intake) {
	a := &c.Account
	a.DocumentsRead, a.Entries, a.Tokens, a.UnknownTokens = intake.Documents, intake.Entries, intake.Tokens, intake.Unknown.Tokens
	c.Inputs = append(c.Inputs, intake.Inputs...)
	c.Vocabulary, c.seen, c.bytes = intake.Vocabulary, intake.Vocabulary.Len(), intake.Bytes
	if c.pruned() {
		c.Vocabulary, c.view.Remap, a.Pruned = intake.Vocabulary.Prune(c.options.Pruning, intake.Documents)
	}
	a.Items = c.Vocabulary.Len()
	a.VocabularySHA256 = c.Vocabulary.Fingerprint()
	c.options.Log.Info("documents read", "documents", a.DocumentsRead, "entries", a.Entries, "tokens", a.Tokens,
		"unknown_tokens", a.UnknownTokens, "items_seen", intake.Vocabulary.Len(), "items_kept", a.Items,
		"below_min_df", a.Pruned.MinDF.Items, "above_max_df_ratio", a.Pruned.MaxDFRatio.Items,
		"stopwords", a.Pruned.Stopwords.Items, "beyond_max_items", a.Pruned.MaxItems.Items)
}

// checkItems fails if nothing is left to learn from.
func (c *Corpus) checkItems() error {
	a := &c.Account
	switch {
	case a.DocumentsRead == 0:
		return lacks(NoDocuments, "%s no documents", c.origin())
	case a.Items == 0 && c.pruned() && a.Tokens > 0:
		return lacks(AllItemsPruned, "pruning leaves no items: of %d, %d are in too few documents, %d in too many and %d are stop words",
			a.Pruned.Total().Items, a.Pruned.MinDF.Items, a.Pruned.MaxDFRatio.Items, a.Pruned.Stopwords.Items)
	case a.Items == 0:
		return lacks(NoItems, "%s documents, but no items", c.origin())
	}
	return nil
}

// origin names the input, up to a verb that says what it holds.
func (c *Corpus) origin() string {
	switch n := len(c.Inputs); n {
	case 0:
		return "the input holds"
	case 1:
		return c.Inputs[0].Path + " holds"
	default:
		return fmt.Sprintf("%s and %d more shards hold", c.Inputs[0].Path, n-1)
	}
}

// Pass calls fn with the documents that count, in order; it is a Pass. It notes in Account what was dropped, and returns a
// *DataError if no document is left.
func (c *Corpus) Pass(ctx context.Context, fn func(*Documents) error) error {
	var dropped Dropped
	var err error
	if c.copy != nil {
		dropped, err = c.copy.Pass(ctx, c.options.Workers, &c.view, fn)
	} else {
		dropped, err = c.passOverOrigin(ctx, fn)
	}
	if err != nil {
		return err
	}
	a := &c.Account
	a.Dropped = dropped
	a.Documents = a.DocumentsRead - dropped.Documents()
	if a.Documents == 0 {
		return lacks(AllDocumentsShort, "no document is left: of %d, %d have fewer than 2 tokens of the vocabulary, %d fewer than %d distinct items and %d fewer than %d tokens",
			a.DocumentsRead, dropped.NoPair, dropped.FewItems, a.MinItems, dropped.FewTokens, a.MinTokens)
	}
	return nil
}

// passOverOrigin is the only pass where there is no copy.
func (c *Corpus) passOverOrigin(ctx context.Context, fn func(*Documents) error) (dropped Dropped, err error) {
	opts := c.readingOptions("sketching")
	if opts.Vocabulary == nil {
		opts.Growing = c.Vocabulary
	}
	var seen Documents
	intake, err := c.read(ctx, opts, func(docs *Documents) error {
		dropped.Add(c.view.Apply(&seen, docs))
		return fn(&seen)
	})
	if err != nil {
		return dropped, err
	}
	c.take(intake)
	return dropped, c.checkItems()
}

// Close removes the copy of the documents.
func (c *Corpus) Close() error {
	var err error
	if c.copy != nil {
		err = c.copy.Close()
		c.copy = nil
	}
	if c.dir != "" {
		if removal := os.RemoveAll(c.dir); err == nil {
			err = removal
		}
		c.dir = ""
	}
	return err
}

// CountItems reads all documents, counts their items and returns those that pruning leaves, and an account. Documents are not
// kept.
func CountItems(ctx context.Context, read Reading, opts Options) (*Vocabulary, Account, error) {
	c := &Corpus{options: opts}
	if c.options.Log == nil {
		c.options.Log = slog.New(slog.DiscardHandler)
	}
	intake, err := read(ctx, c.readingOptions("reading"), func(*Documents) error { return nil })
	if err != nil {
		return nil, c.Account, err
	}
	c.take(intake)
	return c.Vocabulary, c.Account, c.checkItems()
}
