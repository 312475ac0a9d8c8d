// This file holds LAW under way: what its steps hand on to each other.

package anchor

import (
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// inference is LAW under way. Its fields are set in the order in which they are declared.
type inference struct {
	y           *matrix.Tall
	opts        *Options
	weights     []float64 // d
	basis       *basis
	x           *matrix.Tall // diag(d)·X, and in the end the mixtures
	pivots      []pivot
	anchors     []int
	groups      [][]int   // the items whose mean row is the corner of each topic: its anchor, except for fixed ones
	reliability []float64 // ρ; nil without noise
	topicOf     []int32   // the topic that each item belongs to, −1 for none; nil without Polish
	stats       Stats
}

// selectAnchors changes coordinates and finds k anchors.
func (in *inference) selectAnchors(ctx context.Context, k int) error {
	var err error
	if in.basis, in.x, err = newBasis(ctx, in.y, k, in.opts.Workers); err != nil {
		return err
	}
	scale, candidates := candidateScales(in.weights, in.opts)
	if candidates+len(in.opts.Fixed) < k {
		return &RankError{Topics: k, Rank: candidates,
			bound: fmt.Sprintf("only %d items may become anchors (positive weight, document frequency at least %d)", candidates,
				max(in.opts.MinDF, 1))}
	}
	if in.pivots, err = selectPivots(ctx, in.x, scale, k, in.opts); err != nil {
		return err
	}
	in.anchors = itemsOf(in.pivots)
	in.groups = append(slices.Clone(in.opts.Fixed), apart(in.anchors[len(in.opts.Fixed):])...)
	return nil
}

// apart returns a group for every item.
func apart(items []int) [][]int {
	groups := make([][]int, len(items))
	for at := range items {
		groups[at] = items[at : at+1 : at+1]
	}
	return groups
}

// mix corrects the rows and turns x into the mixtures.
func (in *inference) mix(ctx context.Context) error {
	var start []float64 // the row sums before any correction
	if in.opts.Polish {
		start = slices.Clone(in.weights)
	}
	var err error
	if in.stats.Correction, err = correctRows(ctx, in.y, in.x, in.basis, in.weights, slices.Concat(in.groups...),
		in.opts); err != nil {
		return err
	}
	vertices, err := anchorRows(ctx, in.x, in.weights, in.groups, in.opts)
	if err != nil {
		return err
	}
	if noise := in.opts.SamplingVariance; noise != nil {
		if in.reliability, err = reliabilities(ctx, in.x, in.x.Cols(), in.weights, noise, in.opts.Workers); err != nil {
			return err
		}
		for _, i := range slices.Concat(in.groups...) {
			in.reliability[i] = 1
		}
	}
	if in.stats.Solver, err = solveMixtures(ctx, in.x, vertices, in.weights, len(in.anchors), in.opts); err != nil {
		return err
	}
	if !in.opts.Polish {
		return nil
	}
	in.topicOf, in.stats.Unpolished.Topics, in.stats.Solver, err = polish(ctx, in.y, in.x, in.basis, start, in.weights,
		in.groups, in.opts)
	return err
}

// nameFixed makes the item of each fixed group that most tokens of its topic are of the anchor.
func (in *inference) nameFixed(ctx context.Context) error {
	if len(in.opts.Fixed) == 0 {
		return nil
	}
	k := len(in.anchors)
	mixtures, err := kernel.RowsOf(ctx, in.x, slices.Concat(in.opts.Fixed...))
	if err != nil {
		return err
	}
	for topic, group := range in.opts.Fixed {
		most := math.Inf(-1)
		for at, i := range group {
			if mass := mixtures[at*k+topic] * in.weights[i]; mass > most {
				in.anchors[topic], most = i, mass
			}
		}
		mixtures = mixtures[len(group)*k:]
	}
	return nil
}

// topics returns what follows from the mixtures.
func (in *inference) topics(ctx context.Context) (*Topics, error) {
	if err := in.nameFixed(ctx); err != nil {
		return nil, err
	}
	t := &Topics{K: len(in.anchors), Anchors: in.anchors, Mixtures: in.x, RowSums: in.weights, Reliability: in.reliability,
		Stats: in.stats, factor: in.y, workers: in.opts.Workers}
	t.notePivots(in.pivots)
	if err := t.complete(ctx, in.opts); err != nil {
		return nil, err
	}
	if in.topicOf != nil {
		if err := t.correlateGroups(ctx, in.topicOf, in.opts); err != nil {
			return nil, err
		}
	}
	if err := t.shrink(ctx, in.opts); err != nil {
		return nil, err
	}
	return t, nil
}
