// This file lets a refinement start from the refined topics of an earlier model.

package fit

import (
	"context"
	"math"

	"anchorage/bayes/refine"
	"anchorage/internal/assignment"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// leastAffinity is the least affinity of two topics that are taken for the same one if their anchors differ.
const leastAffinity = 0.5

// earlier lets a refinement of the topics start from those of the earlier model: it sets what start needs, and returns how many topics
// of the earlier model are continued.
//
// A topic continues the one with the same anchor, if there is one. The others are paired so that the sum of 1 − affinity is least, with
//
//	affinity(k, l) = Σ_i √(B_ik·B'_il)
//
// over the items that both models have, B and B' scaled to sum to 1 over those. Pairs whose affinity is below leastAffinity do not count:
// such a topic is new, and starts as it was found.
func (b *begun) earlier(ctx context.Context, start *refine.Start, anchors []int, workers int) (continued int, err error) {
	affinity, err := b.affinities(ctx, start, workers)
	if err != nil {
		return 0, err
	}
	from := b.pair(affinity, anchors)
	for _, topic := range from {
		if topic >= 0 {
			continued++
		}
	}
	if continued == len(from) {
		start.Joint = permuted(b.TopicJoint, b.Topics(), from)
	}
	start.EarlierFor = b.Refined
	start.Earlier = func(dst []float64, i int) { b.mixture(dst, start.Mixtures.Row(i), i, from) }
	return continued, nil
}

// mixture sets dst to p(topic | item i): that of the earlier model for the topics that continue one, and found for new ones, and for
// items that the earlier model does not know.
func (b *begun) mixture(dst, found []float64, i int, from []int) {
	copy(dst, found)
	if b.rows[i] < 0 {
		return
	}
	row, old, left := b.Mixtures.Row(int(b.rows[i])), 0.0, 1.0
	for k, topic := range from {
		if topic >= 0 {
			old += float64(row[topic])
		} else {
			left -= max(found[k], 0)
		}
	}
	if !(old > 0 && left > 0) {
		return
	}
	for k, topic := range from {
		if topic >= 0 {
			dst[k] = float64(row[topic]) / old * left
		}
	}
}

// pair returns, for each topic with the given anchor, the topic of the earlier model that it continues, or -1.
func (b *begun) pair(affinity []float64, anchors []int) []int {
	k, old := len(anchors), b.Topics()
	byAnchor := make(map[int32]int, old)
	for topic, item := range b.Anchors {
		byAnchor[int32(item)] = topic
	}
	n := max(k, old)
	cost := make([]float64, n*n)
	for t := range n {
		for l := range n {
			cost[t*n+l] = 1
			if t < k && l < old {
				cost[t*n+l] = 1 - affinity[t*old+l]
				if topic, same := byAnchor[b.rows[anchors[t]]]; same && topic == l {
					cost[t*n+l] = -float64(n) // before all others
				}
			}
		}
	}
	from := assignment.Least(cost, n)[:k]
	for t, l := range from {
		if l >= old || cost[t*n+l] > 1-leastAffinity {
			from[t] = -1
		}
	}
	return from
}

// affinities returns the affinity of each topic with each topic of the earlier model, row-major.
func (b *begun) affinities(ctx context.Context, start *refine.Start, workers int) ([]float64, error) {
	n, k := start.Mixtures.Dims()
	old := b.Topics()
	sums, mine, theirs := make([]float64, k*old), make([]float64, k), make([]float64, old)
	for first := 0; first < n; first += matrix.BlockRows {
		rows := min(matrix.BlockRows, n-first)
		x, y := matrix.NewTall(rows, k), matrix.NewTall(rows, old)
		for r := range rows {
			i := first + r
			if b.rows[i] < 0 {
				continue
			}
			for t, p := range start.Mixtures.Row(i) {
				v := max(p, 0) * float64(start.Frequency[i])
				mine[t] += v
				x.Row(r)[t] = math.Sqrt(v)
			}
			for t, p := range b.Mixtures.Row(int(b.rows[i])) {
				v := float64(p) * b.Probability[b.rows[i]]
				theirs[t] += v
				y.Row(r)[t] = math.Sqrt(v)
			}
		}
		for at, v := range kernel.Gram(ctx, x, y, workers) {
			sums[at] += v
		}
	}
	for t := range k {
		for l := range old {
			if scale := math.Sqrt(mine[t] * theirs[l]); scale > 0 {
				sums[t*old+l] /= scale
			}
		}
	}
	return sums, ctx.Err()
}

// permuted returns the rows and columns from of a k×k matrix.
func permuted(joint []float64, k int, from []int) []float64 {
	out := make([]float64, 0, len(from)*len(from))
	for _, a := range from {
		for _, c := range from {
			out = append(out, joint[a*k+c])
		}
	}
	return out
}
