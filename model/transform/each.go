// This file passes documents on with their topics, in place of writing tables.

package transform

import (
	"context"
	"path/filepath"

	"anchorage/shard"
)

// Inferred is a document with what a model says of it. It and its slices are valid until the function returns that got
// it.
type Inferred struct {
	ID string // its own, or the name of the shard and the row, as in "orders.csv:17"
	// Items are numbers of the vocabulary, in the order of their first places in the document, or −1 where the model does
	// not know them.
	Items     []int32
	Counts    []int32   // of each
	Mixture   []float32 // θ, K shares that sum to 1
	Top       int       // the topic with the greatest share
	Deviation float64   // posterior standard deviation of that share
	Known     int64     // tokens of known items
	Unknown   int64
	Text      []byte // how its text begins, where the shards were opened with texts and have one; see shard.Options
}

// Each calls fn with every document of the shards and its topics, in their order: the documents that Documents would
// write. Memory is that of a few batches. It returns the error of fn, or one as Documents has them.
func Each(ctx context.Context, t *Transformer, shards []shard.Shard, o Options, fn func(*Inferred) error) error {
	r := newRun(ctx, t, o)
	r.orderDates(shards)
	for _, s := range shards {
		out := &table{base: filepath.Base(s.Path), k: t.Topics()}
		err := r.batches(s, func(b *batch) error {
			if err := r.infer(out, b); err != nil {
				return err
			}
			out.name(&b.Batch)
			var one Inferred
			for d, id := range out.ids {
				from, to := b.Offsets[d], b.Offsets[d+1]
				one = Inferred{id, b.index[from:to], b.Counts[from:to], out.mixtures[d*out.k:][:out.k], int(out.tops[d]),
					float64(out.deviations[d]), out.known[d], out.unknown[d], nil}
				if d < b.Texts.Len() {
					one.Text = b.Texts.ID(d)
				}
				if err := fn(&one); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
