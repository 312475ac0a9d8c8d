package fit

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/internal/synth"
	"anchorage/model"
)

// Fits of good and of poor corpora have good and poor certificates, which their stages and their directories agree
// about.
func TestCertificate(t *testing.T) {
	long.Unwatched(t)
	ctx := context.Background()
	for _, test := range []struct {
		model  synth.Model
		topics int
		want   model.Verdict
	}{
		{synth.Model{Items: 200, Topics: 4, Documents: 4000, Tokens: 60, Concentration: 0.1, Seed: 1}, 4, model.Good},
		{synth.Model{Items: 1500, Topics: 8, Documents: 300, Tokens: 10, Concentration: 0.3, Seed: 1}, 8, model.Worry},
	} {
		drawnCorpora(t, test.model, 1, func(_ *synth.Truth, docs *corpus.Corpus) {
			opts := Options{Topics: test.topics, Seed: 1}
			f, err := Fit(ctx, docs, opts)
			if err != nil {
				t.Fatal(err)
			}
			if c := f.Manifest.Certificate; c.Verdict != test.want || len(c.Errors) != test.topics {
				t.Errorf("%+v: the certificate is %+v", test.model, *c)
			}
			if sentence, _ := f.Overview().Verdict(); strings.HasPrefix(sentence, "Good for ") != (test.want == model.Good) {
				t.Errorf("%+v: %q", test.model, sentence)
			}
			opts.NoCertificate = true
			without, err := Fit(ctx, docs, opts)
			if err != nil {
				t.Fatal(err)
			}
			if m := without.Loaded(); m.Manifest.Certificate != nil || !slices.EqualFunc(m.Mixtures.Values(),
				f.Loaded().Mixtures.Values(), slices.Equal) {
				t.Errorf("%+v: without a certificate: %+v, and perhaps other topics", test.model, m.Manifest.Certificate)
			}
			opts.NoCertificate, opts.Refine.Passes = false, NoRefinement // stages cannot refine
			if f, err = Fit(ctx, docs, opts); err != nil {
				t.Fatal(err)
			}
			c := f.Manifest.Certificate
			if sentence, _ := f.Overview().Verdict(); c.Errors != nil || !strings.HasPrefix(sentence, "Not checked") {
				t.Errorf("%+v: not refined: %q, %+v", test.model, sentence, *c)
			}
			path := filepath.Join(t.TempDir(), "sketch")
			s, err := Sketch(ctx, docs, opts)
			if err != nil {
				t.Fatal(err)
			}
			if err := save(ctx, path, nil, s.SaveTo); err != nil {
				t.Fatal(err)
			}
			if s, err = LoadSketched(ctx, path, nil); err != nil {
				t.Fatal(err)
			}
			r, err := s.Rectify(ctx, opts)
			if err != nil {
				t.Fatal(err)
			}
			staged, err := r.Anchor(ctx, opts)
			if err != nil {
				t.Fatal(err)
			}
			for i, figure := range staged.Manifest.Certificate.Figures {
				if figure != c.Figures[i] {
					t.Errorf("in stages: %+v, at once: %+v", figure, c.Figures[i])
				}
			}
		})
	}
}

// Too few passes leave larger residuals, and a baseline measures few figures.
func TestCertificateOfRoughFits(t *testing.T) {
	long.Test(t, "it makes three fits of 4,000 documents")
	alpha := []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}
	drawnCorpora(t, synth.Model{Items: 300, Topics: 6, Documents: 4000, Tokens: 60, Alpha: alpha, Seed: 3}, 1,
		func(_ *synth.Truth, docs *corpus.Corpus) {
			figures := func(opts Options) []model.Figure {
				opts.Seed = 1
				f, err := Fit(context.Background(), docs, opts)
				if err != nil {
					t.Fatal(err)
				}
				return f.Manifest.Certificate.Figures
			}
			usual := figures(Options{Topics: 6})
			rough := figures(Options{Topics: 6, Sketch: SketchOptions{Passes: 2, Columns: 6}})
			if usual[2].Verdict != model.Good || rough[2].Verdict != model.Worry {
				t.Errorf("residuals are %+v, from two narrow passes %+v", usual[2], rough[2])
			}
			for i, figure := range figures(Options{Topics: 6, Baseline: true}) {
				if known := i == 2 || i == 5; (figure.Verdict == model.Unknown) == known || figure.Value != 0 && !known {
					t.Errorf("nothing measured %+v", figure)
				}
			}
		})
}
