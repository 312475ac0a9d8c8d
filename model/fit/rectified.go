// This file implements the second stage: from eigenpairs to a rectified factor.

package fit

import (
	"cmp"
	"context"

	"anchorage/matrix"
	"anchorage/model"
	"anchorage/rectify"
)

// Rectified is the result of the second stage: a factor Y with Y·Yᵀ nearly non-negative or, for methods that hold C, a
// rectified C.
type Rectified struct {
	*model.Model // without topics

	run    *Run
	memory *memoryModel
	begun  *begun
	dense  *matrix.Tall // C, N×N; nil if there is a factor
}

// Rectify turns eigenpairs into a rectified factor by opts.Method. s must be the result of the same method's first
// stage. Rectify uses up s; a second call panics. Only ENN can rectify a loaded sketch. The error is an *OptionError,
// an *InputError for a sketch of some tasks only, a *durable.SpillError, or that of ctx.
func (s *Sketched) Rectify(ctx context.Context, opts Options) (*Rectified, error) {
	kept := s.run.kept
	if kept.past(rectified) {
		return &Rectified{Model: kept.from.model(s.Vocabulary), dense: kept.from.dense, run: s.run, memory: s.memory,
			begun: s.begun}, nil
	}
	if s.Eigen.Vectors == nil && s.dense == nil && !kept.past(rectifying) {
		panic("model: this sketch was already rectified")
	}
	opts.Run = s.run
	opts = opts.prepared()
	method := opts.Method.entry()
	if err := s.fits(&opts); err != nil {
		return nil, err
	}
	defer s.run.Stage("rectify")()
	found := *s.Model
	found.Eigen.Vectors = nil // the rectification uses them up
	r := &Rectified{Model: &found, run: s.run, memory: s.memory, begun: s.begun, dense: s.dense}
	r.Manifest.Kind = model.KindFactor
	switch {
	case s.dense != nil && (opts.Baseline || method.rectify == nil):
		return r, nil // C as it was counted
	case opts.Baseline:
		r.Factor = s.factor()
		r.Manifest.Rectify = &model.RectifyRecord{Method: "none"}
		return r, nil
	}
	result, err := method.rectify(ctx, s, &opts)
	if err != nil {
		return nil, err
	}
	r.note(method, result, &opts)
	return r, nil
}

// fits returns an *OptionError if the method cannot continue from s, and an *InputError if s is of some tasks only.
func (s *Sketched) fits(opts *Options) error {
	method := opts.Method.entry()
	partial := s.Manifest.Tasks.Whole(s.Path())
	switch {
	case partial != nil:
		return partial
	case !opts.Method.known():
		return badOption("Method", "unknown method %q", opts.Method)
	case s.dense == nil && method.inference == "aw", s.dense != nil && method.inference != "aw":
		return badOption("Method", "%s cannot continue from this sketch", opts.Method)
	case s.multiply == nil && method.rectifier != "enn":
		return badOption("Method", "%s makes passes over the documents, but a loaded sketch has none", opts.Method)
	}
	return nil
}

// factor returns Y = V·√D. It uses up the vectors. If the rectification continues from a checkpoint, it is nil.
func (s *Sketched) factor() *matrix.Tall {
	if s.Eigen.Vectors == nil {
		return nil // the rectification continues from its checkpoint
	}
	s.run.kept.leave()
	y := s.Eigen.Factor(s.run.Workers)
	s.Eigen.Vectors = nil
	return y
}

// rectifyOptions returns the options for package rectify. The run records the iterations.
func (s *Sketched) rectifyOptions(o *Options) rectify.Options {
	r := rectify.Options{Iterations: o.Rectify.Iterations, Tolerance: o.Rectify.Tolerance,
		Seed: s.Manifest.Sketch.Seed, Key: s.Vocabulary.Key, Workers: s.run.Workers, Report: s.run.iteration(),
		Truncated: o.Rectify.Truncated, Corrections: o.Rectify.Corrections, Multiply: s.multiply}
	r.Corrections.SpillDir = s.run.SpillDir
	if s.memory != nil && s.memory.restricted {
		r.Corrections.Bytes = max(s.memory.budget, 1)
	}
	return r
}

// rectifying returns the context of a rectification of the factor, which keeps its state in the checkpoint.
func (s *Sketched) rectifying(ctx context.Context) context.Context {
	kept := s.run.kept
	if kept == nil {
		return ctx
	}
	found := s.snapshot(kept.docs)
	found.Eigen.Vectors, found.dense = nil, nil // only the first stage needs them
	return kept.within(ctx, rectifying, found)
}

// normalization returns the normalization of ENN.
func (o *Options) normalization() Normalization {
	return cmp.Or(o.Rectify.Normalization, NormalizeMarginal)
}

// note records what a rectifier did.
func (r *Rectified) note(m *method, result *rectify.Result, opts *Options) {
	if r.dense == nil {
		r.Factor = result.Factor
		if r.memory != nil {
			r.memory.found(r.run.iterations)
			r.run.model(r.memory.stages())
		}
	}
	r.Course = result.Iterations
	last := result.Iterations[len(result.Iterations)-1]
	record := &model.RectifyRecord{Method: m.rectifier, Iterations: last.Number, Converged: result.Converged,
		Unsettled: !result.Converged && opts.Rectify.Iterations == 0,
		Change:    last.Change, Density: last.Density, Shift: last.Shift, Norm: result.Norm}
	r.Manifest.Rectify = record
	r.run.found("method", m.rectifier, "iterations", last.Number, "converged", result.Converged, "change", last.Change,
		"norm", result.Norm)
	if m.rectifier == "enn" { // only ENN has a normalization, and leaves negative entries
		record.Normalization, record.Truncated = string(opts.normalization()), opts.Rectify.Truncated
		left := &result.Negativity
		record.Negative = left
		r.run.found("epsilon", left.Epsilon, "negative_mass", left.Mass)
	}
}
