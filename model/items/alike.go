// This file compares items by what they were counted with.

package items

import "math"

// Cosines returns the cosine of item i with every item j, by their rows of pairs: vectors with w_il/(w_l + 1)^½ for
// every l that was kept as a neighbour of i, or that i was kept as one of. It is 0 for items without pairs. Each call
// reads the rows of what i was counted with.
func (r *Recommender) Cosines(i int) []float64 {
	products, lengths := make([]float64, r.Items()), r.lengths()
	others, _, weights := r.pairs.Row(i)
	for x, l := range others {
		factor := float64(weights[x]) * r.share(l)
		also, _, theirs := r.pairs.Row(int(l))
		for y, j := range also {
			products[j] += factor * float64(theirs[y])
		}
	}
	for j, product := range products {
		if product != 0 {
			products[j] = product / (lengths[i] * lengths[j])
		}
	}
	return products
}

// share returns the square of (w_l + 1)^−½.
func (r *prepared) share(l int32) float64 { return 1 / (r.pairs.Weighted[l] + 1) }

// rowLengths returns the lengths of the rows.
func (r *prepared) rowLengths() []float64 {
	lengths := make([]float64, r.pairs.Items())
	for j := range lengths {
		sum := 0.0
		others, _, weights := r.pairs.Row(j)
		for x, l := range others {
			sum += float64(weights[x]) * float64(weights[x]) * r.share(l)
		}
		lengths[j] = math.Sqrt(sum)
	}
	return lengths
}
