// This file holds the distributions that the standard library lacks.

package synth

import (
	"math"
	"math/bits"

	"anchorage/internal/random"
)

// alias is a discrete distribution to draw from in constant time (Walker, ACM Trans. Math. Softw. 3, 1977; built as Vose,
// IEEE Trans. Softw. Eng. 17, 1991).
type alias []slot

// slot is an equal part of the distribution: item's below the threshold, of 2³², and other's from it.
type slot struct {
	threshold   uint32
	item, other int32
}

// newAlias returns the distribution of items by their weights, whose sum is positive. Probabilities are exact to 2⁻³² of a
// slot.
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
	return a // what is left on either list is whole, but for rounding
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

// Length is a distribution of documents' lengths. All have the mean Model.Tokens, but for what rounding to whole tokens and
// the minimum of 2 do to log-normal ones.
type Length int

const (
	Geometric Length = iota // 2 and a geometrically distributed rest
	Fixed                   // the same for all
	LogNormal               // logarithms normal, rounded, at least 2
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
	// A geometric number is an exponential one, rounded down: P(≥ j) = (1−1/(1+mean))^j.
	return 2 + int(s.ExpFloat64()/math.Log1p(1/mean))
}
