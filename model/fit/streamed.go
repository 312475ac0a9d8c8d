// This file implements the first stage for documents that are read once.

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
	passOpts := sketch.StreamOptions{Columns: memory.columns, Seed: opts.Seed, Weights: weights, Workers: run.Workers}
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
	s.tellPass(docs)
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
	for _, k := range opts.cuts() {
		e, err := streamed.Scatter.Estimate(ctx, &s.Marginals, s.Eigen.First(k), s.run.Workers)
		if err != nil {
			return err
		}
		s.Evidence.Cuts = append(s.Evidence.Cuts, sketch.Cut{K: k, SamplingVariance: e.SamplingVariance})
	}
	return nil
}
