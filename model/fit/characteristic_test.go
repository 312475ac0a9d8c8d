package fit

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model"
)

// TestCharacteristicOfDocuments compares the characteristic items of a fit with its documents, counted in the plainest
// way: none is the anchor or banned, those of three documents come first, and each list begins with the greatest
// entries of the anchor's row.
func TestCharacteristicOfDocuments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.parquet")
	writeDrawn(t, path, "word-%d", synth.Model{Items: 300, Topics: 4, Documents: 400, Tokens: 30,
		Concentration: 0.1, Seed: 4})
	docs := openCorpus(t, 0, nil, path)
	opts := Options{Topics: 4, Seed: 1, Refine: RefineOptions{Passes: NoRefinement},
		Wishes: &model.Wishes{BannedItems: []string{"word-3", "word-8"}}}
	f, err := Fit(t.Context(), docs, opts)
	if err != nil {
		t.Fatal(err)
	}
	m := f.Overview()
	if got := m.Manifest.Anchor.Characteristic; got != OfDocuments {
		t.Errorf("characteristic items are of %q", got)
	}
	weights := f.Marginals.Weights
	for k, anchor := range m.Anchors {
		thinned, whole, both := besideNaively(t, docs, anchor, weights)
		list := m.Characteristic[k]
		last := model.Listed{Weighted: 2}
		lastDocuments := 3
		for _, l := range list {
			if l.Item == anchor || f.hidden[l.Item] {
				t.Errorf("topic %d lists item %d", k, l.Item)
			}
			if !nearly(l.Weighted, thinned[l.Item]) || !nearly(l.Probability, whole[l.Item]) {
				t.Errorf("topic %d: %+v, want %v and %v", k, l, thinned[l.Item], whole[l.Item])
			}
			documents := min(both[l.Item], 3)
			if documents > lastDocuments || documents == lastDocuments && l.Weighted > last.Weighted {
				t.Errorf("topic %d: %+v comes after %+v", k, l, last)
			}
			last, lastDocuments = l, documents
		}
		if len(list) != model.TopItems {
			t.Fatalf("topic %d lists %d items", k, len(list))
		}
		for item, p := range thinned {
			if both[item] >= 3 && p > last.Weighted*(1+1e-9) && lastDocuments == 3 && item != anchor && !f.hidden[item] &&
				!slices.ContainsFunc(list, func(l model.Listed) bool { return l.Item == item }) {
				t.Errorf("topic %d does not list item %d, of %v", k, item, p)
			}
		}
	}
	again := openCorpus(t, 0, nil, path)
	sketched, err := Sketch(t.Context(), again, opts)
	if err != nil {
		t.Fatal(err)
	}
	rectified, err := sketched.Rectify(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	staged, err := rectified.Anchor(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if got := staged.Manifest.Anchor.Characteristic; got != OfFactor {
		t.Errorf("without documents, characteristic items are of %q", got)
	}
	opts.Anchor.WholeRow = true
	if sketched, err = Sketch(t.Context(), again, opts); err != nil {
		t.Fatal(err)
	}
	if rectified, err = sketched.Rectify(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	published, err := rectified.Anchor(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for k, list := range published.Characteristic {
		if slices.ContainsFunc(list, func(l model.Listed) bool { return l.Item == m.Anchors[k] }) {
			listed++
		}
	}
	if listed == 0 || !published.Manifest.Anchor.WholeRow {
		t.Errorf("no characteristic item of the factor as published is an anchor: %v", published.Characteristic)
	}
	for k, list := range staged.Characteristic {
		if len(list) != model.TopItems || slices.ContainsFunc(list,
			func(l model.Listed) bool { return l.Item == m.Anchors[k] || staged.hidden[l.Item] }) {
			t.Errorf("topic %d of the factor lists %v", k, list)
		}
	}
}

// nearly compares probabilities.
func nearly(a, b float64) bool { return a-b <= 1e-9*b && b-a <= 1e-9*b }

// besideNaively returns the row of an item in C̄, the same in whole documents, and how many documents have each item
// with it.
func besideNaively(t *testing.T, docs *corpus.Corpus, anchor int, weights []float64) (thinned, whole map[int]float64,
	both map[int]int) {
	t.Helper()
	thinned, whole, both = map[int]float64{}, map[int]float64{}, map[int]int{}
	sum, wholeSum := 0.0, 0.0
	err := docs.Pass(context.Background(), func(run *corpus.Documents) error {
		for d := range run.Documents() {
			items, counts := run.Row(d)
			at := slices.Index(items, int32(anchor))
			if at < 0 {
				continue
			}
			n, single, tokens := 0.0, 0.0, 0.0
			for j, item := range items {
				tokens += float64(counts[j])
				n += weights[item] * float64(counts[j])
				single += weights[item] * weights[item] * float64(counts[j])
			}
			for j, item := range items {
				h := float64(counts[j])
				if j == at {
					h--
				}
				pairs := float64(counts[at]) * h / (n*n - single) * tokens * (tokens - 1) / (tokens*(tokens-1) + 100)
				thinned[int(item)] += pairs * weights[item]
				whole[int(item)] += pairs
				sum, wholeSum = sum+pairs*weights[item], wholeSum+pairs
				both[int(item)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for item := range thinned {
		thinned[item] /= sum
		whole[item] /= wholeSum
	}
	return thinned, whole, both
}
