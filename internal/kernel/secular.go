// This file solves the secular equation, for the eigenvalues of a diagonal matrix plus one of rank one.

package kernel

import (
	"math"

	"anchorage/internal/aligned"
)

// secular is 1 + Σ_i weights_i/(poles_i − λ) for poles in increasing order, all different, and positive weights. It has
// one root after every pole, before the next: the eigenvalues of diag(poles) + u·uᵀ, u_i² = weights_i.
type secular struct {
	k              int
	poles, weights []float64 // k values, padded to a multiple of lane by poles far away with weight 0
}

// newSecular returns an equation with k poles, to be filled in.
func newSecular(k int) secular {
	s := secular{k: k, poles: make([]float64, aligned.Columns[float64](k)), weights: make([]float64,
		aligned.Columns[float64](k))}
	for i := k; i < len(s.poles); i++ {
		s.poles[i] = 1e300 // the inverse of which is a normal number still
	}
	return s
}

// secularSteps bounds the steps to one root; three or four are usual, and bisection takes some hundred.
const secularSteps = 400

// root finds the root after pole j, and sets differences, of the padded length, to poles − root, each accurate to a few
// units in its last place, because it iterates the distance from the nearest pole. Steps are those of Li's middle way
// (LAPACK Working Note 89, 1993): one pole replaces all poles to the left, and one all to the right, with their value
// and slope at the last point. Bisection replaces a step that leaves the interval in which the sign changes. The
// iteration ends when the value is within rounding of zero, which is what the eigenvectors need (Gu & Eisenstat, SIAM
// J. Matrix Anal. Appl. 16, 1995, section 3).
func (s *secular) root(j int, differences []float64) (root float64, err error) {
	k := s.k
	if k == 1 {
		differences[0] = -s.weights[0]
		return s.poles[0] + s.weights[0], nil
	}
	near, left, at, low, high := s.start(j, differences)
	origin := s.poles[near]
	for step := range secularSteps {
		psi, psiSlope, phi, phiSlope := s.sums(differences, origin, at, left+1)
		f, slope := 1+psi+phi, psiSlope+phiSlope
		if math.Abs(f) <= 0x1p-52*(1+8*(math.Abs(psi)+math.Abs(phi))+math.Abs(at)*slope) {
			return origin + at, nil
		}
		if f < 0 {
			low = at
		} else {
			high = at
		}
		p, q := differences[left], differences[left+1]
		a, b, c := (p+q)*f-p*q*slope, p*q*f, f-p*psiSlope-q*phiSlope
		move := 0.0
		if j < k-1 {
			move = lesserRoot(a, b, c)
		} else {
			move = greaterRoot(a, b, math.Abs(c))
		}
		if !(move*f < 0) {
			move = -f / slope
		}
		next := at + move
		if !(next > low && next < high) || step%16 == 15 {
			next = between(low, high)
		}
		if next == at || next == low || next == high {
			return origin + at, nil // there is no number between
		}
		at = next
	}
	return 0, errNoConvergence
}

// start returns which pole is nearest to the root after pole j, the last pole that counts as left of it, a first guess
// and bounds of the distance from the nearest pole. differences is overwritten.
func (s *secular) start(j int, differences []float64) (near, left int, at, low, high float64) {
	k := s.k
	if j == k-1 {
		total := 0.0
		for _, w := range s.weights {
			total += w
		}
		// All other poles are at least as far away as the second last, so that they add at most what is left to 0 here.
		gap := s.poles[j] - s.poles[j-1]
		rest := total - s.weights[j]
		at = greaterRoot(total-gap, -gap*s.weights[j], 1)
		if !(at > 0) || rest == 0 {
			at = total
		}
		return j, j - 1, min(at, total), 0, total * (1 + 0x1p-40)
	}
	gap := s.poles[j+1] - s.poles[j]
	psi, _, phi, _ := s.sums(differences, s.poles[j], gap/2, j+1)
	f, v, w := 1+psi+phi, s.weights[j], s.weights[j+1]
	c := f - (w-v)/(gap/2) // what the other poles add in the middle
	if f >= 0 {
		near, low, high = j, 0, gap/2
		at = lesserRoot(c*gap+v+w, v*gap, c)
	} else {
		near, low, high = j+1, -gap/2, 0
		at = lesserRoot(-c*gap+v+w, -w*gap, c)
	}
	if !(at > low && at < high) {
		at = between(low, high)
	}
	return near, j, at, low, high
}

// sums sets differences to (poles − origin) − at, and returns Σ weights_i/differences_i and its slope over the first
// split poles and over the others.
func (s *secular) sums(differences []float64, origin, at float64, split int) (psi, psiSlope, phi, phiSlope float64) {
	if assembly.secularSums == nil {
		psi, psiSlope = s.goSums(differences, origin, at, 0, split)
		phi, phiSlope = s.goSums(differences, origin, at, split, s.k)
		return psi, psiSlope, phi, phiSlope
	}
	// Whole vectors on both sides, and in Go the one that the split goes through.
	var left, right [2]float64
	before, n := split/aligned.Lane*aligned.Lane, len(s.poles)
	after := min(before+aligned.Lane, n)
	if before > 0 {
		assembly.secularSums(before, &s.poles[0], &s.weights[0], origin, at, &differences[0], &left[0])
	}
	if after < n {
		assembly.secularSums(n-after, &s.poles[after], &s.weights[after], origin, at, &differences[after], &right[0])
	}
	psi, psiSlope = s.goSums(differences, origin, at, before, split)
	phi, phiSlope = s.goSums(differences, origin, at, split, min(after, s.k))
	return left[0] + psi, left[1] + psiSlope, phi + right[0], phiSlope + right[1]
}

// goSums is sums for the poles first … last−1, in plain Go: the reference.
func (s *secular) goSums(differences []float64, origin, at float64, first, last int) (value, slope float64) {
	poles, weights, differences := s.poles[first:last], s.weights[first:last], differences[first:last]
	for i, pole := range poles {
		difference := (pole - origin) - at
		differences[i] = difference
		inverse := 1 / difference
		term := weights[i] * inverse
		value += term
		slope += term * inverse
	}
	return value, slope
}

// lesserRoot returns the root (a − √(a²−4bc))/2c of c·x² − a·x + b.
func lesserRoot(a, b, c float64) float64 {
	root := math.Sqrt(max(a*a-4*b*c, 0))
	if a > 0 {
		return 2 * b / (a + root)
	}
	return (a - root) / (2 * c)
}

// greaterRoot returns the root (a + √(a²−4bc))/2c of c·x² − a·x + b.
func greaterRoot(a, b, c float64) float64 {
	root := math.Sqrt(max(a*a-4*b*c, 0))
	if a < 0 {
		return 2 * b / (a - root)
	}
	return (a + root) / (2 * c)
}

// between returns a number between low and high, which have the same sign or of which one is zero: in the middle of the
// exponents, since a root may be closer to its pole by many orders than the next pole is.
func between(low, high float64) float64 {
	switch {
	case low == 0:
		return high / 1024
	case high == 0:
		return low / 1024
	}
	return math.Copysign(math.Sqrt(math.Abs(low))*math.Sqrt(math.Abs(high)), low)
}
