// Package onepass holds what a single pass over the documents finds against accurate eigenpairs: by the form, the
// random matrix and its width.
package onepass

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"math"
	"path/filepath"
	"strings"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/synth"
	"anchorage/metric"
	"anchorage/model/fit"
	"anchorage/sketch"
)

//go:embed page.md
var page string

// Part measures single passes.
var Part = &run.Part{
	Name: "onepass", Title: "What a single pass finds",
	About: "Measure what a single pass finds, by its form, its random matrix and its width",
	Settings: []run.Setting{
		{Name: "corpus", Default: documents.Drawn, Help: "drawn, or folders of the data"},
		{Name: "topics", Default: "50", Help: "topics K"},
		{Name: "omega", Default: "signs,signs-unscaled,normal,normal-unscaled",
			Help: "random matrices; scaled ones weigh items by their frequencies"},
		{Name: "seed", Default: "1", Help: "seeds of the random matrix"},
		{Name: "min-df", Default: "0", Help: "documents that an item of a real corpus must be in; 0 for the usual limit"},
		{Name: "items", Default: "10000", Help: "items of the drawn corpus, with twice as many documents of 100 tokens"},
		{Name: "data", Default: "data", Help: "folder with a folder of shards per real corpus", How: true},
	},
	Keys:    []string{"corpus", "topics", "omega", "seed", "flags"},
	Shared:  []string{"corpus", "topics", "flags"},
	Prepare: run.Keeping(prepare),
	Measure: func(ctx context.Context, j *run.Job) error { return j.State.(*prepared).measure(ctx, j) },
	Notes: []show.Note{
		{Name: "nystrom", Text: "the Nyström approximation with the greater half of the eigenvalues of Ωᵀ·C·Ω"},
		{Name: "least-squares",
			Text: "least squares in the greater half of a basis of Y (Halko, Martinsson & Tropp 2011, Algorithm 5.6)"},
		{Name: "published", Text: "the same in all of the basis"},
	},
	Page: page,
}

// prepared is a corpus with accurate eigenpairs, and the anchors that follow from them.
type prepared struct {
	*corpus.Corpus
	accurate *fit.Sketched
	options  fit.Options
	anchors  []int
	npmi     float64
}

// accuratePasses leave next to nothing of the errors of eigenpairs.
const accuratePasses = 12

func prepare(ctx context.Context, j *run.Job) (_ *prepared, err error) {
	p := &prepared{options: fit.Options{Topics: j.Int("topics"), Seed: 1, Run: &fit.Run{Workers: j.Workers}}}
	if j.Text("corpus") == documents.Drawn {
		from := synth.Model{Items: j.Int("items"), Topics: j.Int("topics"), Documents: 2 * j.Int("items"), Tokens: 100,
			Seed: 1, Workers: j.Workers}
		p.Corpus, err = documents.OpenDrawn(ctx, from.Plant(), j.Shared, j.Workers)
	} else {
		p.Corpus, err = documents.Open(ctx, filepath.Join(j.Text("data"), j.Text("corpus")),
			corpus.Options{Workers: j.Workers, Pruning: corpus.Pruning{MinDF: int64(j.Int("min-df"))}})
	}
	if err != nil {
		return nil, err
	}
	p.options.Sketch.Passes = accuratePasses
	if p.accurate, err = fit.Sketch(ctx, p.Corpus, p.options); err == nil {
		p.anchors, p.npmi, err = p.topics(ctx, p.accurate.Eigen, j.Workers)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// topics returns the anchors that follow from eigenpairs, everything else being alike, and the NPMI of their topics.
func (p *prepared) topics(ctx context.Context, e sketch.Eigen, workers int) ([]int, float64, error) {
	from, m := *p.accurate, *p.accurate.Model
	e.Vectors = e.Vectors.Copy(e.Vectors.Cols())
	from.Model, m.Eigen = &m, e
	factor, err := from.Rectify(ctx, p.options)
	if err != nil {
		return nil, 0, err
	}
	found, err := factor.Anchor(ctx, p.options)
	if err != nil {
		return nil, 0, err
	}
	pairs, err := metric.CountPairs(ctx, p.Pass, p.Vocabulary.Len(), metric.Of(found.Topics).Prominent(10), workers)
	if err != nil {
		return nil, 0, err
	}
	return found.Topics.Anchors, metric.NPMI(pairs), nil
}

// measure makes one pass, and looks at what its first columns find in all forms.
func (p *prepared) measure(ctx context.Context, j *run.Job) error {
	k, vocabulary := j.Int("topics"), *p.Vocabulary
	vocabulary.Counted = vocabulary.Counted && !strings.HasSuffix(j.Text("omega"), "-unscaled")
	whole, err := sketch.Stream(ctx, p.Pass, &vocabulary, sketch.StreamOptions{Columns: min(16*k, vocabulary.Len()),
		Seed: j.Seed("seed"), Workers: j.Workers, Weights: p.accurate.Marginals.Weights,
		PairPrior: p.accurate.Marginals.PairPrior, Normal: strings.HasPrefix(j.Text("omega"), "normal")})
	if err != nil {
		return err
	}
	j.Row("documents", whole.Marginals.Documents, "items", vocabulary.Len(), "npmi", p.npmi, "passes",
		p.accurate.Eigen.Passes)
	for _, columns := range []int{k + 10, 2 * k, 4 * k, 8 * k, 16 * k} {
		for _, form := range []sketch.Form{sketch.Nystrom, sketch.LeastSquares, sketch.Published} {
			s := *whole
			s.Product, s.Form = whole.Product.Copy(sketch.TestColumns+min(columns, whole.Columns())), form
			cells := []any{"columns", columns, "form", cmp.Or(string(form), "nystrom")}
			e, err := s.Eigen(ctx, k, j.Workers)
			var rank *sketch.RankError
			if errors.As(err, &rank) {
				j.Add("forms", append(cells, "found", rank.Rank)...)
				continue
			} else if err != nil {
				return err
			}
			distance := between(ctx, &p.accurate.Eigen, e, j.Workers)
			anchors, npmi, err := p.topics(ctx, *e, j.Workers)
			if err != nil {
				return err
			}
			j.Add("forms", append(cells, "found", k, "error", distance, "estimated_error", e.Error(), "anchors",
				run.Common(anchors, p.anchors), "npmi", npmi)...)
		}
	}
	return nil
}

// between returns ‖V·D·Vᵀ − V'·D'·V'ᵀ‖/‖V·D·Vᵀ‖ in the Frobenius norm.
func between(ctx context.Context, exact, e *sketch.Eigen, workers int) float64 {
	k, norm, off := len(e.Values), 0.0, 0.0
	for i, angle := range kernel.Gram(ctx, exact.Vectors, e.Vectors, workers) {
		off -= 2 * angle * angle * exact.Values[i/k] * e.Values[i%k]
	}
	for i, value := range exact.Values {
		norm += value * value
		off += value*value + e.Values[i]*e.Values[i]
	}
	return math.Sqrt(max(off, 0) / norm)
}
