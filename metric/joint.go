// This file holds the figures of A, the correlations of topics.

package metric

import "math"

// Dominancy is (1/K) Σ_k A_kk / Σ_l A_kl: how much of a topic's co-occurrence is with itself. Low values say that the
// topics found are correlated, as real ones are. (Dong 2019, section 4.6, with the division by row sums of the authors'
// program.) A is K×K row-major; a topic whose row is zero adds nothing.
func Dominancy(correlations []float64) float64 {
	k := order(correlations)
	sum := 0.0
	for i := range k {
		if row := total(correlations[i*k : (i+1)*k]); row != 0 {
			sum += correlations[i*k+i] / row
		}
	}
	return sum / float64(k)
}

// RelativeDominancy is (1/K) Σ_k A_kk / ‖A‖_F. Low is good, as of Dominancy. (Lee et al. 2021, section 5.)
func RelativeDominancy(correlations []float64) float64 {
	k := order(correlations)
	trace, squares := 0.0, 0.0
	for i := range k {
		trace += correlations[i*k+i]
	}
	for _, v := range correlations {
		squares += v * v
	}
	return trace / float64(k) / math.Sqrt(squares)
}

// JointSum is Σ_kl A_kl. The joint probabilities of topics sum to 1, and so does A where C = B·A·Bᵀ: the nearer to 1
// the better.
func JointSum(correlations []float64) float64 {
	order(correlations)
	return total(correlations)
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
