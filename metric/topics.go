// This file holds what is scored: topics, and the items that they are read by.

package metric

import (
	"anchorage/anchor"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// Topics is a factorization C ≈ B·A·Bᵀ as the figures see it. Topic k stands at position k everywhere.
type Topics struct {
	Items *matrix.Tall // B, N×K: column k is p(item | topic k) and sums to 1
	// Weights are those of the items in C, as in sketch.Options, N of them; nil where all weigh 1.
	Weights []float64
	// Mixtures is the transpose of B̆, N×K: row i is p(topic | item i) and sums to 1. With Anchors it says how the rows of C̄
	// are written as mixtures of the anchors' rows; nil where there are none.
	Mixtures   *matrix.Tall
	Anchors    []int     // item s_k of every topic; nil where there are none
	TopicJoint []float64 // A, K×K row-major; nil where there is none
	// Characteristic lists the items that co-occur most with the anchor of each topic, best first; nil where there are none.
	Characteristic [][]int
}

// Of describes topics that package anchor has found. It refers to the mixtures of t and holds a matrix B of the same size.
func Of(t *anchor.Topics) *Topics {
	items := matrix.Like(t.Mixtures)
	for i := range items.Rows() {
		t.BRow(items.Row(i), i)
	}
	characteristic := make([][]int, t.K)
	for k, list := range t.Characteristic(treeItems) {
		for _, scored := range list {
			characteristic[k] = append(characteristic[k], scored.Item)
		}
	}
	return &Topics{Items: items, Mixtures: t.Mixtures, Anchors: t.Anchors, TopicJoint: t.TopicJoint, Characteristic: characteristic}
}

// check panics when the parts are not of one factorization.
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
		panic("metric: shape of the correlations is not that of the topics")
	}
	if t.Characteristic != nil && len(t.Characteristic) != k {
		panic("metric: number of characteristic lists is not the number of topics")
	}
}

// mixed says that rows of C̄ can be held against their mixtures of the anchors' rows.
func (t *Topics) mixed() bool { return t.Mixtures != nil && t.Anchors != nil }

// Prominent returns, for every topic, the count items with the greatest p(item | topic), in decreasing order and of equal
// ones the first item first. Items with probability 0 are in no list.
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

// leading returns the lists cut to their first count items.
func leading(lists [][]int, count int) [][]int {
	cut := make([][]int, len(lists))
	for l, list := range lists {
		cut[l] = list[:min(count, len(list))]
	}
	return cut
}
