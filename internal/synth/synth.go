// Package synth makes corpora from a known model, so that what is learned can be held against the truth: topics with
// Zipf item frequencies, each with an item of its own, and documents that mix a few of them.
package synth

import (
	"math"
	"math/rand/v2"

	"anchorage/stream"
)

// Model says what to make. All numbers must be positive.
type Model struct {
	Items, Topics, Documents int
	Tokens                   int     // of a document, on average; at least 2 each
	Concentration            float64 // Dirichlet parameter of a document's topic mixture, of each topic
	Seed                     uint64
}

// Truth is what a corpus was drawn from.
type Truth struct {
	Topics  []float64 // B, Items×Topics row-major, columns sum to 1
	Anchors []int     // the item that only topic k has
	Mixture []float64 // A = E[θθᵀ] over the documents drawn, Topics×Topics
}

// Draw returns a corpus of the model and its truth. The same model gives the same corpus.
func (m Model) Draw() (*stream.Documents, *Truth) {
	rng := rand.New(rand.NewPCG(m.Seed, 0x616e63686f72))
	truth := m.topics(rng)
	cumulative := make([][]float64, m.Topics)
	for k := range cumulative {
		cumulative[k] = make([]float64, m.Items)
		sum := 0.0
		for i := range m.Items {
			sum += truth.Topics[i*m.Topics+k]
			cumulative[k][i] = sum
		}
	}
	docs := &stream.Documents{Offsets: []int32{0}}
	counts := make([]int32, m.Items)
	mixture := make([]float64, m.Topics)
	for range m.Documents {
		dirichlet(rng, mixture, m.Concentration)
		for a, u := range mixture {
			for b, v := range mixture {
				truth.Mixture[a*m.Topics+b] += u * v / float64(m.Documents)
			}
		}
		tokens := 2 + int(rng.ExpFloat64()*float64(max(m.Tokens-2, 0)))
		for range tokens {
			counts[search(cumulative[search(prefix(mixture), rng.Float64())], rng.Float64())]++
		}
		for i, c := range counts {
			if c > 0 {
				docs.Items = append(docs.Items, int32(i))
				docs.Counts = append(docs.Counts, c)
				counts[i] = 0
			}
		}
		docs.Offsets = append(docs.Offsets, int32(len(docs.Items)))
	}
	return docs, truth
}

// topics draws B: Zipf frequencies, unevenly shared out among the topics, and one anchor for each among the items of
// middling frequency.
func (m Model) topics(rng *rand.Rand) *Truth {
	truth := &Truth{Topics: make([]float64, m.Items*m.Topics), Mixture: make([]float64, m.Topics*m.Topics)}
	share := make([]float64, m.Topics)
	for i := range m.Items {
		dirichlet(rng, share, 0.1)
		for k, s := range share {
			truth.Topics[i*m.Topics+k] = s / float64(i+10)
		}
	}
	for k := range m.Topics {
		anchor := m.Items/4 + k*max(m.Items/(4*m.Topics), 1)
		clear(truth.Topics[anchor*m.Topics : (anchor+1)*m.Topics])
		truth.Topics[anchor*m.Topics+k] = 2 / float64(anchor+10)
		truth.Anchors = append(truth.Anchors, anchor)
	}
	for k := range m.Topics {
		sum := 0.0
		for i := range m.Items {
			sum += truth.Topics[i*m.Topics+k]
		}
		for i := range m.Items {
			truth.Topics[i*m.Topics+k] /= sum
		}
	}
	return truth
}

// dirichlet overwrites p with a draw from the symmetric Dirichlet distribution.
func dirichlet(rng *rand.Rand, p []float64, concentration float64) {
	sum := 0.0
	for sum == 0 {
		for i := range p {
			p[i] = gamma(rng, concentration)
			sum += p[i]
		}
	}
	for i := range p {
		p[i] /= sum
	}
}

// gamma draws from Gamma(shape, 1) (Marsaglia & Tsang, ACM Trans. Math. Softw. 26, 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(1-rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		x := rng.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

func prefix(p []float64) []float64 {
	sums := make([]float64, len(p))
	sum := 0.0
	for i, v := range p {
		sum += v
		sums[i] = sum
	}
	return sums
}

// search returns the first index whose cumulative probability exceeds u, scaled to the last.
func search(cumulative []float64, u float64) int {
	u *= cumulative[len(cumulative)-1]
	low, high := 0, len(cumulative)-1
	for low < high {
		if middle := (low + high) / 2; cumulative[middle] > u {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
