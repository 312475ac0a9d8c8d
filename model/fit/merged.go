// This file finds the eigenpairs of merged sketches.

package fit

import (
	"anchorage/model"
	"context"
)

// Merged computes eigenpairs from the sum of sketches: opts.Topics of them, or as many as the first sketch was made for
// if that is 0. It uses up the sum.
func Merged(ctx context.Context, sum *model.Merger, opts Options) (*Sketched, error) {
	if opts.Topics == 0 {
		opts.Topics = sum.Topics()
	}
	m, streamed, count := sum.Take()
	opts = opts.prepared()
	opts.Seed, opts.Sketch.Columns, opts.Sketch.Passes = streamed.Seed, streamed.Columns(), 1
	if err := opts.Check(); err != nil {
		return nil, err
	}
	defer opts.Run.Stage("merge")()
	s := &Sketched{Model: m, run: opts.Run}
	s.Manifest.Sketch = model.SketchRecord{Topics: opts.Topics, Seed: opts.Seed,
		ItemWeights: m.Manifest.Sketch.ItemWeights, DocumentSurplus: m.Surplus}
	if err := s.solve(ctx, streamed, &opts); err != nil {
		return nil, err
	}
	s.Manifest.Sketch.MergedFrom = count
	return s, nil
}
