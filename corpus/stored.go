// This file opens a corpus whose documents lie in compact copies already.

package corpus

import (
	"context"

	"anchorage/internal/rowsort"
)

// Stored are documents that an earlier reading copied.
type Stored struct {
	// Copy holds the documents; see Join.
	Copy *Copy
	// Numbers holds, for each item of Copy, its index in Intake.Vocabulary. It may be longer than Copy.Items.
	Numbers []int32
	// Intake is what a Reading of the documents would return: with a vocabulary in order of appearance, and its counts.
	Intake *Intake
	// Tally is that of all documents.
	Tally Tally
}

// OpenStored opens a corpus of stored documents. It is the corpus that Open makes of the same documents, but copies
// none of them. It takes over s.Copy, also if it fails. It panics if opts.Vocabulary is set: the items were numbered
// before.
func OpenStored(ctx context.Context, s Stored, opts Options) (_ *Corpus, err error) {
	if opts.Vocabulary != nil {
		panic("corpus: stored documents have a vocabulary already")
	}
	defer func() {
		if err != nil {
			s.Copy.Close()
		}
	}()
	if opts.Passes == 1 && opts.NoPrune {
		c, err := Open(ctx, s.reading, opts)
		if err == nil {
			c.origin = s.Copy
		}
		return c, err
	}
	c := newCorpus(nil, opts)
	c.copy, c.tally = s.Copy, s.Tally
	if err := c.chooseVocabulary(ctx, s.Intake); err != nil {
		return nil, err
	}
	c.renumber(s.Numbers)
	return c, c.chooseLimits(ctx)
}

// renumber makes the view take the items of a copy, whose numbers in the vocabulary before pruning are given.
func (c *Corpus) renumber(numbers []int32) {
	pruned := c.view.Remap
	c.view.Remap = make([]int32, len(numbers))
	for i, number := range numbers {
		if pruned != nil && number >= 0 {
			number = pruned[number]
		}
		c.view.Remap[i] = number
	}
	// The memory model decides on some results. It gets the size that the table has where the documents were just read.
	c.viewBytes = 4 * int64(len(pruned))
}

// reading is a Reading of stored documents, for a corpus that is read in a single pass.
func (s *Stored) reading(ctx context.Context, opts ReadingOptions, fn func(*Documents) error) (*Intake, error) {
	intake := *s.Intake
	if opts.Growing != nil {
		v := s.Intake.Vocabulary
		for i := range v.Len() {
			index := opts.Growing.InternKeyed(v.id(i), v.keys[i])
			opts.Growing.DocumentFrequency[index], opts.Growing.TermFrequency[index] = v.DocumentFrequency[i], v.TermFrequency[i]
		}
		opts.Growing.Counted = true
		intake.Vocabulary = opts.Growing
	}
	done := int64(0)
	var seen Documents
	_, err := s.Copy.Pass(ctx, opts.Workers, nil, func(docs *Documents) error {
		if opts.Progress != nil {
			opts.Progress(done, s.Copy.Documents())
		}
		done += int64(docs.Documents())
		s.show(&seen, docs)
		return fn(&seen)
	})
	return &intake, err
}

// show overwrites dst with documents of the copy, with the items numbered as in the vocabulary.
func (s *Stored) show(dst, src *Documents) {
	dst.reset(src.Entries())
	dst.Offsets = append(dst.Offsets[:0], src.Offsets...)
	for j, item := range src.Items {
		dst.Items, dst.Counts = append(dst.Items, s.Numbers[item]), append(dst.Counts, src.Counts[j])
	}
	for m := range dst.Documents() {
		items, counts := dst.Row(m)
		dst.pairs = rowsort.Sort(items, counts, dst.pairs)
	}
}
