// This file counts pairs exactly, in bounded memory: a pass for the sizes of rows, then a pass for each block of rows
// that fits, which collects the companions of each item of the block and counts them after it.

package items

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sort"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

// Options say how pairs are counted. Zero values are the defaults.
type Options struct {
	// Neighbours is n, the number of others that are kept for each item: DefaultNeighbours if it is 0, All for all of
	// them.
	Neighbours int
	// MaxItems is the greatest number of distinct items of a document that counts, DefaultMaxItems if it is 0. A document
	// of n items has n(n−1) pairs, so that a few long documents would take all of the time. Pairs.Long has what was left
	// out.
	MaxItems int
	// Bytes bounds the memory of the rows that are counted in one pass, DefaultBytes if it is 0. It does not include the
	// result, 12 bytes for each neighbour and 32 for each item. A lower bound costs more passes; the result does not
	// depend on it. At least one row is counted in a pass, which takes 12 bytes per item of the vocabulary at most.
	Bytes int64
	// Workers is the number of goroutines; 0 means the number of processors. Each needs 48 bytes per item of the
	// vocabulary.
	Workers int
	Log     *slog.Logger // receives the passes; may be nil
}

// The defaults, and All.
const (
	DefaultNeighbours = 200
	DefaultMaxItems   = 1000
	DefaultBytes      = 1 << 30
	All               = -1
)

// Count counts the pairs of n items in the documents of a pass, which it makes at least twice. Counts are exact. The
// error is that of the pass or of ctx.
func Count(ctx context.Context, pass corpus.Pass, n int, opts Options) (*Pairs, error) {
	opts.Neighbours, opts.MaxItems = cmp.Or(opts.Neighbours, DefaultNeighbours), cmp.Or(opts.MaxItems, DefaultMaxItems)
	opts.Bytes, opts.Log = cmp.Or(opts.Bytes, DefaultBytes), cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	p := &Pairs{Counts: make([]int64, n), Companions: make([]int64, n), Weighted: make([]float64, n),
		Offsets: make([]int64, n+1)}
	if err := pass(ctx, func(docs *corpus.Documents) error {
		p.measure(docs, opts.MaxItems)
		return nil
	}); err != nil {
		return nil, err
	}
	if p.Long.Documents > 0 {
		opts.Log.Warn("long documents are not counted in pairs", "documents", p.Long.Documents, "entries", p.Long.Entries,
			"pairs", p.Long.Pairs, "max_items", opts.MaxItems)
	}
	cells := make([]cell, n)
	for j, c := range p.Counts {
		cells[j].divisor = strengthDivisor(c)
	}
	if opts.Neighbours != All {
		most := 0
		for _, companions := range p.Companions {
			most += int(min(companions, int64(opts.Neighbours)))
		}
		p.Others, p.Together, p.Weights = make([]int32, 0, most), make([]int32, 0, most), make([]float32, 0, most)
	}
	for first := 0; first < n; {
		b := p.block(first, opts.Bytes)
		if err := pass(ctx, func(docs *corpus.Documents) error { return b.add(ctx, docs, opts) }); err != nil {
			return nil, err
		}
		if err := p.take(ctx, b, cells, opts); err != nil {
			return nil, err
		}
		opts.Log.Info("pairs counted", "items", b.last, "of", n, "kept", len(p.Others))
		first = b.last
	}
	return p, nil
}

// measure adds the documents to the counts of single items.
func (p *Pairs) measure(docs *corpus.Documents, longest int) {
	for m := range docs.Documents() {
		row, _ := docs.Row(m)
		others := int64(len(row)) - 1
		if len(row) > longest {
			p.Long.Documents++
			p.Long.Entries += int64(len(row))
			p.Long.Pairs += int64(len(row)) * others
			continue
		}
		p.Documents++
		weight := Weight(len(row))
		for _, i := range row {
			p.Counts[i]++
			p.Companions[i] += others
			p.Weighted[i] += weight
		}
	}
}

// block has the rows of the items first to last−1.
type block struct {
	first, last int
	items       int // N
	rows        []row
	ends        []int64 // bytes of the rows up to and including each
}

// row collects the companions of an item. A row of few companions is a list. Of each document it has the number of
// companions, made negative, and then the companions: 4·(c_i + s_i) bytes. A row of many has a count and a weight for
// every item, 12·N bytes.
type row struct {
	list   []int32
	counts []int32
	sums   []float64
}

// bytes returns the memory of the row of item i, and whether it is a list.
func (p *Pairs) bytes(i int) (int64, bool) {
	list, dense := 4*(p.Counts[i]+p.Companions[i]), 12*int64(p.Items())
	return min(list, dense), list <= dense
}

// block returns the block that begins with an item and takes at most the given memory, or has only one row.
func (p *Pairs) block(first int, limit int64) *block {
	b := &block{first: first, last: first, items: p.Items()}
	total := int64(0)
	for ; b.last < b.items; b.last++ {
		size, list := p.bytes(b.last)
		if b.last > first && total+size > limit {
			break
		}
		total += size
		b.ends = append(b.ends, total)
		if list {
			b.rows = append(b.rows, row{list: make([]int32, 0, size/4)})
		} else {
			b.rows = append(b.rows, row{counts: make([]int32, b.items), sums: make([]float64, b.items)})
		}
	}
	return b
}

// rangesPerWorker is into how many ranges of rows a block is divided for each worker.
const rangesPerWorker = 4

// add adds documents to the rows. A range of rows of about the same size belongs to one goroutine, so every row meets
// the documents in their order.
func (b *block) add(ctx context.Context, docs *corpus.Documents, opts Options) error {
	ranges := min(rangesPerWorker*kernel.Workers(opts.Workers), len(b.rows))
	total := b.ends[len(b.ends)-1]
	bound := func(r int) int { // the item that range r begins with
		return b.first + sort.Search(len(b.rows), func(x int) bool { return b.ends[x]*int64(ranges) > total*int64(r) })
	}
	return kernel.Parallel(ctx, opts.Workers, ranges, func(r int) error {
		first, last := int32(bound(r)), int32(bound(r+1))
		if r == 0 {
			first = int32(b.first)
		}
		if r == ranges-1 {
			last = int32(b.last)
		}
		for m := range docs.Documents() {
			items, _ := docs.Row(m)
			if len(items) > opts.MaxItems {
				continue
			}
			at, _ := slices.BinarySearch(items, first)
			for ; at < len(items) && items[at] < last; at++ {
				b.rows[int(items[at])-b.first].add(items, at)
			}
		}
		return nil
	})
}

// add adds the other items of a document to the row of one of them.
func (r *row) add(items []int32, at int) {
	if r.counts == nil {
		r.list = append(r.list, -int32(len(items)-1))
		r.list = append(append(r.list, items[:at]...), items[at+1:]...)
		return
	}
	weight := Weight(len(items))
	for x, j := range items {
		if x != at {
			r.counts[j]++
			r.sums[j] += weight
		}
	}
}

// cell is what is known of an item beside the item of a row.
type cell struct {
	weight  float64
	divisor float64 // strengthDivisor of its documents
	count   int32
}

// tally has the counts and weights of an item with all others, and which of them are not 0.
type tally struct {
	cells   []cell
	touched []int32
}

// of counts a complete row.
func (t *tally) of(r *row) {
	t.touched = t.touched[:0]
	for j, c := range r.counts {
		if c > 0 {
			t.touched = append(t.touched, int32(j))
			t.cells[j].count, t.cells[j].weight = c, r.sums[j]
		}
	}
	for at := 0; at < len(r.list); {
		companions := int(-r.list[at])
		weight := Weight(companions + 1)
		for _, j := range r.list[at+1 : at+1+companions] {
			c := &t.cells[j]
			if c.count == 0 {
				t.touched = append(t.touched, j)
			}
			c.count++
			c.weight += weight
		}
		at += 1 + companions
	}
}

// clear makes a tally ready for the next row.
func (t *tally) clear() {
	for _, j := range t.touched {
		t.cells[j].count, t.cells[j].weight = 0, 0
	}
}

// strongest has the neighbours of some rows that are kept, one row after the other.
type strongest struct {
	tally
	others, together []int32
	weights          []float32
	sizes            []int
}

// add chooses the neighbours of a row.
func (s *strongest) add(r *row, limit int) {
	s.of(r)
	if limit == All {
		limit = len(s.touched)
	}
	list := toplist.New(limit)
	for _, j := range s.touched {
		list.Offer(int(j), float64(s.cells[j].count)/s.cells[j].divisor)
	}
	best := list.Sorted()
	for _, e := range best {
		c := &s.cells[e.Item]
		s.others, s.together, s.weights = append(s.others, int32(e.Item)), append(s.together, c.count),
			append(s.weights, float32(c.weight))
	}
	s.sizes = append(s.sizes, len(best))
	s.clear()
}

// take counts the rows of a complete block and appends the strongest neighbours of each.
func (p *Pairs) take(ctx context.Context, b *block, cells []cell, opts Options) error {
	const chunk = 64 // rows
	chunks := (len(b.rows) + chunk - 1) / chunk
	slots := 2 * kernel.Workers(opts.Workers)
	found := make([]strongest, slots)
	return kernel.Ordered(ctx, opts.Workers, chunks, slots, nil, func(c, slot int) error {
		s := &found[slot]
		if s.cells == nil {
			s.cells = slices.Clone(cells)
		}
		s.others, s.together, s.weights, s.sizes = s.others[:0], s.together[:0], s.weights[:0], s.sizes[:0]
		for x := c * chunk; x < min((c+1)*chunk, len(b.rows)); x++ {
			s.add(&b.rows[x], opts.Neighbours)
			b.rows[x] = row{}
		}
		return nil
	}, func(c, slot int) error {
		s, end := &found[slot], int64(len(p.Others))
		p.Others, p.Together, p.Weights = append(p.Others, s.others...), append(p.Together, s.together...),
			append(p.Weights, s.weights...)
		for x, size := range s.sizes {
			end += int64(size)
			p.Offsets[b.first+c*chunk+x+1] = end
		}
		return nil
	})
}
