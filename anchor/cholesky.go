// This file keeps the Cholesky factor of an active set while entries come and go.

package anchor

import (
	"math"

	"anchorage/internal/kernel"
)

// append adds entry j to the passive set, a row to the factor and a value to factor⁻¹·e.
//
// The last diagonal value is the distance of point j from the affine hull of the passive points. If its square is below
// the rounding of an inner product of K terms, the Gram matrix no longer holds it, and it is set to that bound. Steps
// along the lost direction are then shorter than they could be, but still descend.
func (s *activeSet) append(j int) {
	p := len(s.passive)
	row := s.factor[p*s.k : p*s.k+p+1]
	var square, ones float64
	for r, i := range s.passive {
		other := s.factor[r*s.k : r*s.k+r+1]
		v := (s.shifted(i, j) - kernel.Dot(other[:r], row)) * s.inverse[r]
		row[r] = v
		square += v * v
		ones += v * s.ones[r]
	}
	full := s.shifted(j, j)
	row[p] = math.Sqrt(max(full-square, float64(s.k)*machinePrecision*full))
	s.inverse[p] = 1 / row[p]
	s.ones[p] = (1 - ones) * s.inverse[p]
	s.passive = append(s.passive, j)
	s.isPassive[j] = true
}

// remove takes entry number r out of the passive set. Without row r the factor has one column too many. Rotations of
// neighbouring columns make it triangular again; they are orthogonal, so the same rotations update factor⁻¹·e.
func (s *activeSet) remove(r int) {
	last := len(s.passive) - 1
	s.isPassive[s.passive[r]] = false
	copy(s.passive[r:], s.passive[r+1:])
	s.passive = s.passive[:last]
	for t := r; t < last; t++ {
		copy(s.factor[t*s.k:t*s.k+t+2], s.factor[(t+1)*s.k:])
	}
	for t := r; t < last; t++ {
		diagonal := s.factor[t*s.k+t:]
		norm := math.Hypot(diagonal[0], diagonal[1])
		cos, sin := diagonal[0]/norm, diagonal[1]/norm
		for u := t; u < last; u++ {
			pair := s.factor[u*s.k+t:][:2]
			pair[0], pair[1] = cos*pair[0]+sin*pair[1], cos*pair[1]-sin*pair[0]
		}
		s.inverse[t] = 1 / norm
		s.ones[t], s.ones[t+1] = cos*s.ones[t]+sin*s.ones[t+1], cos*s.ones[t+1]-sin*s.ones[t]
	}
}
