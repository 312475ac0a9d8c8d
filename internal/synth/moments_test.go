// This file compares samples with the distributions they are drawn from. Seeds are fixed. A sample mean may be 5
// standard errors off: among the few thousand means compared here, a correct generator exceeds that with probability 1
// in 1,000.

package synth

import (
	"context"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/random"
)

// sampleMean accumulates a sample.
type sampleMean struct{ n, sum, squares float64 }

func (s *sampleMean) add(v float64) { s.n, s.sum, s.squares = s.n+1, s.sum+v, s.squares+v*v }

// off returns how many standard errors the mean is away from want.
func (s *sampleMean) off(want float64) float64 {
	mean := s.sum / s.n
	deviation := math.Sqrt(max(s.squares/s.n-mean*mean, 0) / s.n)
	if deviation == 0 {
		return math.Abs(mean-want) * 1e12
	}
	return math.Abs(mean-want) / deviation
}

// Two tokens of a document have topics k and l with probability A_kl, the joint moment of the prior.
func TestCorrelationsOfTokens(t *testing.T) {
	models := map[string]Model{
		"symmetric Dirichlet": {Concentration: 0.2},
		"given Dirichlet":     {Alpha: []float64{0.1, 2, 0.5, 0.03}},
		"logistic-normal":     {Logistic: &LogisticNormal{Deviation: 1.5}},
		"logistic-normal, all": {Logistic: &LogisticNormal{Deviation: 2, Blocks: 2,
			Correlation: 0.8}},
	}
	const documents = 100_000
	for name, m := range models {
		m.Items, m.Topics, m.Documents, m.Seed = 100, 4, documents, 7
		c := m.Plant()
		maker, topics := c.newMaker(), make([]int32, 5)
		var counts [16]float64
		for d := range documents {
			maker.Seek(m.Seed, random.SyntheticDocument, uint64(d))
			c.prior.draw(maker.Source, topics, maker.mixture)
			counts[topics[1]*4+topics[4]]++
		}
		sum := 0.0
		for i, a := range c.Truth.Correlations {
			sum += a
			if off := math.Abs(counts[i]/documents-a) / math.Sqrt(a*(1-a)/documents); off > 5 {
				t.Errorf("%s: A[%d] is %.5f, %.5f among documents: %.1f standard errors", name, i, a, counts[i]/documents, off)
			}
			if transposed := c.Truth.Correlations[i%4*4+i/4]; a != transposed {
				t.Errorf("%s: A[%d] is %v, and %v across the diagonal", name, i, a, transposed)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: A sums to %v", name, sum)
		}
	}
}

// Topics of the same block occur together more often than topics of different blocks.
func TestBlocks(t *testing.T) {
	m := Model{Items: 100, Topics: 4, Documents: 1, Seed: 1, Logistic: &LogisticNormal{Deviation: 2, Blocks: 2,
		Correlation: 0.9}}
	a := m.Plant().Truth.Correlations
	if within, across := a[0*4+1], a[0*4+2]; within < 2*across {
		t.Errorf("topics of a block meet with probability %.4f, of two blocks with %.4f", within, across)
	}
}

// E[h_i/n] = p_i for every item, whatever the lengths.
func TestItemFrequencies(t *testing.T) {
	for _, m := range []Model{
		{Seed: 1, Tokens: 12},
		{Seed: 2, Tokens: 12, Length: Fixed, Exponent: 1.5, Offset: 3, Spread: 3, Anchors: 2, AnchorStrength: 0.7},
		{Seed: 3, Tokens: 12, Length: LogNormal, Alpha: []float64{0.1, 0.2, 0.4, 0.1, 0.3}},
	} {
		m.Items, m.Topics, m.Documents = 150, 5, 40_000
		c := m.Plant()
		shares := make([]sampleMean, m.Items)
		err := c.Pass(context.Background(), func(docs *corpus.Documents) error {
			for d := range docs.Documents() {
				items, counts := docs.Row(d)
				n := 0.0
				for _, count := range counts {
					n += float64(count)
				}
				for j, item := range items {
					shares[item].add(float64(counts[j]) / n)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range c.Truth.Probabilities {
			shares[i].n = float64(m.Documents) // documents without the item too
			if off := shares[i].off(p); off > 5 {
				t.Errorf("seed %d: item %d has frequency %.3g, want %.3g: %.1f standard errors", m.Seed, i,
					shares[i].sum/shares[i].n, p, off)
			}
		}
	}
}

func TestLengths(t *testing.T) {
	for _, m := range []Model{{Length: Geometric, Tokens: 2}, {Length: Geometric, Tokens: 3},
		{Length: Geometric, Tokens: 40},
		{Length: Fixed, Tokens: 7}, {Length: LogNormal, Tokens: 40}, {Length: LogNormal, Tokens: 30, Deviation: 1.2}} {
		m = m.Completed()
		s := random.NewSource()
		s.Seek(5, random.SyntheticDocument, 0)
		var lengths sampleMean
		for range 50_000 {
			n := m.length(s)
			if n < 2 {
				t.Fatalf("%+v: a document of %d tokens", m, n)
			}
			lengths.add(float64(n))
		}
		off := lengths.off(float64(m.Tokens))
		if m.Length == LogNormal { // the minimum lengthens a few
			off = math.Abs(lengths.sum/lengths.n-float64(m.Tokens)) / 0.2
		}
		if off > 5 {
			t.Errorf("%+v: the mean length is %.3f", m, lengths.sum/lengths.n)
		}
	}
}

// An alias table has the probabilities it was made for.
func TestAlias(t *testing.T) {
	s := random.NewSource()
	for _, n := range []int{1, 2, 3, 10, 1000} {
		s.Seek(uint64(n), random.SyntheticShares, 0)
		items, weights, total := make([]int32, n), make([]float64, n), 0.0
		for i := range items {
			items[i], weights[i] = int32(2*i), math.Pow(s.Float64(), 8)
			total += weights[i]
		}
		got := make([]float64, 2*n)
		for _, slot := range newAlias(items, weights) {
			if slot.item == slot.other {
				got[slot.item] += 1 / float64(n)
				continue
			}
			own := float64(slot.threshold) * 0x1p-32
			got[slot.item] += own / float64(n)
			got[slot.other] += (1 - own) / float64(n)
		}
		for i, w := range weights {
			if want := w / total; math.Abs(got[2*i]-want) > 0x1p-31 {
				t.Errorf("%d items: item %d has probability %v, want %v", n, i, got[2*i], want)
			}
		}
	}
}
