// This file holds the figures of A, the joint probabilities of topics.

package metric

import "math"

// Dominancy is (1/K) Σ_k A_kk / Σ_l A_kl: how much of a topic's co-occurrence is with itself. Low is good: the topics
// are correlated, as real topics are. (Dong 2019, section 4.6, with the division by row sums of the authors' program.)
// A is K×K row-major. A topic whose row is zero adds 0.
func Dominancy(a []float64) float64 {
	k := order(a)
	sum := 0.0
	for i := range k {
		if row := total(a[i*k : (i+1)*k]); row != 0 {
			sum += a[i*k+i] / row
		}
	}
	return sum / float64(k)
}

// DiagonalDominancy is (1/K) Σ_k A_kk, Dominancy as the thesis prints it. Low is good. It falls with K by itself, since
// all of A sums to
// 1. (Dong 2019, section 4.6.)
func DiagonalDominancy(a []float64) float64 {
	k := order(a)
	trace := 0.0
	for i := range k {
		trace += a[i*k+i]
	}
	return trace / float64(k)
}

// RelativeDominancy is (1/K) Σ_k A_kk / ‖A‖_F. Low is good, as with Dominancy. (Lee et al. 2021, section 5.)
func RelativeDominancy(a []float64) float64 {
	squares := 0.0
	for _, v := range a {
		squares += v * v
	}
	return DiagonalDominancy(a) / math.Sqrt(squares)
}

// JointSum is Σ_kl A_kl. Joint probabilities sum to 1, and so does A if C = B·A·Bᵀ: the nearer to 1, the better.
func JointSum(a []float64) float64 {
	order(a)
	return total(a)
}

// order returns K for a K×K matrix.
func order(square []float64) int {
	k := int(math.Sqrt(float64(len(square))))
	for k*k < len(square) {
		k++
	}
	if k == 0 || k*k != len(square) {
		panic("metric: not a square matrix")
	}
	return k
}
