// This file holds what the distances between C and a factorization of it are, however they are computed.

package metric

import "math"

// Estimate is a figure and how far it may be off: the standard error of a random estimate, 0 for what was computed
// exactly. A figure that the topics at hand do not have is NaN.
type Estimate struct {
	Value, StandardError float64
}

// exactly is a figure without error.
func exactly(value float64) Estimate { return Estimate{Value: value} }

// Distances are those between C and a factorization of it. Low values are good; the relative ones can be compared across
// vocabularies. (Lee et al. 2021, section 5; Dong 2019, section 4.6.)
type Distances struct {
	// Recovery is (1/N) Σ_i ‖C̄_i − Σ_k B̆_ki·C̄_{s_k}‖₂: how far rows of C̄ are from their mixtures of the anchors' rows.
	// RelativeRecovery is that divided by ‖C̄‖_F. Both need anchors and mixtures.
	Recovery, RelativeRecovery Estimate
	// BaseRecovery is Recovery over a given set of items only: those of a smaller vocabulary, so that models of growing
	// vocabularies can be compared (Dong 2019, section 4.6). It is missing where no such set is given.
	BaseRecovery Estimate
	// Approximation is ‖C − B·A·Bᵀ‖_F, RelativeApproximation that divided by ‖C‖_F. OffDiagonalApproximation is the same
	// ratio with the diagonals of both left out: there C has what the model does not speak of, how bursty an item is. All
	// need A.
	Approximation, RelativeApproximation, OffDiagonalApproximation Estimate
}

// noDistances has nothing but missing figures.
func noDistances() Distances {
	missing := exactly(math.NaN())
	return Distances{missing, missing, missing, missing, missing, missing}
}

// meanOver returns the mean of the values of items with p > 0, among the given ones or, where that is nil, all.
func meanOver(p []float64, items []int, value func(i int) float64) float64 {
	sum, count := 0.0, 0
	add := func(i int) {
		if p[i] > 0 {
			sum += value(i)
			count++
		}
	}
	if items == nil {
		for i := range p {
			add(i)
		}
	}
	for _, i := range items {
		add(i)
	}
	return sum / float64(count)
}

// total returns the sum of values.
func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}
