// This file measures how far anchors belong only to their own topics.

package metric

import (
	"math"
	"slices"

	"anchorage/matrix"
)

// AnchorQuality is the mean, over all topics k and l ≠ k, of the rank of anchor s_k among the items of topic l by
// decreasing p(item | topic l), from 1 to N. High is good: anchors contribute only to their own topics, as separability
// demands. (Dong 2019, section 4.6.) Items of equal probability, such as all items that a topic lacks, share the mean
// of their ranks. It is NaN for a single topic.
func AnchorQuality(items *matrix.Tall, anchors []int) float64 {
	n, k := items.Dims()
	if len(anchors) != k {
		panic("metric: number of anchors is not the number of topics")
	}
	if k < 2 {
		return math.NaN()
	}
	// The anchors' probabilities in a topic are few different ones: counting items between them takes one pass over B.
	levels := make([][]float64, k)
	equal, between := make([][]int, k), make([][]int, k) // items at every level, and between it and the one below
	for l := range k {
		for a, s := range anchors {
			if a != l {
				levels[l] = append(levels[l], items.Row(s)[l])
			}
		}
		slices.Sort(levels[l])
		levels[l] = slices.Compact(levels[l])
		equal[l], between[l] = make([]int, len(levels[l])), make([]int, len(levels[l])+1)
	}
	for i := range n {
		for l, p := range items.Row(i) {
			at, found := slices.BinarySearch(levels[l], p)
			if found {
				equal[l][at]++
			} else {
				between[l][at]++
			}
		}
	}
	sum := 0.0
	for l := range k {
		ranks := make([]float64, len(levels[l]))
		greater := 0
		for at := len(ranks) - 1; at >= 0; at-- {
			greater += between[l][at+1]
			ranks[at] = float64(greater) + float64(equal[l][at]+1)/2
			greater += equal[l][at]
		}
		for a, s := range anchors {
			if a != l {
				at, _ := slices.BinarySearch(levels[l], items.Row(s)[l])
				sum += ranks[at]
			}
		}
	}
	return sum / float64(k) / float64(k-1)
}
