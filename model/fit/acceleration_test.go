// This file holds ENN's steps against many of the published iterations, on the reference corpora.

package fit_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model/fit"
	"anchorage/rectify"
	"anchorage/sketch"
)

// TestAcceleration holds the steps of ENN, all of the first 19 evaluations and as many as it needs to settle, and 50,
// 100 and 150 iterations, against 300: the distance of Y·Yᵀ, what negative entries are left, and all figures of merit.
// With marginals the first seven evaluations shift the matrix, and long steps among them end at another limit, up to 1
// % away (docs/decisions/enn.md); steps whose first seven are iterations end at the same. ANCHORAGE_REFERENCE is a
// folder with data/ and reference/; ANCHORAGE_STAGES may name other steps to be tried, as in "1,1,2,4,12 1,2,3,14".
func TestAcceleration(t *testing.T) {
	root := referenceRoot(t)
	steps := rectify.Options{Stages: []int{1, 1, 1, 2, 2, 4, 8}, Tolerance: 1e-12} // which none of them meets
	alike := rectify.Options{Stages: []int{1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 8, 8, 8}, Tolerance: 1e-12}
	tried := []rectify.Options{steps, {}, alike, {Iterations: 50}, {Iterations: 100}, {Iterations: 150}}
	for _, words := range strings.Fields(os.Getenv("ANCHORAGE_STAGES")) {
		var o rectify.Options
		for _, s := range strings.Split(words, ",") {
			stages, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			o.Stages = append(o.Stages, stages)
		}
		tried = append(tried, o)
	}
	for _, data := range []struct{ name, shard, items string }{
		{"nips", "data/nips/docword.nips.txt.gz", "nips-n5000.dict"},
		{"retail", "data/retail/retail.dat.gz", "retail-n5000.items"},
	} {
		for _, normalization := range []fit.Normalization{fit.NormalizeMarginal, fit.NormalizeUniform} {
			t.Run(data.name+"/"+string(normalization), func(t *testing.T) {
				r := open(t, filepath.Join(root, data.shard), filepath.Join(root, "reference", data.items))
				a := newAcceleration(t, r, normalization)
				limits := []float64{0.003, 0.005, 0.003}
				if normalization == fit.NormalizeMarginal {
					limits = []float64{0.01, 0.01, 0.003}
				}
				for i, o := range tried {
					distance, left := a.try(t, o)
					if i < len(limits) && distance > limits[i] {
						t.Errorf("the steps %v end %.2g from 300 iterations, more than %v", o.Stages, distance, limits[i])
					}
					if i == 0 && left > 6 {
						t.Errorf("the steps leave %.2g times what 300 iterations do", left)
					}
				}
			})
		}
	}
}

// acceleration is what steps are held against.
type acceleration struct {
	*opened
	y         *matrix.Tall // before rectification
	marginals []float64
	evidence  *sketch.Evidence
	want      *rectify.Result
	factor    *matrix.Tall
	topics    *anchor.Topics
	report    *metric.Report
}

func newAcceleration(t *testing.T, r *opened, normalization fit.Normalization) *acceleration {
	t.Helper()
	var opts fit.Options
	if normalization == fit.NormalizeUniform {
		opts = fit.Published(fit.LRJSMF)
	}
	opts.Topics, opts.Seed = 50, 1
	s, err := fit.Sketch(context.Background(), r.Corpus, opts)
	if err != nil {
		t.Fatal(err)
	}
	a := &acceleration{opened: r, y: s.Eigen.Factor(0), evidence: s.Evidence}
	r.marginals = &s.Marginals
	if normalization == fit.NormalizeMarginal {
		a.marginals = s.Marginals.Probabilities()
	}
	a.want = a.rectify(t, rectify.Options{Iterations: 300})
	a.factor = a.want.Factor.Copy(50)
	a.topics, a.report = a.score(t, a.want.Factor)
	return a
}

func (a *acceleration) rectify(t *testing.T, o rectify.Options) *rectify.Result {
	t.Helper()
	o.Marginals, o.Seed = a.marginals, 1
	result, err := rectify.ENN(context.Background(), a.y.Copy(50), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// score finds topics as the defaults do, or the papers, and all figures of merit.
func (a *acceleration) score(t *testing.T, y *matrix.Tall) (*anchor.Topics, *metric.Report) {
	t.Helper()
	o := anchor.Options{Name: a.Vocabulary.ID}
	if a.marginals != nil {
		o.Polish, o.SamplingVariance = true, a.evidence.SamplingVariance
	}
	topics, err := anchor.LAW(context.Background(), y, a.opened.marginals.Probabilities(), o)
	if err != nil {
		t.Fatal(err)
	}
	report, err := metric.Score(context.Background(), a.Pass, metric.Of(topics), metric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return topics, report
}

// try logs how far the result of some options is from that of 300 iterations, and returns the relative distance of Y·Yᵀ
// and the ratio of ΣE.
func (a *acceleration) try(t *testing.T, o rectify.Options) (distance, left float64) {
	t.Helper()
	result := a.rectify(t, o)
	last, want := result.Iterations[len(result.Iterations)-1], a.want.Iterations[len(a.want.Iterations)-1]
	distance, left = distanceOf(result.Factor, a.factor), last.CorrectionsSum/want.CorrectionsSum
	topics, report := a.score(t, result.Factor)
	same := 0
	for _, item := range topics.Anchors {
		if slices.Contains(a.topics.Anchors, item) {
			same++
		}
	}
	t.Logf("iterations %d, stages %v: %d products, distance %.5f, ΣE %.2f times, %d of 50 anchors", o.Iterations, o.Stages,
		result.Products, distance, left, same)
	for i, figure := range report.Figures {
		if off := figure.Value/a.report.Figures[i].Value - 1; math.Abs(off) > 0.005 {
			t.Logf("    %s %+.1f %%", figure.Name, 100*off)
		}
	}
	return distance, left
}

// distanceOf returns ‖A·Aᵀ − B·Bᵀ‖_F / ‖B·Bᵀ‖_F.
func distanceOf(a, b *matrix.Tall) float64 {
	square := func(x, y *matrix.Tall) float64 {
		sum := 0.0
		for _, v := range kernel.Gram(context.Background(), x, y, 0) {
			sum += v * v
		}
		return sum
	}
	whole := square(b, b)
	return math.Sqrt(max(square(a, a)+whole-2*square(a, b), 0) / whole)
}
