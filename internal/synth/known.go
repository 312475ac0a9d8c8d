// This file draws documents whose topic mixtures are known, for what infers mixtures.

package synth

import (
	"math"
	"slices"

	"anchorage/internal/random"
)

// Known returns the items and counts of a document of n tokens, and the mixture that they were drawn with; d is its
// number. It is another document than number d of a pass, whose mixture is integrated out. The prior must be a
// Dirichlet distribution over topics, not over a tree.
func (c *Drawn) Known(d, n int) (items, counts []int32, mixture []float64) {
	if c.prior.cumulative == nil || c.prior.logistic != nil {
		panic("synth: only Dirichlet mixtures are known")
	}
	s := random.NewSource()
	s.Seek(c.Model.Seed, random.SyntheticKnown, uint64(d))
	sum := 0.0
	for _, a := range c.prior.alpha {
		g := gamma(s, a)
		mixture, sum = append(mixture, g), sum+g
	}
	cumulative, below := make([]float64, len(mixture)), 0.0
	for k := range mixture {
		mixture[k] /= sum
		below += mixture[k]
		cumulative[k] = below
	}
	items = make([]int32, n)
	for t := range items {
		items[t] = c.tables[search(cumulative, s.Float64()*below)].draw(s.Uint64())
	}
	slices.Sort(items)
	counts = make([]int32, 0, n)
	at := 0
	for t, item := range items {
		if t > 0 && item == items[at-1] {
			counts[at-1]++
			continue
		}
		items[at] = item
		counts = append(counts, 1)
		at++
	}
	return items[:at], counts, mixture
}

// gamma draws from the gamma distribution of a shape, with scale 1 (Marsaglia & Tsang, ACM Trans. Math. Softw. 26,
// 2000).
func gamma(s *random.Source, shape float64) float64 {
	if shape < 1 {
		return gamma(s, shape+1) * math.Pow(s.Float64(), 1/shape)
	}
	d := shape - 1./3
	for {
		x := s.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		v = v * v * v
		if v > 0 && math.Log(s.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
