// This file defines the distances between C and a factorization of it.

package metric

import "math"

// Estimate is a value and its standard error, which is 0 if the value is exact. The value is NaN if it cannot be
// computed for the topics that are given.
type Estimate struct {
	Value, StandardError float64
}

// exactly is a figure without error.
func exactly(value float64) Estimate { return Estimate{Value: value} }

// Distances are the distances between C and a factorization of it. Low is good. The relative distances can be compared
// across vocabularies. (Lee et al. 2021, section 5; Dong 2019, section 4.6.)
type Distances struct {
	// Recovery is (1/N) Σ_i ‖C̄_i − Σ_k B̆_ki·C̄_{s_k}‖₂: how far rows of C̄ are from their mixtures of the anchors' rows.
	// RelativeRecovery is that divided by ‖C̄‖_F. Both need anchors and mixtures.
	Recovery, RelativeRecovery Estimate
	// BaseRecovery is Recovery over only a given set of items: those of a smaller vocabulary, so that models of growing
	// vocabularies can be compared (Dong 2019, section 4.6). It is NaN if no set is given.
	BaseRecovery Estimate
	// Approximation is ‖C − B·A·Bᵀ‖_F, RelativeApproximation that divided by ‖C‖_F. OffDiagonalApproximation is the same
	// ratio without the diagonals of both: the diagonal of C shows how bursty an item is, which the model does not
	// describe. All need A.
	Approximation, RelativeApproximation, OffDiagonalApproximation Estimate
}

// noDistances returns distances that are all NaN.
func noDistances() Distances {
	missing := exactly(math.NaN())
	return Distances{missing, missing, missing, missing, missing, missing}
}

// meanOver returns the mean of the values of the items with p > 0 among the given items, or among all items if items is
// nil.
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
