// This file drives the algorithms over the documents.

package svi

import (
	"context"
	"errors"
	"math"

	"anchorage/corpus"
	"anchorage/matrix"
)

// NoTests is the Plan.TestEvery with which no batch is tested.
const NoTests = -1

// Plan says how long a fit goes on and what it reports. Zero values are the defaults.
type Plan struct {
	Batch bool `json:"batch"` // the batch algorithm
	// Epochs is how often the stochastic algorithm sees every document; 0 for 1.
	Epochs int `json:"epochs"`
	// Iterations bounds those of the batch algorithm, which ends before when the bound has grown by less than Tolerance,
	// relative; 0 for 100 and 1e-5.
	Iterations int     `json:"iterations"`
	Tolerance  float64 `json:"tolerance"`
	// TestEvery is every which batch is tested before it is learned from, the first one included; 0 for 10; see NoTests.
	TestEvery int `json:"test_every"`
	// InOrder takes documents in the order in which they come; otherwise the stochastic algorithm takes them at random.
	InOrder bool `json:"in_order"`
}

func (p Plan) withDefaults() Plan {
	if p.Epochs == 0 {
		p.Epochs = 1
	}
	if p.Iterations == 0 {
		p.Iterations = 100
	}
	if p.Tolerance == 0 {
		p.Tolerance = 1e-5
	}
	if p.TestEvery == 0 {
		p.TestEvery = 10
	}
	if p.Batch {
		p.Epochs, p.TestEvery, p.InOrder = 0, NoTests, true
	} else {
		p.Iterations, p.Tolerance = 0, 0
	}
	return p
}

// Progress is what a fit reports after every step.
type Progress struct {
	Step, Steps int64    // done, and in all, at most
	Documents   int64    // seen
	Rho         float64  // the step size; 1 for a batch algorithm
	Tested      *HeldOut // if the batch was tested
	Bound       float64  // of a batch algorithm; NaN for a stochastic one
}

// Fitter learns from documents. Close it in the end.
type Fitter struct {
	State  *State
	Plan   Plan
	Scores []HeldOut // of the batches tested so far
	Bounds []float64 // of the iterations so far
	// Report, if not nil, is called after every step; the state may be saved then. An error ends the fit.
	Report func(Progress) error

	from       Source
	engine     *engine
	statistics statistics
	successor  *matrix.Tall // g of the iteration that goes on
	locals     *localStore
	rows       []float64
}

// Source is where a fit takes documents from: a batch algorithm, or a plan in order, from Pass, others from Shuffled. Both
// must yield State.Corpus.Documents documents.
type Source struct {
	Pass     corpus.Pass
	Shuffled *Shuffled
	Dir      string // where a batch algorithm keeps the documents' variables
}

// Random reports whether the plan takes documents in random order.
func (p Plan) Random() bool { return !p.Batch && !p.InOrder }

// NewFitter prepares a fit. It panics if the source does not have what the plan needs.
func NewFitter(s *State, plan Plan, from Source) (*Fitter, error) {
	f := &Fitter{State: s, Plan: plan.withDefaults(), from: from, engine: newEngine(s)}
	if f.Plan.Random() && from.Shuffled == nil || !f.Plan.Random() && from.Pass == nil {
		panic("svi: a source that the plan cannot be followed with")
	}
	if s.Corpus.Documents < 1 {
		return nil, errors.New("there are no documents to learn from")
	}
	if f.Plan.Batch {
		var err error
		if f.locals, err = newLocalStore(from.Dir, s.Options.localWidth()); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Close removes what lies on the disk. The source is not closed.
func (f *Fitter) Close() {
	if f.locals != nil {
		f.locals.close()
	}
}

// documents calls fn with the documents of an epoch from number skip on.
func (f *Fitter) documents(ctx context.Context, epoch uint64, skip int64, fn func(*corpus.Documents) error) error {
	if f.Plan.Random() {
		return f.from.Shuffled.Epoch(ctx, epoch, skip, f.State.Options.Workers, fn)
	}
	var rest corpus.Documents
	return f.from.Pass(ctx, func(docs *corpus.Documents) error {
		n := int64(docs.Documents())
		if skip >= n {
			skip -= n
			return nil
		}
		if skip == 0 {
			return fn(docs)
		}
		start := docs.Offsets[skip]
		rest.Offsets = rest.Offsets[:0]
		for _, offset := range docs.Offsets[skip:] {
			rest.Offsets = append(rest.Offsets, offset-start)
		}
		rest.Items, rest.Counts = docs.Items[start:], docs.Counts[start:]
		skip = 0
		return fn(&rest)
	})
}

// Run goes on from the state until the plan is fulfilled. When ctx is done it returns ctx's error after the batch at hand, and
// can be called again, or the state saved and restored, to the same end.
func (f *Fitter) Run(ctx context.Context) error {
	if f.Plan.Batch {
		return f.iterations(ctx)
	}
	perEpoch := f.perEpoch()
	steps := int64(f.Plan.Epochs) * perEpoch
	for f.State.Step < steps {
		err := f.batches(ctx, uint64(f.State.Step/perEpoch), f.State.Step%perEpoch, func() error { return f.learn(steps) })
		if err != nil {
			return err
		}
	}
	return nil
}

// learn tests the batch in the engine if it is its turn, makes a step, and reports.
func (f *Fitter) learn(steps int64) error {
	s := f.State
	progress := Progress{Bound: math.NaN(), Steps: steps, Rho: s.Options.rate(s.Step + 1)}
	if f.Plan.TestEvery > 0 && s.Step%int64(f.Plan.TestEvery) == 0 {
		score := f.engine.test(s.Step)
		f.Scores = append(f.Scores, score)
		progress.Tested = &score
	}
	f.engine.step(&f.statistics, progress.Rho)
	return f.report(progress)
}

func (f *Fitter) report(p Progress) error {
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
