// This file is the pass over a compact copy.

package corpus

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/pipeline"
	"anchorage/internal/process"
)

// largeBlock is the size from which a block, in bytes, must hold a long document. Decoded, a block takes about
// decodedRatio times as much.
const (
	largeBlock   = 8 * blockEntries
	decodedRatio = 6
)

// passDepth is how many blocks each worker of a pass owns: one being delivered, one waiting, one being decoded.
const passDepth = 3

// Pass calls fn with all documents of the copy, in order, as view shows them. A nil view shows all documents unchanged.
// workers goroutines decode blocks and apply the view; 0 means the number of processors. Documents are valid until
// fn returns. Pass returns what view left out.
//
// The error is the first in the order of the documents: either fn's, or one that wraps ErrCorrupt and names the file
// and the block. Once ctx is done, Pass returns the error of ctx. It panics if view.Remap is shorter than Items.
func (c *Copy) Pass(ctx context.Context, workers int, view *View, fn func(*Documents) error) (Dropped, error) {
	if view != nil && view.Remap != nil && len(view.Remap) < c.Items() {
		panic("corpus: the view's Remap does not cover all items of the copy")
	}
	firsts, err := c.firstDocuments(view)
	if err != nil {
		return Dropped{}, err
	}
	var dropped Dropped
	var documents, entries int64
	p := pipeline.Pipeline[block]{
		Workers: kernel.Workers(workers),
		Tasks:   int(c.totals.blocks),
		Depth:   passDepth,
		Do: func(_ context.Context, task int, part func(func(*block) error) error) error {
			first := int64(0)
			if firsts != nil {
				first = firsts[task]
			}
			from, number := c.block(task)
			return part(func(b *block) error { return b.load(from, number, view, first) })
		},
		NewBuffer: func() *block { return new(block) },
		Deliver: func(_ int, b *block) error {
			dropped.Add(b.dropped)
			documents += b.documents
			entries += b.entries
			if view == nil {
				return fn(&b.stored)
			}
			return fn(&b.viewed)
		},
		Retire: func(b *block) {
			b.stored.scribble()
			b.viewed.scribble()
		},
	}
	if err := p.Run(ctx); err != nil {
		return Dropped{}, err
	}
	if documents != c.totals.documents || entries != c.totals.entries {
		return Dropped{}, c.corrupt("its blocks hold %d documents and %d entries, but its footer says %d and %d",
			documents, entries, c.totals.documents, c.totals.entries)
	}
	return dropped, nil
}

// firstDocuments returns the number of the first document of each block, if the view needs it: it knows documents by
// their numbers.
func (c *Copy) firstDocuments(view *View) ([]int64, error) {
	if view == nil || view.Keep == nil {
		return nil, nil
	}
	firsts, header, next := make([]int64, 0, c.totals.blocks), make([]byte, blockHeaderSize), view.before
	for task := range int(c.totals.blocks) {
		part, number := c.block(task)
		if err := part.readAt(header, part.offsets[number]); err != nil {
			return nil, err
		}
		firsts = append(firsts, next)
		next += blockDocuments(header)
	}
	if next -= view.before; next != c.totals.documents {
		return nil, c.corrupt("its blocks claim %d documents, but its footer says %d", next, c.totals.documents)
	}
	return firsts, nil
}

// block is a block of the copy: as bytes, decoded, and as the view shows it.
type block struct {
	bytes   []byte
	stored  Documents
	viewed  Documents
	dropped Dropped

	documents, entries int64 // stored
}

// load reads a block of a copy and applies the view. first is the number of the block's first document, if the view
// needs numbers.
func (b *block) load(c *Copy, number int, view *View, first int64) error {
	offset := c.offsets[number]
	size := int(c.offsets[number+1] - offset)
	if size > largeBlock {
		if err := process.Reserve(int64(size) * (1 + decodedRatio)); err != nil {
			return err
		}
	}
	b.bytes = slices.Grow(b.bytes[:0], size+slack)[:size]
	if err := c.readAt(b.bytes, offset); err != nil {
		return err
	}
	if err := decodeBlock(&b.stored, b.bytes, uint32(number), c.totals.items); err != nil {
		return c.corrupt("block %d: %v", number+1, err)
	}
	b.documents, b.entries = int64(b.stored.Documents()), int64(b.stored.Entries())
	if view != nil {
		view.keep(&b.stored, first)
		b.dropped = view.Apply(&b.viewed, &b.stored)
	}
	return nil
}

// entryBytes is the memory of an entry of a block during a pass: item and count as stored, the same as the view shows
// them, and about three bytes in the copy.
const entryBytes = 19

// Size has the figures that the memory of a pass depends on. Entries and Documents are 0 while they are unknown; then
// the largest possible blocks are assumed.
type Size struct {
	Entries, Documents int64
	Workers            int // goroutines of a pass; 0 means the number of processors
}

// BlockDocuments returns the approximate number of documents in a block of a compact copy.
func (s Size) BlockDocuments() int64 {
	if s.Entries == 0 {
		return blockEntries
	}
	return min(s.Documents, blockEntries*s.Documents/s.Entries+1, blockEntries)
}

// PassBytes returns the approximate memory of a pass over a compact copy, in bytes.
func (s Size) PassBytes() int64 {
	entries := int64(kernel.Workers(s.Workers)) * passDepth * blockEntries
	if s.Entries > 0 {
		entries = min(entries, s.Entries)
	}
	return entries * entryBytes
}
