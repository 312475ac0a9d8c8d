// This file holds the methods: which stages lead from documents to topics.

package model

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Method names a way from documents to topics.
type Method string

// The methods. The first group never holds C; the second does, and refuses vocabularies for which it would be too large.
const (
	LRJSMF Method = "lrjsmf" // sketch, ENN, LAW
	PALM   Method = "palm"   // sketch, PALM through passes over the documents, LAW
	IPALM  Method = "ipalm"  // the same with inertia

	EnnLaw          Method = "enn"              // exact eigenpairs of C, ENN, LAW
	RAW             Method = "raw"              // AP, AW
	Dykstra         Method = "dykstra"          // Dykstra's projections, AW
	Diagonal        Method = "diagonal"         // diagonal completion, AW
	DouglasRachford Method = "douglas-rachford" // cyclic Douglas–Rachford, AW
	AW              Method = "aw"               // AW on C as counted: the papers' Baseline
)

// Methods lists all methods.
var Methods = []Method{LRJSMF, PALM, IPALM, EnnLaw, RAW, Dykstra, Diagonal, DouglasRachford, AW}

// ParseMethod returns the method of that name.
func ParseMethod(name string) (Method, error) {
	if slices.Contains(Methods, Method(name)) {
		return Method(name), nil
	}
	names := make([]string, len(Methods))
	for i, m := range Methods {
		names[i] = string(m)
	}
	return "", fmt.Errorf("%q is no method: there are %s", name, strings.Join(names, ", "))
}

// Dense says whether the method holds C.
func (m Method) Dense() bool { return !slices.Contains([]Method{LRJSMF, PALM, IPALM}, m) }

// Passes returns how many passes the method makes over the documents where the eigenpairs take the given number, 0 for a
// number yet unknown.
func (m Method) Passes(eigenpairs int) int {
	switch m {
	case LRJSMF:
		return eigenpairs
	case PALM, IPALM:
		return 0
	}
	return 2 // the items must be known before C is made room for
}

// FitOptions say how a model is fitted.
type FitOptions struct {
	Method   Method // LRJSMF if empty
	Baseline bool   // no rectification
	Sketch   SketchOptions
	Rectify  RectifyOptions
	Anchor   AnchorOptions
}

// Publish sets everything as the papers have it: 50 iterations of ENN, unless a number is given, equal weights, uniform normalization, row sums of the factor, every row
// taken for certain, mixtures as the anchors give them, items by their probability.
func (o *FitOptions) Publish() {
	o.Sketch.ItemWeights, o.Sketch.NoEvidence = WeightsNone, true
	o.Rectify.Normalization = NormalizeUniform
	if o.Rectify.Iterations == 0 && (o.Method == LRJSMF || o.Method == EnnLaw || o.Method == "") {
		o.Rectify.Iterations = rectify.PublishedIterations
	}
	o.Anchor.RowSums, o.Anchor.Relevance = anchor.RowSumsFactor, 1
	o.Anchor.NoEvidence, o.Anchor.NoPolish = true, true
}

// Fit learns a model from the documents of a corpus.
func Fit(ctx context.Context, docs *corpus.Corpus, opts FitOptions, run *Run, log *slog.Logger) (*State, error) {
	if opts.Method == "" {
		opts.Method = LRJSMF
	}
	if opts.Method.Dense() && opts.Method != EnnLaw {
		return fitDense(ctx, docs, opts, run, log)
	}
	var s *State
	var err error
	if opts.Method == EnnLaw {
		s, err = exactEigenpairs(ctx, docs, opts.Sketch, run, log)
	} else {
		s, err = sketchFor(ctx, docs, opts.Sketch, &opts, run, log)
	}
	if err != nil {
		return nil, err
	}
	opts.Rectify.Method, opts.Rectify.Baseline = opts.Method, opts.Baseline
	opts.Rectify.Multiply = (&sketch.Operator{Pass: docs.Pass, Marginals: &s.Marginals, Workers: opts.Sketch.Workers}).Multiply
	if err := s.Rectify(ctx, opts.Rectify); err != nil {
		return nil, err
	}
	return s, s.Anchor(ctx, opts.Anchor)
}

// dense makes the one pass that gathers C.
func dense(ctx context.Context, docs *corpus.Corpus, opts SketchOptions, run *Run, log *slog.Logger) (*State, *matrix.Tall, error) {
	if err := opts.Check(); err != nil {
		return nil, nil, err
	}
	defer run.Stage("co-occurrences")()
	weights, chosen, err := opts.ItemWeights.weigh(weighable(docs))
	if err != nil {
		return nil, nil, err
	}
	c, marginals, err := sketch.Dense(ctx, docs.Pass, docs.Vocabulary.Len(), weights, opts.denseBytes(), opts.Workers)
	if err != nil {
		return nil, nil, err
	}
	s := &State{Run: run, Log: log, Vocabulary: docs.Vocabulary, Marginals: *marginals}
	s.Manifest = Manifest{Kind: KindModel, Inputs: docs.Inputs, Skipped: docs.Skipped, Corpus: docs.Account}
	s.Manifest.Sketch = SketchRecord{Topics: opts.Topics, Seed: opts.Seed, Passes: 1, ItemWeights: chosen}
	log.Info("co-occurrences counted", "documents", marginals.Documents, "items", c.Rows())
	return s, c, nil
}

// denseBytes returns what a dense C, and what is made of it, may take within the limit of memory: 0 for the default. The
// program itself and what else there is for every item have a quarter.
func (o SketchOptions) denseBytes() int64 {
	if o.MemoryLimit == 0 {
		return 0
	}
	return min(max((o.MemoryLimit-processBytes)/4*3, 1), sketch.DefaultDenseBytes)
}

// exactEigenpairs finds the leading eigenpairs of a dense C.
func exactEigenpairs(ctx context.Context, docs *corpus.Corpus, opts SketchOptions, run *Run, log *slog.Logger) (*State, error) {
	s, c, err := dense(ctx, docs, opts, run, log)
	if err != nil {
		return nil, err
	}
	end := run.Stage("eigenpairs")
	defer end()
	eigen, err := rectify.Eigen(ctx, rectify.Dense(c, opts.Workers), c.Rows(), opts.Topics, rectify.Options{Seed: opts.Seed, Workers: opts.Workers})
	if err != nil {
		return nil, err
	}
	eigen.Passes = 1
	s.take(eigen, opts)
	s.Manifest.Sketch.Columns = 0
	end()
	return s, s.gather(ctx, docs, opts)
}

// fitDense rectifies a dense C and finds topics by AW.
func fitDense(ctx context.Context, docs *corpus.Corpus, opts FitOptions, run *Run, log *slog.Logger) (*State, error) {
	s, c, err := dense(ctx, docs, opts.Sketch, run, log)
	if err != nil {
		return nil, err
	}
	if opts.Method != AW && !opts.Baseline {
		if err := s.rectifyDense(ctx, c, opts); err != nil {
			return nil, err
		}
	}
	defer run.Stage("anchor")()
	topics, err := anchor.AW(ctx, c, s.anchorOptions(opts.Anchor, opts.Sketch.Topics))
	if err != nil {
		return nil, err
	}
	s.noteTopics(topics, "aw", opts.Anchor)
	return s, nil
}

// rectifyDense changes c into what the method makes of it.
func (s *State) rectifyDense(ctx context.Context, c *matrix.Tall, opts FitOptions) error {
	defer s.Run.Stage("rectify")()
	rectifiers := map[Method]func(context.Context, *matrix.Tall, int, rectify.Options) (*rectify.Result, error){
		RAW: rectify.AP, Dykstra: rectify.Dykstra, Diagonal: rectify.DiagonalCompletion, DouglasRachford: rectify.DouglasRachford,
	}
	options := s.rectifyOptions(opts.Rectify)
	options.MostBytes = opts.Sketch.denseBytes()
	result, err := rectifiers[opts.Method](ctx, c, opts.Sketch.Topics, options)
	if err != nil {
		return err
	}
	s.noteRectified(string(opts.Method), result)
	return nil
}
