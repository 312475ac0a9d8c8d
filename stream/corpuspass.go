// This file is the pass over a corpus cache.

package stream

import (
	"context"
	"io"

	"anchorage/internal/kernel"
)

// passDepth is how many blocks each worker of a pass owns: one being delivered, one waiting, one being decoded.
const passDepth = 3

// Pass calls fn with all documents of the corpus, in order, as view shows them; with a nil view all are shown as they are.
// The number of workers, or of processors where it is 0, decodes and views blocks of documents. Documents are valid until
// fn returns. What view left out is returned once the pass is complete.
//
// The error is the first in the order of the documents: one that ErrCorrupt is in and that names the file and the block,
// or fn's. Once ctx is done it is ctx's. Pass panics if view.Remap is shorter than Items.
func (c *Corpus) Pass(ctx context.Context, workers int, view *View, fn func(*Documents) error) (Dropped, error) {
	if view != nil && view.Remap != nil && len(view.Remap) < c.Items() {
		panic("stream: a view that does not know all items of the corpus")
	}
	var dropped Dropped
	var documents, entries int64
	p := pipeline[block]{
		workers: kernel.Workers(workers),
		tasks:   len(c.offsets) - 1,
		depth:   passDepth,
		open: func(_ context.Context, task int) (source[block], error) {
			return &blockSource{corpus: c, view: view, number: task}, nil
		},
		newBuffer: func() *block { return new(block) },
		deliver: func(_ int, b *block) error {
			dropped.Add(b.dropped)
			documents += int64(b.stored.Documents())
			entries += int64(b.stored.Entries())
			if view == nil {
				return fn(&b.stored)
			}
			return fn(&b.viewed)
		},
		retire: func(b *block) {
			b.stored.scribble()
			b.viewed.scribble()
		},
	}
	if err := p.run(ctx); err != nil {
		return Dropped{}, err
	}
	if documents != c.totals.documents || entries != c.totals.entries {
		return Dropped{}, c.corrupt("its blocks hold %d documents and %d entries, and its end says %d and %d",
			documents, entries, c.totals.documents, c.totals.entries)
	}
	return dropped, nil
}

// block is a block in each of its forms.
type block struct {
	bytes   []byte
	stored  Documents
	viewed  Documents
	dropped Dropped
}

// blockSource yields one block of a corpus.
type blockSource struct {
	corpus *Corpus
	view   *View
	number int
	done   bool
}

func (s *blockSource) fill(b *block) error {
	if s.done {
		return io.EOF
	}
	s.done = true
	offset := s.corpus.offsets[s.number]
	size := int(s.corpus.offsets[s.number+1] - offset)
	b.bytes = resize(b.bytes, size+slack)[:size]
	if err := s.corpus.readAt(b.bytes, offset); err != nil {
		return err
	}
	if err := decodeBlock(&b.stored, b.bytes, uint32(s.number), s.corpus.totals.items); err != nil {
		return s.corpus.corrupt("block %d: %v", s.number+1, err)
	}
	if s.view != nil {
		b.dropped = s.view.Apply(&b.viewed, &b.stored)
	}
	return nil
}

func (s *blockSource) close() {}
