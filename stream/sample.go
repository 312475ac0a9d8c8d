// This file draws a sample of the documents of shards.

package stream

import (
	"context"
	"io"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/shard"
)

const (
	// DefaultSample is the number of entries of a sample: about a second of reading.
	DefaultSample = 4 << 20
	// sampledParts is the greatest number of parts that a sample is drawn from, and sampledTexts the same of parts whose
	// number of documents is known only after reading: the less of such a part was read, the less exactly it is known.
	sampledParts = 64
	sampledTexts = 16
	// sampledBatch is the number of entries of a batch of a sample.
	sampledBatch = 1 << 15
)

// Sample reads about the given number of entries, 0 for DefaultSample, from parts all over the shards. It says what it
// found and how much there is in all: by footers where they say it, else by how far the reading of a part came. It
// reads the beginnings of parts, and small inputs as a whole. The sample depends only on the input, except for the
// processor time that it took. Errors are those of the shards.
func Sample(ctx context.Context, shards []shard.Shard, entries int64, workers int) (*corpus.Sample, error) {
	if entries <= 0 {
		entries = DefaultSample
	}
	s := &sampling{sample: corpus.NewSample()}
	if err := s.choose(ctx, shards, workers); err != nil {
		return nil, err
	}
	defer s.close()
	cpu := process.CPUSeconds()
	for target := entries / int64(max(len(s.parts), 1)); ; {
		err := kernel.Parallel(ctx, kernel.Workers(workers), len(s.parts),
			func(i int) error { return s.parts[i].read(ctx, target) })
		if err != nil {
			return nil, err
		}
		total, open := int64(0), int64(0)
		for _, p := range s.parts {
			total += p.entries
			if !p.done {
				open++
			}
		}
		if open == 0 || entries-total < entries/20 {
			break
		}
		target += max((entries-total)/open, 1)
	}
	err := s.collect()
	s.sample.CPU = process.CPUSeconds() - cpu
	s.scale()
	return s.sample, err
}

// sampling is the state of a Sample.
type sampling struct {
	parts  []*sampledPart
	all    bool  // the parts are all parts
	rows   int64 // documents of all parts, -1 if unknown
	bytes  int64 // of all parts
	sample *corpus.Sample
}

// sampledPart is a part whose beginning is read.
type sampledPart struct {
	part               shard.Part
	reader             shard.Reader
	batches            []*batch
	entries, documents int64
	done               bool // it was read to its end
}

// choose chooses the parts.
func (s *sampling) choose(ctx context.Context, shards []shard.Shard, workers int) error {
	found := make([][]shard.Part, len(shards))
	err := kernel.Parallel(ctx, kernel.Workers(workers), len(shards), func(i int) (err error) {
		found[i], err = shards[i].WithBatches(sampledBatch).Parts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	parts := slices.Concat(found...)
	for _, p := range parts {
		s.bytes += p.Bytes
		if p.Rows < 0 || s.rows < 0 {
			s.rows = -1
		} else {
			s.rows += p.Rows
		}
	}
	most := min(len(parts), sampledParts)
	if s.rows < 0 {
		most = min(most, sampledTexts)
	}
	s.all = most == len(parts)
	for i := range most {
		s.parts = append(s.parts, &sampledPart{part: parts[(2*i+1)*len(parts)/(2*most)]})
	}
	return nil
}

// read reads the part until it has the target number of entries.
func (p *sampledPart) read(ctx context.Context, target int64) error {
	if p.reader == nil && !p.done {
		var err error
		if p.reader, err = shard.Open(ctx, p.part); err != nil {
			return err
		}
	}
	for !p.done && p.entries < target {
		b := new(batch)
		if err := p.reader.Next(&b.Batch); err == io.EOF {
			p.done = true
			return nil
		} else if err != nil {
			return err
		}
		b.count()
		b.hash()
		p.batches = append(p.batches, b)
		p.entries += b.entries
		p.documents += int64(b.Documents())
	}
	return nil
}

// collect numbers the items, and adds the documents to the sample. Its first half is every other part, so that the
// halves differ as parts do, or every other batch of few parts.
func (s *sampling) collect() error {
	v := s.sample.Vocabulary()
	number := 0
	for i, p := range s.parts {
		for _, b := range p.batches {
			half := number%2 == 0
			if len(s.parts) >= 4 {
				half = i%2 == 0
			}
			if err := b.intern(v); err != nil {
				return err
			}
			if err := b.relabel(context.Background(), 1); err != nil {
				return err
			}
			b.addTo(v)
			s.sample.Add(&b.documents, half)
			number++
		}
	}
	v.Counted = true
	return nil
}

// scale sets the figures of all documents.
func (s *sampling) scale() {
	sample := s.sample
	sample.Complete = s.all
	documents, entries, bytes := 0.0, 0.0, 0.0 // expected in the parts that were chosen
	for _, p := range s.parts {
		factor := 1.0
		if !p.done {
			sample.Complete = false
			factor = p.factor()
		}
		documents += factor * float64(p.documents)
		entries += factor * float64(p.entries)
		bytes += float64(p.part.Bytes)
	}
	if bytes > 0 {
		documents, entries = documents*float64(s.bytes)/bytes, entries*float64(s.bytes)/bytes
	}
	spread := s.spread()
	switch {
	case sample.Complete:
		sample.AllDocuments, sample.AllEntries = around(float64(sample.Documents), 0), around(float64(sample.Entries), 0)
	case s.rows >= 0 && documents > 0:
		sample.AllDocuments = around(float64(s.rows), 0)
		sample.AllEntries = around(entries*float64(s.rows)/documents, 0.01+spread)
	default:
		sample.AllDocuments, sample.AllEntries = around(documents, 0.02+spread), around(entries, 0.02+spread)
	}
}

// factor returns how many times as much the part holds as was read of it.
func (p *sampledPart) factor() float64 {
	if p.part.Rows >= 0 {
		return float64(p.part.Rows) / float64(max(p.documents, 1))
	}
	return max(float64(p.part.Bytes)/float64(max(p.reader.Taken(), 1)), 1)
}

// spread returns twice the standard error of the mean number of entries of a document, relative to it, from how much
// batches differ.
func (s *sampling) spread() float64 {
	var n, sum, squares float64
	for _, p := range s.parts {
		for _, b := range p.batches {
			mean := float64(b.entries) / float64(max(b.Documents(), 1))
			n, sum, squares = n+1, sum+mean, squares+mean*mean
		}
	}
	if n < 2 {
		return 0.5
	}
	mean := sum / n
	return 2 * math.Sqrt(max(squares/n-mean*mean, 0)/(n-1)) / max(mean, 1e-9)
}

func around(value, spread float64) corpus.Interval {
	return corpus.Interval{Estimate: value, Low: value * math.Exp(-spread), High: value * math.Exp(spread)}
}

// close closes the readers, of files that were only read.
func (s *sampling) close() {
	for _, p := range s.parts {
		if p.reader != nil {
			p.reader.Close()
		}
	}
}
