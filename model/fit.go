// This file leads documents through all stages.

package model

import (
	"context"

	"anchorage/corpus"
)

// Fit learns a model from the documents of a corpus: Sketch, Rectify and Anchor, or what opts.Method has in their place. The
// errors are those of the stages.
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
	return rectified.Anchor(ctx, opts)
}
