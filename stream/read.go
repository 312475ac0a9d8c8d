// This file is the pass over shards.

package stream

import (
	"context"
	"io"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/pipeline"
	"anchorage/internal/scribble"
	"anchorage/shard"
)

// readDepth is how many batches each worker of Read owns. Parts of a shard have to be delivered one after the other, so
// only what fits into these batches can be decoded of one part while another is delivered.
const readDepth = 8

// ReadOptions says how shards are read. The zero value reads with all processors and numbers items as they come.
type ReadOptions struct {
	corpus.ReadingOptions // Progress is told of bytes
	// SkipDigests leaves Input.SHA256 empty, which saves reading every shard a second time. Shards that expect a digest are read
	// for it all the same; see shard.Checksums and Sift.
	SkipDigests bool
}

// Read decodes the shards and calls fn with all of their documents, in the order of the shards and of the documents in
// them, in runs of no particular length. Documents are valid until fn returns.
//
// Before anything is decoded, the parts of all shards are found, and a shard where that fails, such as a Parquet file that
// is cut off, ends Read with its error: that of the first. After that the error is the first in the order of the
// documents, whatever the number of workers: a *shard.Error for bad input, or fn's error. Once ctx is done it is ctx's.
// With an error there is no Intake.
func Read(ctx context.Context, shards []shard.Shard, opts ReadOptions, fn func(*corpus.Documents) error) (*corpus.Intake, error) {
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
	fn      func(*corpus.Documents) error

	fixed      *corpus.Vocabulary // nil for a growing vocabulary
	vocabulary *corpus.Vocabulary // that of the Intake
	counting   bool               // whether df and tf are to be counted

	intake corpus.Intake
	meter  meter
}

// readTask is one part of an input or, after the last of them, its digest.
type readTask struct {
	input int
	part  int // len(parts) for the digest
}

func read(ctx context.Context, inputs []input, opts ReadOptions, fn func(*corpus.Documents) error) (*corpus.Intake, error) {
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
		r.meter.total += in.size
		r.intake.Inputs = append(r.intake.Inputs, corpus.Input{Path: in.path, Size: in.size})
	}
	r.chooseVocabulary(opts)
	p := pipeline.Pipeline[batch]{
		Workers:   r.workers,
		Tasks:     len(r.tasks),
		Depth:     readDepth,
		Open:      r.open,
		NewBuffer: func() *batch { return new(batch) },
		Deliver:   r.deliver,
		Retire:    func(b *batch) { scribble.Over(b.documents.Offsets, b.documents.Items, b.documents.Counts) },
	}
	if err := p.Run(ctx); err != nil {
		return nil, err
	}
	r.meter.finish()
	r.intake.Vocabulary = r.vocabulary
	r.vocabulary.Counted = true
	r.intake.Bytes = readBytes(r.intake.Entries, r.vocabulary.Len(), r.vocabulary.Bytes(), r.workers)
	return &r.intake, nil
}

// chooseVocabulary decides where items are numbered and counted.
func (r *reading) chooseVocabulary(opts ReadOptions) {
	r.counting = r.fixed == nil || !r.fixed.Counted
	switch {
	case r.fixed == nil && opts.Growing == nil:
		r.vocabulary = corpus.NewVocabulary()
	case r.fixed == nil:
		r.vocabulary = opts.Growing
	case r.counting:
		r.vocabulary = r.fixed.Uncounted()
	default:
		r.vocabulary = r.fixed
	}
}

// open begins a task, on a worker.
func (r *reading) open(ctx context.Context, task int) (pipeline.Source[batch], error) {
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
	in := &r.intake.Inputs[t.input]
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
	r.meter.at(r.inputs, t)
	return r.fn(&b.documents)
}

// partSource decodes one part of a shard.
type partSource struct {
	ctx    context.Context
	reader shard.Reader
	fixed  *corpus.Vocabulary
}

func (s *partSource) Fill(b *batch) error {
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

func (s *partSource) Close() { s.reader.Close() } // of a file that was only read

// digestSource yields the digest of a shard.
type digestSource struct {
	ctx    context.Context
	digest func(context.Context) (string, error)
	done   bool
}

func (s *digestSource) Fill(b *batch) (err error) {
	if s.done {
		return io.EOF
	}
	s.done = true
	b.digest, err = s.digest(s.ctx)
	return err
}

func (s *digestSource) Close() {}
