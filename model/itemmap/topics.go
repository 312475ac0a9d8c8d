// This file finds how alike topics are, and lays them out.

package itemmap

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/model"
)

// Similarity returns how alike the topics of a model are, K×K, from 0 to 1: the mean of the Bhattacharyya coefficient
// Σ_i √(b_ik·b_il) over the items by which topics are read, of B scaled to sum to 1 over them, and of
// A_kl/√(A_kk·A_ll), between 0 and 1. The error is that of ctx.
func Similarity(ctx context.Context, m *model.Model, workers int) ([]float64, error) {
	k := m.Topics()
	items, sums := readItems(m)
	s := make([]float64, k*k)
	for first := 0; first < len(items); first += matrix.BlockRows {
		last := min(first+matrix.BlockRows, len(items))
		roots := matrix.NewTall(last-first, k)
		for n, i := range items[first:last] {
			row := roots.Row(n)
			m.ItemRow(row, i)
			for a, v := range row {
				row[a] = math.Sqrt(v / sums[a])
			}
		}
		for at, v := range kernel.Gram(ctx, roots, roots, workers) {
			s[at] += v
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	joint := m.TopicJoint
	for a := range k {
		for b := range a {
			c := joint[a*k+b] / math.Sqrt(joint[a*k+a]*joint[b*k+b])
			if !(c > 0) { // also of topics with nothing on the diagonal
				c = 0
			}
			s[a*k+b] = (min(s[a*k+b], 1) + min(c, 1)) / 2
			s[b*k+a] = s[a*k+b]
		}
		s[a*k+a] = 1
	}
	return s, nil
}

// mostRead bounds the items by which topics are compared: the product with them takes K² times as many steps.
const mostRead = 8000

// readItems returns the items by which topics are read, the first ones of each if those are many, and the sums of B
// over them.
func readItems(m *model.Model) (items []int, sums []float64) {
	k := m.Topics()
	sums = make([]float64, k)
	row, taken := make([]float64, k), make(map[int]bool)
	for _, list := range m.Prominent {
		for _, listed := range list[:min(len(list), max(mostRead/k, 4))] {
			if taken[listed.Item] {
				continue
			}
			taken[listed.Item] = true
			m.ItemRow(row, listed.Item)
			for a, v := range row {
				sums[a] += v
			}
			items = append(items, listed.Item)
		}
	}
	for a, sum := range sums {
		if !(sum > 0) {
			sums[a] = 1
		}
	}
	return items, sums
}

// Scaled returns the two leading coordinates of n points with the inner products s, and the share of the positive part
// of the spectrum that they hold: classical scaling (Torgerson, Psychometrika 17, 1952). Without two directions it
// returns nil. The error is that of ctx.
func Scaled(ctx context.Context, s []float64, n int) (x, y []float64, kept float64, err error) {
	means, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			means[i] += s[i*n+j] / float64(n)
		}
		all += means[i] / float64(n)
	}
	centred := make([]float64, n*n)
	for i := range n {
		for j := range n {
			centred[i*n+j] = s[i*n+j] - means[i] - means[j] + all
		}
	}
	values, vectors, err := kernel.LeadingEigen(ctx, centred, n, 2, 1)
	if err != nil || !(values[1] > 0) {
		return nil, nil, 0, ctx.Err()
	}
	positive := 0.0
	for _, v := range values {
		positive += max(v, 0)
	}
	for j, axis := range []*[]float64{&x, &y} {
		far := 0.0
		for i := range n {
			v := vectors[i*2+j] * math.Sqrt(values[j])
			*axis = append(*axis, v)
			if math.Abs(v) > math.Abs(far) {
				far = v
			}
		}
		for i := range n { // the sign of an eigenvector means nothing
			(*axis)[i] = math.Copysign(1, far) * (*axis)[i]
		}
	}
	return x, y, (values[0] + values[1]) / positive, nil
}
