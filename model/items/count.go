// This file counts pairs exactly, in bounded memory: a pass for the sizes of rows, then a pass for each block of rows
// that fits.

package items

import (
	"cmp"
	"context"
	"log/slog"

	"anchorage/corpus"
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
	// Workers is the number of goroutines; 0 means the number of processors. Each needs 24 bytes per item of the
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
			"pairs", p.Long.Pairs,
			"max_items", opts.MaxItems)
	}
	for first := 0; first < n; {
		b := p.block(first, opts.Bytes)
		if err := pass(ctx, func(docs *corpus.Documents) error { return b.add(ctx, docs, opts) }); err != nil {
			return nil, err
		}
		if err := p.take(ctx, b, opts); err != nil {
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
