// This file compares items by what they were counted with.

package items

import "math"

// Cosines returns the cosine of item i with every item j, by their rows of pairs: vectors with w_il/(w_l + 1)^½ for every l that was
// kept as a neighbour of i, or that i was kept as one of. It is 0 for items without pairs. Each call reads all pairs once.
func (r *Recommender) Cosines(i int) []float64 {
	n, p := r.Items(), r.pairs
	scale := func(l int32) float64 { return 1 / (p.Weighted[l] + 1) } // the square of (w_l + 1)^−½
	products := make([]float64, n)
	others, _, weights := p.Row(i)
	for x, l := range others {
		factor := float64(weights[x]) * scale(l)
		also, _, theirs := p.Row(int(l))
		for y, j := range also {
			products[j] += factor * float64(theirs[y])
		}
	}
	own := math.Sqrt(products[i])
	for j := range products {
		if products[j] == 0 {
			continue
		}
		sum := 0.0
		others, _, weights := p.Row(j)
		for x, l := range others {
			sum += float64(weights[x]) * float64(weights[x]) * scale(l)
		}
		products[j] /= own * math.Sqrt(sum)
	}
	return products
}
