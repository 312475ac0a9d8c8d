// This file reads the pairs of a model from damaged files.

package fit

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/model"
)

// FuzzRecommendation reads damaged recommend.json, neighbour_counts.parquet and neighbours.parquet. A model refuses
// them, or what goes with its items has finite figures.
func TestDamagedRecommendation(t *testing.T) {
	var seeds [][3][]byte
	ctx := context.Background()
	var documents []corpus.Document
	for i := range 60 {
		items := []string{"a", "b", "c", "d", "e", "f"}[i%2*3:][:3]
		documents = append(documents, corpus.Document{Items: append([]string{string(rune('a' + i%6))}, items...)})
	}
	docs, err := corpus.FromDocuments(ctx, documents, corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := Fit(ctx, docs, Options{Topics: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if fitted.Recommendation, err = Learn(ctx, fitted.Loaded(), docs, RecommendOptions{Baskets: 9}); err != nil {
		t.Fatal(err)
	}
	if err := fitted.Recommendation.Pairs.Invert(ctx, 1); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := fitted.Save(ctx, path); err != nil {
		t.Fatal(err)
	}
	names := []string{"recommend.json", "neighbour_counts.parquet", "neighbours.parquet"}
	var files [3][]byte
	read := func() {
		for x, name := range names {
			if files[x], err = os.ReadFile(filepath.Join(path, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	read()
	sound := files
	seeds = append(seeds, sound)
	for _, change := range [][2]string{{`"rows": 1`, `"rows": -1`}, {`"documents": 60`, `"documents": 1`}, {`"layout": 2`,
		`"layout": 9`}, {`"inverse": true`, `"inverse": false`}, {`"settings": {`, `"settings": {"all": {"pairs": 7},`}} {
		if changed := bytes.Replace(sound[0], []byte(change[0]), []byte(change[1]), 1); !bytes.Equal(changed, sound[0]) {
			seeds = append(seeds, [3][]byte{changed, sound[1], sound[2]})
		} else if change[0] != `"rows": 1` {
			t.Fatalf("recommend.json has no %s", change[0])
		}
	}
	// Tables in order with impossible values.
	pairs := fitted.Recommendation.Pairs
	for _, spoil := range []func(){
		func() { pairs.Others[1] = 1 << 30 }, func() { pairs.Others[1] = -1 },
		func() { pairs.Weights[0] = float32(math.NaN()) }, func() { pairs.Inverse[0] = float32(math.Inf(1)) },
		func() { pairs.Together[2] = 0 }, func() { pairs.Together[2] = 1 << 30 }, func() { pairs.Companions[0] = 0 },
		func() { pairs.Counts[1] = -7 }, func() { pairs.Weighted[1] = math.Inf(1) },
	} {
		spoil()
		if err := model.SaveRecommendation(ctx, path, fitted.Recommendation); err != nil {
			t.Fatal(err)
		}
		read()
		seeds = append(seeds, files)
		if m, err := model.Load(ctx, path); err != nil {
			t.Fatal(err)
		} else if _, _, err := m.Recommender(ctx); err == nil {
			t.Fatal("impossible values are not refused")
		}
		for x, name := range names {
			if err := os.WriteFile(filepath.Join(path, name), sound[x], 0o666); err != nil {
				t.Fatal(err)
			}
		}
		m, err := model.Load(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Pairs(ctx)
		if err != nil {
			t.Fatal(err)
		}
		*pairs = *r.Pairs
	}
	loaded, err := model.Load(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	for flip := range uint64(200) { // a bit of a file that was sound
		spoilt := sound
		x := flip % 3
		spoilt[x] = bytes.Clone(sound[x])
		at := random.At(1, random.Test, flip, 0) % uint64(len(spoilt[x]))
		spoilt[x][at] ^= 1 << (random.At(1, random.Test, flip, 1) % 8)
		seeds = append(seeds, spoilt)
	}
	for at, damaged := range seeds {
		for x, data := range damaged {
			if err := os.WriteFile(filepath.Join(path, names[x]), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		m := *loaded
		m.Renew() // the next question reads the pairs again
		for _, basket := range [][]string{{"a"}, {"b", "f"}, {}} {
			found, err := m.With(t.Context(), basket, 3, nil)
			if err != nil {
				break
			}
			for _, c := range found {
				if !(c.Score > 0 && c.Probability >= 0 && c.Probability <= 1 && c.Lift >= 0) || math.IsInf(c.Score+c.Lift, 0) {
					t.Errorf("damage %d: %+v goes with %v", at, c, basket)
				}
			}
		}
	}
}
