// This file takes a refinement to checkpoints and back.

package refine

import (
	"context"
	"slices"

	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// reached says that the refinement is between two steps. A checkpoint may take the state as it is now later. The
// matrices must stay as they are until then.
func (r *refiner) reached(ctx context.Context) {
	if r.point != nil {
		now := *r
		now.partial.joint, now.partial.diagonal = slices.Clone(r.partial.joint), slices.Clone(r.partial.diagonal)
		r.point.Reached(func(v *checkpoint.Values) { now.checkpoint(ctx, v) })
	}
}

// restore continues from the state of a checkpoint.
func (r *refiner) restore(ctx context.Context) error {
	if err := r.point.Restore(func(v *checkpoint.Values) { r.checkpoint(ctx, v) }); err != nil {
		return err
	}
	// The topics follow from n, and from α and the shares as they were then.
	alpha := r.alpha
	r.alpha, r.shares = r.computedFrom.alpha, r.computedFrom.shares
	err := r.renew(ctx)
	r.alpha = alpha
	return err
}

// checkpoint takes the state between two steps. The topics are computed again.
func (r *refiner) checkpoint(ctx context.Context, v *checkpoint.Values) {
	begun := r.earlier != nil
	if v.Take(&begun); !begun {
		r.earlier = nil
	}
	v.Take(&r.epoch, &r.part, &r.power, &r.step, &r.rounds, &r.lost, &r.meanWeight, &r.meanLength, &r.last, &r.gain)
	sums, found := &r.partial, &r.found
	v.Take(&sums.likelihood, &sums.tokens, &sums.documents, &sums.joint, &sums.diagonal, &r.alpha, &r.computedFrom.alpha,
		&r.computedFrom.shares)
	v.Take(&found.For, &found.Burstiness, &found.Moved, &found.Epochs, &found.Passes, &found.Repairs, &found.Settled,
		&found.LogLikelihood,
		&found.Joint, &r.sums)
	if found.For == ForPrediction {
		v.Take(&r.dispersion, &sums.repetitions.slope, &sums.repetitions.curve)
	}
	r.takeCarried(ctx, v)
	splitting := r.splits != nil
	if v.Take(&splitting); !splitting || v.Err() != nil {
		return
	}
	if v.Reading() {
		r.splits = &splits{y: matrix.NewSingle(batchDocuments, r.k)}
	}
	if v.Take(&r.splits.v, &r.splits.scores); v.Reading() && v.Err() == nil {
		r.splits.sum = matrix.Like(r.splits.v)
	}
}

// takeCarried takes the topics of the documents of all processes: another number of them may continue.
func (r *refiner) takeCarried(ctx context.Context, v *checkpoint.Values) {
	all := []uint32(r.carried)
	if !v.Reading() {
		var err error
		all, err = kernel.Concat(ctx, r.layout, all)
		v.Fail(err)
	}
	if v.Take(&all); v.Reading() {
		copy(r.carried, all[min(int(r.start.Before)*carriedTopics, len(all)):])
	}
}
