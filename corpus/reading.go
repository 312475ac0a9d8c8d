// This file says what a corpus is opened from.

package corpus

import "context"

// Pass calls fn with all documents of a corpus, in runs and in the same order every time. Documents are valid until fn returns.
// An error of fn ends the pass and is returned. Corpus.Pass is one.
type Pass func(ctx context.Context, fn func(*Documents) error) error

// Reading reads documents from their origin, once: it numbers the items, counts them, and calls fn with all documents in their
// order, in runs that are valid until fn returns.
type Reading func(ctx context.Context, opts ReadingOptions, fn func(*Documents) error) (*Intake, error)

// ReadingOptions say how items are numbered.
type ReadingOptions struct {
	// Workers is the number of goroutines that decode; 0 stands for the number of processors.
	Workers int
	// Vocabulary, if not nil, fixes the items and their numbers. Other items are left out and counted in Intake.Unknown. It is not
	// modified.
	Vocabulary *Vocabulary
	// Growing is the vocabulary in which items are numbered as they come, if Vocabulary is nil; nil for a new one. fn may read it
	// while documents are delivered.
	Growing *Vocabulary
	// Progress, if not nil, is called now and then with what was done and what there is to do, 0 while that is unknown.
	Progress func(done, total int64)
}

// Intake is what a Reading has read. Documents without entries count as documents.
type Intake struct {
	// Vocabulary is that of the options or, where they fix none or one without counts, has df and tf over all documents read.
	// Counts that a fixed vocabulary brings along are kept.
	Vocabulary *Vocabulary
	Documents  int64
	Entries    int64 // pairs of a document and an item of the vocabulary in it
	Tokens     int64 // the sum of their counts
	Unknown    Unknown
	Inputs     []Input
	Bytes      int64 // about how much memory the reading took, beside what fn took
}

// Unknown is what was left out because a fixed vocabulary does not have the item.
type Unknown struct {
	Entries, Tokens int64
}
