// Package certificate holds the certificates of fits against known truths: corpora of many kinds are drawn from topics
// that are known, and the error of a fit is compared with that of an oracle who knows the topic of every token.
package certificate

import (
	"context"
	_ "embed"
	"errors"
	"math"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/sketch"
)

//go:embed page.md
var page string

// Part measures whether certificates are right.
var Part = &run.Part{
	Name: "certificate", Title: "Whether certificates are right",
	About: "Measure whether the certificates of fits are right",
	Settings: []run.Setting{
		{Name: "corpora", Default: "81", Help: "corpora to draw"},
		{Name: "seed", Default: "1", Help: "seed of the first corpus; the others follow it"},
	},
	Keys:    []string{"items", "topics", "documents", "tokens", "anchor_strength", "concentration", "seed"},
	Cells:   cells,
	Measure: measure,
	Page:    page,
	Quick:   "--corpora 2",
}

// cells returns the corpora: their sizes, their topics and how separable they are, from a sequence that covers all
// combinations evenly (fractional parts of multiples of powers of one root: Roberts, The unreasonable effectiveness of
// quasirandom sequences, 2018).
func cells(v *run.Values) (cells []run.Values, _ error) {
	root := 1.0 // of x⁷ = x + 1
	for range 60 {
		root = math.Pow(1+root, 1.0/7)
	}
	for at := range v.Int("corpora") {
		pick := func(dimension, values int) int {
			_, part := math.Modf(0.5 + float64(at+1)*math.Pow(root, -float64(dimension)))
			return int(part * float64(values))
		}
		cells = append(cells, v.With("items", []int{200, 600, 2000}[pick(1, 3)], "topics", []int{4, 8, 12}[pick(2, 3)],
			"documents", []int{500, 2000, 8000}[pick(3, 3)], "tokens", []int{10, 30, 100}[pick(4, 3)],
			"anchor_strength", []float64{1, 1, 0.7, 0.5}[pick(5, 4)], "concentration", []float64{0.05, 0.1, 0.3}[pick(6, 3)],
			"seed", v.Seed("seed")+uint64(at)))
	}
	return cells, nil
}

// roughly are ways to take less trouble: eigenpairs from fewer passes and columns, and fewer iterations of the
// rectification.
var roughly = []struct {
	figure             string // of the certificate that shows it
	passes, iterations int
	narrow             bool
}{{"residual", 2, 0, true}, {"residual", 3, 0, true}, {"residual", 2, 0, false}, {"residual", 3, 0, false},
	{"settled", 0, 1, false}, {"settled", 0, 2, false}, {"settled", 0, 4, false}, {"settled", 0, 8, false}}

// measure draws and fits one corpus: as usual, without refinement, with half as many topics, and, where the certificate
// is good, with less trouble.
func measure(ctx context.Context, j *run.Job) (err error) {
	drawn := synth.Model{Items: j.Int("items"), Topics: j.Int("topics"), Documents: j.Int("documents"),
		Tokens:         j.Int("tokens"),
		AnchorStrength: j.Float("anchor_strength"), Concentration: j.Float("concentration"), Seed: j.Seed("seed"),
		Workers: j.Workers}.Plant()
	oracle, err := drawn.Oracle(ctx)
	if err != nil {
		return err
	}
	docs, err := corpus.FromSeq(ctx, documents.Named(ctx, drawn.Pass, drawn.Vocabulary()), // every item that occurs counts
		corpus.Options{Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}, Workers: j.Workers, MinItems: 1, MinTokens: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	learn := func(o fit.Options) (*model.Certificate, float64, error) {
		o.Seed, o.Run = 1, &fit.Run{Workers: j.Workers}
		fitted, err := fit.Fit(ctx, docs, o)
		if err != nil {
			return nil, 0, err
		}
		found := math.NaN()
		if o.Topics == drawn.Model.Topics {
			found, err = errorOf(drawn.Truth, fitted.Loaded())
		}
		return fitted.Manifest.Certificate, found, err
	}
	options := fit.Options{Topics: drawn.Model.Topics}
	certificate, refined, err := learn(options)
	if err != nil {
		return err
	}
	options.Refine.Passes = fit.NoRefinement
	_, spectral, err := learn(options)
	if err != nil {
		return err
	}
	j.Row("floor", drawn.Truth.Recover(oracle.Estimate()).ErrorB, "fit", spectral, "refined", refined, "verdict",
		certificate.Verdict)
	for _, figure := range certificate.Figures {
		j.Add("figures", "figure", figure.Name, "value", figure.Value, "threshold", figure.Threshold, "says", figure.Verdict)
	}
	options.Topics /= 2
	halved, _, err := learn(options)
	if err != nil {
		return err
	}
	j.Row("explained_halved", halved.Figures[0].Value)
	if certificate.Verdict != model.Good {
		return nil
	}
	for _, way := range roughly {
		options.Topics = drawn.Model.Topics
		options.Sketch.Passes, options.Rectify.Iterations, options.Sketch.Columns = way.passes, way.iterations, 0
		if way.narrow {
			options.Sketch.Columns = options.Topics
		}
		rough, found, err := learn(options)
		var rank *sketch.RankError
		if errors.As(err, &rank) {
			continue // too few columns for as many pairs
		}
		if err != nil {
			return err
		}
		for _, figure := range rough.Figures {
			if figure.Name == way.figure || figure.Name == "negative" && way.iterations > 0 {
				j.Add("rough", "figure", figure.Name, "value", figure.Value, "error", found/spectral)
			}
		}
	}
	return nil
}

// errorOf returns the ℓ1 error of B.
func errorOf(truth *synth.Truth, m *model.Model) (float64, error) {
	items, err := synth.ItemsOf(m.Vocabulary)
	if err != nil {
		return 0, err
	}
	row := func(dst []float64, i int) { copy(dst, m.Items.Row(i)) }
	return truth.Recover(synth.Estimate{Items: items, Row: row, Correlations: m.TopicJoint,
		Anchors: m.Anchors}).ErrorB, nil
}
