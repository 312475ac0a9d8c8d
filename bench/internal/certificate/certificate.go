// This file draws corpora of many kinds, fits them, and holds the topics against the truth and the oracle.

package certificate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/sketch"
)

// Options say how many corpora are drawn.
type Options struct {
	Corpora int
	Seed    uint64 // of the first corpus; the others follow it
	Workers int    // goroutines; 0 for as many as there are processors
	Report  func(Record)
}

// Record is what was found of one corpus.
type Record struct {
	Model       synth.Model
	Floor       float64 // ℓ1 error of B of the oracle, who knows the topic of every token
	Error       float64 // of the fit
	Refined     float64 // after 20 iterations of batch LDA from the fit
	Certificate model.Certificate
	// Halved is what the certificate of a fit with half as many topics says is explained.
	Halved float64
	Rough  []Rough
}

// Rough is a fit that took less trouble.
type Rough struct {
	Figure string  // of the certificate that shows it
	Value  float64 // of the figure
	Error  float64 // relative to that of the usual fit
}

// roughly are ways to take less trouble: eigenpairs from fewer passes and columns, and fewer iterations of the rectification.
var roughly = []struct {
	figure             string
	passes, iterations int
	narrow             bool
}{{"residual", 2, 0, true}, {"residual", 3, 0, true}, {"residual", 2, 0, false}, {"residual", 3, 0, false},
	{"settled", 0, 1, false}, {"settled", 0, 2, false}, {"settled", 0, 4, false}, {"settled", 0, 8, false}}

// Model returns corpus number at: its size, its topics and how separable they are, from a sequence that covers all combinations
// evenly (fractional parts of multiples of powers of one root: Roberts, The unreasonable effectiveness of quasirandom sequences, 2018).
func (o *Options) Model(at int) synth.Model {
	root := 1.0 // of x⁷ = x + 1
	for range 60 {
		root = math.Pow(1+root, 1.0/7)
	}
	pick := func(dimension, values int) int {
		_, part := math.Modf(0.5 + float64(at+1)*math.Pow(root, -float64(dimension)))
		return int(part * float64(values))
	}
	return synth.Model{
		Items: []int{200, 600, 2000}[pick(1, 3)], Topics: []int{4, 8, 12}[pick(2, 3)], Documents: []int{500, 2000, 8000}[pick(3, 3)],
		Tokens: []int{10, 30, 100}[pick(4, 3)], AnchorStrength: []float64{1, 1, 0.7, 0.5}[pick(5, 4)],
		Concentration: []float64{0.05, 0.1, 0.3}[pick(6, 3)], Seed: o.Seed + uint64(at), Workers: o.Workers,
	}
}

// Run draws the corpora, fits them, and returns a record of each.
func Run(ctx context.Context, o Options) ([]Record, error) {
	var records []Record
	for at := range o.Corpora {
		record, err := o.run(ctx, o.Model(at))
		if err != nil {
			return nil, fmt.Errorf("corpus %d: %w", at, err)
		}
		records = append(records, *record)
		if o.Report != nil {
			o.Report(*record)
		}
	}
	return records, nil
}

// run draws and fits one corpus.
func (o *Options) run(ctx context.Context, of synth.Model) (_ *Record, err error) {
	drawn := of.Plant()
	oracle, err := drawn.Oracle(ctx)
	if err != nil {
		return nil, err
	}
	r := &Record{Model: of, Floor: drawn.Truth.Recover(oracle.Estimate(0)).ErrorB}
	docs, err := open(ctx, drawn, o.Workers)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	options := model.Options{Topics: of.Topics, Seed: 1, Run: &model.Run{Workers: o.Workers}}
	fitted, err := model.Fit(ctx, docs, options)
	if err != nil {
		return nil, err
	}
	whole := fitted.Model()
	r.Certificate = *fitted.Manifest.Certificate
	if r.Refined, err = errorOf(drawn.Truth, whole); err != nil {
		return nil, err
	}
	options.Refine.Passes, options.Run = model.NoRefinement, &model.Run{Workers: o.Workers}
	spectral, err := model.Fit(ctx, docs, options)
	if err != nil {
		return nil, err
	}
	if r.Error, err = errorOf(drawn.Truth, spectral.Model()); err != nil {
		return nil, err
	}
	if err := r.addRough(ctx, drawn.Truth, docs, options); err != nil {
		return nil, err
	}
	options.Topics, options.Run = of.Topics/2, &model.Run{Workers: o.Workers}
	halved, err := model.Fit(ctx, docs, options)
	if err != nil {
		return nil, err
	}
	r.Halved = halved.Manifest.Certificate.Figures[0].Value
	return r, nil
}

// addRough adds fits that take less trouble, of corpora with a good certificate.
func (r *Record) addRough(ctx context.Context, truth *synth.Truth, docs *corpus.Corpus, options model.Options) error {
	if r.Certificate.Verdict != model.Good {
		return nil
	}
	for _, way := range roughly {
		options.Sketch.Passes, options.Rectify.Iterations, options.Sketch.Columns = way.passes, way.iterations, 0
		if way.narrow {
			options.Sketch.Columns = options.Topics
		}
		options.Run = &model.Run{Workers: options.Run.Workers}
		fitted, err := model.Fit(ctx, docs, options)
		var rank *sketch.RankError
		if errors.As(err, &rank) {
			continue // too few columns for as many pairs
		}
		if err != nil {
			return err
		}
		found, err := errorOf(truth, fitted.Model())
		if err != nil {
			return err
		}
		for _, figure := range fitted.Manifest.Certificate.Figures {
			if figure.Name == way.figure || figure.Name == "negative" && way.iterations > 0 {
				r.Rough = append(r.Rough, Rough{figure.Name, figure.Value, found / r.Error})
			}
		}
	}
	return nil
}

// open opens the documents of a drawn corpus. Every item that occurs counts.
func open(ctx context.Context, drawn *synth.Drawn, workers int) (*corpus.Corpus, error) {
	return corpus.FromSeq(ctx, documents.Named(ctx, drawn.Pass, drawn.Vocabulary()), corpus.Options{Pruning: corpus.Pruning{MinDF: 1}, Workers: workers})
}

// errorOf returns the ℓ1 error of B.
func errorOf(truth *synth.Truth, m *model.Model) (float64, error) {
	items, err := synth.ItemsOf(m.Vocabulary)
	if err != nil {
		return 0, err
	}
	row := func(dst []float64, i int) { copy(dst, m.Items.Row(i)) }
	return truth.Recover(synth.Estimate{Items: items, Row: row, Correlations: m.TopicJoint, Anchors: m.Anchors}).ErrorB, nil
}
