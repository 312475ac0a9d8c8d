// This file holds the batch algorithms. An iteration sees all documents before it changes a global variable.

package bayes

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"anchorage/bayes/internal/batch"
	"anchorage/corpus"
	"anchorage/matrix"
)

// sweep is an iteration under way.
type sweep struct {
	bound  float64
	totals []float64 // K: Σ_d Σ_v X p
	omega  []float64 // K: Σ_d E ω_kd
	joint  []float64 // K×K: sum of the batches' means, times their documents
	full   float64   // documents that joint sums over
	linear []float64 // K×m: Σ_d (Σ_v X p_k) u_d; correlated NMF
	seen   int64
}

// sweepOnce makes one iteration of the batch algorithm. It finds the local variables of all documents, beginning with
// those of the last iteration, and the bound with them; then g and h (11.25–11.27) and ℓ. Each of these raises the
// bound, so the bounds that it returns never fall.
func (f *Fitter) sweepOnce(ctx context.Context) (float64, error) {
	s, e := f.State, f.engine
	o := &s.Options
	if f.successor == nil {
		f.successor = matrix.Like(s.excess)
	}
	f.successor.Clear()
	w := &sweep{bound: s.globalBound(), totals: make([]float64, o.Topics), omega: make([]float64, o.Topics),
		joint: make([]float64, o.Topics*o.Topics), linear: make([]float64, o.Topics*s.latent)}
	e.warm = f.locals.initialized
	err := f.batches(ctx, 0, 0, func() error { return f.sweepBatch(ctx, w) })
	e.warm = false
	if err != nil {
		return 0, err
	}
	return w.bound, f.complete(ctx, w)
}

// complete changes the global variables. It does so only when nothing can fail any more: an iteration that is
// interrupted must leave them as they were.
func (f *Fitter) complete(ctx context.Context, w *sweep) error {
	s := f.State
	sums, rates := make([]float64, len(s.sums)), make([]float64, len(s.rates))
	masses := make([]float64, len(s.sums))
	for k := range sums {
		sums[k] = s.Options.C0 + w.totals[k]
		masses[k] = 1
		if s.rates != nil {
			rates[k] = s.Options.C0 + w.omega[k]
			masses[k] = sums[k] / rates[k]
		}
	}
	if s.locations != nil {
		locations, err := f.climbLocations(ctx, w.linear, masses)
		if err != nil {
			return err
		}
		s.locations = locations
		s.transpose(s.across, s.locations)
	}
	s.excess, f.successor, s.scale = f.successor, s.excess, 1
	copy(s.sums, sums)
	copy(s.rates, rates)
	for i, v := range w.joint {
		s.joint[i] = v / max(w.full, 1)
	}
	f.locals.turn()
	s.Step++
	s.Seen += w.seen
	return nil
}

// sweepBatch adds a batch to an iteration.
func (f *Fitter) sweepBatch(ctx context.Context, w *sweep) error {
	e := f.engine
	documents := e.b.Documents()
	e.makeRoom(documents)
	if e.warm {
		if err := f.loadLocals(w.seen, documents); err != nil {
			return err
		}
	}
	if err := e.infer(ctx); err != nil {
		return err
	}
	if err := f.saveLocals(w.seen, documents); err != nil {
		return err
	}
	w.bound += e.localBound()
	st := &f.statistics
	e.gather(st)
	floats.Add(w.totals, st.totals)
	if st.omega != nil {
		floats.Add(w.omega, st.omega)
	}
	if st.joint != nil {
		floats.AddScaled(w.joint, float64(documents), st.joint)
		w.full += float64(documents)
	}
	if e.s.locations != nil {
		for d := range documents {
			u := e.u[d*e.s.latent:][:e.s.latent]
			for k, r := range e.resp[d*e.s.stride:][:e.s.Options.Topics] {
				to := w.linear[k*e.s.latent:][:e.s.latent]
				for j, v := range u {
					to[j] += r * v
				}
			}
		}
	}
	e.addRows(f.successor, 1)
	w.seen += int64(documents)
	return nil
}

func (f *Fitter) loadLocals(first int64, documents int) error {
	e := f.engine
	if e.s.locations == nil {
		return f.locals.read(f.locals.last, e.a[:documents*e.s.stride], first)
	}
	f.rows = batch.Resize(f.rows, documents*f.locals.width)
	if err := f.locals.read(f.locals.last, f.rows, first); err != nil {
		return err
	}
	for d := range documents {
		copy(e.u[d*e.s.latent:][:e.s.latent], f.rows[d*f.locals.width:])
	}
	return nil
}

func (f *Fitter) saveLocals(first int64, documents int) error {
	e, s := f.engine, f.State
	if s.locations == nil {
		return f.locals.write(e.a[:documents*s.stride], first)
	}
	f.rows = batch.Resize(f.rows, documents*f.locals.width)
	for d := range documents {
		row, u := f.rows[d*f.locals.width:][:f.locals.width], e.u[d*s.latent:][:s.latent]
		copy(row, u)
		omega := e.a[d*s.stride:][:s.Options.Topics]
		k := floats.MaxIdx(omega)
		row[s.latent] = math.Log(omega[k]) - dot(s.Location(k), u) // α; −∞ for an empty document
	}
	return f.locals.write(f.rows, first)
}

// batches calls fn for every batch of an epoch from number first on, with the batch in the engine. Documents come in
// the order that the plan asks for.
func (f *Fitter) batches(ctx context.Context, epoch uint64, first int64, fn func() error) error {
	e := f.engine
	count, total := f.perEpoch(), f.State.Corpus.Documents
	number, seen := first, f.batchStart(first)
	e.b.Reset()
	err := f.documents(ctx, epoch, seen, func(docs *corpus.Documents, d int) error {
		for d < docs.Documents() {
			if number == count {
				return f.miscounted("more")
			}
			take := min(docs.Documents()-d, int(f.batchStart(number+1)-seen))
			e.b.Add(docs, d, d+take)
			d, seen = d+take, seen+int64(take)
			if seen < f.batchStart(number+1) {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(); err != nil {
				return err
			}
			number++
			e.b.Reset()
		}
		return nil
	})
	if err == nil && seen < total {
		return f.miscounted("fewer")
	}
	return err
}

func (f *Fitter) miscounted(how string) error {
	return fmt.Errorf("the corpus has %s documents than the %d that were counted: it has changed", how,
		f.State.Corpus.Documents)
}

// perEpoch returns the number of batches of an epoch, and batchStart the number of the document that a batch begins
// with. The sizes of batches differ by one at most.
func (f *Fitter) perEpoch() int64 {
	size := int64(f.State.Options.BatchSize)
	return (f.State.Corpus.Documents + size - 1) / size
}

func (f *Fitter) batchStart(number int64) int64 {
	count, total := f.perEpoch(), f.State.Corpus.Documents
	return number*(total/count) + min(number, total%count)
}
