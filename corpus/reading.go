// This file defines the functions that yield documents: Reading, from which a corpus is opened, and Pass.

package corpus

import "context"

// Pass calls fn with all documents of a corpus, in runs and in the same order every time. Documents are valid until fn
// returns. An error of fn ends the pass, which returns it. Corpus.Pass is a Pass.
type Pass func(ctx context.Context, fn func(*Documents) error) error

// Reading reads the documents from their origin, once. It numbers and counts the items, and calls fn with runs of
// documents in their order. A run is valid until fn returns.
type Reading func(ctx context.Context, opts ReadingOptions, fn func(*Documents) error) (*Intake, error)

// ReadingOptions say how items are numbered.
type ReadingOptions struct {
	// Workers is the number of goroutines that decode; 0 means the number of processors.
	Workers int
	// Vocabulary, if not nil, fixes the items and their numbers. Other items are left out and counted in Intake.Unknown.
	// The Reading does not modify it.
	Vocabulary *Vocabulary
	// Growing, if not nil, is the vocabulary that new items are added to in order of appearance; nil means a new one.
	// It is used only if Vocabulary is nil. fn may read it.
	Growing *Vocabulary
	// Before, if not nil, is what an earlier reading of the same origin has taken in: its first inputs. The Reading goes
	// on after them, with the vocabulary of Before, which it may modify, and what it returns has them all. The error is
	// fit.ErrChanged if one of them is not what it was. After, if not nil, is called after each input with what was taken
	// in so far; its vocabulary continues to grow, and nothing else of it changes.
	Before *Intake
	After  func(sofar *Intake)
	// Progress, if not nil, is called from time to time with the work done and the total, 0 while the total is unknown.
	Progress func(done, total int64)
}

// Numbering returns the vocabulary in which a Reading numbers items, that of its Intake, and whether it counts them
// there.
func (o *ReadingOptions) Numbering() (v *Vocabulary, counting bool) {
	fixed := o.Vocabulary
	counting = fixed == nil || !fixed.Counted
	switch {
	case o.Before != nil:
		return o.Before.Vocabulary, counting
	case fixed == nil && o.Growing == nil:
		return NewVocabulary(), true
	case fixed == nil:
		return o.Growing, true
	case counting:
		return fixed.Uncounted(), true
	}
	return fixed, false
}

// Intake is the result of a Reading. Documents without entries count as documents.
type Intake struct {
	// Vocabulary is that of the options if it has counts. Otherwise it has the df and tf of all documents read.
	Vocabulary *Vocabulary
	Documents  int64
	Entries    int64 // pairs of a document and an item of the vocabulary in it
	Tokens     int64 // the sum of their counts
	Unknown    Unknown
	LeftOut    LeftOut
	Inputs     []Input
	Bytes      int64 // approximate memory that the reading took, without that of fn
}

// Unknown counts what was left out because the fixed vocabulary lacks the item.
type Unknown struct {
	Entries, Tokens int64
}
