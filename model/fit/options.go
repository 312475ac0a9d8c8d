// This file defines the options of a fit, and the options of the papers.

package fit

import (
	"cmp"
	"fmt"
	"slices"

	"anchorage/anchor"
	"anchorage/bayes"
	"anchorage/bayes/refine"
	"anchorage/model"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Options say how a model is fitted. Topics must be set; other zero values are the defaults. Fit uses all options, and
// each stage those that concern it.
type Options struct {
	Topics   int    // K, at least 2
	Method   Method // LRJSMF if empty
	Baseline bool   // leave out the rectification
	Seed     uint64 // of all random numbers
	Sketch   SketchOptions
	Rectify  RectifyOptions
	Anchor   AnchorOptions
	Refine   RefineOptions
	// Levels, if not nil, are the numbers of topics of coarser models of the same documents, increasing from 2 to less
	// than Topics. Fit finds them from the same sketch, and writes them into Output, to which the finest model must be
	// saved then; see Model.Levels. The method must be one that finds the topics of a factor. Sketch prepares for them:
	// Sketched.At returns what later stages need for each.
	Levels []int `json:",omitempty"`
	// Choice, if not nil, says why there are as many topics; the manifest records it.
	Choice *model.ChoiceRecord `json:",omitempty"`
	// Start, if not nil, is an earlier model of nearly the same documents, which saves passes; see ReadStart. The method
	// must make passes over the documents, two or more.
	Start *model.Start `json:"-"`
	// Wishes, if not nil, are what a person wants of the topics: the method must find anchors in a factor.
	Wishes *model.Wishes
	// Extras are what the model gets beside its topics.
	Extras `json:"-"`
	// Run holds the settings of the whole run: workers, memory limit, log. Nil means a new Run.
	Run *Run `json:"-"`
}

// SketchOptions say how eigenpairs are found; see sketch.Options.
type SketchOptions struct {
	Passes int // over the documents; 0 for as many as the accuracy needs
	// Power makes subspace iteration, as the papers do, instead of a block Krylov method; a single pass makes neither.
	Power bool
	// Form says how a single pass finds eigenpairs.
	Form sketch.Form `json:",omitempty"`
	// Columns is L, of the random matrix; 0 for K+30, 2K with Power, or with a single pass for as many as fit, up to 16K
	Columns     int
	ItemWeights ItemWeights // how items weigh in documents; WeightsAuto if empty
	// DocumentWeights say how documents weigh in co-occurrences; WeightsLength if empty.
	DocumentWeights DocumentWeights
	// NoEvidence leaves out the pass that measures how far each item's row can be trusted, or with Passes 1, which makes
	// none, the estimate in its place.
	NoEvidence bool
	// Tasks, if not nil, says which of several tasks the documents are those of, in a single pass or, with Power, in one
	// of several; Merger holds the results against each other.
	Tasks *model.TasksRecord `json:",omitempty"`
	// From, by Model.ReadRound, is what a pass by tasks starts from, and the step after it; nil for the first pass.
	From *model.Model `json:"-"`
	// Mergeable, if not nil, receives the sketch of a single pass, so that it can be merged with others.
	Mergeable *model.Output
}

// RectifyOptions say how the factor is rectified; see rectify.Options.
type RectifyOptions struct {
	Iterations    int           // the exact number; 0 for the method's own
	Tolerance     float64       // 0 for the method's own
	Normalization Normalization // of ENN; NormalizeMarginal if empty
	// Truncated makes every iteration of ENN a truncated eigendecomposition, as published; see rectify.Options.
	Truncated bool
	// Corrections say where ENN keeps its corrections; this does not change the result. Run.SpillDir replaces their
	// SpillDir.
	Corrections rectify.Corrections
}

// AnchorOptions say how topics are found; see anchor.Options.
type AnchorOptions struct {
	RowSums    anchor.RowSums
	MinDF      int64 // minimum document frequency of an anchor
	NoPolish   bool  // compute mixtures from the anchors only, not a second time from typical items
	NoEvidence bool  // treat every row as exact, even if the evidence was measured
	// Relevance is the λ that orders a topic's prominent items, 0 < λ ≤ 1. 0 means 1 if items are weighted, 0.6 if they
	// are not, and 0.9 for topics that were refined for reading; all keep items that are frequent everywhere out of the
	// lists.
	Relevance float64
	// WholeRow makes characteristic items the greatest entries of the anchor's row, as published: the anchor may be one,
	// and items that one document has with it.
	WholeRow bool `json:",omitempty"`
}

// RefineOptions say how the topics are refined by the likelihood of the documents, after all other stages; see
// refine.Topics. Only Fit does so: stages that run one by one do not have the documents. The zero value is the default.
type RefineOptions struct {
	// Passes is the number of passes of variational inference over the documents. 0 makes as many as it takes until the
	// likelihood settles, if the method is LRJSMF with a rectification and the documents are read more than once.
	// NoRefinement makes none.
	Passes int
	// For is what the topics are for; refine.ForAuto if empty, which is refine.ForPrediction for corpus.Baskets.
	For refine.Purpose
}

// NoRefinement is the RefineOptions.Passes with which topics are not refined.
const NoRefinement = -1

// Refines reports whether a fit refines its topics, memory permitting.
func (o *Options) Refines() bool {
	if o.Refine.Passes != 0 {
		return o.Refine.Passes > 0
	}
	return (o.Method == LRJSMF || o.Method == "") && !o.Baseline && o.Sketch.Passes != 1
}

// publishedPasses is how many passes LR-JSMF makes as published: the product with Ω, the 50 power iterations of the
// authors' program, and the product for the Ritz pairs. The papers ask for a single pass, and a few more where
// eigenvalues lie close together.
const publishedPasses = 52

// Published returns the options of the papers (Lee et al., ICML 2021, and the authors' program where they leave a
// choice): equal weights, subspace iteration with 2K columns, a truncated eigendecomposition in each of 50 iterations
// of ENN, uniform normalization, row sums of the factor, no evidence, no polish, no refinement, and prominent items
// ordered by probability. docs/papers.md says what still differs.
func Published(method Method) Options {
	o := Options{Method: method}
	o.Sketch.ItemWeights, o.Sketch.DocumentWeights, o.Sketch.NoEvidence = WeightsNone, WeightsEqual, true
	if o.Method == LRJSMF || o.Method == "" {
		o.Sketch.Power, o.Sketch.Passes = true, publishedPasses
	}
	o.Rectify.Normalization = NormalizeUniform
	o.Rectify.Iterations, o.Rectify.Truncated = method.entry().published, method.RectifiesByENN()
	o.Anchor.RowSums, o.Anchor.Relevance = anchor.RowSumsFactor, 1
	o.Anchor.NoEvidence, o.Anchor.NoPolish, o.Anchor.WholeRow = true, true, true
	o.Refine.Passes = NoRefinement
	return o
}

// leastTopics is the least number of topics of a model.
const leastTopics = 2

func badOption(option, format string, args ...any) error {
	return &model.OptionError{Option: option, Reason: fmt.Sprintf(format, args...)}
}

// The greatest values of options. Beyond them, memory or time would not do.
const (
	MostTopics  = bayes.MostTopics
	MostColumns = 131_072 // more than topics
	MostPasses  = 10_000
	MostWorkers = 1024
)

// Check returns an *OptionError if an option is out of range or contradicts another. Fit and Sketch check first.
func (o *Options) Check() error {
	switch {
	case !o.Method.known():
		return badOption("Method", "unknown method %q", o.Method)
	case o.Topics < 2 || o.Topics > MostTopics:
		return badOption("Topics", "there must be from 2 to %d topics, not %d", MostTopics, o.Topics)
	case o.Run != nil && (o.Run.Workers < 0 || o.Run.Workers > MostWorkers):
		return badOption("Run.Workers", "must be from 0 to %d, but is %d", MostWorkers, o.Run.Workers)
	case o.Run != nil && o.Run.MemoryLimit < 0:
		return badOption("Run.MemoryLimit", "must not be negative, but is %d", o.Run.MemoryLimit)
	case o.Sketch.Passes < 0 || o.Sketch.Passes > MostPasses:
		return badOption("Sketch.Passes", "must be from 0 to %d, but is %d", MostPasses, o.Sketch.Passes)
	case o.Sketch.Tasks != nil && (o.Sketch.Passes == 1) == o.Sketch.Power:
		return badOption("Sketch.Tasks", "tasks make a single pass, or the passes of a subspace iteration")
	case o.Sketch.From != nil && o.Sketch.Tasks != nil && !o.Sketch.Power:
		return badOption("Sketch.From", "a single pass starts from nothing")
	case o.Sketch.Columns < 0 || o.Sketch.Columns > MostColumns:
		return badOption("Sketch.Columns", "must be from 0 to %d, but is %d", MostColumns, o.Sketch.Columns)
	case !o.Sketch.Form.Known():
		return badOption("Sketch.Form", "unknown form of a single pass %q", o.Sketch.Form)
	case o.Sketch.Form != sketch.Nystrom && o.Sketch.Passes != 1:
		return badOption("Sketch.Form", "%s is a form of a single pass, which Passes of 1 makes", o.Sketch.Form)
	case !slices.Contains([]DocumentWeights{"", WeightsEqual, WeightsLength}, o.Sketch.DocumentWeights):
		return badOption("Sketch.DocumentWeights", "unknown document weights %q", o.Sketch.DocumentWeights)
	case o.columns() < o.Topics:
		return badOption("Sketch.Columns", "%d sketch columns are too few for %d topics: at least as many are needed, and "+
			"4 to 16 times as many for a single pass", o.columns(), o.Topics)
	case o.Rectify.Iterations < 0 || o.Rectify.Iterations > bayes.MostIterations:
		return badOption("Rectify.Iterations", "must be from 0 to %d, but is %d", bayes.MostIterations, o.Rectify.Iterations)
	case !(o.Rectify.Tolerance >= 0 && o.Rectify.Tolerance < 1):
		return badOption("Rectify.Tolerance", "must be from 0 to less than 1, but is %v", o.Rectify.Tolerance)
	case o.Anchor.MinDF < 0:
		return badOption("Anchor.MinDF", "must not be negative, but is %d", o.Anchor.MinDF)
	case o.Refine.Passes < NoRefinement || o.Refine.Passes > MostPasses:
		return badOption("Refine.Passes", "must be NoRefinement or from 0 to %d, but is %d", MostPasses, o.Refine.Passes)
	case o.Refine.For != "" && !slices.Contains(refine.Purposes, o.Refine.For):
		return badOption("Refine.For", "there is no purpose %q: there are auto, reading and prediction", o.Refine.For)
	case o.Wishes != nil && o.Method.entry().inference != "law":
		return badOption("Wishes", "%s has no factor in which topics could get other corners", o.Method)
	case corners(o.Wishes) > o.Topics:
		return badOption("Wishes", "%d topics are to have their own corners, but only %d topics are asked for",
			corners(o.Wishes), o.Topics)
	case !(o.Anchor.Relevance >= 0 && o.Anchor.Relevance <= 1):
		return badOption("Anchor.Relevance", "λ must be from 0 to 1, not %v", o.Anchor.Relevance)
	}
	if err := o.checkLevels(); err != nil {
		return err
	}
	return o.checkStart()
}

// columns returns L; where a single pass chooses it, the greatest.
func (o *Options) columns() int {
	switch {
	case o.Sketch.Columns > 0:
		return o.Sketch.Columns
	case o.Sketch.Passes == 1:
		return streamedColumns(o.Topics)[0]
	}
	if o.Sketch.Power {
		return 2 * o.Topics
	}
	return o.Topics + 30
}

// fitColumns returns an *OptionError if more columns were asked for than there are items: C has no more directions than
// items, and what is square in the columns takes memory all the same. A sketch to merge with others may have fewer
// items than they.
func (o *Options) fitColumns(items int) error {
	if o.Sketch.Columns > items && o.Sketch.Mergeable == nil {
		return badOption("Sketch.Columns", "%d sketch columns are more than there are items, which are %d",
			o.Sketch.Columns, items)
	}
	return nil
}

// prepared returns the options with defaults for the method and the run, and begins the run.
func (o Options) prepared() Options {
	o.Method, o.Run = cmp.Or(o.Method, LRJSMF), orNew(o.Run)
	o.Run.begin()
	return o
}
