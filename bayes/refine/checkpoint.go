// This file takes a refinement to checkpoints and back.

package refine

import (
	"context"

	"anchorage/checkpoint"
	"anchorage/matrix"
)

// keeping returns a function that takes the state as it is now to a checkpoint. The matrices must stay as they are until it is called.
func (r *refiner) keeping() func(*checkpoint.Values) {
	now := *r
	now.partial = r.partial.copied()
	return now.checkpoint
}

// reached says that the refinement is between two steps.
func (r *refiner) reached() {
	if r.options.Checkpoint != nil {
		r.options.Checkpoint.Reached(r.keeping())
	}
}

// restore continues from the state of a checkpoint.
func (r *refiner) restore(ctx context.Context) error {
	if err := r.options.Checkpoint.Restore(r.checkpoint); err != nil {
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
	v.Bool(&r.weighted)
	begun := r.earlier != nil
	if v.Bool(&begun); !begun {
		r.earlier = nil
	}
	v.Int(&r.epoch, &r.part, &r.power, &r.step, &r.rounds, &r.lost)
	v.Float(&r.meanWeight, &r.meanLength, &r.last, &r.gain)
	r.partial.checkpoint(v)
	checkpoint.Slice(v, &r.alpha)
	checkpoint.Slice(v, &r.computedFrom.alpha)
	checkpoint.Slice(v, &r.computedFrom.shares)
	r.found.checkpoint(v)
	checkpoint.Matrix(v, &r.sums)
	splitting := r.splits != nil
	if v.Bool(&splitting); !splitting || v.Err() != nil {
		return
	}
	if v.Reading() {
		r.splits = &splits{y: matrix.NewSingle(batchDocuments, r.k)}
	}
	checkpoint.Matrix(v, &r.splits.v)
	if v.Reading() && v.Err() == nil {
		r.splits.sum = matrix.Like(r.splits.v)
	}
	checkpoint.Slice(v, &r.splits.scores)
}

// checkpoint takes what was found so far.
func (f *Result) checkpoint(v *checkpoint.Values) {
	purpose := string(f.For)
	v.JSON(&purpose)
	f.For = Purpose(purpose)
	v.Float(&f.Burstiness, &f.Moved)
	v.Int(&f.Epochs, &f.Passes, &f.Repairs)
	v.Bool(&f.Settled)
	checkpoint.Slice(v, &f.LogLikelihood)
	checkpoint.Slice(v, &f.Joint)
}

// checkpoint takes the sums.
func (s *passSums) checkpoint(v *checkpoint.Values) {
	v.Float(&s.likelihood, &s.tokens, &s.documents)
	checkpoint.Slice(v, &s.joint)
	checkpoint.Slice(v, &s.diagonal)
}

// copied returns a copy that shares no memory.
func (s *passSums) copied() passSums {
	c := *s
	c.joint, c.diagonal = append([]float64(nil), s.joint...), append([]float64(nil), s.diagonal...)
	return c
}
