// This file defines Documents, the form in which algorithms see documents: rows of item indices and counts; and the
// functions that yield them: Reading, from which a corpus is opened, and Pass.

package corpus

import (
	"context"
	"slices"

	"anchorage/internal/scribble"
)

// Documents is a run of documents in compressed sparse rows. Document d has the entries Offsets[d] to Offsets[d+1]−1 of
// Items and Counts; Offsets[0] is 0. Items are indices into a vocabulary and strictly increase within a document.
// Counts are at least 1. A document may be empty.
//
// Weights has a positive weight for every document; without any, as the passes of a Corpus deliver them, they are 1
// each. A document of weight v counts like v equal documents in the products of sketch.Operator and for
// sketch.CountMarginals; everything else takes each document once.
//
// A function that receives Documents must not modify them. They are valid until it returns.
type Documents struct {
	Offsets []int32
	Items   []int32
	Counts  []int32
	Weights []float64

	// Places are the numbers of the documents among the Read documents that a pass looked at for this run, in the order in
	// which they were read, from 0; the pass leaves the others out. So the number of a document in the corpus as it was
	// read is its place and the sum of Read over the runs before. Documents that come from no pass have neither.
	Places []int32
	Read   int

	pairs []uint64 // scratch of rowsort.Sort
}

// Documents returns the number of documents.
func (d *Documents) Documents() int { return max(len(d.Offsets)-1, 0) }

// Entries returns the number of entries.
func (d *Documents) Entries() int { return len(d.Items) }

// Row returns the items and counts of document i. They alias d.
func (d *Documents) Row(i int) (items, counts []int32) {
	start, end := d.Offsets[i], d.Offsets[i+1]
	return d.Items[start:end:end], d.Counts[start:end:end]
}

// Weight returns the weight of document i.
func (d *Documents) Weight(i int) float64 {
	if len(d.Weights) == 0 {
		return 1
	}
	return d.Weights[i]
}

// reset empties d, keeps its memory, and makes room for the given number of entries.
func (d *Documents) reset(entries int) {
	d.Offsets, d.Weights, d.Places = append(d.Offsets[:0], 0), d.Weights[:0], d.Places[:0]
	d.Items = slices.Grow(d.Items[:0], entries)
	d.Counts = slices.Grow(d.Counts[:0], entries)
}

// Append adds a document of weight 1. Its items must be strictly increasing. The slices are copied.
func (d *Documents) Append(items, counts []int32) {
	if len(d.Offsets) == 0 {
		d.Offsets = append(d.Offsets, 0)
	}
	d.Items = append(d.Items, items...)
	d.Counts = append(d.Counts, counts...)
	d.Offsets = append(d.Offsets, int32(len(d.Items)))
	if len(d.Weights) > 0 {
		d.Weights = append(d.Weights, 1)
	}
}

// Tokens returns n_m, the sum of a document's counts.
func Tokens(counts []int32) int64 {
	var n int64
	for _, count := range counts {
		n += int64(count)
	}
	return n
}

// scribble overwrites the documents if the build has the tag scribble.
func (d *Documents) scribble() { scribble.Over(d.Offsets, d.Items, d.Counts) }

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
