// This file runs all stages of a fit.

package model

import (
	"context"

	"anchorage/corpus"
)

// Fit learns a model from the documents of a corpus. It runs Sketch, Rectify and Anchor, Fitted.Bootstrap if the options ask for it, and
// Fitted.Refine unless they leave it out. Other methods may replace the first by a dense C. The errors are those of the stages.
func Fit(ctx context.Context, docs *corpus.Corpus, opts Options) (*Fitted, error) {
	opts = opts.prepared()
	if err := opts.Check(); err != nil {
		return nil, err
	}
	sketched, err := opts.Method.entry().start(ctx, docs, &opts)
	if err != nil {
		return nil, err
	}
	rectified, err := sketched.Rectify(ctx, opts)
	if err != nil {
		return nil, err
	}
	fitted, err := rectified.Anchor(ctx, opts)
	if err == nil && opts.Bootstrap > 0 { // it resamples the rows that the anchors were found by
		err = fitted.Bootstrap(ctx, docs, opts.Bootstrap)
	}
	switch {
	case err != nil || !opts.Refines():
	case fitted.memory != nil && fitted.memory.leavesOut():
		fitted.Manifest.RefineNeeds = resident(fitted.memory.refining(limitWorkers))
	default:
		err = fitted.Refine(ctx, docs, opts)
	}
	if err != nil {
		return nil, err
	}
	return fitted, nil
}
