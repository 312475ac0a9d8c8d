package sketch

import (
	"context"
	"fmt"
	"math"
	"testing"

	"anchorage/internal/random"
	"anchorage/internal/resample"
	"anchorage/matrix"
)

// TestResamplesAgainstDefinition adds up every document's share of every row under every resample, and wants the same bits for any
// batches and workers.
func TestResamplesAgainstDefinition(t *testing.T) {
	const n, l, count = 40, 5, 7
	docs := drawn(n, 4, 150)
	y := matrix.NewTall(n, l)
	for i := range n {
		for j := range l {
			y.Row(i)[j] = random.Symmetric(1, random.Test, uint64(i), uint64(j))
		}
	}
	items := []int{0, 3, 4, 17, 39}
	for name, weights := range map[string][]float64{"equal": nil, "documents": nil, "weighted": someWeights(n)} {
		docs := docs
		if name != "equal" {
			docs = weighing(docs)
		}
		marginals := NewMarginals(n, weights)
		opts := ResampleOptions{Seed: 5, Resamples: count, Items: items, Workers: 1}
		got, err := MeasureResamples(context.Background(), inBatches(docs, 1000), marginals, y, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{2, 3} {
			opts.Workers = workers
			again, err := MeasureResamples(context.Background(), inBatches(docs, 37), marginals, y, opts)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(again) != fmt.Sprint(got) {
				t.Fatalf("%s: %d workers: another result", name, workers)
			}
		}

		omega := func(i int32) float64 {
			if weights == nil {
				return 1
			}
			return weights[i]
		}
		sampler, times := resample.NewSampler(5, count), make([]uint8, count)
		sums, rows := make([]float64, (count+1)*n), make([]float64, (count+1)*n*l)
		means, documents := make([]float64, (count+1)*l), make([]float64, count+1)
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			total, w := PairWeight(items, counts, weights)
			if w == 0 {
				continue
			}
			w *= docs.Weight(d)
			sampler.Weights(times, int64(d))
			for r := range count + 1 {
				v := 1.0
				if r < count {
					v = float64(times[r])
				}
				documents[r] += v * docs.Weight(d)
				mean := means[r*l:][:l]
				for a, item := range items {
					share := w * omega(item) * float64(counts[a]) * (total - omega(item))
					sums[r*n+int(item)] += v * share
					for b, other := range items {
						h := float64(counts[b])
						if a == b {
							h--
						}
						for j := range l {
							part := v * share * omega(other) * h * y.Row(int(other))[j] / (total - omega(item))
							rows[(r*n+int(item))*l+j] += part
							mean[j] += part
						}
					}
				}
			}
		}
		near := func(what string, at int, got, want float64) {
			if math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
				t.Fatalf("%s: %s of resample %d is %v, want %v", name, what, at, got, want)
			}
		}
		for r := range count + 1 {
			for place, i := range items {
				near("a sum", r, got.Sums[r*len(items)+place], sums[r*n+i])
				for j := range l {
					near("a row", r, got.Rows[(r*len(items)+place)*l+j], rows[(r*n+i)*l+j])
				}
			}
			for j := range l {
				near("a mean", r, got.Means[r*l+j], means[r*l+j]/documents[r])
			}
		}
	}
}
