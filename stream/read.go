// Package stream reads documents from shards: it decodes them in parallel and delivers them in order, with bounded
// memory. Open makes a corpus.Corpus of shards; Read is a single reading. The package also reads and writes vocabulary
// files, and Sift sets shards aside that cannot be read.
//
// Workers decode ahead, each into a few buffers. The caller's function receives the buffers one after the
// other, on the caller's goroutine. Their order, the numbering of the items and all counts depend only on the input,
// never on the number of workers. Documents are valid until the function returns; then the buffer goes back to its
// worker. The build tag scribble overwrites the buffer first, which exposes a function that keeps a slice.
//
// Memory is that of the vocabulary and of the buffers, a small fixed number per worker. Read returns only after all its
// goroutines have ended, whether it completes, fails or is cancelled. The same holds if the function panics.
//
// Of several ranks of one job, each reads a run of consecutive shards; see package corpus.
//
// Package corpus defines df, tf, M and n_m.
package stream

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/internal/pipeline"
	"anchorage/internal/scribble"
	"anchorage/shard"
)

// readDepth is the number of batches that each worker of Read owns. Parts of a shard are delivered one after the other.
// While one part is delivered, a worker can decode only as much of another as fits into its batches.
const readDepth = 8

// ReadOptions say how shards are read. The zero value uses all processors and numbers items in order of appearance.
type ReadOptions struct {
	corpus.ReadingOptions // Progress counts bytes
	// SkipDigests leaves Input.SHA256 empty, which saves reading every shard a second time. A shard that expects a digest
	// is hashed nevertheless; see Sift.
	SkipDigests bool
	// Interned, if not nil, is called before the documents of a batch are, with the indices of the batch's items in the
	// order in which a new vocabulary would number them. It has no effect if Vocabulary is set. The slice is valid until
	// Interned returns.
	Interned func(items []int32)
}

// Read decodes the shards and calls fn with all of their documents: shard by shard, in the order in which each shard
// holds them, in runs of arbitrary length. Documents are valid until fn returns.
//
// Read finds the parts of all shards before it decodes anything. If that fails, as with a truncated Parquet file, it
// returns the error of the first such shard. Later errors are the first in the order of the documents, for any number
// of workers: a *shard.Error for bad input, or fn's error. When all is read, a shard that has changed since it was
// found, or is gone, is a *shard.Error. Once ctx is done, Read returns the error of ctx. With an error, the Intake is
// nil.
func Read(ctx context.Context, shards []shard.Shard, opts ReadOptions,
	fn func(*corpus.Documents) error) (*corpus.Intake, error) {
	inputs, err := openAll(ctx, shards, kernel.Workers(opts.Workers))
	if err != nil {
		return nil, err
	}
	return read(ctx, inputs, opts, fn)
}

// input is one shard: its parts, which can be decoded independently, and its digest.
type input struct {
	shard.Shard
	parts  []func(context.Context) (shard.Reader, error)
	digest func(context.Context) (string, error)
	same   func(context.Context) error // fails if the shard has changed since it was found; nil if it cannot
}

// openAll finds the parts of all shards.
func openAll(ctx context.Context, shards []shard.Shard, workers int) ([]input, error) {
	inputs := make([]input, len(shards))
	return inputs, kernel.ParallelAll(ctx, workers, len(shards), func(i int) error {
		s := shards[i]
		inputs[i] = input{Shard: s, digest: s.Digest, same: s.Unchanged}
		parts, err := s.Parts(ctx)
		for _, part := range parts {
			inputs[i].parts = append(inputs[i].parts, func(ctx context.Context) (shard.Reader, error) {
				return shard.Open(ctx, part)
			})
		}
		return err
	})
}

// reading is the state of a Read.
type reading struct {
	ctx     context.Context
	inputs  []input
	tasks   []readTask
	workers int
	fn      func(*corpus.Documents) error

	interned func(items []int32) // may be nil

	fixed      *corpus.Vocabulary // nil if the vocabulary grows
	vocabulary *corpus.Vocabulary // of the Intake
	counting   bool               // count df and tf

	intake corpus.Intake
	done   int // inputs that an earlier reading has taken in
	after  func(*corpus.Intake)
	meter  meter
}

// readTask is one part of an input or, after the last of them, its digest.
type readTask struct {
	input int
	part  int // len(parts) for the digest
}

func read(ctx context.Context, inputs []input, opts ReadOptions,
	fn func(*corpus.Documents) error) (*corpus.Intake, error) {
	if opts.Vocabulary != nil && opts.Growing != nil {
		panic("stream: Vocabulary and Growing are both set")
	}
	r := &reading{ctx: ctx, inputs: inputs, workers: kernel.Workers(opts.Workers), fn: fn, fixed: opts.Vocabulary,
		after: opts.After, interned: opts.Interned}
	if err := r.resume(opts.Before); err != nil {
		return nil, err
	}
	r.meter.report = opts.Progress
	for i, in := range inputs {
		if i >= r.done {
			for part := range in.parts {
				r.tasks = append(r.tasks, readTask{i, part})
			}
		}
		if !opts.SkipDigests || in.Expects() {
			r.tasks = append(r.tasks, readTask{i, len(in.parts)})
		}
		r.meter.total += in.Size
		if i >= r.done {
			r.intake.Inputs = append(r.intake.Inputs, corpus.Input{Path: in.Path, Size: in.Size})
		}
	}
	r.vocabulary, r.counting = opts.Numbering()
	p := pipeline.Pipeline[batch]{
		Workers:   r.workers,
		Tasks:     len(r.tasks),
		Depth:     readDepth,
		Do:        r.do,
		NewBuffer: func() *batch { return new(batch) },
		Deliver:   r.deliver,
		Retire:    func(b *batch) { scribble.Over(b.documents.Offsets, b.documents.Items, b.documents.Counts) },
	}
	if err := p.Run(ctx); err != nil {
		return nil, err
	}
	if err := kernel.ParallelAll(ctx, r.workers, len(inputs), func(i int) error {
		if inputs[i].same == nil {
			return nil
		}
		return inputs[i].same(ctx)
	}); err != nil {
		return nil, err
	}
	if r.meter.report != nil {
		r.meter.report(r.meter.total, r.meter.total)
	}
	r.intake.Vocabulary = r.vocabulary
	if r.counting { // else it is the caller's, and has counts
		r.vocabulary.Counted = true
	}
	r.intake.Bytes = ReadBytes(r.intake.Entries, r.vocabulary.Len(), r.vocabulary.Bytes(), r.workers)
	return &r.intake, nil
}

// resume takes over what an earlier reading has taken in.
func (r *reading) resume(before *corpus.Intake) error {
	if before == nil {
		return nil
	}
	r.intake, r.done = *before, len(before.Inputs)
	r.intake.Inputs = slices.Clone(before.Inputs)
	for i, was := range before.Inputs {
		if i == len(r.inputs) {
			return checkpoint.Changed("the number of shards", fmt.Sprintf("%d or more", len(before.Inputs)),
				fmt.Sprint(len(r.inputs)))
		}
		if is := r.inputs[i]; is.Path != was.Path || is.Size != was.Size {
			return checkpoint.Changed(fmt.Sprintf("shard %d", i+1), fmt.Sprintf("%s of %d bytes", was.Path, was.Size),
				fmt.Sprintf("%s of %d bytes", is.Path, is.Size))
		}
	}
	return nil
}

// inputDone notes the digest of an input, which comes after its documents. That of one that was read before must be
// what it was.
func (r *reading) inputDone(number int, in *corpus.Input, digest string) error {
	if number < r.done {
		if in.SHA256 != digest {
			return checkpoint.Changed("the SHA-256 of "+in.Path, in.SHA256, digest)
		}
		return nil
	}
	in.SHA256 = digest
	if r.after != nil {
		sofar := r.intake
		sofar.Inputs, sofar.Vocabulary = slices.Clone(sofar.Inputs[:number+1]), r.vocabulary
		r.after(&sofar)
	}
	return nil
}

// do does a task, on a worker: it decodes a part of a shard, or finds the shard's digest.
func (r *reading) do(ctx context.Context, task int, part func(func(*batch) error) error) error {
	in, number := &r.inputs[r.tasks[task].input], r.tasks[task].part
	if number == len(in.parts) {
		return part(func(b *batch) (err error) {
			b.digest, err = in.digest(ctx)
			return err
		})
	}
	reader, err := in.parts[number](ctx)
	if err != nil {
		return err
	}
	defer reader.Close() // it was only read
	for err == nil {
		err = part(func(b *batch) error { return b.fill(ctx, reader, r.fixed) })
	}
	return err
}

// deliver does what must happen in order: it numbers and counts the items, and passes the documents to fn.
func (r *reading) deliver(task int, b *batch) error {
	t := r.tasks[task]
	in := &r.intake.Inputs[t.input]
	if b.digest != "" {
		return r.inputDone(t.input, in, b.digest)
	}
	if r.fixed == nil {
		if err := b.intern(r.vocabulary); err != nil {
			return err
		}
		if r.interned != nil {
			r.interned(b.index)
		}
		if err := b.relabel(r.ctx, r.workers); err != nil {
			return err
		}
	}
	if r.counting {
		b.addTo(r.vocabulary)
	}
	if b.Left.Any() {
		r.intake.LeftOut.Add(b.Left)
		if err := r.inputs[t.input].CheckLeftOut(r.intake.LeftOut); err != nil {
			return err
		}
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

// fill reads the batch, and numbers its items if the vocabulary is fixed.
func (b *batch) fill(ctx context.Context, reader shard.Reader, fixed *corpus.Vocabulary) error {
	b.digest = ""
	if err := reader.Next(&b.Batch); err != nil {
		return err
	}
	if err := b.reserve(); err != nil {
		return err
	}
	b.count()
	if fixed == nil {
		b.hash()
		return nil
	}
	b.lookup(fixed)
	return b.relabel(ctx, 1)
}

// progressInterval is the shortest time between two reports.
const progressInterval = 100 * time.Millisecond

// meter reports how many bytes of the shards are done, at most once per progressInterval.
type meter struct {
	report   func(done, total int64) // nil for no reports
	total    int64
	input    int       // index of the input being delivered
	finished int64     // bytes of the inputs before it
	last     time.Time // of the last report
}

// at records the task whose documents were delivered, and reports if it is time to.
func (m *meter) at(inputs []input, task readTask) {
	if m.report == nil {
		return
	}
	for ; m.input < task.input; m.input++ {
		m.finished += inputs[m.input].Size
	}
	now := time.Now()
	if now.Sub(m.last) < progressInterval {
		return
	}
	m.last = now
	in := &inputs[task.input]
	m.report(m.finished+int64(float64(in.Size)*float64(task.part)/float64(len(in.parts))), m.total)
}

// ReadBytes returns the approximate memory that Read takes for entries of a number of items, in bytes; see
// corpus.Intake.Bytes. vocabulary is the size of the vocabulary in bytes at the end; while it grows it takes up to
// twice as much. Each worker has a table of ids and its batches, as far as the entries fill them.
func ReadBytes(entries int64, items int, vocabulary int64, workers int) int64 {
	const (
		batchEntries = 1 << 17
		entry        = 8  // item and count
		id           = 48 // an id of a batch: its text, key, frequencies and index
	)
	distinct := min(int64(items), batchEntries/4)
	batches := min(int64(kernel.Workers(workers))*readDepth, entries/batchEntries+1)
	tables := int64(kernel.Workers(workers)) * distinct * id
	return 2*vocabulary + batches*(batchEntries*entry+distinct*id) + tables
}

// The least bytes of the compact copy per byte of the shards. Copies of kos, NIPS, retail, wiki and Reddit take 0.48 to
// 1.13 of compressed shards, and 0.13 to 0.44 of plain text. The check counts with half of the least, because tables
// may have columns that are not read: it should refuse no run that would end well.
const (
	packedShare = 0.24
	plainShare  = 0.06
)

// LeastCopy returns the least that the copy of shards takes, in bytes; 0 if the size of one is unknown.
func LeastCopy(shards []shard.Shard) (bytes int64) {
	for _, s := range shards {
		if s.Size <= 0 {
			return 0
		}
		share := plainShare
		name, _, _ := strings.Cut(strings.ToLower(s.Path), "?")
		if s.Format == shard.Parquet || strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".zst") {
			share = packedShare
		}
		bytes += int64(share * float64(s.Size))
	}
	return bytes
}
