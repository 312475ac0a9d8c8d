// This file cuts the documents of a rank into batches, and keeps the ranks in step.

package visit

import (
	"context"
	"math/bits"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/collective"
)

const (
	// batchEntries is the most entries of a batch, unless one document has more: 8 bytes each.
	batchEntries = 1 << 24
	// batchBytes bounds the rows of a batch, for the row size that the caller gives.
	batchBytes = 1 << 30
	// pieceRows is the most rows that go from one rank to another at a time.
	pieceRows = 1 << 14
)

// Batch is some documents of this rank and the items that they have. It is valid until the function that gets it returns.
type Batch struct {
	Documents *corpus.Documents // with items numbered as in Items
	Items     []int32           // the number of each item, increasing

	n      int
	own    [][]int32 // by rank: the part of Items that it holds
	wanted [][]int32 // by rank: the items that it needs of those that this rank holds
	rounds int       // of pieces, for the longest part of all ranks
}

// Batches makes a pass over the documents of all ranks and calls fn with those of this rank, batch by batch, in order; n is the number of items,
// and rowBytes what the caller holds for each distinct item of a batch. Every rank has the same number of calls: one that has no documents left gets
// batches without any. So fn may use collective operations.
func Batches(ctx context.Context, pass corpus.Pass, n, rowBytes int, fn func(b *Batch) error) error {
	c := &cutter{comm: collective.From(ctx), n: n, most: max(batchBytes/max(rowBytes, 1), 1), fn: fn, seen: newItemSet(n)}
	c.docs.Offsets = append(c.docs.Offsets, 0)
	err := pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			if err := c.take(ctx, docs, d); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if c.docs.Documents() > 0 {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	for { // as long as other ranks have documents
		more, err := c.flushed(ctx, 0)
		if err != nil || !more {
			return err
		}
	}
}

// cutter collects documents.
type cutter struct {
	comm     *collective.Comm
	n, most  int
	fn       func(*Batch) error
	seen     *itemSet
	docs     corpus.Documents
	weighted bool
	items    []int32
}

// take adds a document to the batch, after it has ended one that has no room.
func (c *cutter) take(ctx context.Context, docs *corpus.Documents, d int) error {
	items, counts := docs.Row(d)
	if c.docs.Documents() > 0 && (len(c.docs.Items)+len(items) > batchEntries || c.seen.count+len(items) > c.most) {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	for _, item := range items {
		c.seen.add(item)
	}
	c.docs.Items = append(c.docs.Items, items...)
	c.docs.Counts = append(c.docs.Counts, counts...)
	c.docs.Offsets = append(c.docs.Offsets, int32(len(c.docs.Items)))
	if len(docs.Weights) > 0 && !c.weighted {
		c.weighted = true
		c.docs.Weights = slices.Repeat([]float64{1}, c.docs.Documents()-1)
	}
	if c.weighted {
		c.docs.Weights = append(c.docs.Weights, docs.Weight(d))
	}
	return nil
}

// flush passes the batch on.
func (c *cutter) flush(ctx context.Context) error {
	_, err := c.flushed(ctx, 1)
	return err
}

// flushed calls fn if any rank has documents, and reports whether one has.
func (c *cutter) flushed(ctx context.Context, own uint8) (more bool, err error) {
	flags, err := collective.AllGather(ctx, c.comm, []uint8{own})
	if err != nil {
		return false, err
	}
	for _, flag := range flags {
		more = more || flag[0] != 0
	}
	if !more {
		return false, nil
	}
	c.items = c.seen.list(c.items[:0])
	for at, item := range c.docs.Items {
		c.docs.Items[at] = c.seen.place(item)
	}
	b := &Batch{Documents: &c.docs, Items: c.items, n: c.n}
	if err := b.ask(ctx, c.comm); err != nil {
		return false, err
	}
	if err := c.fn(b); err != nil {
		return false, err
	}
	c.docs.Offsets, c.docs.Items, c.docs.Counts = c.docs.Offsets[:1], c.docs.Items[:0], c.docs.Counts[:0]
	c.docs.Weights, c.weighted = c.docs.Weights[:0], false
	c.seen.clear()
	return true, nil
}

// ask tells every rank which of its rows this one needs.
func (b *Batch) ask(ctx context.Context, c *collective.Comm) (err error) {
	b.own = make([][]int32, c.Size())
	at := 0
	for r := range b.own {
		_, last := c.RowsOf(r, b.n)
		end := at
		for end < len(b.Items) && int(b.Items[end]) < last {
			end++
		}
		b.own[r], at = b.Items[at:end], end
	}
	if b.wanted, err = collective.AllToAll(ctx, c, b.own); err != nil {
		return err
	}
	longest := []int64{0}
	for _, part := range b.own {
		longest[0] = max(longest[0], int64(len(part)))
	}
	err = collective.Max(ctx, c, longest)
	b.rounds = (int(longest[0]) + pieceRows - 1) / pieceRows
	return err
}

// itemSet is a set of items that can tell the place of each among those in it.
type itemSet struct {
	words  []uint64
	before []int32 // of each word: how many items of the set are in those before it; valid after list
	count  int
}

func newItemSet(n int) *itemSet {
	return &itemSet{words: make([]uint64, (n+63)/64), before: make([]int32, (n+63)/64)}
}

func (s *itemSet) add(item int32) {
	word, bit := &s.words[item/64], uint64(1)<<(item%64)
	if *word&bit == 0 {
		*word |= bit
		s.count++
	}
}

// list appends the items, increasing.
func (s *itemSet) list(items []int32) []int32 {
	for w, word := range s.words {
		s.before[w] = int32(len(items))
		for ; word != 0; word &= word - 1 {
			items = append(items, int32(w*64+bits.TrailingZeros64(word)))
		}
	}
	return items
}

func (s *itemSet) place(item int32) int32 {
	below := s.words[item/64] & (1<<(item%64) - 1)
	return s.before[item/64] + int32(bits.OnesCount64(below))
}

func (s *itemSet) clear() {
	clear(s.words)
	s.count = 0
}
