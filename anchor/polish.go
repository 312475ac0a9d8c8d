// This file finds topics a second time, from the mean rows of the items that the first time gave to each.

package anchor

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// purity is the share of a topic in an item's mixture from which on the item belongs to the topic.
const purity = 0.6

// Unpolished says which rows Options.Polish left as the anchors give them. All fields are 0 where everything was
// polished.
type Unpolished struct {
	// Topics is the number of topics to which no item belongs. Their row of X_S stays that of the anchor.
	Topics int
	// JointRows is the number of rows of TopicJoint that stay as the anchors give them: K if G·B is singular, that is if
	// the groups do not tell the topics apart, else 0.
	JointRows int
	// Condition is the condition number of G·B where JointRows is not 0; +Inf if it has no inverse at all.
	Condition float64
}

// Rows returns the number of rows that were not polished, of X_S and TopicJoint together.
func (u Unpolished) Rows() int { return u.Topics + u.JointRows }

// polish replaces the mixtures in x, N×K, by those of the topics' mean rows; see LAW. The rows are computed once more
// in the place of the mixtures, so that only one number per item is held besides. It returns the topic of every item
// that belongs to one, −1 for others, of the items that this rank has, and how many topics have no item. Start are the
// row sums before any correction, and are used up.
func polish(ctx context.Context, y, x *matrix.Tall, b *basis, start, weights []float64, groups [][]int,
	opts *Options) ([]int32, int, SolverStats, error) {
	topicOf, err := assign(ctx, x, len(weights), opts)
	if err != nil {
		return nil, 0, SolverStats{}, err
	}
	x.Reshape(b.rank)
	kernel.Multiply(ctx, x, y, b.toRow, opts.Workers)
	if _, err := correctRows(ctx, y, x, b, start, slices.Concat(groups...), opts); err != nil {
		return nil, 0, SolverStats{}, err
	}
	vertices, empty, err := meanRows(ctx, x, topicOf, weights, groups, opts)
	if err != nil {
		return nil, 0, SolverStats{}, err
	}
	stats, err := solveMixtures(ctx, x, vertices, weights, len(groups), opts)
	return topicOf, empty, stats, err
}

// assign returns the topic that each of n items belongs to by the mixtures in x, −1 for none. Only those of this rank's
// items are set.
func assign(ctx context.Context, x *matrix.Tall, n int, opts *Options) ([]int32, error) {
	topicOf := make([]int32, n)
	return topicOf, kernel.EachRow(ctx, x, opts.Workers, func(i int, row []float64) {
		topicOf[i] = int32(slices.IndexFunc(row, func(share float64) bool { return share >= purity }))
	})
}

// meanRows returns the weighted mean rows of the topics' items, K×L row-major, where x has rows d_i·X_i, and the number
// of topics without an item: they keep the row of their anchor. Topics of several fixed items keep the mean row of
// those.
func meanRows(ctx context.Context, x *matrix.Tall, topicOf []int32, weights []float64, groups [][]int,
	opts *Options) (vertices []float64, empty int, err error) {
	rank := x.Cols()
	width := rank + 1 // and the weight
	sums, err := sumRanges(ctx, x.Layout(), opts.Workers, len(weights), len(groups)*width,
		func(sum []float64, first, last int) {
			for i := first; i < last; i++ {
				if topic := topicOf[i]; topic >= 0 && weights[i] > 0 {
					of := sum[int(topic)*width:][:width]
					addTo(of[:rank], x.Row(i))
					of[rank] += weights[i]
				}
			}
		})
	if err != nil {
		return nil, 0, err
	}
	found, err := kernel.RowsOf(ctx, x, slices.Concat(groups...))
	if err != nil {
		return nil, 0, err
	}
	vertices = make([]float64, len(groups)*rank)
	for topic, group := range groups {
		vertex, of := vertices[topic*rank:][:rank], found[:len(group)*rank]
		found = found[len(of):]
		row, weight := sums[topic*width:][:rank], sums[topic*width+rank]
		if weight == 0 || len(group) > 1 {
			meanRow(vertex, of, weights, group)
			if len(group) == 1 {
				empty++
			}
			continue
		}
		for j, v := range row {
			vertex[j] = v / weight
		}
	}
	return vertices, empty, nil
}

// correlateGroups computes A from the topics' groups P_k rather than their anchors. With G the K×N indicators of the
// groups, G·C·Gᵀ = (G·B)·A·(G·B)ᵀ for C = B·A·Bᵀ, where G·B is nearly diagonal and G·C·Gᵀ = (G·Y)·(G·Y)ᵀ has little of
// the noise of single rows. Where G·B is singular A remains that of the anchors, and Stats.Unpolished says so.
func (t *Topics) correlateGroups(ctx context.Context, topicOf []int32, opts *Options) error {
	groups, together, err := t.sumGroups(ctx, topicOf, opts)
	if err != nil {
		return err
	}
	var half, a mat.Dense
	err = half.Solve(groups, together)
	if err == nil {
		err = a.Solve(groups, half.T())
	}
	if err != nil {
		t.Stats.Unpolished.JointRows, t.Stats.Unpolished.Condition = t.K, math.Inf(1)
		var condition mat.Condition
		if errors.As(err, &condition) {
			t.Stats.Unpolished.Condition = float64(condition)
		}
		return nil
	}
	for i := range t.K {
		for j := range t.K {
			t.TopicJoint[i*t.K+j] = max((a.At(i, j)+a.At(j, i))/2, 0)
		}
	}
	return nil
}

// sumGroups returns G·B and G·C·Gᵀ, K×K.
func (t *Topics) sumGroups(ctx context.Context, topicOf []int32,
	opts *Options) (groups, together *mat.Dense, err error) {
	k, width := t.K, t.factor.Cols()
	sums, err := sumRanges(ctx, t.factor.Layout(), opts.Workers, len(topicOf), k*(width+k),
		func(sum []float64, first, last int) {
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
		return nil, nil, err
	}
	groups, together = mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	for a := range k {
		rowA := sums[a*(width+k):]
		copy(groups.RawRowView(a), rowA[width:width+k])
		for b := range k {
			together.Set(a, b, max(kernel.Dot(rowA[:width], sums[b*(width+k):]), 0))
		}
	}
	return groups, together, nil
}
