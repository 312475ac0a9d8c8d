package fit

import (
	"context"
	"errors"
	"math"
	"testing"

	"anchorage/bayes"
	"anchorage/bayes/refine"
	"anchorage/model"
)

// Refined topics, their shares and p(item) belong together, for either purpose and with and without weights.
func TestRefinedModelIsWhole(t *testing.T) {
	for _, purpose := range []refine.Purpose{refine.ForReading, refine.ForPrediction} {
		for _, weights := range []ItemWeights{WeightsIDF, WeightsNone} {
			docs := drawnCorpus(t, 120, 5, 2000)
			opts := Options{Topics: 5, Seed: 3, Refine: RefineOptions{Passes: 3, For: purpose}}
			opts.Sketch.ItemWeights = weights
			f, err := Fit(t.Context(), docs, opts)
			if err != nil {
				t.Fatal(err)
			}
			m := f.Loaded()
			sums := make([]float64, 5)
			for i := range m.Vocabulary.Len() {
				p := 0.0
				for k, b := range m.Items.Row(i) {
					p += m.Shares[k] * b
					sums[k] += b
				}
				near := 1e-9
				if purpose == refine.ForReading { // the row sums of the factor weigh the items, as they do without refinement
					near = 0.15
				}
				if math.Abs(p-m.Probability[i]) > near*m.Probability[i] {
					t.Errorf("%s, %s: item %d has p %v, and Σ p(k)·B is %v", purpose, weights, i, m.Probability[i], p)
				}
			}
			joint := 0.0
			for _, a := range m.TopicJoint {
				joint += a
			}
			for k, sum := range sums {
				if math.Abs(sum-1) > 1e-9 || math.Abs(joint-1) > 1e-9 {
					t.Errorf("%s, %s: topic %d sums to %v, A to %v", purpose, weights, k, sum, joint)
				}
			}
			if r := f.Manifest.Refine; r.Epochs+r.Passes != 3 || r.For != purpose {
				t.Errorf("%+v", r)
			}
		}
	}
}

// Topics are refined once, and only those of anchors.
func TestRefineRefuses(t *testing.T) {
	docs := drawnCorpus(t, 80, 4, 1000)
	f, err := Fit(t.Context(), docs, Options{Topics: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	bayesian, err := Bayes(t.Context(), docs, BayesOptions{Options: bayes.Options{Model: bayes.LDA, Topics: 4}})
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(context.Context) error{
		"twice": func(ctx context.Context) error { return f.Refine(ctx, docs, Options{Topics: 4}) },
		"bayes": func(ctx context.Context) error { return bayesian.Refine(ctx, docs, Options{Topics: 4}) },
	} {
		var option *model.OptionError
		if err := call(t.Context()); !errors.As(err, &option) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
