// This file ranks the items that a topic is read by, whatever program found it, by relevance: between how probable an item is in the
// topic and how much more probable it is there than anywhere.

package metric

import (
	"math"

	"anchorage/anchor"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

// Relevance returns, for every topic k, the count items of greatest relevance
//
//	λ ln p(w|k) + (1−λ) ln(p(w|k)/p(w)) = ln p(w|k) − (1−λ) ln p(w)
//
// in decreasing order, with their p(w|k). (Sievert & Shirley, LDAvis, ACL workshop 2014, Equation 1.) B is N×K with column k
// p(w|k), p the N probabilities p(w), λ from 0 to 1. With λ = 1 that is the order of p(w|k); the smaller λ, the rarer the items.
// Of equal items the first comes first.
//
// A list has count items, or N if there are fewer: items with p(w|k) = 0, those that no document holds (p(w) = 0) and those whose
// probability is NaN come last, in their order. anchor.Topics.Prominent gives the same lists without them.
//
// It takes O(N·K) time, and room for count items of every topic and worker.
func Relevance(b *matrix.Tall, p []float64, lambda float64, count, workers int) [][]anchor.Scored {
	n, topics := b.Dims()
	if len(p) != n {
		panic("metric: number of probabilities is not the number of items")
	}
	if !(lambda >= 0 && lambda <= 1) {
		panic("metric: λ of the relevance is not from 0 to 1")
	}
	best := toplist.Columns(n, topics, count, workers, func(dst []float64, i int) {
		if !(p[i] > 0) {
			clear(dst)
			return
		}
		// e to the relevance is p(w|k)·p(w)^−(1−λ): the order is the same, and there is one power per item.
		rarity := math.Pow(p[i], lambda-1)
		for k, probability := range b.Row(i) {
			dst[k] = probability * rarity
		}
	})
	lists := make([][]anchor.Scored, topics)
	for k, entries := range best {
		lists[k] = fill(entries, b, k, min(count, n))
	}
	return lists
}

// fill returns the items of entries with their probabilities in topic k, and after them the first other items, until there are
// count.
func fill(entries []toplist.Entry, b *matrix.Tall, k, count int) []anchor.Scored {
	var list []anchor.Scored
	listed := make(map[int]bool, len(entries))
	for _, e := range entries {
		list = append(list, anchor.Scored{Item: e.Item, Probability: b.Row(e.Item)[k]})
		listed[e.Item] = true
	}
	for i := 0; len(list) < count; i++ {
		if !listed[i] {
			list = append(list, anchor.Scored{Item: i, Probability: b.Row(i)[k]})
		}
	}
	return list
}
