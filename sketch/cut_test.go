package sketch

import (
	"context"
	"math"
	"slices"
	"testing"
)

// cutEvidence returns the eigenpairs of drawn documents, and the evidence with the given cuts.
func cutEvidence(t *testing.T, n, k int, cuts []int) (*Sketch, *Eigen, *Evidence, EvidenceOptions) {
	t.Helper()
	docs := drawn(n, k, 300)
	opts := Options{Columns: 20, Seed: 3, Weights: someWeights(n), Passes: 5}
	s, err := Accumulate(context.Background(), inBatches(docs, 37), numbered(n), opts)
	if err != nil {
		t.Fatal(err)
	}
	eigen, err := s.Krylov(context.Background(), inBatches(docs, 37), k, opts)
	if err != nil {
		t.Fatal(err)
	}
	measured := EvidenceOptions{Workers: 3, Cuts: cuts}
	e, err := MeasureEvidence(context.Background(), inBatches(docs, 37), &s.Marginals, eigen, measured)
	if err != nil {
		t.Fatal(err)
	}
	return s, eigen, e, measured
}

// What one pass measures for several numbers of eigenvectors is what a pass for each measures.
func TestCutsAreTheEvidenceOfFewerEigenvectors(t *testing.T) {
	const n, k = 90, 8
	s, eigen, e, opts := cutEvidence(t, n, k, []int{2, 3, 6})
	opts.Cuts = nil
	for _, cut := range []int{2, 3, 6, 8} {
		want, err := MeasureEvidence(context.Background(), inBatches(drawn(n, k, 300), 41), &s.Marginals,
			eigen.First(cut), opts)
		if err != nil {
			t.Fatal(err)
		}
		got, known := e.First(cut, k)
		if !known {
			t.Fatalf("there is no evidence about %d eigenvectors", cut)
		}
		for i, v := range want.SamplingVariance {
			if math.Abs(got.SamplingVariance[i]-v) > 1e-9*v {
				t.Fatalf("K=%d: item %d has variance %v, want %v", cut, i, got.SamplingVariance[i], v)
			}
		}
		if !slices.Equal(got.EffectiveSampleSize, want.EffectiveSampleSize) {
			t.Fatalf("K=%d: sample sizes differ", cut)
		}
	}
	if _, known := e.First(4, k); known {
		t.Fatal("there is evidence about 4 eigenvectors, for which none was measured")
	}
}

func TestCutsOutOfOrderPanic(t *testing.T) {
	for _, cuts := range [][]int{{0}, {3, 2}, {2, 2}, {4}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("cuts %v of 4 do not panic", cuts)
				}
			}()
			checkCuts(cuts, 4)
		}()
	}
}
