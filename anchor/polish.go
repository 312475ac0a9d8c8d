// This file finds topics a second time, from the mean rows of the items that the first time gave to each.

package anchor

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// purity is the share of an item's mixture from which on it counts as its topic's.
const purity = 0.6

// polish replaces the mixtures in x, N×K, by those of the topics' mean rows; see LAW. The rows are computed once more in the
// place of the mixtures, which takes no memory but a number per item. It returns the topic of every item that is mostly one's, −1 for
// others. Start are the row sums before any correction, and are used up.
func polish(ctx context.Context, y, x *matrix.Tall, b *basis, start, weights []float64, anchors []int, opts *Options) ([]int32, SolverStats, error) {
	k := len(anchors)
	topicOf := make([]int32, len(weights))
	err := eachRange(ctx, opts.Workers, len(weights), func(_, first, last int) error {
		for i := first; i < last; i++ {
			topicOf[i] = -1
			for topic, share := range x.Row(i) {
				if share >= purity {
					topicOf[i] = int32(topic)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, SolverStats{}, err
	}
	x.Reshape(b.rank)
	kernel.Multiply(x, y, b.toRow, opts.Workers)
	if _, err := correctRows(ctx, y, x, b, start, anchors, opts); err != nil {
		return nil, SolverStats{}, err
	}
	width := b.rank + 1 // and the weight
	sums, err := sumRanges(ctx, opts.Workers, len(weights), k*width, func(sum []float64, first, last int) {
		for i := first; i < last; i++ {
			if topic := topicOf[i]; topic >= 0 && weights[i] > 0 {
				of := sum[int(topic)*width:][:width]
				addTo(of[:b.rank], x.Row(i))
				of[b.rank] += weights[i]
			}
		}
	})
	if err != nil {
		return nil, SolverStats{}, err
	}
	vertices := make([]float64, 0, k*b.rank)
	for topic := range k {
		of := sums[topic*width:][:width]
		for _, v := range of[:b.rank] {
			vertices = append(vertices, v/of[b.rank])
		}
	}
	stats, err := solveMixtures(ctx, x, vertices, weights, k, opts)
	return topicOf, stats, err
}

// correlateGroups computes A from the topics' groups P_k rather than their anchors. With G the K×N indicators of the groups,
// G·C·Gᵀ = (G·B)·A·(G·B)ᵀ for C = B·A·Bᵀ, where G·B is nearly diagonal and G·C·Gᵀ = (G·Y)·(G·Y)ᵀ has little of the noise of
// single rows.
func (t *Topics) correlateGroups(ctx context.Context, topicOf []int32, opts *Options) error {
	k, width := t.K, t.factor.Cols()
	sums, err := sumRanges(ctx, opts.Workers, len(topicOf), k*(width+k), func(sum []float64, first, last int) {
		row := make([]float64, k)
		for i := first; i < last; i++ {
			if topicOf[i] >= 0 {
				of := sum[int(topicOf[i])*(width+k):][:width+k]
				addTo(of[:width], t.factor.Row(i))
				t.BRow(row, i)
				addTo(of[width:], row)
			}
		}
	})
	if err != nil {
		return err
	}
	together := mat.NewDense(k, k, nil)
	groups := mat.NewDense(k, k, nil)
	for a := range k {
		rowA := sums[a*(width+k):]
		copy(groups.RawRowView(a), rowA[width:width+k])
		for b := range k {
			together.Set(a, b, max(dot(rowA[:width], sums[b*(width+k):]), 0))
		}
	}
	var half, a mat.Dense
	if err := half.Solve(groups, together); err != nil {
		return nil // the groups do not tell topics apart: A remains that of the anchors
	}
	if err := a.Solve(groups, half.T()); err != nil {
		return nil
	}
	for i := range k {
		for j := range k {
			t.TopicJoint[i*k+j] = max((a.At(i, j)+a.At(j, i))/2, 0)
		}
	}
	return nil
}
