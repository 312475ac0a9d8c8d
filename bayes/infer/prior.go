// This file matches Dirichlet priors to the joint probabilities of topics.

package infer

import "math"

// The bounds of the concentration of a Dirichlet prior that is matched to A. Estimates of A that contradict themselves,
// or that leave no variance between documents, give one of them.
const (
	leastConcentration    = 0.1
	greatestConcentration = 1000
)

// leastShare is the least share of a topic in a prior, as a fraction of 1/K: every topic remains possible.
const leastShare = 1e-3

// Shares returns s, K values: the row sums of the K×K joint probabilities A, at least 10⁻³/K and scaled to sum to 1.
// Negative and invalid values count as 0. If all of A is 0, as in a model that has seen no document, all shares are
// 1/K.
func Shares(joint []float64, k int) []float64 {
	if len(joint) != k*k {
		panic("infer: joint probabilities of another number of topics")
	}
	shares, sum := make([]float64, k), 0.0
	for a := range shares {
		for _, p := range joint[a*k : (a+1)*k] {
			shares[a] += positive(p)
		}
		sum += shares[a]
	}
	if sum == 0 {
		sum = 1
	}
	total := 0.0
	for a := range shares {
		shares[a] = max(shares[a]/sum, leastShare/float64(k))
		total += shares[a]
	}
	for a := range shares {
		shares[a] /= total
	}
	return shares
}

// MatchDirichlet returns the parameters α = c·s of the Dirichlet distribution whose mean is s = Shares(A) and whose
// concentration c gives E‖θ‖² = tr A:
//
//	c = (1 − tr A)/(tr A − ‖s‖²)
//
// between 0.1 and 1000. A is first scaled to sum to 1. The trace is the one second moment that all topics share in, so
// an error in a single entry of A changes little.
func MatchDirichlet(joint []float64, k int) []float64 {
	shares := Shares(joint, k)
	c := concentration(joint, shares)
	for a := range shares {
		shares[a] *= c
	}
	return shares
}

func concentration(joint, shares []float64) float64 {
	k := len(shares)
	trace, squares, sum := 0.0, 0.0, 0.0
	for a, s := range shares {
		for b := range shares {
			sum += positive(joint[a*k+b])
		}
		trace += positive(joint[a*k+a])
		squares += s * s
	}
	if !(sum > 0) {
		return 1
	}
	trace /= sum
	if !(trace > squares) {
		return greatestConcentration
	}
	return min(max((1-trace)/(trace-squares), leastConcentration), greatestConcentration)
}

// positive returns p, or 0 for what cannot be a probability.
func positive(p float64) float64 {
	if p > 0 && p <= math.MaxFloat64 {
		return p
	}
	return 0
}
