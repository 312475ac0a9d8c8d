package fit

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
)

// Documents of one truth that hardly weigh anything leave the topics of another as they are, in all stages, also those
// that a later process continues with.
func TestDocumentWeights(t *testing.T) {
	var documents []corpus.Document
	var truths []*synth.Truth
	for seed := range uint64(2) {
		docs, truth := synth.Model{Items: 120, Topics: 4, Documents: 3000, Tokens: 40, Anchors: 2, Seed: 5 + seed}.Draw()
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			one := corpus.Document{Counts: slices.Clone(counts)}
			for _, i := range items {
				one.Items = append(one.Items, strconv.Itoa(int(i)))
			}
			documents = append(documents, one)
		}
		truths = append(truths, truth)
	}
	open := func(weight func(int64) float64) *corpus.Corpus {
		docs, err := corpus.FromDocuments(t.Context(), documents, corpus.Options{Pruning: corpus.Pruning{MinDF: 1,
			MaxDFRatio: 1}, Weight: weight, MinItems: 1, MinTokens: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { docs.Close() })
		return docs
	}
	errorOf := func(f *Fitted) float64 {
		m := f.Overview()
		row := func(dst []float64, i int) {
			clear(dst)
			if at, known := m.Vocabulary.Lookup([]byte(strconv.Itoa(i))); known {
				m.ItemRow(dst, int(at))
			}
		}
		return truths[1].Recover(synth.Estimate{Row: row, Correlations: m.TopicJoint, Anchors: make([]int, 4)}).ErrorB
	}
	old := func(document int64) float64 {
		if document < 3000 {
			return 1e-4
		}
		return 1
	}
	for _, passes := range []int{0, 1} {
		opts := Options{Topics: 4, Seed: 1}
		opts.Sketch.Passes = passes
		opts.Refine.Passes = 5
		mixed, err := Fit(t.Context(), open(nil), opts)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Fit(t.Context(), open(old), opts)
		if err != nil {
			t.Fatal(err)
		}
		if with, without := errorOf(f), errorOf(mixed); with > 0.25 || without < 2*with {
			t.Errorf("%d passes: error %v with weights, %v without", passes, with, without)
		}
		if total := 3000*1e-4 + 3000; math.Abs(f.Marginals.Total()-total) > 1e-6 {
			t.Errorf("the documents weigh %v, want %v", f.Marginals.Total(), total)
		}

		opts.Refine.Passes = NoRefinement
		want, err := Fit(t.Context(), open(old), opts)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		sketched, err := Sketch(t.Context(), open(old), opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := sketched.Save(t.Context(), filepath.Join(folder, "sketch")); err != nil {
			t.Fatal(err)
		}
		if sketched, err = LoadSketched(t.Context(), filepath.Join(folder, "sketch"), nil); err != nil {
			t.Fatal(err)
		}
		rectified, err := sketched.Rectify(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := rectified.Save(t.Context(), filepath.Join(folder, "factor")); err != nil {
			t.Fatal(err)
		}
		if rectified, err = LoadRectified(t.Context(), filepath.Join(folder, "factor"), nil); err != nil {
			t.Fatal(err)
		}
		got, err := rectified.Anchor(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Topics.Anchors, want.Topics.Anchors) ||
			math.Abs(got.Topics.RowSums[0]-want.Topics.RowSums[0]) > 1e-9 {
			t.Errorf("%d passes: in stages: anchors %v, want %v", passes, got.Topics.Anchors, want.Topics.Anchors)
		}
	}
}
