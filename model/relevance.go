// This file ranks the items that a topic is read by by relevance: between how probable an item is in the topic and how much
// more probable it is there than anywhere.

package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Relevance returns, for every topic k, the count items of greatest relevance
//
//	λ ln p(w|k) + (1−λ) ln(p(w|k)/p(w)) = ln p(w|k) − (1−λ) ln p(w)
//
// in decreasing order, with their p(w|k). (Sievert & Shirley, LDAvis, ACL workshop 2014, Equation 1.) B is N×K with column k
// p(w|k), p the N probabilities p(w), λ from 0 to 1. With λ = 1 that is the order of p(w|k); the less λ, the rarer the items.
// Of equal items the first comes first. Items with p(w|k) = 0 come last, and so do those that no document holds (p(w) = 0) and
// what is no number: a list has count items wherever N does.
//
// It takes O(N·K) time and memory for count items of every topic and block of rows.
func Relevance(b *matrix.Tall, p []float64, lambda float64, count, workers int) [][]Scored {
	n, topics := b.Dims()
	if len(p) != n {
		panic("model: number of probabilities is not the number of items")
	}
	if !(lambda >= 0 && lambda <= 1) {
		panic("model: λ of the relevance is not from 0 to 1")
	}
	count = max(min(count, n), 0)
	ofBlock := make([][]relevant, b.Blocks()) // K heaps each
	// The function that is run cannot fail, and the context cannot end.
	_ = kernel.Parallel(context.Background(), workers, len(ofBlock), func(block int) error {
		heaps := make([]relevant, topics)
		_, first, last := b.Block(block)
		for i := first; i < last; i++ {
			if !(p[i] > 0) {
				continue
			}
			// e to the relevance is p(w|k)·p(w)^−(1−λ): the order is the same, and there is one power per item.
			weight := math.Pow(p[i], lambda-1)
			for k, probability := range b.Row(i) {
				if score := probability * weight; score > 0 {
					heaps[k].offer(relevance{i, score}, count)
				}
			}
		}
		ofBlock[block] = heaps
		return nil
	})
	lists := make([][]Scored, topics)
	_ = kernel.Parallel(context.Background(), workers, topics, func(k int) error {
		var best relevant
		for _, heaps := range ofBlock {
			best = append(best, heaps[k]...)
		}
		slices.SortFunc(best, relevance.compare)
		lists[k] = best.list(b, k, count)
		return nil
	})
	return lists
}

// relevance is an item with e to its relevance, or something in proportion.
type relevance struct {
	item  int
	score float64
}

// compare orders by decreasing score, then by item.
func (r relevance) compare(other relevance) int {
	return cmp.Or(cmp.Compare(other.score, r.score), cmp.Compare(r.item, other.item))
}

// relevant is a heap with the least relevant item on top.
type relevant []relevance

// offer keeps an item if it is among the first count so far.
func (h *relevant) offer(r relevance, count int) {
	s := *h
	if len(s) < count {
		s = append(s, r)
		for at := len(s) - 1; at > 0 && s[(at-1)/2].compare(s[at]) < 0; at = (at - 1) / 2 {
			s[at], s[(at-1)/2] = s[(at-1)/2], s[at]
		}
		*h = s
		return
	}
	if count == 0 || r.compare(s[0]) > 0 {
		return
	}
	s[0] = r
	for at := 0; ; {
		below := 2*at + 1
		if below >= len(s) {
			return
		}
		if below+1 < len(s) && s[below+1].compare(s[below]) > 0 {
			below++
		}
		if s[at].compare(s[below]) > 0 {
			return
		}
		s[at], s[below] = s[below], s[at]
		at = below
	}
}

// list returns the first count items of a sorted h with their probabilities in topic k. Where there are fewer, the first items
// that are not among them follow.
func (h relevant) list(b *matrix.Tall, k, count int) []Scored {
	h = h[:min(count, len(h))]
	list := make([]Scored, 0, count)
	for _, r := range h {
		list = append(list, Scored{r.item, b.Row(r.item)[k]})
	}
	for i := 0; len(list) < count; i++ {
		if !slices.ContainsFunc(h, func(r relevance) bool { return r.item == i }) {
			list = append(list, Scored{i, b.Row(i)[k]})
		}
	}
	return list
}
