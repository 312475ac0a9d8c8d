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
	measured := EvidenceOptions{Seed: 9, Key: numbered(n).Key, Workers: 3, Cuts: cuts}
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
		got, known := e.First(cut, &s.Marginals, eigen, 2)
		if !known {
			t.Fatalf("there is no evidence about %d eigenvectors", cut)
		}
		for i, v := range want.SamplingVariance {
			if math.Abs(got.SamplingVariance[i]-v) > 1e-9*v {
				t.Fatalf("K=%d: item %d has variance %v, want %v", cut, i, got.SamplingVariance[i], v)
			}
		}
		if !slices.Equal(got.EffectiveSampleSize, want.EffectiveSampleSize) ||
			!slices.Equal(got.Halves.Items, want.Halves.Items) {
			t.Fatalf("K=%d: sample sizes or the items of the halves differ", cut)
		}
		for half := range 2 {
			if !slices.Equal(got.Halves.Sums[half], want.Halves.Sums[half]) {
				t.Fatalf("K=%d: half %d has other sums", cut, half)
			}
			for at, v := range want.Halves.Rows[half] {
				if math.Abs(got.Halves.Rows[half][at]-v) > 1e-12 {
					t.Fatalf("K=%d: half %d has other rows", cut, half)
				}
			}
		}
	}
	if _, known := e.First(4, &s.Marginals, eigen, 2); known {
		t.Fatal("there is evidence about 4 eigenvectors, for which none was measured")
	}
}

// A larger corpus has items that are kept for all K and not for fewer.
func TestFirstKeepsFewerHalves(t *testing.T) {
	const n, k = 300, 12
	s, eigen, e, _ := cutEvidence(t, n, k, []int{2})
	got, _ := e.First(2, &s.Marginals, eigen, 2)
	if len(e.Halves.Items) != HalvedItems(n, k) || len(got.Halves.Items) != HalvedItems(n, 2) {
		t.Fatalf("%d and %d items are halved, want %d and %d", len(e.Halves.Items), len(got.Halves.Items), HalvedItems(n, k),
			HalvedItems(n, 2))
	}
	for at, i := range got.Halves.Items {
		from := slices.Index(e.Halves.Items, i)
		if from < 0 || !slices.Equal(got.Halves.Rows[1][at*2:][:2], e.Halves.Rows[1][from*k:][:2]) {
			t.Fatalf("item %d has another row", i)
		}
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
