// This file holds the options of a fit, and what the papers have for them.

package model

import (
	"fmt"

	"anchorage/anchor"
	"anchorage/rectify"
)

// Options say how a model is fitted. The zero value of everything but Topics is the default. Fit takes all of them, and each stage
// those that concern it.
type Options struct {
	Topics   int    // K, at least 2
	Method   Method // LRJSMF if empty
	Baseline bool   // leave the co-occurrences as they are, without rectification
	Seed     uint64 // of all random numbers
	Sketch   SketchOptions
	Rectify  RectifyOptions
	Anchor   AnchorOptions
	// Run holds what concerns the whole run: workers, the limit of memory, the log. Nil stands for a new Run.
	Run *Run
}

// SketchOptions say how eigenpairs are found; see sketch.Options.
type SketchOptions struct {
	Passes      int         // over the documents; 0 for as many as accuracy asks for
	Columns     int         // of the random matrix; 0 for K+30, or 4K with a single pass
	ItemWeights ItemWeights // how items weigh in documents; WeightsAuto if empty
	// NoEvidence leaves out the pass that measures how far each item's row can be trusted. A single pass never makes it.
	NoEvidence bool
	// Mergeable, if not nil, is where the sketch of a single pass is kept, to be merged with others.
	Mergeable *Output
}

// RectifyOptions say how the factor is rectified; see rectify.Options.
type RectifyOptions struct {
	Iterations    int           // exactly so many; 0 for the method's own number
	Normalization Normalization // of ENN; NormalizeMarginal if empty
	// Corrections say where ENN keeps its corrections, which has no influence on the result. SpillDir is that of the run.
	Corrections rectify.Corrections
}

// AnchorOptions say how topics are found; see anchor.Options.
type AnchorOptions struct {
	RowSums    anchor.RowSums
	MinDF      int64 // least document frequency of an anchor
	NoPolish   bool  // leave the mixtures as the anchors alone give them
	NoEvidence bool  // take every row for certain, even where the evidence is known
	// Relevance is λ of the order in which a topic's prominent items are listed, above 0 and up to 1. 0 stands for 1 where items
	// are weighted and 0.6 where they are not: both leave out what is frequent everywhere.
	Relevance float64
}

// Published returns the options of the papers (Lee et al., ICML 2021): equal weights, uniform normalization, row sums of the factor,
// every row taken for certain, mixtures as the anchors give them, and items in the order of their probability. Methods that
// rectify by ENN make 50 iterations.
func Published(method Method) Options {
	o := Options{Method: method}
	o.Sketch.ItemWeights, o.Sketch.NoEvidence = WeightsNone, true
	o.Rectify.Normalization = NormalizeUniform
	o.Rectify.Iterations = method.entry().published
	o.Anchor.RowSums, o.Anchor.Relevance = anchor.RowSumsFactor, 1
	o.Anchor.NoEvidence, o.Anchor.NoPolish = true, true
	return o
}

// OptionError reports an option that is out of range or contradicts another.
type OptionError struct {
	Option string // the field, as in "Topics" or "Sketch.Passes"
	Reason string
}

// Error names the option and the reason.
func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

func badOption(option, format string, args ...any) error {
	return &OptionError{Option: option, Reason: fmt.Sprintf(format, args...)}
}

// Check returns an *OptionError if an option is out of range or contradicts another. Fit and Sketch check first.
func (o *Options) Check() error {
	switch {
	case !o.Method.known():
		return badOption("Method", "unknown method %q", o.Method)
	case o.Topics < 2:
		return badOption("Topics", "there must be at least 2 topics, not %d", o.Topics)
	case o.Sketch.Passes < 0:
		return badOption("Sketch.Passes", "the number of passes cannot be %d", o.Sketch.Passes)
	case o.columns() < o.Topics:
		return badOption("Sketch.Columns", "%d sketch columns are too few for %d topics: there must be at least as many, and 4 times as many for a single pass", o.columns(), o.Topics)
	case o.Rectify.Iterations < 0:
		return badOption("Rectify.Iterations", "the number of iterations cannot be %d", o.Rectify.Iterations)
	case !(o.Anchor.Relevance >= 0 && o.Anchor.Relevance <= 1):
		return badOption("Anchor.Relevance", "λ must be from 0 to 1, not %v", o.Anchor.Relevance)
	}
	return nil
}

// columns returns L.
func (o *Options) columns() int {
	switch {
	case o.Sketch.Columns > 0:
		return o.Sketch.Columns
	case o.Sketch.Passes == 1:
		return 4 * o.Topics
	}
	return o.Topics + 30
}

// prepared returns the options with a method and a run.
func (o Options) prepared() Options {
	if o.Method == "" {
		o.Method = LRJSMF
	}
	if o.Run == nil {
		o.Run = new(Run)
	}
	o.Run.begin()
	return o
}
