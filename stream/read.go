// This file is the pass over shards.

package stream

import (
	"context"
	"io"

	"anchorage/internal/kernel"
	"anchorage/shard"
)

// readDepth is how many batches each worker of Read owns. Parts of a shard have to be delivered one after the other, so
// only what fits into these batches can be decoded of one part while another is delivered.
const readDepth = 8

// ReadOptions says how shards are read. The zero value reads with all processors and numbers items as they come.
type ReadOptions struct {
	// Workers is the number of goroutines that decode; 0 stands for the number of processors.
	Workers int
	// Vocabulary, where it is not nil, fixes the items and their numbers: items that are not in it are left out and
	// counted in Intake.Unknown. It is not modified.
	Vocabulary *Vocabulary
	// Growing is the vocabulary in which the items are numbered as they come, where Vocabulary is nil: a new one if it is
	// nil too. The function that gets the documents may read it while it runs, and there learn of new items before Read
	// returns.
	Growing *Vocabulary
	// SkipDigests leaves Input.SHA256 empty, which saves reading every shard a second time: for a further pass. It does not
	// count for shards that expect a digest; see shard.Checksums and Sift.
	SkipDigests bool
	// Progress, where it is not nil, is called at most ten times a second and once at the end, on the caller's goroutine.
	Progress func(Progress)
}

// Intake is what Read has read. Documents without any entry count as documents.
type Intake struct {
	// Vocabulary is that of the options or, where they fix none or one without counts, has df and tf over all documents
	// read. Counts that a fixed vocabulary brings along are kept as they are.
	Vocabulary *Vocabulary
	Documents  int64
	Entries    int64 // pairs of a document and an item of the vocabulary in it
	Tokens     int64 // their counts
	Unknown    Unknown
	Shards     []Input
}

// Unknown is what was left out because a fixed vocabulary does not have the item.
type Unknown struct {
	Entries, Tokens int64
}

// Input is one shard that was read.
type Input struct {
	Path      string
	Size      int64  // bytes
	SHA256    string // of the bytes, in hexadecimal
	Documents int64
}

// Read decodes the shards and calls fn with all of their documents, in the order of the shards and of the documents in
// them, in runs of no particular length. Documents are valid until fn returns.
//
// Before anything is decoded, the parts of all shards are found, and a shard where that fails, such as a Parquet file that
// is cut off, ends Read with its error: that of the first. After that the error is the first in the order of the
// documents, whatever the number of workers: a *shard.Error for bad input, or fn's error. Once ctx is done it is ctx's.
// With an error there is no Intake.
func Read(ctx context.Context, shards []shard.Shard, opts ReadOptions, fn func(*Documents) error) (*Intake, error) {
	inputs, err := openAll(ctx, shards, kernel.Workers(opts.Workers))
	if err != nil {
		return nil, err
	}
	return read(ctx, inputs, opts, fn)
}

// input is one shard: what can be decoded on its own, in order, and the shard's digest.
type input struct {
	path    string
	size    int64
	parts   []func(context.Context) (shard.Reader, error)
	digest  func(context.Context) (string, error)
	expects bool // the digest is to be compared
}

// openAll finds the parts of all shards.
func openAll(ctx context.Context, shards []shard.Shard, workers int) ([]input, error) {
	inputs := make([]input, len(shards))
	failures := make([]error, len(shards))
	err := kernel.Parallel(ctx, workers, len(shards), func(i int) error {
		parts, err := shards[i].Parts(ctx)
		failures[i] = err
		inputs[i] = input{path: shards[i].Path, size: shards[i].Size, digest: shards[i].Digest, expects: shards[i].Expects()}
		for _, part := range parts {
			inputs[i].parts = append(inputs[i].parts, func(ctx context.Context) (shard.Reader, error) {
				return shard.Open(ctx, part)
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// reading is a Read under way.
type reading struct {
	ctx     context.Context
	inputs  []input
	tasks   []readTask
	workers int
	fn      func(*Documents) error

	fixed      *Vocabulary // nil for a growing vocabulary
	vocabulary *Vocabulary // that of the Intake
	counting   bool        // whether df and tf are to be counted

	intake Intake
	meter  meter
}

// readTask is one part of an input or, after the last of them, its digest.
type readTask struct {
	input int
	part  int // len(parts) for the digest
}

func read(ctx context.Context, inputs []input, opts ReadOptions, fn func(*Documents) error) (*Intake, error) {
	if opts.Vocabulary != nil && opts.Growing != nil {
		panic("stream: a vocabulary can either be fixed or grow")
	}
	r := &reading{ctx: ctx, inputs: inputs, workers: kernel.Workers(opts.Workers), fn: fn, fixed: opts.Vocabulary}
	r.meter.report = opts.Progress
	for i, in := range inputs {
		for part := range in.parts {
			r.tasks = append(r.tasks, readTask{i, part})
		}
		if !opts.SkipDigests || in.expects {
			r.tasks = append(r.tasks, readTask{i, len(in.parts)})
		}
		r.meter.TotalBytes += in.size
		r.intake.Shards = append(r.intake.Shards, Input{Path: in.path, Size: in.size})
	}
	r.chooseVocabulary(opts)
	p := pipeline[batch]{
		workers:   r.workers,
		tasks:     len(r.tasks),
		depth:     readDepth,
		open:      r.open,
		newBuffer: func() *batch { return new(batch) },
		deliver:   r.deliver,
		retire:    func(b *batch) { b.documents.scribble() },
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	r.meter.finish(r.intake.Documents)
	r.intake.Vocabulary = r.vocabulary
	r.vocabulary.Counted = true
	return &r.intake, nil
}

// chooseVocabulary decides where items are numbered and counted.
func (r *reading) chooseVocabulary(opts ReadOptions) {
	r.counting = r.fixed == nil || !r.fixed.Counted
	switch {
	case r.fixed == nil && opts.Growing == nil:
		r.vocabulary = NewVocabulary()
	case r.fixed == nil:
		r.vocabulary = opts.Growing
	case r.counting:
		r.vocabulary = r.fixed.uncounted()
	default:
		r.vocabulary = r.fixed
	}
}

// open begins a task, on a worker.
func (r *reading) open(ctx context.Context, task int) (source[batch], error) {
	in, part := &r.inputs[r.tasks[task].input], r.tasks[task].part
	if part == len(in.parts) {
		return &digestSource{ctx: ctx, digest: in.digest}, nil
	}
	reader, err := in.parts[part](ctx)
	if err != nil {
		return nil, err
	}
	return &partSource{ctx: ctx, reader: reader, fixed: r.fixed}, nil
}

// deliver numbers and counts what a worker could not, and passes the documents on.
func (r *reading) deliver(task int, b *batch) error {
	t := r.tasks[task]
	in := &r.intake.Shards[t.input]
	if b.digest != "" {
		in.SHA256 = b.digest
		return nil
	}
	if r.fixed == nil {
		b.intern(r.vocabulary)
		if err := b.relabel(r.ctx, r.workers); err != nil {
			return err
		}
	}
	if r.counting {
		b.addTo(r.vocabulary)
	}
	documents := int64(b.Documents())
	in.Documents += documents
	r.intake.Documents += documents
	r.intake.Entries += b.entries
	r.intake.Tokens += b.tokens
	r.intake.Unknown.Entries += b.unknown.Entries
	r.intake.Unknown.Tokens += b.unknown.Tokens
	r.meter.at(r.intake.Documents, r.inputs, t)
	return r.fn(&b.documents)
}

// partSource decodes one part of a shard.
type partSource struct {
	ctx    context.Context
	reader shard.Reader
	fixed  *Vocabulary
}

func (s *partSource) fill(b *batch) error {
	b.digest = ""
	if err := s.reader.Next(&b.Batch); err != nil {
		return err
	}
	b.count()
	if s.fixed == nil {
		b.hash()
		return nil
	}
	b.lookup(s.fixed)
	return b.relabel(s.ctx, 1)
}

func (s *partSource) close() { s.reader.Close() } // of a file that was only read

// digestSource yields the digest of a shard.
type digestSource struct {
	ctx    context.Context
	digest func(context.Context) (string, error)
	done   bool
}

func (s *digestSource) fill(b *batch) (err error) {
	if s.done {
		return io.EOF
	}
	s.done = true
	b.digest, err = s.digest(s.ctx)
	return err
}

func (s *digestSource) close() {}
