// This file keeps how far the reading of a corpus has come, and continues from there.

package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"anchorage/internal/checkpoint"
	"anchorage/internal/durable"
)

// facts returns the options that decide what a corpus holds.
func (o *Options) facts() []checkpoint.Fact {
	p := &o.Pruning
	facts := []checkpoint.Fact{
		{Name: "least document frequency", Value: fmt.Sprint(p.MinDF)}, {Name: "greatest share of the documents",
			Value: fmt.Sprint(p.MaxDFRatio)},
		{Name: "most items", Value: fmt.Sprint(p.MaxItems)}, {Name: "keeping all items", Value: fmt.Sprint(o.NoPrune)},
		{Name: "least items of a document", Value: fmt.Sprint(o.MinItems)}, {Name: "least tokens of a document",
			Value: fmt.Sprint(o.MinTokens)},
		{Name: "kind of documents", Value: string(o.Kind)}, {Name: "passes", Value: fmt.Sprint(o.Passes)},
	}
	if o.Vocabulary != nil {
		facts = append(facts, checkpoint.Fact{Name: "digest of the vocabulary that fixes the items",
			Value: o.Vocabulary.Fingerprint()})
	}
	if digest := p.stopwords(); digest != "" {
		facts = append(facts, checkpoint.Fact{Name: "digest of the stop words", Value: digest})
	}
	return facts
}

// State returns pointers to everything that a checkpoint keeps of the vocabulary, and a function that makes it the
// vocabulary of the values that were read.
func (v *Vocabulary) State() (values []any, restore func()) {
	arena, ends := v.arena, v.ends
	df, tf, counted := v.DocumentFrequency, v.TermFrequency, v.Counted
	return []any{&arena, &ends, &df, &tf, &counted}, func() {
		// The ids are interned again, so that the vocabulary takes as much memory as one that was never saved.
		*v = *NewVocabulary()
		start := int64(0)
		for _, end := range ends {
			v.Intern(arena[start:end])
			start = end
		}
		copy(v.DocumentFrequency, df)
		copy(v.TermFrequency, tf)
		v.Counted = counted
	}
}

// keptReading is a reading whose copy lies in a checkpoint.
type keptReading struct {
	corpus   *Corpus
	point    *checkpoint.Point
	writer   *CopyWriter
	file     *durable.Appender
	intake   *Intake // of the inputs that are done; nil before the first
	complete bool    // all inputs are done, and the copy has its footer
}

// progress takes how far the copy has come, and returns what is known of the inputs but their vocabulary.
func (r *keptReading) progress(v *checkpoint.Values) Intake {
	v.Take(&r.complete)
	if v.Reading() {
		r.intake = &Intake{}
	}
	facts := *r.intake
	facts.Vocabulary = nil
	v.JSON(&facts)
	t := &r.corpus.tally
	v.Take(&t.Documents, &t.Small, &t.Single)
	r.writer.checkpoint(v)
	return facts
}

// checkpoint takes the state after an input.
func (r *keptReading) checkpoint(v *checkpoint.Values) {
	facts := r.progress(v)
	vocabulary := r.intake.Vocabulary
	fixed := r.corpus.options.Vocabulary
	if v.Reading() {
		*r.intake = facts
		vocabulary, _ = (&ReadingOptions{Vocabulary: fixed}).Numbering()
		r.intake.Vocabulary = vocabulary
	}
	switch {
	case fixed == nil:
		v.Take(vocabulary)
	case vocabulary != fixed:
		v.Take(&vocabulary.DocumentFrequency, &vocabulary.TermFrequency, &vocabulary.Counted)
	}
}

// keepCopy reads the documents into a copy in the checkpoint, or those that it does not have, and opens it.
func (c *Corpus) keepCopy(ctx context.Context) (_ *Intake, err error) {
	path := filepath.Join(c.kept.Path(), keptCopy)
	r := &keptReading{corpus: c, writer: new(CopyWriter)}
	chain := c.kept.Chain("read")
	loaded, err := chain.Load()
	if err == nil && loaded != nil {
		r.checkpoint(&loaded.Values)
		err = loaded.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w", c.kept.Path(), err)
	}
	if r.intake != nil && !r.holds(ctx, path) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.options.Log.Warn("the copy of the documents in the checkpoint is damaged: reading them again", "file", path)
		*r, c.tally = keptReading{corpus: c, writer: new(CopyWriter)}, Tally{}
	}
	r.point = chain.Point("reading", nil, nil)
	intake, err := r.read(ctx, path)
	if errors.Is(err, checkpoint.ErrChanged) {
		return nil, fmt.Errorf("%s cannot be resumed: %w", c.kept.Path(), err)
	}
	if err != nil {
		return nil, err
	}
	c.copy, err = OpenCopy(path)
	return intake, err
}

// keptStates match the states of reading in the folder of a checkpoint, and keptCopy is the copy that they are about.
const (
	keptStates = "read-*.state"
	keptCopy   = "copy"
)

// VerifyKept compares the copy of the documents in the folder of a checkpoint with its checksums, as far as the newest
// whole state says that it goes. there is false if no state speaks of a copy. The error wraps ErrCorrupt if the copy is
// not what was written.
func VerifyKept(ctx context.Context, folder string) (name string, there bool, err error) {
	states, err := filepath.Glob(filepath.Join(folder, keptStates))
	if err != nil {
		return keptCopy, false, err
	}
	slices.Sort(states)
	path := filepath.Join(folder, keptCopy)
	for _, state := range slices.Backward(states) {
		loaded, err := checkpoint.OpenState(ctx, state)
		if err != nil {
			continue // the states before are about the beginning of the same copy
		}
		r := &keptReading{corpus: &Corpus{}, writer: new(CopyWriter)}
		r.progress(&loaded.Values)
		if err := loaded.Close(); err != nil {
			continue
		}
		if !r.holds(ctx, path) {
			err = cmp.Or(ctx.Err(), (&Copy{name: path}).corrupt("it is not what its states say"))
		}
		return keptCopy, true, err
	}
	return keptCopy, false, ctx.Err()
}

// holds reports whether what the copy should have is there and whole.
func (r *keptReading) holds(ctx context.Context, path string) bool {
	if r.complete {
		whole, err := OpenCopy(path)
		if err != nil {
			return false
		}
		whole.Close()
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	from := bufio.NewReaderSize(file, 1<<18)
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(from, header); err != nil || !bytes.Equal(header, copyHeader()) {
		return false
	}
	var block []byte
	for number, size := range r.writer.sizes {
		block = slices.Grow(block[:0], int(size))[:size]
		if _, err := io.ReadFull(from, block); err != nil || ctx.Err() != nil {
			return false
		}
		if _, err := parseBlock(block, uint32(number)); err != nil {
			return false
		}
	}
	return true
}

// read reads the inputs that are left, and completes the copy.
func (r *keptReading) read(ctx context.Context, path string) (_ *Intake, err error) {
	c := r.corpus
	opts := c.readingOptions("reading")
	opts.Before, opts.After = r.intake, r.after
	deliver := func(docs *Documents) error {
		r.point.Leave()
		c.tally.Add(docs)
		return r.writer.Append(docs)
	}
	if r.complete {
		return c.read(ctx, opts, deliver) // which checks that the inputs have not changed
	}
	size := int64(0)
	if r.intake != nil {
		size = r.writer.written()
	}
	if r.file, err = durable.NewAppender(path, size); err != nil {
		return nil, err
	}
	r.writer.to = r.file
	defer func() {
		r.point.Leave() // the file is closed: no interrupt may write a state of it
		r.file.Abort()
	}()
	if size == 0 {
		if _, err := r.file.Write(copyHeader()); err != nil {
			return nil, err
		}
	}
	intake, err := c.read(ctx, opts, deliver)
	if err != nil {
		return nil, err
	}
	if err := r.writer.Close(); err != nil {
		return nil, err
	}
	if err := r.file.Close(); err != nil {
		return nil, err
	}
	r.intake, r.complete = intake, true
	r.point.Reached(r.checkpoint)
	r.point.Leave()
	return intake, nil
}

// after notes that an input is done.
func (r *keptReading) after(sofar *Intake) {
	if r.complete {
		return
	}
	r.intake = sofar
	r.point.Reached(func(v *checkpoint.Values) {
		if !v.Writing() {
			r.checkpoint(v)
		} else if err := r.file.Sync(); err != nil {
			v.Fail(err) // the run continues; the state before is still there
		} else {
			r.checkpoint(v)
		}
	})
}
