// This file measures how well maps keep neighbours.

package itemmap_test

import (
	"context"
	"math"
	"os"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/internal/nearest"
	"anchorage/internal/random"
	"anchorage/internal/synth"
	"anchorage/internal/toplist"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/itemmap"
)

const degree = 15 // neighbours of an item

// fitted returns a model of n items and k topics.
func fitted(tb testing.TB, n, k, documents int) *fit.Fitted {
	tb.Helper()
	drawn := synth.Model{Items: n, Topics: k, Documents: documents, Seed: 3}.Plant()
	docs, err := corpus.FromSeq(tb.Context(), func(yield func(corpus.Document, error) bool) {
		err := drawn.Pass(tb.Context(), func(all *corpus.Documents) error {
			for d := range all.Documents() {
				items, counts := all.Row(d)
				document := corpus.Document{Counts: counts}
				for _, i := range items {
					document.Items = append(document.Items, synth.ItemID(int(i)))
				}
				if !yield(document, nil) {
					return context.Canceled
				}
			}
			return nil
		})
		if err != nil {
			tb.Error(err)
		}
	}, corpus.Everything())
	if err != nil {
		tb.Fatal(err)
	}
	defer docs.Close()
	f, err := fit.Fit(tb.Context(), docs, fit.Options{Topics: k, Seed: 1, Refine: fit.RefineOptions{Passes: fit.NoRefinement}})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// kept returns the share of the 15 nearest items by cosine, of count items drawn at random, that are among their 15
// nearest at x, y.
func kept(tb testing.TB, m *model.Model, x, y []float32, count int) float64 {
	tb.Helper()
	vectors, err := m.Vectors(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	index, n := nearest.New(vectors), len(x)
	kept, all := 0, 0
	for _, i := range random.Order(n, 1, random.Test, nil, 0)[:min(n, count)] {
		list := toplist.New(degree)
		for j := range n {
			if j != i {
				list.Offer(j, -math.Hypot(float64(x[j]-x[i]), float64(y[j]-y[i])))
			}
		}
		drawn := make(map[int]bool)
		for _, e := range list.Sorted() {
			drawn[e.Item] = true
		}
		for _, e := range index.Search(i, degree, 0) {
			all++
			if drawn[e.Item] {
				kept++
			}
		}
	}
	return float64(kept) / float64(all)
}

// byItem returns the places of a map by item.
func byItem(p *itemmap.Map) (x, y []float32) {
	x, y = make([]float32, len(p.Items)), make([]float32, len(p.Items))
	for j, i := range p.Items {
		x[i], y[i] = p.X[j], p.Y[j]
	}
	return x, y
}

// measure draws the map of a model, and returns the share of neighbours that it keeps, and that its start keeps.
func measure(tb testing.TB, m *model.Model, count int) (drawn, begun float64) {
	tb.Helper()
	at := time.Now()
	p, err := itemmap.Draw(tb.Context(), m, itemmap.Options{Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Logf("%d items were drawn in %.1f s", len(p.Items), time.Since(at).Seconds())
	x, y := byItem(p)
	drawn = kept(tb, m, x, y, count)
	if x, y, err = itemmap.Start(tb.Context(), m, itemmap.Options{Seed: 1}); err != nil {
		tb.Fatal(err)
	}
	return drawn, kept(tb, m, x, y, count)
}

// TestKept wants a map to keep many more neighbours than the topics do.
func TestKept(t *testing.T) {
	drawn, begun := measure(t, loaded(t), 300)
	t.Logf("%.3f of the neighbours are kept, by topics only %.3f", drawn, begun)
	if drawn < 0.25 || drawn < 2*begun {
		t.Errorf("the map keeps %.3f of the neighbours, the topics keep %.3f", drawn, begun)
	}
}

// TestKeptMany measures the model that MAP_MODEL names, for which the goal is 0.3, or 100,000 drawn items. Drawn ones
// differ from others of their topics by noise only, in as many dimensions as there are topics, which no plane can show.
func TestKeptMany(t *testing.T) {
	long.Test(t, "it fits 100,000 items")
	m, goal := (*model.Model)(nil), 0.3
	if path := os.Getenv("MAP_MODEL"); path != "" {
		var err error
		if m, err = model.Load(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	} else {
		m, goal = fitted(t, 100_000, 50, 400_000).Loaded(), 0.05
	}
	drawn, begun := measure(t, m, 1000)
	t.Logf("%.3f of the neighbours are kept, by topics only %.3f", drawn, begun)
	if drawn < goal || drawn < 10*begun {
		t.Errorf("the map keeps %.3f of the neighbours, the topics keep %.3f", drawn, begun)
	}
}

// TestNeighbours compares the neighbours with those of an exact search.
func TestNeighbours(t *testing.T) {
	m := loaded(t)
	vectors, err := m.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	near, err := itemmap.Neighbours(t.Context(), vectors, m.Vocabulary.Key, itemmap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	index, found, all := nearest.New(vectors), 0, 0
	for i := 0; i < vectors.Rows(); i += 10 {
		have := make(map[int32]bool)
		for _, j := range near[degree*i:][:degree] {
			have[j] = true
		}
		for _, e := range index.Search(i, degree, 0) {
			all++
			if have[int32(e.Item)] {
				found++
			}
		}
	}
	if share := float64(found) / float64(all); share < 0.9 {
		t.Errorf("only %.3f of the neighbours were found", share)
	}
}
