// This file holds the pipelines of Figure 3, from co-occurrences to topics, with the time that each stage takes.

package paper

import (
	"context"
	"fmt"
	"time"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Pipelines that are named in the code. The randomised one is the only one whose results depend on the seed; the baseline does not
// rectify, and stands in Figure 2 alone.
const (
	baseline    = "baseline"
	alternating = "AP+AW"
	randomised  = "LR-JSMF"
	palmed      = "PALM+LAW"
	palmedLong  = "PALM-converged+LAW"
	palmedFast  = "iPALM+LAW"
)

// The iterations of the rectifiers as published: of ENN and PALM in Dong (2019, section 4.6), of AP those of the authors' program.
const (
	publishedAP   = 150
	publishedPALM = 100
	publishedENN  = rectify.PublishedIterations
)

// outcome is what a pipeline has found, and how long it took.
type outcome struct {
	topics    *anchor.Topics
	products  int                 // of PALM and iPALM with C
	cpu       float64             // seconds of processors that their rectification takes
	factor    *matrix.Tall        // Y with C ≈ Y·Yᵀ after the rectification; nil after AP
	rectified *matrix.Tall        // the rectified C, after AP alone
	course    []rectify.Iteration // of the rectification
	start     float64             // seconds for the eigenpairs that the rectification starts from
	rectify   float64             // seconds
	infer     float64             // seconds
	converged bool
}

func (o *outcome) seconds() float64 { return o.start + o.rectify + o.infer }

// stopwatch returns a function that returns the seconds since it was last called.
func stopwatch() func() float64 {
	begin := time.Now()
	return func() float64 {
		now := time.Now()
		seconds := now.Sub(begin).Seconds()
		begin = now
		return seconds
	}
}

// exactStart is the exact truncated eigendecomposition that ENN and PALM both start from. Each of them is charged with its time.
type exactStart struct {
	factor  *matrix.Tall
	seconds float64
}

func (d *denseCorpus) exactStart(ctx context.Context, k, workers int) (*exactStart, error) {
	lap := stopwatch()
	eigen, err := rectify.Eigen(ctx, d.operator(workers), len(d.p), k, rectify.Options{Key: d.corpus.Vocabulary.Key, Workers: workers})
	if err != nil {
		return nil, err
	}
	return &exactStart{eigen.Factor(workers), lap()}, nil
}

// A product through the documents takes as long for an entry as a product with C for 16 of C's entries, and for a document as
// long as for 20 entries. Both are measured, roughly.
const (
	entryCost    = 16
	documentCost = 20 * entryCost
)

// operator multiplies with C, through the documents where that is faster.
func (d *denseCorpus) operator(workers int) rectify.Operator {
	n := int64(len(d.p))
	if n*n < entryCost*d.corpus.Account.Entries+documentCost*d.corpus.Account.DocumentsRead {
		return rectify.Dense(d.c, workers)
	}
	operator := &sketch.Operator{Pass: d.corpus.Pass, Marginals: d.marginals, Workers: workers}
	return operator.Multiply
}

// fitAP runs alternating projection on C, then AW on the result.
func (d *denseCorpus) fitAP(ctx context.Context, k, workers int) (*outcome, error) {
	lap := stopwatch()
	result, err := rectify.AP(ctx, d.c.Copy(d.c.Cols()), k, rectify.Options{Iterations: publishedAP, Key: d.corpus.Vocabulary.Key, Workers: workers})
	if err != nil {
		return nil, err
	}
	o := rectified(result)
	o.rectify = lap()
	o.topics, err = anchor.AW(ctx, result.Matrix, anchor.Options{Topics: k, Workers: workers})
	o.infer = lap()
	return o, err
}

// fitPALM runs PALM or iPALM from the exact eigenpairs, then LAW. With 0 iterations they run until they have converged.
func (d *denseCorpus) fitPALM(ctx context.Context, by rectify.FactorRectifier, iterations int, start *exactStart, workers int) (*outcome, error) {
	lap, before := stopwatch(), process.CPUSeconds()
	factor := start.factor.Copy(start.factor.Cols())
	result, err := by(ctx, factor, rectify.Options{Iterations: iterations, Multiply: d.operator(workers), Key: d.corpus.Vocabulary.Key, Workers: workers})
	if err != nil {
		return nil, err
	}
	spent := process.CPUSeconds() - before
	o, err := inferLAW(ctx, result, start.seconds, lap, workers)
	if err == nil {
		o.products, o.cpu = result.Products, spent
	}
	return o, err
}

// fitENN runs ENN from the exact eigenpairs, then LAW.
func (d *denseCorpus) fitENN(ctx context.Context, start *exactStart, workers int) (*outcome, error) {
	lap := stopwatch()
	result, err := rectify.ENN(ctx, start.factor.Copy(start.factor.Cols()), rectify.Options{Iterations: publishedENN, Truncated: true, Key: d.corpus.Vocabulary.Key, Workers: workers})
	if err != nil {
		return nil, err
	}
	return inferLAW(ctx, result, start.seconds, lap, workers)
}

// rectified returns an outcome with what is known after the rectification.
func rectified(result *rectify.Result) *outcome {
	return &outcome{factor: result.Factor, rectified: result.Matrix, course: result.Iterations, converged: result.Converged}
}

// inferLAW infers topics with row sums as published; lap runs since the rectification began.
func inferLAW(ctx context.Context, result *rectify.Result, start float64, lap func() float64, workers int) (*outcome, error) {
	o := rectified(result)
	o.start, o.rectify = start, lap()
	var err error
	o.topics, err = anchor.LAW(ctx, result.Factor, nil, anchor.Options{RowSums: anchor.RowSumsFactor, Workers: workers})
	o.infer = lap()
	return o, err
}

// sketchedFit is LR-JSMF as --paper has it: eigenpairs by power iteration over the documents, ENN with truncated eigendecompositions, and, as
// often as wanted, LAW.
type sketchedFit struct {
	factor         *model.Rectified
	course         []rectify.Iteration
	options        model.Options
	start, rectify float64 // seconds
}

func fitSketched(ctx context.Context, docs *corpus.Corpus, k int, seed uint64, workers int) (*sketchedFit, error) {
	lap := stopwatch()
	opts := model.Published(model.LRJSMF)
	opts.Topics, opts.Seed, opts.Run = k, seed, &model.Run{Workers: workers}
	sketched, err := model.Sketch(ctx, docs, opts)
	if err != nil {
		return nil, err
	}
	fit := &sketchedFit{options: opts, start: lap()}
	if fit.factor, err = sketched.Rectify(ctx, opts); err != nil {
		return nil, err
	}
	fit.rectify = lap()
	for _, i := range opts.Run.Iterations() {
		fit.course = append(fit.course, rectify.Iteration{Number: i.Number, Change: i.Change, Density: i.Density, Shift: i.Shift, CorrectionsSum: i.CorrectionsSum, Epsilon: i.Epsilon})
	}
	return fit, nil
}

// infer finds topics with the given row sums.
func (f *sketchedFit) infer(ctx context.Context, sums anchor.RowSums, workers int) (*outcome, error) {
	lap := stopwatch()
	opts := f.options
	opts.Anchor.RowSums = sums
	fitted, err := f.factor.Anchor(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &outcome{topics: fitted.Topics, factor: f.factor.Factor, course: f.course, start: f.start, rectify: f.rectify, infer: lap(),
		converged: fitted.Manifest.Rectify.Converged}, nil
}

// fitBaseline runs AW on C as it was counted (Arora et al., ICML 2013).
func (d *denseCorpus) fitBaseline(ctx context.Context, k, workers int) (*outcome, error) {
	lap := stopwatch()
	topics, err := anchor.AW(ctx, d.c, anchor.Options{Topics: k, Workers: workers})
	return &outcome{topics: topics, infer: lap()}, err
}

// fit runs one pipeline; start is called by those that begin with exact eigenpairs.
func (d *denseCorpus) fit(ctx context.Context, pipeline string, k int, seed uint64, workers int, start func() (*exactStart, error)) (*outcome, error) {
	switch pipeline {
	case baseline:
		return d.fitBaseline(ctx, k, workers)
	case alternating:
		return d.fitAP(ctx, k, workers)
	case randomised:
		fit, err := fitSketched(ctx, d.corpus, k, seed, workers)
		if err != nil {
			return nil, err
		}
		return fit.infer(ctx, anchor.RowSumsFactor, workers)
	}
	from, err := start()
	if err != nil {
		return nil, err
	}
	switch pipeline {
	case palmed:
		return d.fitPALM(ctx, rectify.PALM, publishedPALM, from, workers)
	case palmedLong:
		return d.fitPALM(ctx, rectify.PALM, 0, from, workers)
	case palmedFast:
		return d.fitPALM(ctx, rectify.IPALM, 0, from, workers)
	case "ENN+LAW":
		return d.fitENN(ctx, from, workers)
	}
	return nil, fmt.Errorf("there is no pipeline %q", pipeline)
}
