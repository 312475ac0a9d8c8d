// This file implements the distributions that the standard library lacks.

package synth

import (
	"math"
	"math/bits"
	"sort"

	"anchorage/internal/random"
)

// alias is a discrete distribution with draws in constant time (Walker, ACM Trans. Math. Softw. 3, 1977). newAlias
// builds it by Vose's method (IEEE Trans. Softw. Eng. 17, 1991).
type alias []slot

// slot is one of n equal parts of the distribution. A 32-bit number below threshold yields item; any other yields
// other.
type slot struct {
	threshold   uint32
	item, other int32
}

// newAlias returns the distribution in which items have probabilities proportional to weights. The sum of the weights
// must be positive. Probabilities are exact to 2⁻³² of a slot.
func newAlias(items []int32, weights []float64) alias {
	n := len(items)
	total := 0.0
	for _, w := range weights {
		total += w
	}
	heights := make([]float64, n) // of the slots, 1 on average
	var low, high []int32
	for i, w := range weights {
		heights[i] = w / total * float64(n)
		if heights[i] < 1 {
			low = append(low, int32(i))
		} else {
			high = append(high, int32(i))
		}
	}
	a := make(alias, n)
	for i, item := range items {
		a[i] = slot{item: item, other: item}
	}
	for len(low) > 0 && len(high) > 0 {
		i, j := low[len(low)-1], high[len(high)-1]
		low = low[:len(low)-1]
		a[i].threshold, a[i].other = uint32(heights[i]*0x1p32), items[j]
		heights[j] -= 1 - heights[i]
		if heights[j] < 1 {
			high = high[:len(high)-1]
			low = append(low, j)
		}
	}
	return a // slots left on either list have height 1, up to rounding
}

// draw returns an item, given a random number.
func (a alias) draw(u uint64) int32 {
	at, rest := bits.Mul64(u, uint64(len(a)))
	s := &a[at]
	if uint32(rest>>32) < s.threshold {
		return s.item
	}
	return s.other
}

// search returns the first index whose cumulative weight exceeds u, or the last index.
func search(cumulative []float64, u float64) int {
	return sort.Search(len(cumulative)-1, func(i int) bool { return cumulative[i] > u })
}

// Length is a distribution of document lengths in tokens. Its mean is Model.Tokens. Log-normal lengths have it only
// approximately, since they are rounded and raised to at least 2.
type Length int

const (
	Geometric Length = iota // 2 plus a geometric number
	Fixed                   // the same for all documents
	LogNormal               // log-normal, rounded, at least 2
)

// length draws the length of a document.
func (m *Model) length(s *random.Source) int {
	switch m.Length {
	case Fixed:
		return m.Tokens
	case LogNormal:
		mu := math.Log(float64(m.Tokens)) - m.Deviation*m.Deviation/2
		return max(int(math.Round(math.Exp(mu+m.Deviation*s.NormFloat64()))), 2)
	}
	mean := float64(m.Tokens - 2)
	if mean == 0 {
		return 2
	}
	// An exponential number, rounded down, is geometric: P(≥ j) = (1−1/(1+mean))^j.
	return 2 + int(s.ExpFloat64()/math.Log1p(1/mean))
}
