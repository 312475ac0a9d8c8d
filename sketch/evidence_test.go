package sketch

import (
	"context"
	"math"
	"testing"

	"anchorage/matrix"
)

// TestEvidenceAgainstDefinition computes noise from every document's share of every row.
func TestEvidenceAgainstDefinition(t *testing.T) {
	const n, k = 50, 4
	docs := drawn(n, k, 200)
	for name, c := range map[string]struct {
		weights []float64
		prior   float64
	}{"equal": {nil, 0}, "weighted": {someWeights(n), 0}, "by length": {nil, 400}, "both": {someWeights(n), 400}} {
		weights := c.weights
		opts := Options{Columns: 20, Seed: 3, Weights: weights, PairPrior: c.prior, Passes: 6, Workers: 2}
		s, err := Accumulate(context.Background(), inBatches(docs, 37), numbered(n), opts)
		if err != nil {
			t.Fatal(err)
		}
		marginals := s.Marginals
		eigen, err := s.Krylov(context.Background(), inBatches(docs, 37), k, opts)
		if err != nil {
			t.Fatal(err)
		}
		got, err := MeasureEvidence(context.Background(), inBatches(docs, 37), &marginals, eigen, EvidenceOptions{Workers: 3})
		if err != nil {
			t.Fatal(err)
		}

		omega := func(i int32) float64 {
			if weights == nil {
				return 1
			}
			return weights[i]
		}
		type share struct {
			weight float64
			xi     [k]float64
		}
		shares := make([][]share, n)
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			total, w := PairWeight(items, counts, weights, c.prior)
			if w == 0 {
				continue
			}
			for a, item := range items {
				s := share{weight: w * omega(item) * float64(counts[a]) * (total - omega(item))}
				for b, other := range items {
					h := float64(counts[b])
					if a == b {
						h-- // one token of the item is the one that the others are seen from
					}
					for j := range k {
						s.xi[j] += omega(other) * h * eigen.Vectors.Row(int(other))[j] / (total - omega(item))
					}
				}
				shares[item] = append(shares[item], s)
			}
		}
		scatter, support, mean, all := make([]float64, n), make([]float64, n), 0.0, 0.0
		for i, of := range shares {
			sum, squares := 0.0, 0.0
			var x [k]float64
			for _, s := range of {
				sum += s.weight
				squares += s.weight * s.weight
				for j := range k {
					x[j] += s.weight * s.xi[j]
				}
			}
			for j := range k {
				x[j] /= sum
				want := eigen.Vectors.Row(i)[j] * eigen.Values[j] / (marginals.RowSums[i] / marginals.Total())
				if math.Abs(x[j]-want) > 1e-5 {
					t.Fatalf("%s: the mean of item %d's shares is not its row of C̄: %v, %v", name, i, x[j], want)
				}
			}
			lengths, rowLength := 0.0, 0.0
			for _, s := range of {
				for j := range k {
					lengths += s.weight * s.weight * s.xi[j] * s.xi[j]
				}
			}
			for j := range k {
				rowLength += x[j] * x[j]
			}
			scatter[i], support[i] = max(lengths/squares-rowLength, 0), sum*sum/squares
			mean += sum * scatter[i]
			all += sum
		}
		mean /= all
		for i := range n {
			want := (scatter[i] + mean/support[i]) / support[i]
			if math.Abs(got.SamplingVariance[i]-want) > 1e-3*want ||
				math.Abs(got.EffectiveSampleSize[i]-support[i]) > 1e-9*support[i] {
				t.Fatalf("%s: item %d has noise %v and support %v, want %v and %v", name, i, got.SamplingVariance[i],
					got.EffectiveSampleSize[i], want, support[i])
			}
		}
	}
}

func TestEvidenceSameBitsForAnyWorkersAndBatches(t *testing.T) {
	const n, k = 50, 4
	docs := drawn(n, k, 300)
	opts := Options{Columns: 20, Seed: 3, Weights: someWeights(n), Passes: 3}
	s, err := Accumulate(context.Background(), inBatches(docs, 37), numbered(n), opts)
	if err != nil {
		t.Fatal(err)
	}
	marginals := s.Marginals
	eigen, err := s.Krylov(context.Background(), inBatches(docs, 37), k, opts)
	if err != nil {
		t.Fatal(err)
	}
	var first *Evidence
	for _, workers := range []int{1, 2, 5} {
		for _, batch := range []int{7, 300} {
			e, err := MeasureEvidence(context.Background(), inBatches(docs, batch), &marginals, eigen,
				EvidenceOptions{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = e
			}
			for i := range n {
				if e.SamplingVariance[i] != first.SamplingVariance[i] || e.EffectiveSampleSize[i] != first.EffectiveSampleSize[i] {
					t.Fatalf("%d workers, batches of %d: other bits", workers, batch)
				}
			}
		}
	}
}

// TestEvidenceOfUnseenItem gives an item that no document holds no support and boundless noise.
func TestEvidenceOfUnseenItem(t *testing.T) {
	docs := drawn(30, 3, 100)
	opts := Options{Columns: 10, Seed: 3, Passes: 3}
	s, err := Accumulate(context.Background(), inBatches(docs, 37), numbered(31), opts)
	if err != nil {
		t.Fatal(err)
	}
	marginals := s.Marginals
	eigen, err := s.Krylov(context.Background(), inBatches(docs, 37), 3, opts)
	if err != nil {
		t.Fatal(err)
	}
	e, err := MeasureEvidence(context.Background(), inBatches(docs, 37), &marginals, eigen, EvidenceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e.EffectiveSampleSize[30] != 0 || !math.IsInf(e.SamplingVariance[30], 1) {
		t.Errorf("an item in no document has support %v and noise %v", e.EffectiveSampleSize[30], e.SamplingVariance[30])
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := MeasureEvidence(cancelled, inBatches(docs, 37), &marginals, &Eigen{Values: eigen.Values,
		Vectors: matrix.Like(eigen.Vectors)}, EvidenceOptions{}); err == nil {
		t.Error("a cancelled pass ends without an error")
	}
}
