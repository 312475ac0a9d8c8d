package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/sketch"
)

// TestMethodTable checks that every method has all fields, apart from those that it does not need.
func TestMethodTable(t *testing.T) {
	names := map[Method]bool{}
	for _, m := range methods {
		if names[m.name] {
			t.Errorf("%s is there twice", m.name)
		}
		names[m.name] = true
		value := reflect.ValueOf(m)
		for i := range value.NumField() {
			field := value.Type().Field(i).Name
			without := map[string]bool{
				"rectify":   m.name == AW, // C as it was counted
				"rectifier": m.name == AW,
				"bytes":     m.inference == "aw", // a dense C is limited as a whole
				"published": m.rectifier != "enn",
				"dense":     m.name == LRJSMF || m.name == PALM || m.name == IPALM,
			}[field]
			if value.Field(i).IsZero() != without {
				t.Errorf("%s: field %s is set: %v", m.name, field, without)
			}
		}
		if m.name.Summary() != m.summary || strings.Contains(m.summary, "\n") {
			t.Errorf("%s: summary %q", m.name, m.name.Summary())
		}
	}
	if len(Methods()) != len(methods) || Methods()[0] != LRJSMF {
		t.Errorf("methods %v", Methods())
	}
	if Method("").entry().name != LRJSMF {
		t.Error("no name does not mean the default")
	}
}

func TestMethodFacts(t *testing.T) {
	for method, want := range map[Method]struct {
		dense, enn bool
		passes     [2]int // where eigenpairs take an unknown number, and 7
	}{
		LRJSMF: {false, true, [2]int{0, 7}}, PALM: {false, false, [2]int{0, 0}}, EnnLaw: {true, true, [2]int{2, 2}},
		RAW: {true, false, [2]int{2, 2}}, AW: {true, false, [2]int{2, 2}},
	} {
		if method.Dense() != want.dense || method.RectifiesByENN() != want.enn || method.Passes(0) != want.passes[0] ||
			method.Passes(7) != want.passes[1] {
			t.Errorf("%s: dense %v, by ENN %v, passes %d and %d", method, method.Dense(), method.RectifiesByENN(),
				method.Passes(0), method.Passes(7))
		}
	}
}

// drawnCorpus opens documents drawn from a model with few items.
func drawnCorpus(t *testing.T, items, topics, documents int) *corpus.Corpus {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, path, "word-%d", synth.Model{Items: items, Topics: topics, Documents: documents, Tokens: 30,
		Concentration: 0.1, Seed: 4})
	return openCorpus(t, 0, nil, path)
}

// TestEveryMethod fits by every method of the table, with and without rectification. Topics must be distributions, the
// result must be saved, and the manifest must say what was done.
func TestEveryMethod(t *testing.T) {
	docs := drawnCorpus(t, 60, 4, 1500)
	for _, m := range methods {
		for _, baseline := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/baseline=%v", m.name, baseline), func(t *testing.T) {
				options := Options{Topics: 4, Seed: 1, Method: m.name, Baseline: baseline}
				options.Rectify.Iterations = 5
				f, err := Fit(t.Context(), docs, options)
				if err != nil {
					t.Fatal(err)
				}
				checkDistributions(t, f)
				record := f.Manifest.Rectify
				switch {
				case baseline && m.inference == "aw", m.rectify == nil:
					if record != nil {
						t.Errorf("rectified by %+v", record)
					}
				case baseline:
					if record.Method != "none" {
						t.Errorf("rectified by %+v", record)
					}
				case record.Method != m.rectifier || record.Iterations != 5:
					t.Errorf("rectified by %+v", record)
				}
				if f.Manifest.Anchor.Method != m.inference || f.Manifest.Kind != model.KindModel {
					t.Errorf("manifest %+v", f.Manifest.Anchor)
				}
				if err := f.Save(t.Context(), filepath.Join(t.TempDir(), "model")); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// checkDistributions checks that p(item | topic) and p(topic | item) sum to 1.
func checkDistributions(t *testing.T, f *Fitted) {
	t.Helper()
	n, k := f.Topics.Mixtures.Dims()
	sums, row := make([]float64, k), make([]float64, k)
	for i := range n {
		f.Topics.BRow(row, i)
		mixture := 0.0
		for j := range k {
			sums[j] += row[j]
			mixture += f.Topics.Mixtures.Row(i)[j]
		}
		if math.Abs(mixture-1) > 1e-6 {
			t.Fatalf("p(topic | item %d) sums to %v", i, mixture)
		}
	}
	for j, sum := range sums {
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("p(item | topic %d) sums to %v", j, sum)
		}
	}
}

// TestRectifyFits checks which methods can continue from a sketch and which are refused.
func TestRectifyFits(t *testing.T) {
	docs := drawnCorpus(t, 60, 4, 1500)
	folder := filepath.Join(t.TempDir(), "sketch")
	s, err := Sketch(t.Context(), docs, Options{Topics: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := save(t.Context(), folder, nil, s.SaveTo); err != nil {
		t.Fatal(err)
	}
	for method, option := range map[Method]string{"": "", LRJSMF: "", EnnLaw: "", PALM: "Method", RAW: "Method",
		AW: "Method", "magic": "Method"} {
		loaded, err := LoadSketched(t.Context(), folder, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = loaded.Rectify(t.Context(), Options{Method: method})
		var refused *model.OptionError
		if errors.As(err, &refused) != (option != "") || refused != nil && refused.Option != option {
			t.Errorf("%q: %v", method, err)
		}
	}
	if _, err := s.Rectify(t.Context(), Options{Method: PALM, Rectify: RectifyOptions{Iterations: 2}}); err != nil {
		t.Errorf("palm with the documents: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a sketch can be used twice")
		}
	}()
	s.Rectify(t.Context(), Options{})
}

// TestStagesAreTheFit checks that the stages one by one, saved and loaded in between, give the same topics as a fit.
func TestStagesAreTheFit(t *testing.T) {
	docs := drawnCorpus(t, 80, 5, 2000)
	options := Options{Topics: 5, Seed: 7, Refine: RefineOptions{Passes: NoRefinement}}
	whole, err := Fit(t.Context(), docs, options)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	s, err := Sketch(t.Context(), docs, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := save(t.Context(), filepath.Join(folder, "sketch"), nil, s.SaveTo); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadSketched(t.Context(), filepath.Join(folder, "sketch"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := loaded.Rectify(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := save(t.Context(), filepath.Join(folder, "factor"), nil, r.SaveTo); err != nil {
		t.Fatal(err)
	}
	factor, err := LoadRectified(t.Context(), filepath.Join(folder, "factor"), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := factor.Anchor(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	staged := *whole.Manifest.Anchor
	if staged.Characteristic != OfDocuments {
		t.Errorf("characteristic items of a fit come from %q", staged.Characteristic)
	}
	staged.Characteristic = OfFactor
	if fmt.Sprint(f.Topics.Anchors, f.Topics.TopicJoint, *f.Manifest.Anchor) != fmt.Sprint(whole.Topics.Anchors,
		whole.Topics.TopicJoint, staged) {
		t.Error("other topics")
	}
	for i := range f.Vocabulary.Len() {
		if fmt.Sprint(f.Topics.Mixtures.Row(i)) != fmt.Sprint(whole.Topics.Mixtures.Row(i)) {
			t.Fatalf("another mixture of item %d", i)
		}
	}
}

func TestFitEndsWithItsContext(t *testing.T) {
	docs := drawnCorpus(t, 60, 4, 1500)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, m := range methods {
		if _, err := Fit(ctx, docs, Options{Topics: 4, Method: m.name}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

// A dense C that does not fit is refused before anything is read.
func TestDenseWithinLimit(t *testing.T) {
	docs := drawnCorpus(t, 60, 4, 1500)
	var dense *sketch.DenseError
	_, err := Fit(t.Context(), docs, Options{Topics: 4, Method: RAW, Run: &Run{MemoryLimit: 1 << 20}})
	if !errors.As(err, &dense) {
		t.Errorf("%v", err)
	}
}
