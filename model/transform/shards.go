// This file takes shards through the inference, and writes a table for each.

package transform

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/pipeline"
	"anchorage/shard"
)

const (
	// depth is the number of batches that each worker decodes ahead.
	depth = 2
	// block is the number of documents that one call of parallel work infers.
	block = 64
)

// run is the transformation of shards under way.
type run struct {
	ctx        context.Context
	stage      string // as Progress is told
	seen       int64  // documents
	t          *Transformer
	o          Options
	vocabulary *corpus.Vocabulary
	workers    sync.Pool // of *infer.Worker
	record     Record
	sum        float64 // Σ ln p over all known tokens
}

func newRun(ctx context.Context, t *Transformer, o Options) *run {
	r := &run{ctx: ctx, stage: "transforming", t: t, o: o, vocabulary: t.Vocabulary(), record: Record{Prior: "dirichlet",
		Method: "collapsed", Options: t.Inferrer().Options(), Topics: t.Topics(), Alpha: t.Inferrer().Alpha(),
		TimeColumn: o.TimeColumn}}
	r.workers.New = func() any { return t.Inferrer().Worker() }
	return r
}

// Documents writes the topics of the documents of shards into files, a table for each shard: prefix-00000.parquet,
// prefix-00001.parquet, and so on. Errors are those of the shards, a *shard.Error or a *TimeError, and those of files.
func Documents(ctx context.Context, t *Transformer, shards []shard.Shard, files Files, prefix string,
	o Options) (Record, error) {
	r := newRun(ctx, t, o)
	r.orderDates(shards)
	for i, s := range shards {
		digest, err := s.Digest(ctx)
		if err != nil {
			return r.record, err
		}
		name := fmt.Sprintf("%s-%05d.parquet", prefix, i)
		before := r.record.Documents
		if err := files.WriteFile(name, func(w io.Writer) error { return r.shard(s, w) }); err != nil {
			return r.record, err
		}
		r.record.Files = append(r.record.Files, name)
		r.record.Inputs = append(r.record.Inputs, corpus.Input{Path: s.Path, Size: s.Size, SHA256: digest,
			Documents: r.record.Documents - before})
	}
	if r.record.Known > 0 {
		r.record.LogLikelihood = r.sum / float64(r.record.Known)
	}
	return r.record, nil
}

// shard writes the table of one shard.
func (r *run) shard(s shard.Shard, w io.Writer) error {
	out, err := newTable(w, s.Path, r.t.Topics(), r.o.TimeColumn != "")
	if err != nil {
		return err
	}
	err = r.batches(s, func(b *batch) error {
		if err := r.infer(out, b); err != nil {
			return err
		}
		return out.write(b)
	})
	if err != nil {
		return err
	}
	return out.writer.Close()
}

// batches calls fn with every batch of a shard, in order. It is an error if the shard changed meanwhile.
func (r *run) batches(s shard.Shard, fn func(*batch) error) error {
	parts, err := s.WithNames("").Parts(r.ctx)
	if err != nil {
		return err
	}
	times, long, err := timeParts(r.ctx, s, r.o.TimeColumn, len(parts))
	if err != nil {
		return err
	}
	p := pipeline.Pipeline[batch]{
		Workers: kernel.Workers(r.o.Workers),
		Tasks:   len(parts),
		Depth:   depth,
		Do: func(ctx context.Context, task int, part func(func(*batch) error) error) error {
			reader, err := shard.Open(ctx, parts[task])
			if err != nil {
				return err
			}
			defer reader.Close()
			var timed *timeReader
			if times != nil {
				if timed, err = openTimes(ctx, times[task], long); err != nil {
					return err
				}
				defer timed.reader.Close()
				timed.days = r.record.SlashedDates == dayFirst
			}
			for err == nil {
				err = part(func(b *batch) error { return b.fill(reader, timed, r.vocabulary, r.o.Folded) })
			}
			return err
		},
		NewBuffer: func() *batch { return new(batch) },
		Deliver: func(_ int, b *batch) error {
			if r.seen += int64(b.Documents()); r.o.Progress != nil {
				r.o.Progress(r.stage, r.seen, 0)
			}
			return fn(b)
		},
		Retire: func(*batch) {},
	}
	if err := p.Run(r.ctx); err != nil {
		return err
	}
	return s.Unchanged(r.ctx)
}

// infer fills the columns of a batch's documents.
func (r *run) infer(out *table, b *batch) error {
	n, k := b.Documents(), r.t.Topics()
	out.mixtures = resize(out.mixtures, n*k)
	out.tops, out.deviations, out.logs = resize(out.tops, n), resize(out.deviations, n), resize(out.logs, n)
	out.known, out.unknown = resize(out.known, n), resize(out.unknown, n)
	err := kernel.Parallel(r.ctx, kernel.Workers(r.o.Workers), (n+block-1)/block, func(i int) error {
		w := r.workers.Get().(*infer.Worker)
		defer r.workers.Put(w)
		for d := i * block; d < min((i+1)*block, n); d++ {
			from, to := b.Offsets[d], b.Offsets[d+1]
			r := w.Infer(out.mixtures[d*k:][:k], b.index[from:to], b.Counts[from:to])
			out.tops[d], out.deviations[d], out.logs[d] = int32(r.Top), float32(r.Deviation), r.LogLikelihood
			out.known[d], out.unknown[d] = r.Known, r.Unknown
		}
		return nil
	})
	for d := range n {
		r.record.Known += out.known[d]
		r.record.Unknown += out.unknown[d]
		if out.known[d] == 0 && out.unknown[d] > 0 {
			r.record.Without++
		}
		if out.known[d] > 0 && !math.IsNaN(out.logs[d]) {
			r.sum += out.logs[d] * float64(out.known[d])
		}
	}
	r.record.Documents += int64(n)
	r.record.Folded += b.folded
	r.record.Unknown -= b.folded
	return err
}

// batch is a shard.Batch with the items' numbers in the vocabulary.
type batch struct {
	shard.Batch
	codes  []int32 // of each id of the dictionary: its item, or -1, or foldedItem
	index  []int32 // of each entry: the same
	folded int64   // tokens of folded items
	times  []int64 // of each document; nil if there is no column of times
}

// foldedItem is the number of all items of Options.Folded.
const foldedItem = -2

// fill reads the batch, with the times of its documents if there are some.
func (b *batch) fill(reader shard.Reader, times *timeReader, v, folded *corpus.Vocabulary) error {
	if err := reader.Next(&b.Batch); err != nil {
		if err == io.EOF && times != nil {
			return times.end()
		}
		return err
	}
	b.codes, b.index, b.folded = b.codes[:0], b.index[:0], 0
	for i := range b.Dictionary.Len() {
		item, known := v.Lookup(b.Dictionary.ID(i))
		if !known && folded != nil {
			if _, known = folded.Lookup(b.Dictionary.ID(i)); known {
				item = foldedItem
			}
		}
		b.codes = append(b.codes, item)
	}
	for i, code := range b.Items {
		if b.index = append(b.index, b.codes[code]); b.codes[code] == foldedItem {
			b.folded += int64(b.Counts[i])
		}
	}
	if times == nil {
		return nil
	}
	return times.fill(b)
}
