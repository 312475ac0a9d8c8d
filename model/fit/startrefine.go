// This file lets a refinement start from the refined topics of an earlier model.

package fit

import (
	"context"
	"math"
	"slices"

	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/model/drift"
)

// farthest is the Hellinger distance from which on topics with different anchors are not taken for the same one: an
// affinity of a half.
const farthest = math.Sqrt2 / 2

// earlier lets a refinement of the topics start from those of the earlier model: it sets what start needs, and returns
// how many topics of the earlier model are continued. A topic continues the one with the same anchor, if there is one.
// Package drift pairs the others. A topic without partner is new, and starts as it was found.
func (b *begun) earlier(ctx context.Context, v *corpus.Vocabulary, start *refine.Start, anchors []int,
	workers int) (continued int, err error) {
	k := len(anchors)
	then := &drift.Topics{Vocabulary: b.Vocabulary, Shares: slices.Repeat([]float64{1 / float64(b.Topics())}, b.Topics()),
		Row: func(dst []float64, i int) {
			for l, p := range b.Mixtures.Row(i) {
				dst[l] = float64(p) * b.Probability[i]
			}
		}}
	now := &drift.Topics{Vocabulary: v, Shares: slices.Repeat([]float64{1 / float64(k)}, k),
		Row: func(dst []float64, i int) {
			for t, p := range start.Mixtures.Row(i) {
				dst[t] = max(p, 0) * float64(start.Frequency[i])
			}
		}}
	same := make(map[int]int)
	for topic, item := range b.Anchors {
		for t, anchor := range anchors {
			if b.rows[anchor] == int32(item) {
				same[t] = topic
			}
		}
	}
	from, err := drift.Match(ctx, then, now, drift.Options{Threshold: farthest, Workers: workers, Continues: same})
	if err != nil {
		return 0, err
	}
	for _, topic := range from {
		if topic >= 0 {
			continued++
		}
	}
	if continued == len(from) {
		start.Joint = nil
		for _, a := range from {
			for _, c := range from {
				start.Joint = append(start.Joint, b.TopicJoint[a*b.Topics()+c])
			}
		}
	}
	start.EarlierFor = b.Refined
	start.Earlier = func(dst []float64, i int) { b.mixture(dst, start.Mixtures.Row(i), i, from) }
	return continued, nil
}

// mixture sets dst to p(topic | item i): that of the earlier model for the topics that continue one, and found for new
// ones, and for items that the earlier model does not know.
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
