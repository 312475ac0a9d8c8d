// This file takes sketches to checkpoints and back.

package sketch

import (
	"context"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/matrix"
)

// Restored returns the sketch that Accumulate has made of a vocabulary by the options, given what a checkpoint has of
// it. The product may be nil if the context of Krylov carries a checkpoint that has what Krylov made of it.
func Restored(ctx context.Context, vocabulary *corpus.Vocabulary, opts Options, marginals Marginals,
	product *matrix.Tall) (*Sketch, error) {
	s := &Sketch{Seed: opts.Seed, Marginals: marginals, Product: product, vocabulary: vocabulary}
	if opts.Start == nil || product == nil {
		return s, nil
	}
	var err error
	s.start, err = newStart(ctx, vocabulary, &opts)
	return s, err
}

// checkpoint takes the basis, and the number of passes that have led to it.
func (b *basis) checkpoint(ctx context.Context, v *checkpoint.Values, passes *int) {
	count := len(b.blocks)
	v.Take(passes, &b.width, &b.applied, &b.singles, &b.shift, &count)
	for at := 0; at < count && v.Err() == nil; at++ { // one at a time: memory may not have room for all
		if v.Reading() {
			b.blocks = append(b.blocks, nil)
		}
		if v.Take(&b.blocks[at]); v.Reading() && v.Err() == nil {
			v.Fail(b.spill(ctx))
		}
	}
	v.Take(&b.h, &b.values, &b.vectors, &b.residuals, &b.coupling)
}
