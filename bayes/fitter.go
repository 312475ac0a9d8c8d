// This file runs the algorithms over the documents, and takes a fit to checkpoints and back.

package bayes

import (
	"cmp"
	"context"
	"errors"
	"math"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/matrix"
)

// NoTests is the Plan.TestEvery with which no batch is tested.
const NoTests = -1

// Plan says how long a fit runs and what it tests. Its zero value is the default: one epoch in random order.
type Plan struct {
	Batch bool `json:"batch"` // the batch algorithm
	// Epochs is how often the stochastic algorithm sees every document; 0 for 1.
	Epochs int `json:"epochs"`
	// Iterations is the most iterations of the batch algorithm; 0 for 100. It ends earlier when the bound has grown by
	// less than Tolerance, relative to the bound; 0 for 1e-5.
	Iterations int     `json:"iterations"`
	Tolerance  float64 `json:"tolerance"`
	// TestEvery is n if the fit tests every n-th batch before it learns from it, from the first on; 0 for 10; see NoTests.
	TestEvery int `json:"test_every"`
	// InOrder takes the documents in the order of the pass. Otherwise the stochastic algorithm takes them in random order.
	InOrder bool `json:"in_order"`
}

func (p Plan) withDefaults() Plan {
	p.Epochs, p.Iterations = cmp.Or(p.Epochs, 1), cmp.Or(p.Iterations, 100)
	p.Tolerance, p.TestEvery = cmp.Or(p.Tolerance, 1e-5), cmp.Or(p.TestEvery, 10)
	if p.Batch {
		p.Epochs, p.TestEvery, p.InOrder = 0, NoTests, true
	} else {
		p.Iterations, p.Tolerance = 0, 0
	}
	return p
}

// Progress is what a fit reports after every step.
type Progress struct {
	Step, Steps int64    // steps done, and the most there will be
	Documents   int64    // documents seen
	Rho         float64  // the step size; 1 with the batch algorithm
	Tested      *HeldOut // the score of the batch; nil if it was not tested
	Bound       float64  // the bound with the batch algorithm, else NaN
}

// Fitter learns from documents. Close it when it is done.
type Fitter struct {
	State  *State
	Plan   Plan
	Scores []HeldOut // of the batches tested so far
	Bounds []float64 // of the iterations so far
	// Report, if not nil, is called after every step. An error that it returns ends the fit.
	Report func(Progress) error

	from       Source
	engine     *engine
	statistics statistics
	successor  *matrix.Tall // g after the iteration under way
	locals     *localStore
	rows       []float64
	point      *checkpoint.Point // between two steps; nil if there are no checkpoints
}

// Source is where a fit takes its documents from: from Shuffled if the plan is random, else from Pass. Both must yield
// State.Corpus.Documents documents.
type Source struct {
	Pass     corpus.Pass
	Shuffled *Shuffled
	// where the batch algorithm keeps the documents' variables; empty for the system's folder of temporary files
	Dir string
}

// Random reports whether the plan takes documents in random order.
func (p Plan) Random() bool { return !p.Batch && !p.InOrder }

// NewFitter prepares a fit. It panics if the source lacks what the plan needs. The error is a *RoomError if working
// files cannot be made.
func NewFitter(s *State, plan Plan, from Source) (*Fitter, error) {
	f := &Fitter{State: s, Plan: plan.withDefaults(), from: from, engine: newEngine(s)}
	if f.Plan.Random() && from.Shuffled == nil || !f.Plan.Random() && from.Pass == nil {
		panic("bayes: the source lacks what the plan needs")
	}
	if s.Corpus.Documents < 1 {
		return nil, errors.New("there are no documents to learn from")
	}
	if !f.Plan.Batch {
		return f, nil
	}
	if s.Options.LearnPriors {
		return nil, errors.New("the batch algorithm cannot learn the hyperparameters")
	}
	var err error
	f.locals, err = newLocalStore(from.Dir, s.Options.localWidth())
	return f, err
}

// Close removes the working files. It does not close the source.
func (f *Fitter) Close() {
	if f.locals != nil {
		f.locals.close()
	}
}

// documents calls fn with the documents of an epoch from number skip on: those of docs from number first on.
func (f *Fitter) documents(ctx context.Context, epoch uint64, skip int64,
	fn func(docs *corpus.Documents, first int) error) error {
	if f.Plan.Random() {
		all := func(docs *corpus.Documents) error { return fn(docs, 0) }
		return f.from.Shuffled.Epoch(ctx, epoch, skip, f.State.Options.Workers, all)
	}
	return f.from.Pass(ctx, func(docs *corpus.Documents) error {
		first := min(skip, int64(docs.Documents()))
		skip -= first
		return fn(docs, int(first))
	})
}

// Run continues from the state until the plan is done. When ctx is done it drops the present batch and returns ctx's
// error. Run can then be called again, with the same result. If ctx carries a checkpoint, the state goes there after
// steps, and a new fit continues from the state that is there.
func (f *Fitter) Run(ctx context.Context) error {
	if f.point = checkpoint.PointOf(ctx); f.point.Resumes() {
		if err := f.restore(); err != nil {
			return err
		}
	}
	if f.Plan.Batch {
		return f.iterations(ctx)
	}
	perEpoch := f.perEpoch()
	steps := int64(f.Plan.Epochs) * perEpoch
	for f.State.Step < steps {
		err := f.batches(ctx, uint64(f.State.Step/perEpoch), f.State.Step%perEpoch,
			func() error { return f.learn(ctx, steps) })
		if err != nil {
			return err
		}
	}
	return nil
}

// learn tests the batch in the engine if it is due, makes a step, and reports.
func (f *Fitter) learn(ctx context.Context, steps int64) error {
	s := f.State
	progress := Progress{Bound: math.NaN(), Steps: steps, Rho: s.Options.rate(s.Step + 1)}
	if f.Plan.TestEvery > 0 && s.Step%int64(f.Plan.TestEvery) == 0 {
		score, err := f.engine.test(ctx, s.Step)
		if err != nil {
			return err
		}
		progress.Tested = &score
	}
	if err := f.engine.step(ctx, &f.statistics, progress.Rho); err != nil {
		return err
	}
	if progress.Tested != nil {
		f.Scores = append(f.Scores, *progress.Tested)
	}
	return f.report(progress)
}

func (f *Fitter) report(p Progress) error {
	f.point.Reached(f.checkpoint) // the fit is between two steps; one that is interrupted leaves the state as it was
	p.Step, p.Documents = f.State.Step, f.State.Seen
	if f.Report == nil {
		return nil
	}
	return f.Report(p)
}

// iterations runs the batch algorithm.
func (f *Fitter) iterations(ctx context.Context) error {
	for f.State.Step < int64(f.Plan.Iterations) && !f.converged() {
		bound, err := f.sweepOnce(ctx)
		if err != nil {
			return err
		}
		f.Bounds = append(f.Bounds, bound)
		if err := f.report(Progress{Bound: bound, Steps: int64(f.Plan.Iterations), Rho: 1}); err != nil {
			return err
		}
	}
	return nil
}

// converged reports whether the bound has stopped growing.
func (f *Fitter) converged() bool {
	n := len(f.Bounds)
	return n > 1 && f.Bounds[n-1]-f.Bounds[n-2] <= f.Plan.Tolerance*math.Abs(f.Bounds[n-1])
}

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
