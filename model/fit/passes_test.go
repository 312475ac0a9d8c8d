// This file holds what passes over the documents buy: the figures of docs/decisions/passes.md.

package fit_test

import (
	"context"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/model/fit"
	"anchorage/sketch"
)

// TestPassesAgainstReference logs the error of V·D·Vᵀ and the anchors shared with the reference after every number of
// passes, and holds them to what docs/decisions/passes.md promises. ANCHORAGE_REFERENCE is as for TestAgainstReference.
func TestPassesAgainstReference(t *testing.T) {
	root := referenceRoot(t)
	const k = 50
	for _, data := range []struct {
		name, shard, items, results string
		least                       map[int]int     // anchors, by passes
		most                        map[int]float64 // error, by passes
	}{
		{"nips", "data/nips/docword.nips.txt.gz", "nips-n5000.dict", "nips-n5000.json",
			map[int]int{5: 48, 6: 48}, map[int]float64{5: 2e-3, 6: 3e-4, 8: 5e-6}},
		{"retail", "data/retail/retail.dat.gz", "retail-n5000.items", "retail-n5000.json",
			map[int]int{8: 48}, map[int]float64{7: 2e-3, 8: 5e-4}},
	} {
		t.Run(data.name, func(t *testing.T) {
			want := readReference(t, root, data.results)
			r := open(t, filepath.Join(root, data.shard), filepath.Join(root, "reference", data.items))
			exact := r.eigenpairs(t, k, sketch.Options{Columns: 2 * k, Seed: 9, Tolerance: 1e-6})
			for passes := 3; passes <= 8; passes++ {
				e := r.eigenpairs(t, k, sketch.Options{Columns: k + 30, Seed: 1, Passes: passes})
				off := distance(exact, e)
				t.Logf("%d passes: error of V·D·Vᵀ %.2g, largest residual %.2g of the K-th eigenvalue", passes, off,
					e.Residuals[k-1]*e.Values[0]/e.Values[k-1])
				if most, promised := data.most[passes]; promised && off > most {
					t.Errorf("%d passes leave an error of %g, at most %g is promised", passes, off, most)
				}
				least := data.least[passes]
				s := r.fit(t, k, 1, fit.SketchOptions{Passes: passes}, 50)
				r.checkAnchors(t, s.Topics, want.Results["50"].Anchors, least)
			}
		})
	}
}

func (r *opened) eigenpairs(t *testing.T, k int, opts sketch.Options) *sketch.Eigen {
	t.Helper()
	s, err := sketch.Accumulate(context.Background(), r.Pass, r.Vocabulary, opts)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Krylov(context.Background(), r.Pass, k, opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// distance returns ‖V·D·Vᵀ − V'·D'·V'ᵀ‖/‖V·D·Vᵀ‖ in the Frobenius norm.
func distance(exact, e *sketch.Eigen) float64 {
	k := len(e.Values)
	angles := kernel.Gram(context.Background(), exact.Vectors, e.Vectors, 0)
	norm, other, inner := 0.0, 0.0, 0.0
	for i, value := range exact.Values {
		norm += value * value
		other += e.Values[i] * e.Values[i]
		for j := range k {
			inner += angles[i*k+j] * angles[i*k+j] * value * e.Values[j]
		}
	}
	return math.Sqrt(max(norm+other-2*inner, 0) / norm)
}

// TestWidthAgainstReference holds the error of V·D·Vᵀ that a single pass leaves to what docs/decisions/passes.md
// promises for every width. ANCHORAGE_REFERENCE is as for TestAgainstReference.
func TestWidthAgainstReference(t *testing.T) {
	root := referenceRoot(t)
	const k = 50
	for _, data := range []struct {
		name, shard, items string
		most               map[int]float64 // error, by columns for each topic
	}{
		{"nips", "data/nips/docword.nips.txt.gz", "nips-n5000.dict", map[int]float64{4: 0.22, 8: 0.109, 16: 0.052}},
		{"retail", "data/retail/retail.dat.gz", "retail-n5000.items", map[int]float64{16: 0.045}},
	} {
		t.Run(data.name, func(t *testing.T) {
			r := open(t, filepath.Join(root, data.shard), filepath.Join(root, "reference", data.items))
			exact := r.eigenpairs(t, k, sketch.Options{Columns: 2 * k, Seed: 9, Tolerance: 1e-6})
			for _, factor := range slices.Sorted(maps.Keys(data.most)) {
				mean := 0.0
				const seeds = 3
				for seed := range uint64(seeds) {
					s, err := sketch.Stream(t.Context(), r.Pass, r.Vocabulary, sketch.StreamOptions{Columns: factor * k,
						Seed: seed + 1})
					if err != nil {
						t.Fatal(err)
					}
					e, err := s.Eigen(t.Context(), k, 0)
					if err != nil {
						t.Fatal(err)
					}
					mean += distance(exact, e) / seeds
					t.Logf("L = %dK, seed %d: error of V·D·Vᵀ %.3g, estimated residuals %.3g", factor, seed+1,
						distance(exact, e), e.Error())
				}
				if mean > data.most[factor] {
					t.Errorf("L = %dK leaves an error of %.3g, at most %g is promised", factor, mean, data.most[factor])
				}
			}
		})
	}
}
