// This file takes a refinement to checkpoints and back.

package bayes

import (
	"context"

	"anchorage/checkpoint"
	"anchorage/matrix"
)

// renewal is what the topics of a refiner were computed from, beside n.
type renewal struct{ alpha, shares []float64 }

// standing is where a refinement stands between two steps.
type standing struct {
	epoch int      // epochs that have ended
	part  int      // parts of the next one that have ended
	sums  passSums // over these parts
	power int      // passes of the search for splits that have ended
}

// keeping returns a function that takes the state as it is now to a checkpoint. The matrices must stay as they are until it is called.
func (r *refiner) keeping() func(*checkpoint.Values) {
	now := *r
	now.at.sums = r.at.sums.copied()
	return now.checkpoint
}

// reached says that the refinement is between two steps.
func (r *refiner) reached() {
	if r.options.Checkpoint != nil {
		r.options.Checkpoint.Reached(r.keeping())
	}
}

// restore goes on from the state of a checkpoint.
func (r *refiner) restore(ctx context.Context) error {
	if err := r.options.Checkpoint.Restore(r.checkpoint); err != nil {
		return err
	}
	// The topics follow from n, and from α and the shares as they were then.
	alpha := r.alpha
	r.alpha, r.shares = r.renewed.alpha, r.renewed.shares
	err := r.renew(ctx)
	r.alpha = alpha
	return err
}

// checkpoint takes the state between two steps. The topics are computed again.
func (r *refiner) checkpoint(v *checkpoint.Values) {
	at := &r.at
	v.Bool(&r.weighted)
	begun := r.earlier != nil
	if v.Bool(&begun); !begun {
		r.earlier = nil
	}
	v.Int(&at.epoch, &at.part, &at.power, &r.step, &r.rounds, &r.lost)
	v.Float(&r.meanWeight, &r.meanLength, &r.last, &r.gain)
	at.sums.checkpoint(v)
	checkpoint.Slice(v, &r.alpha)
	checkpoint.Slice(v, &r.renewed.alpha)
	checkpoint.Slice(v, &r.renewed.shares)
	r.found.checkpoint(v)
	checkpoint.Matrix(v, &r.sums)
	splitting := r.splits != nil
	if v.Bool(&splitting); !splitting || v.Err() != nil {
		return
	}
	if v.Reading() {
		r.splits = &splits{y: matrix.NewSingle(refineDocuments, r.k)}
	}
	checkpoint.Matrix(v, &r.splits.v)
	if v.Reading() && v.Err() == nil {
		r.splits.sum = matrix.Like(r.splits.v)
	}
	checkpoint.Slice(v, &r.splits.scores)
}

// checkpoint takes what was found so far.
func (f *Refined) checkpoint(v *checkpoint.Values) {
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

// copied returns sums of their own.
func (s *passSums) copied() passSums {
	c := *s
	c.joint, c.diagonal = append([]float64(nil), s.joint...), append([]float64(nil), s.diagonal...)
	return c
}
