package resample

import (
	"math"
	"slices"
	"testing"

	"anchorage/internal/random"
)

// How often documents are in resamples has the distribution of Poisson numbers of mean 1, and is no function of one of the two alone.
func TestWeights(t *testing.T) {
	const documents, n = 4000, 50
	sampler, counts := NewSampler(3, n), [8]float64{}
	times, product := make([]uint8, n), 0.0
	for d := range documents {
		sampler.Weights(times, int64(d))
		for r, w := range times {
			counts[min(int(w), 7)]++
			if r > 0 {
				product += (float64(w) - 1) * (float64(times[r-1]) - 1)
			}
		}
	}
	p, total := math.Exp(-1), float64(documents*n)
	for w, count := range counts[:7] {
		if off := math.Abs(count/total-p) / math.Sqrt(p*(1-p)/total); off > 5 {
			t.Errorf("%v of %v weights are %d: %.1f standard errors from %v", count, total, w, off, p*total)
		}
		p /= float64(w + 1)
	}
	if product = math.Abs(product) / math.Sqrt(total); product > 5 {
		t.Errorf("neighbouring resamples are correlated: %.1f standard errors", product)
	}
	if len(below) < 15 || !slices.IsSorted(below) || poisson(0) != 0 || poisson(math.MaxUint64) != uint8(len(below)) {
		t.Errorf("bounds %v", below)
	}
}

// Sums of batches of any size, by any number of workers, are those of the definition.
func TestSumsAgainstDefinition(t *testing.T) {
	const n, width, documents = 21, 11, 700
	sampler := NewSampler(1, n)
	stride := NewSums(sampler, width).Stride()
	vectors, times := make([]float64, documents*stride), make([]uint8, documents*n)
	skip := func(d int) bool { return d%7 == 3 }
	own := func(d int) float64 { return 1 + float64(d%3)/2 }
	want, count := make([]float64, (n+1)*width), make([]float64, n+1)
	for d := range documents {
		sampler.Weights(times[d*n:][:n], int64(d))
		v := vectors[d*stride:][:width]
		for j := range v {
			v[j] = random.Symmetric(1, random.Test, uint64(d), uint64(j))
		}
		if skip(d) {
			continue
		}
		for r := range n + 1 {
			w := 1.0
			if r < n {
				w = float64(times[d*n+r])
			}
			count[r] += w * own(d)
			for j := range v {
				want[r*width+j] += w * v[j]
			}
		}
	}
	var first []float64
	for _, workers := range []int{1, 2, 5} {
		sums := NewSums(sampler, width)
		const batch = 300
		for at := 0; at < documents; at += batch {
			last := min(at+batch, documents)
			err := sums.AddAll(t.Context(), workers, vectors[at*stride:last*stride], times[at*n:last*n], func(d int) float64 {
				if skip(at + d) {
					return 0
				}
				return own(at + d)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if first == nil {
			first = sums.values
		}
		if !slices.Equal(first, sums.values) {
			t.Errorf("%d workers: other bits", workers)
		}
		mean := make([]float64, width)
		for r := range n + 1 {
			if !sums.Mean(mean, r) {
				t.Fatalf("resample %d has no documents", r)
			}
			for j, v := range mean {
				if math.Abs(v-want[r*width+j]/count[r]) > 1e-12 {
					t.Fatalf("resample %d: mean %v, want %v", r, v, want[r*width+j]/count[r])
				}
			}
		}
	}
	if NewSums(sampler, width).Mean(make([]float64, width), 0) {
		t.Error("a mean of no documents")
	}
}
