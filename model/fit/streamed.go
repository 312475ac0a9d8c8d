// This file implements the first stage for documents that are read once, and for the sum of sketches of such passes.

package fit

import (
	"context"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/sketch"
)

// roughError is the estimated error of the eigenpairs from which a single pass is called rough; see
// docs/decisions/passes.md.
const roughError = 0.2

// sketchStreamed finds the eigenpairs in a single pass, and estimates the evidence.
func sketchStreamed(ctx context.Context, docs *corpus.Corpus, opts *Options, memory *memoryModel, weights []float64,
	chosen ItemWeights) (*Sketched, error) {
	run := opts.Run
	defer run.Stage("sketch")()
	passOpts := sketch.StreamOptions{Columns: memory.columns, Seed: opts.Seed, Weights: weights,
		PairPrior: opts.Sketch.DocumentWeights.prior(), Workers: run.Workers}
	if docs.Growing() {
		passOpts.Fit = func(int) (int, error) {
			memory.setItems(docs)
			err := memory.fit(run)
			return memory.columns, err
		}
	}
	streamed, err := sketch.Stream(ctx, run.watched(docs, "sketching"), docs.Vocabulary, passOpts)
	if err != nil {
		return nil, err
	}
	s := newSketched(docs, streamed.Marginals, opts, chosen)
	s.memory = memory
	if docs.Growing() {
		memory.setItems(docs)
		if err := opts.fitColumns(docs.Vocabulary.Len()); err != nil {
			return nil, err
		}
		if err := memory.plan(run); err != nil {
			return nil, err
		}
	}
	return s, s.solve(ctx, streamed, opts)
}

// solve computes the eigenpairs of a single pass, and the evidence. Before that, it writes the sketch if the options
// ask for it.
func (s *Sketched) solve(ctx context.Context, streamed *sketch.Streamed, opts *Options) error {
	if out := opts.Sketch.Mergeable; out != nil {
		if err := out.WriteStreamed(streamed); err != nil {
			return err
		}
	}
	columns := streamed.Columns()
	streamed.Form, s.Manifest.Sketch.Form = opts.Sketch.Form, string(opts.Sketch.Form)
	eigen, err := streamed.Eigen(ctx, opts.Topics, s.run.Workers)
	if err != nil {
		return err
	}
	s.take(eigen, opts, columns)
	r := &s.Manifest.Sketch
	r.EstimatedError = s.Eigen.Error()
	r.Findings = &model.SketchFindings{Rough: r.EstimatedError >= roughError}
	if r.Findings.Rough {
		s.run.log().Warn("the single pass is rough", "estimated_error", r.EstimatedError, "columns", columns)
	}
	if opts.Sketch.NoEvidence {
		return nil
	}
	if s.Evidence, err = streamed.Scatter.Estimate(ctx, &s.Marginals, &s.Eigen, s.run.Workers); err != nil {
		return err
	}
	for _, k := range opts.Levels {
		e, err := streamed.Scatter.Estimate(ctx, &s.Marginals, s.Eigen.First(k), s.run.Workers)
		if err != nil {
			return err
		}
		s.Evidence.Cuts = append(s.Evidence.Cuts, sketch.Cut{K: k, SamplingVariance: e.SamplingVariance})
	}
	return nil
}

const (
	// streamedBytes is the memory that the columns of a single pass may take where the run has no limit, unless the fewest
	// take more.
	streamedBytes = 2 << 30
	// mostStreamed bounds the columns where they are chosen, unless 4K are more: the eigenproblem of the core takes L³
	// operations.
	mostStreamed = 4096
)

// streamedColumns returns the widths that a single pass for the given number of topics may have, decreasing: 16, 12, 8,
// 6 and 4 times the topics. They are few, so that a vocabulary that grows seldom makes a sketch narrower.
func streamedColumns(topics int) []int {
	var widths []int
	for _, factor := range []int{16, 12, 8, 6, 4} {
		if l := factor * topics; l <= mostStreamed || factor == 4 {
			widths = append(widths, l)
		}
	}
	return widths
}

// Merged computes eigenpairs from the sum of sketches: opts.Topics of them, or as many as the first sketch was made for
// if that is 0. It uses up the sum. From sums of a pass of several, with opts.Sketch.From, it makes what the next pass
// starts from, or after the last one a finished sketch.
func Merged(ctx context.Context, sum *model.Merger, opts Options) (*Sketched, error) {
	if opts.Topics == 0 {
		opts.Topics = sum.Topics()
	}
	opts = opts.prepared()
	defer opts.Run.Stage("merge")()
	m, streamed, count := sum.Take()
	if m.Sums != nil {
		return step(ctx, m, opts)
	}
	if opts.Sketch.From != nil {
		return nil, badOption("Sketch.From", "the sketches are of single passes, which start from nothing")
	}
	opts.Seed, opts.Sketch.Columns, opts.Sketch.Passes = streamed.Seed, streamed.Columns(), 1
	if err := opts.Check(); err != nil {
		return nil, err
	}
	s := &Sketched{Model: m, run: opts.Run}
	s.Manifest.Sketch = model.SketchRecord{Topics: opts.Topics, Seed: opts.Seed,
		ItemWeights: m.Manifest.Sketch.ItemWeights, PairPrior: m.Manifest.Sketch.PairPrior}
	if err := s.solve(ctx, streamed, &opts); err != nil {
		return nil, err
	}
	s.Manifest.Sketch.MergedFrom = count
	return s, nil
}
