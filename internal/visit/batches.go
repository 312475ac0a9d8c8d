// Package visit lets documents meet the rows of their items where ranks share the rows: documents stay on the rank that
// has read them, and rows come to them.
//
// Batches cuts the documents of a pass into batches with a bounded number of distinct items, and numbers these from 0.
// For each batch, Fetch brings the rows of a shared matrix that it needs, and Add brings sums for these rows to the
// ranks that hold them. No rank ever has more rows of others than a batch needs.
//
// For a batch of which u distinct items are rows of other ranks, on P ranks,
//
//	Batches  sends 4·u bytes, and 33·(P−1) more for what ranks agree on
//	Fetch    receives u·L·w bytes, for values of w bytes in L columns
//	Add      sends u·L·w bytes
//
// Everything here is collective: all ranks call it at the same time, as often as the others; Batches sees to that.
package visit

import (
	"context"
	"math/bits"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/collective"
	"anchorage/matrix"
)

const (
	// BatchEntries is the most entries of a batch, unless one document has more: 8 bytes each.
	BatchEntries = 1 << 24
	// batchBytes bounds the rows of a batch, for the row size that the caller gives.
	batchBytes = 1 << 30
	// PieceRows is the most rows that go from one rank to another at a time.
	PieceRows = 1 << 14
)

// BatchItems returns the most distinct items of a batch whose caller holds rowBytes for each.
func BatchItems(rowBytes int) int { return max(batchBytes/max(rowBytes, 1), 1) }

// Bytes returns the memory that a pass over one rank's documents takes at most, for the given numbers of items, ranks
// and entries. The caller holds rowBytes for each item, and fetches or adds rows of movedBytes.
func Bytes(n, ranks int, entries int64, rowBytes, movedBytes int64) int64 {
	items := min(int64(n), entries, int64(BatchItems(int(rowBytes))))
	pieces := 2 * min(items, int64(ranks)*PieceRows) * movedBytes
	const ofEntry, ofItem, ofWord = 8, 8, 12 // item and count; the number here and in the part of its rank; see itemSet
	return items*(rowBytes+ofItem) + pieces + ofEntry*min(entries, BatchEntries) + ofWord*int64(n)/64
}

// Batch is some documents of this rank and the items that they have. It is valid until the function that gets it
// returns.
type Batch struct {
	Documents *corpus.Documents // with items numbered as in Items
	Items     []int32           // the number of each item, increasing

	comm   *collective.Comm
	n      int
	own    [][]int32 // by rank: the part of Items that it holds
	wanted [][]int32 // by rank: the items that it needs of those that this rank holds
	rounds int       // of pieces, for the longest part of all ranks
}

// Batches makes a pass over the documents of all ranks and calls fn with those of this rank, batch by batch, in order.
// layout is that of the n items, and rowBytes is what the caller holds for each distinct item of a batch. Every rank
// has the same number of calls: one that has no documents left gets batches without any. So fn may use collective
// operations.
func Batches(ctx context.Context, layout matrix.Layout, pass corpus.Pass, n, rowBytes int,
	fn func(b *Batch) error) error {
	c := &cutter{comm: collective.Of(layout), n: n, most: BatchItems(rowBytes), fn: fn}
	c.seen.words, c.seen.before = make([]uint64, (n+63)/64), make([]int32, (n+63)/64)
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
		if _, err := c.flush(ctx, 1); err != nil {
			return err
		}
	}
	for { // as long as other ranks have documents
		more, err := c.flush(ctx, 0)
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
	seen     itemSet
	docs     corpus.Documents
	weighted bool
	items    []int32
}

// take adds a document to the batch, after it has ended one that has no room.
func (c *cutter) take(ctx context.Context, docs *corpus.Documents, d int) error {
	items, counts := docs.Row(d)
	if c.docs.Documents() > 0 && (len(c.docs.Items)+len(items) > BatchEntries || c.seen.count+len(items) > c.most) {
		if _, err := c.flush(ctx, 1); err != nil {
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

// flush passes the batch on if any rank has documents, and reports whether one has. own is 1 where this rank has some.
func (c *cutter) flush(ctx context.Context, own uint8) (more bool, err error) {
	flag := []uint8{own}
	if err := collective.Max(ctx, c.comm, flag); err != nil || flag[0] == 0 {
		return false, err
	}
	c.items = c.seen.list(c.items[:0])
	for at, item := range c.docs.Items {
		c.docs.Items[at] = c.seen.place(item)
	}
	b := &Batch{Documents: &c.docs, Items: c.items, comm: c.comm, n: c.n}
	if err := b.ask(ctx); err != nil {
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

// ask sends every rank the numbers of its rows that this one needs.
func (b *Batch) ask(ctx context.Context) (err error) {
	c := b.comm
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
	b.rounds = (int(longest[0]) + PieceRows - 1) / PieceRows
	return err
}

// itemSet is a set of items with the place of each among those in it.
type itemSet struct {
	words  []uint64
	before []int32 // of each word: how many items of the set are in those before it; valid after list
	count  int
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

// Fetch returns copies of the rows of t that the batch needs: row j is row Items[j] of t. All ranks must ask for rows
// of the same matrix.
func Fetch[T float32 | float64](ctx context.Context, b *Batch, t *matrix.TallOf[T]) (*matrix.TallOf[T], error) {
	local := matrix.New[T](len(b.Items), t.Cols())
	if t.Whole() {
		for j, item := range b.Items {
			copy(local.Row(j), t.Row(int(item)))
		}
		return local, ctx.Err()
	}
	return local, move(ctx, b, b.wanted, b.own, t.Cols(), func(dst []T, _ int, item int32) { copy(dst, t.Row(int(item))) },
		func(values []T, place int, _ int32) { copy(local.Row(place), values) })
}

// Add adds the rows of local, one for each of Items, to those of t. A row gets those of several ranks in an order that
// depends only on the number of ranks.
func Add[T float32 | float64](ctx context.Context, b *Batch, t, local *matrix.TallOf[T]) error {
	if local.Rows() != len(b.Items) || local.Cols() != t.Cols() {
		panic("visit: shapes of sums do not fit")
	}
	add := func(values []T, item int32) {
		row := t.Row(int(item))
		for j, v := range values {
			row[j] += v
		}
	}
	if t.Whole() {
		for j, item := range b.Items {
			add(local.Row(j), item)
		}
		return ctx.Err()
	}
	return move(ctx, b, b.own, b.wanted, t.Cols(), func(dst []T, place int, _ int32) { copy(dst, local.Row(place)) },
		func(values []T, _ int, item int32) { add(values, item) })
}

// move sends a row for each of the items in sent[r] to rank r, and takes the rows of those in received[r] from it, a
// piece at a time. read fills a row to send, and write takes one that has come; both get the item, and its place among
// the items that are sent to, or received from, all ranks.
func move[T float32 | float64](ctx context.Context, b *Batch, sent, received [][]int32, cols int, read,
	write func(values []T, place int, item int32)) error {
	c := b.comm
	out, in := make([][]T, c.Size()), make([][]T, c.Size())
	for round := range b.rounds {
		for r, first := 0, 0; r < c.Size(); r++ {
			items := piece(sent[r], round)
			out[r] = slices.Grow(out[r][:0], len(items)*cols)[:len(items)*cols]
			for at, item := range items {
				read(out[r][at*cols:][:cols], first+round*PieceRows+at, item)
			}
			awaited := len(piece(received[r], round)) * cols
			in[r] = slices.Grow(in[r][:0], awaited)[:awaited]
			first += len(sent[r])
		}
		in[c.Rank()], out[c.Rank()] = out[c.Rank()], in[c.Rank()]
		if err := collective.Swap(ctx, c, out, in); err != nil {
			return err
		}
		for r, first := 0, 0; r < c.Size(); r++ {
			for at, item := range piece(received[r], round) {
				write(in[r][at*cols:][:cols], first+round*PieceRows+at, item)
			}
			first += len(received[r])
		}
	}
	return ctx.Err()
}

// piece returns the items of one round.
func piece(items []int32, round int) []int32 {
	first := min(round*PieceRows, len(items))
	return items[first:min(first+PieceRows, len(items))]
}
