// This file makes a fitted model of topics that were not fitted, but changed: package steer has them.

package fit

import (
	"context"
	"slices"

	"anchorage/anchor"
	"anchorage/model"
)

// Assembly is what Assemble needs to know of topics beside them.
type Assembly struct {
	Joint       []float64    // A of whole documents, K×K
	AnchorSizes []float64    // of each anchor the number of documents that its row rests on, 0 where it is not known
	Hidden      map[int]bool // items that no list shows
}

// Assemble returns the fit of topics of a model that has all but them: they are of thinned documents, without A. The
// error is that of ctx.
func Assemble(ctx context.Context, m *model.Model, t *anchor.Topics, of Assembly, run *Run) (*Fitted, error) {
	f := newFitted(m, run)
	f.relevance, f.anchorSizes, f.hidden = m.Manifest.Anchor.Relevance, of.AnchorSizes, of.Hidden
	f.Topics = t
	t.In(nil, nil, run.Workers)
	if err := t.Reweigh(ctx); err != nil {
		return nil, err
	}
	t.TopicJoint = f.thinning(ctx).Thinned(of.Joint)
	f.shareWeightless(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, f.noteFindings(ctx)
}

// ranked returns probabilities by which items are ranked, 0 for those that no list shows.
func (f *Fitted) ranked(p []float64) []float64 {
	if len(f.hidden) == 0 {
		return p
	}
	p = slices.Clone(p)
	for item := range f.hidden {
		if item >= 0 {
			p[item] = 0
		}
	}
	return p
}
