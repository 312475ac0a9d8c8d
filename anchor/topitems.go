// This file picks the items that a topic is read by.

package anchor

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

// Scored is an item and the probability that it is listed with.
type Scored struct {
	Item        int
	Probability float64
}

// Prominent returns, for every topic k, the count items of greatest relevance λ in decreasing order, with their p(item
// | k):
//
//	λ·ln p(i|k) + (1−λ)·ln(p(i|k)/p_i) = ln p(i|k) − (1−λ)·ln p_i
//
// (Sievert & Shirley, LDAvis, ACL workshop 2014, Equation 1), where p are the N probabilities of the items. λ is from 0
// to 1: with 1 these are the most probable items, and the smaller λ, the rarer they are. Of equal items the first comes
// first. Items with p_i = 0 or p(i|k) = 0 are in no list. Processes that share the topics call it together. The error
// is that of ctx.
func (t *Topics) Prominent(ctx context.Context, p []float64, lambda float64, count int) ([][]Scored, error) {
	if len(p) != len(t.RowSums) {
		panic("anchor: number of probabilities is not the number of items")
	}
	// e to the relevance is p(i|k)·p_i^−(1−λ): the order is the same, and there is one power per item.
	best, err := toplist.Shared(ctx, t.Mixtures.Layout(), len(p), t.K, count, t.workers, func(dst []float64, i int) {
		if !(p[i] > 0) {
			clear(dst)
			return
		}
		t.BRow(dst, i)
		rarity := math.Pow(p[i], lambda-1)
		for k := range dst {
			dst[k] *= rarity
		}
	})
	if err != nil {
		return nil, err
	}
	var listed []int
	for _, entries := range best {
		for _, e := range entries {
			listed = append(listed, e.Item)
		}
	}
	mixtures, err := kernel.RowsOf(ctx, t.Mixtures, listed)
	if err != nil {
		return nil, err
	}
	lists := make([][]Scored, t.K)
	for k, entries := range best {
		for at, e := range entries {
			lists[k] = append(lists[k], Scored{e.Item, mixtures[at*t.K+k] * t.RowSums[e.Item] / t.Masses[k]})
		}
		mixtures = mixtures[len(entries)*t.K:]
	}
	return lists, nil
}
