// This file takes a fit to checkpoints and back.

package bayes

import (
	"fmt"
	"slices"

	"anchorage/internal/checkpoint"
)

// restore continues from the state of a checkpoint.
func (f *Fitter) restore() error {
	if err := f.point.Restore(f.checkpoint); err != nil {
		return err
	}
	if f.State.Options.LearnPriors {
		f.engine = newEngine(f.State)
	}
	if f.State.locations != nil {
		f.State.transpose(f.State.across, f.State.locations)
	}
	return nil
}

// checkpoint takes the state between two steps.
func (f *Fitter) checkpoint(v *checkpoint.Values) {
	s := f.State
	v.Take(&s.Step, &s.Seen, &f.Scores, &f.Bounds, &s.scale, &s.sums, &s.rates, &s.locations, &s.joint, &s.excess)
	if s.Options.LearnPriors {
		v.Take(&s.Options.C0, &s.Options.A0, &s.Options.B0)
	}
	if f.locals != nil {
		f.locals.checkpoint(v, s.Corpus.Documents)
	}
}

// checkpointRows is how many documents' variables are taken at a time.
const checkpointRows = 512

// checkpoint takes the last rows of all documents.
func (l *localStore) checkpoint(v *checkpoint.Values, documents int64) {
	if v.Take(&l.initialized); !l.initialized {
		return
	}
	var rows []float64
	for first := int64(0); first < documents && v.Err() == nil; first += checkpointRows {
		size := int(min(checkpointRows, documents-first)) * l.width
		rows = slices.Grow(rows[:0], size)[:size]
		if v.Writing() {
			v.Fail(l.read(l.last, rows, first))
		}
		v.Take(&rows)
		switch {
		case !v.Reading() || v.Err() != nil:
		case len(rows) != size:
			v.Fail(fmt.Errorf("%w: it has %d variables of documents, not %d", checkpoint.ErrDamaged, len(rows), size))
		default:
			v.Fail(l.write(rows, first))
		}
	}
	if v.Reading() {
		l.turn()
	}
}
