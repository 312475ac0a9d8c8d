// This file takes a refinement to checkpoints and back.

package refine

import (
	"context"

	"anchorage/internal/checkpoint"
	"anchorage/matrix"
)

// keeping returns a function that takes the state as it is now to a checkpoint. The matrices must stay as they are
// until it is called.
func (r *refiner) keeping() func(*checkpoint.Values) {
	now := *r
	now.partial = r.partial.copied()
	return now.checkpoint
}

// reached says that the refinement is between two steps.
func (r *refiner) reached() {
	if r.point != nil {
		r.point.Reached(r.keeping())
	}
}

// restore continues from the state of a checkpoint.
func (r *refiner) restore(ctx context.Context) error {
	if err := r.point.Restore(r.checkpoint); err != nil {
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
func (r *refiner) checkpoint(v *checkpoint.Values) {
	begun := r.earlier != nil
	if v.Take(&r.weighted, &begun); !begun {
		r.earlier = nil
	}
	v.Take(&r.epoch, &r.part, &r.power, &r.step, &r.rounds, &r.lost, &r.meanWeight, &r.meanLength, &r.last, &r.gain)
	sums, found := &r.partial, &r.found
	v.Take(&sums.likelihood, &sums.tokens, &sums.documents, &sums.joint, &sums.diagonal, &r.alpha, &r.computedFrom.alpha,
		&r.computedFrom.shares)
	v.Take(&found.For, &found.Burstiness, &found.Moved, &found.Epochs, &found.Passes, &found.Repairs, &found.Settled,
		&found.LogLikelihood,
		&found.Joint, &r.sums)
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

// copied returns a copy that shares no memory.
func (s *passSums) copied() passSums {
	c := *s
	c.joint, c.diagonal = append([]float64(nil), s.joint...), append([]float64(nil), s.diagonal...)
	return c
}
