// This file holds the pipelines, from co-occurrences to topics, with the time that each stage takes and the settings
// that it ran with.

package paper

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/process"
	"anchorage/matrix"
	"anchorage/model/fit"
	"anchorage/rectify"
	"anchorage/sketch"
)

// Pipelines that are named in the code. The randomised one is the only one whose results depend on the seed; the
// baseline does not rectify, and is in Figure 2 only.
const (
	baseline    = "baseline"
	alternating = "AP+AW"
	randomised  = "LR-JSMF"
	palmed      = "PALM+LAW"
	palmedLong  = "PALM-converged+LAW"
	palmedFast  = "iPALM+LAW"
)

// The iterations of the rectifiers as published: of ENN and PALM in Dong (2019, section 4.6), of AP those of the
// authors' program.
const (
	publishedAP   = 150
	publishedPALM = 100
	publishedENN  = rectify.PublishedIterations
)

// outcome is what a pipeline has found, and how long it took.
type outcome struct {
	topics    *anchor.Topics
	settings  string              // of its stages, as they ran
	products  int                 // of PALM and iPALM with C
	cpu       float64             // seconds of processors that the rectification takes
	factor    *matrix.Tall        // Y with C ≈ Y·Yᵀ after the rectification; nil after AP
	rectified *matrix.Tall        // the rectified C, after AP only
	course    []rectify.Iteration // of the rectification
	start     float64             // seconds for the eigenpairs that the rectification starts from
	rectify   float64             // seconds
	infer     float64             // seconds
	converged bool
}

func (o *outcome) seconds() float64 { return o.start + o.rectify + o.infer }

// describe names the settings in options or records that are not zero: numbers, names, and what is true.
func describe(stage string, options any) string {
	var words []string
	value := reflect.ValueOf(options)
	for i := range value.NumField() {
		name, field := strings.ToLower(value.Type().Field(i).Name), value.Field(i)
		switch {
		case field.IsZero() || slices.Contains([]string{"topics", "seed", "workers", "leading", "mergedfrom", "converged",
			"unsettled"}, name):
		case field.Kind() == reflect.Bool:
			words = append(words, name)
		case field.CanInt() || field.Kind() == reflect.String:
			words = append(words, fmt.Sprintf("%s %v", name, field))
		}
	}
	return strings.TrimSuffix(stage+": "+strings.Join(words, ", "), ": ")
}

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

// exactStart is the exact truncated eigendecomposition that ENN and PALM both start from. Each of them is charged with
// its time.
type exactStart struct {
	factor  *matrix.Tall
	seconds float64
}

func (d *denseCorpus) exactStart(ctx context.Context, k, workers int) (*exactStart, error) {
	if d.exact[k] == nil {
		lap := stopwatch()
		eigen, err := rectify.Eigen(ctx, d.operator(workers), len(d.p), k, rectify.Options{Key: d.corpus.Vocabulary.Key,
			Workers: workers})
		if err != nil {
			return nil, err
		}
		clear(d.exact) // a factor for every K would take too much
		d.exact[k] = &exactStart{eigen.Factor(workers), lap()}
	}
	return d.exact[k], nil
}

// A product through the documents takes as long for an entry as a product with C for 16 of C's entries, and for a
// document as long as for 20 entries. Both are measured, roughly.
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

// fit runs one pipeline.
func (d *denseCorpus) fit(ctx context.Context, pipeline string, k int, seed uint64, workers int) (*outcome, error) {
	options := rectify.Options{Key: d.corpus.Vocabulary.Key, Workers: workers}
	switch pipeline {
	case baseline: // Arora et al., ICML 2013
		lap := stopwatch()
		topics, err := anchor.AW(ctx, d.c, anchor.Options{Topics: k, Workers: workers})
		return &outcome{topics: topics, infer: lap()}, err
	case alternating:
		options.Iterations = publishedAP
		lap := stopwatch()
		result, err := rectify.AP(ctx, d.c.Copy(d.c.Cols()), k, options)
		if err != nil {
			return nil, err
		}
		o := rectified(result)
		o.settings, o.rectify = describe("AP", options), lap()
		o.topics, err = anchor.AW(ctx, result.Matrix, anchor.Options{Topics: k, Workers: workers})
		o.infer = lap()
		return o, err
	case randomised:
		fit, err := fitSketched(ctx, d.corpus, k, seed, workers)
		if err != nil {
			return nil, err
		}
		return fit.infer(ctx, anchor.RowSumsFactor)
	}
	by, name := rectify.FactorRectifier(rectify.PALM), "PALM"
	switch pipeline {
	case palmed:
		options.Iterations = publishedPALM
	case palmedFast:
		by, name = rectify.IPALM, "iPALM"
	case "ENN+LAW":
		by, name = rectify.ENN, "ENN"
		options.Iterations, options.Truncated = publishedENN, true
	}
	start, err := d.exactStart(ctx, k, workers)
	if err != nil {
		return nil, err
	}
	options.Multiply = d.operator(workers)
	lap, used := stopwatch(), process.CPUSeconds()
	result, err := by(ctx, start.factor.Copy(start.factor.Cols()), options)
	if err != nil {
		return nil, err
	}
	o := rectified(result)
	o.cpu, o.products, o.start, o.rectify = process.CPUSeconds()-used, result.Products, start.seconds, lap()
	o.settings = describe(name, options) + "; LAW: row sums factor"
	o.topics, err = anchor.LAW(ctx, result.Factor, nil, anchor.Options{RowSums: anchor.RowSumsFactor, Workers: workers})
	o.infer = lap()
	return o, err
}

// rectified returns an outcome with what is known after the rectification.
func rectified(result *rectify.Result) *outcome {
	return &outcome{factor: result.Factor, rectified: result.Matrix, course: result.Iterations,
		converged: result.Converged}
}

// sketchedFit is LR-JSMF as --paper has it: eigenpairs by power iteration over the documents, ENN with truncated
// eigendecompositions, and, as often as wanted, LAW.
type sketchedFit struct {
	factor         *fit.Rectified
	course         []rectify.Iteration
	options        fit.Options
	start, rectify float64 // seconds
}

func fitSketched(ctx context.Context, docs *corpus.Corpus, k int, seed uint64, workers int) (*sketchedFit, error) {
	lap := stopwatch()
	opts := fit.Published(fit.LRJSMF)
	opts.Topics, opts.Seed, opts.Run = k, seed, &fit.Run{Workers: workers}
	sketched, err := fit.Sketch(ctx, docs, opts)
	if err != nil {
		return nil, err
	}
	fit := &sketchedFit{options: opts, start: lap()}
	if fit.factor, err = sketched.Rectify(ctx, opts); err != nil {
		return nil, err
	}
	fit.rectify = lap()
	for _, i := range opts.Run.Record().Iterations {
		fit.course = append(fit.course, rectify.Iteration{Number: i.Number, Change: i.Change, Density: i.Density,
			Shift: i.Shift, CorrectionsSum: i.CorrectionsSum, Epsilon: i.Epsilon})
	}
	return fit, nil
}

// infer finds topics with the given row sums.
func (f *sketchedFit) infer(ctx context.Context, sums anchor.RowSums) (*outcome, error) {
	lap := stopwatch()
	opts := f.options
	opts.Anchor.RowSums = sums
	fitted, err := f.factor.Anchor(ctx, opts)
	if err != nil {
		return nil, err
	}
	m := fitted.Manifest
	settings := []string{describe("sketch", m.Sketch), describe("rectification", *m.Rectify),
		describe("anchors", *m.Anchor)}
	return &outcome{topics: fitted.Topics, settings: strings.Join(settings, "; "), factor: f.factor.Factor,
		course: f.course, start: f.start, rectify: f.rectify,
		infer: lap(), converged: m.Rectify.Converged}, nil
}
