// Package resample draws bootstrap resamples of documents and adds up vectors of documents under each of them.
//
// In resample r, document m counts w_mr times, where w_mr is a Poisson number of mean 1 (Hanley & MacGibbon, Comput. Methods Programs
// Biomed. 83, 2006). It is a function of the seed, m and r, so that one pass serves all resamples, and a later pass meets the same
// ones again. Sums are those of the documents in their order, whichever goroutine adds them.
package resample

import (
	"context"
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// Sampler says how often each document is in each of n resamples. Several goroutines may use it.
type Sampler struct{ columns []random.Column }

// NewSampler returns the sampler of a seed for n resamples.
func NewSampler(seed uint64, n int) *Sampler {
	s := &Sampler{make([]random.Column, n)}
	for r := range s.columns {
		s.columns[r] = random.ColumnOf(seed, random.BootstrapWeight, uint64(r))
	}
	return s
}

// Resamples returns n.
func (s *Sampler) Resamples() int { return len(s.columns) }

// Weights sets dst, n values, to how often a document is in each resample. Documents are numbered from 0 in the order of the pass.
func (s *Sampler) Weights(dst []uint8, document int64) {
	step := random.Step(uint64(document))
	for r, column := range s.columns {
		dst[r] = poisson(column.AtStep(step))
	}
}

// below are the probabilities that a Poisson number of mean 1 is at most 0, 1, …, times 2⁶⁴.
var below = func() (list []uint64) {
	term, sum := math.Exp(-1), 0.0
	for j := 1.0; ; j++ {
		if sum += term; sum*0x1p53 >= 0x1p53-1 {
			return list
		}
		list = append(list, uint64(sum*0x1p64))
		term /= j
	}
}()

// poisson turns random bits into a Poisson number of mean 1, by inversion.
func poisson(bits uint64) uint8 {
	w := 0
	for w < len(below) && bits >= below[w] {
		w++
	}
	return uint8(w)
}

// Sums are sums over documents of vectors of a fixed length, under every resample and, last, with each document once. It belongs to
// one goroutine.
type Sums struct {
	sampler *Sampler
	width   int
	stride  int
	mass    []float64 // Σ_m w_mr·v_m, n+1 values
	values  []float64 // n+1 sums, stride apart
}

// NewSums returns sums of vectors of the given length.
func NewSums(sampler *Sampler, width int) *Sums {
	n, stride := sampler.Resamples()+1, aligned.Columns[float64](width)
	return &Sums{sampler: sampler, width: width, stride: stride, mass: make([]float64, n), values: make([]float64, n*stride)}
}

// SumsBytes returns the memory of Sums of vectors of a length under n resamples.
func SumsBytes(n, width int) int64 { return 8 * int64(n+1) * int64(aligned.Columns[float64](width)+1) }

// Stride returns the distance between the vectors that AddAll takes: their length, rounded up to a cache line.
func (s *Sums) Stride() int { return s.stride }

// together is the number of documents whose vectors stay in the processor's cache while all resamples take them.
const together = 256

// AddAll adds the vectors of some documents, Stride apart, that have been multiplied by the documents' own weights v. Times has n numbers for
// each of them, of Sampler.Weights, and own returns v; a document of weight 0 adds nothing.
func (s *Sums) AddAll(ctx context.Context, workers int, vectors []float64, times []uint8, own func(d int) float64) error {
	n := s.sampler.Resamples()
	documents := len(vectors) / s.stride
	const parts = 16
	return kernel.Parallel(ctx, workers, parts, func(part int) error {
		taken, shares := make([]int32, 0, together), make([]float64, 0, together)
		for first := 0; first < documents; first += together {
			last := min(first+together, documents)
			for r := part; r <= n; r += parts {
				taken, shares = taken[:0], shares[:0]
				for d := first; d < last; d++ {
					w := uint8(1)
					if r < n {
						w = times[d*n+r]
					}
					if v := own(d); w > 0 && v > 0 {
						taken, shares = append(taken, int32(d-first)), append(shares, float64(w))
						s.mass[r] += float64(w) * v
					}
				}
				kernel.Combine(taken, shares, vectors[first*s.stride:last*s.stride], s.values[r*s.stride:][:s.stride])
			}
		}
		return nil
	})
}

// Mean sets dst to the mean vector of resample r, or of the documents themselves where r is n. It reports whether there is a document.
func (s *Sums) Mean(dst []float64, r int) bool {
	if s.mass[r] == 0 {
		return false
	}
	for j := range dst[:s.width] {
		dst[j] = s.values[r*s.stride+j] / s.mass[r]
	}
	return true
}
