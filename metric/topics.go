// This file holds the topics that are scored, and the items by which they are read.

package metric

import (
	"anchorage/anchor"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// Topics is a factorization C ≈ B·A·Bᵀ. Topic k is at position k everywhere. All fields but Items may be nil.
type Topics struct {
	Items *matrix.Tall // B, N×K: column k is p(item | topic k) and sums to 1
	// Weights are the N weights of the items in C, as in sketch.Options; nil if all are 1.
	Weights []float64
	// Mixtures is the transpose of B̆, N×K: row i is p(topic | item i) and sums to 1. With Anchors it writes the rows of
	// C̄ as mixtures of the anchors' rows.
	Mixtures   *matrix.Tall
	Anchors    []int     // item s_k of every topic
	TopicJoint []float64 // A, K×K row-major
}

// Of describes topics that package anchor found. It refers to the mixtures of t and holds a matrix B of the same size.
func Of(t *anchor.Topics) *Topics {
	items := matrix.Like(t.Mixtures)
	for i := range items.Rows() {
		t.BRow(items.Row(i), i)
	}
	return &Topics{Items: items, Mixtures: t.Mixtures, Anchors: t.Anchors, TopicJoint: t.TopicJoint}
}

// check panics if the shapes of the parts do not fit together.
func (t *Topics) check() {
	n, k := t.Items.Dims()
	if k == 0 {
		panic("metric: no topics")
	}
	if t.Mixtures != nil && (t.Mixtures.Rows() != n || t.Mixtures.Cols() != k) {
		panic("metric: shape of the mixtures is not that of the topics")
	}
	if t.Anchors != nil && len(t.Anchors) != k {
		panic("metric: number of anchors is not the number of topics")
	}
	if t.TopicJoint != nil && len(t.TopicJoint) != k*k {
		panic("metric: shape of the joint probabilities is not that of the topics")
	}
}

// mixed reports whether rows of C̄ can be compared with their mixtures of the anchors' rows.
func (t *Topics) mixed() bool { return t.Mixtures != nil && t.Anchors != nil }

// Prominent returns, for every topic, the count items with the greatest p(item | topic) in decreasing order; of equal
// items the first comes first. Items with probability 0 are in no list.
func (t *Topics) Prominent(count int) [][]int {
	lists := make([][]int, t.Items.Cols())
	best := toplist.Columns(t.Items.Rows(), len(lists), count, 0, func(dst []float64, i int) { copy(dst, t.Items.Row(i)) })
	for k, entries := range best {
		for _, e := range entries {
			lists[k] = append(lists[k], e.Item)
		}
	}
	return lists
}

// Leading returns the lists cut to their first count items.
func Leading(lists [][]int, count int) [][]int {
	cut := make([][]int, len(lists))
	for l, list := range lists {
		cut[l] = list[:min(count, len(list))]
	}
	return cut
}
