// This file answers many queries without reading all of the longest rows: what is in most baskets is a neighbour of
// most items, and says little of nearly all of them.

package items

import (
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

const (
	// headLength is how many neighbours of a long row are read. Fewer leave more items that only whole rows can rule out;
	// more take longer to read.
	headLength = 256
	// longRow is the least length of a row that has a head.
	longRow = 2 * headLength
	// usualBasket is the size of basket by which neighbours are chosen for the head.
	usualBasket = 5
	// headError is what sums in single precision may be wrong by, as a share.
	headError = 1e-4
)

// head has the neighbours of a long row that add most to scores, by their places in the row, and the most that another
// adds to the score of an item: Pairs·pairs/|S| + Inverse·inverse.
type head struct {
	places         []int32
	pairs, inverse float64
}

// Prepare makes later queries by Suggest fast: six times where baskets hold frequent ones of 100,000 items. It takes
// as long as some thousand queries, and 1 kB for each item with 512 neighbours or more. No query may run meanwhile.
// Answers stay the same. The error is that of ctx.
func (r *Recommender) Prepare(ctx context.Context, workers int) error {
	heads := make([]head, r.Items())
	err := kernel.Parallel(ctx, workers, len(heads), func(i int) error {
		others, _, weights := r.pairs.Row(i)
		if len(others) < longRow {
			return nil
		}
		parts := func(x int) (pairs, inverse float64) {
			divisor := r.divisor[others[x]]
			if r.base != nil {
				inverse = max(float64(r.pairs.Inverse[r.pairs.Offsets[i]+int64(x)]), 0) * divisor
			}
			return float64(weights[x]) * divisor / (r.pairs.Weighted[i] + shrink), inverse
		}
		list := toplist.New(headLength)
		for x := range others {
			pairs, inverse := parts(x)
			list.Offer(x, r.setting.Pairs/usualBasket*pairs+r.setting.Inverse*inverse)
		}
		h := &heads[i]
		for _, e := range list.Sorted() {
			h.places = append(h.places, int32(e.Item))
		}
		slices.Sort(h.places)
		next := h.places
		for x := range others {
			if len(next) > 0 && next[0] == int32(x) {
				next = next[1:]
				continue
			}
			pairs, inverse := parts(x)
			h.pairs, h.inverse = max(h.pairs, pairs), max(h.inverse, inverse)
		}
		return nil
	})
	if err == nil {
		r.heads = heads
	}
	return err
}

// rest returns the most that what is left out of the basket's rows adds to the score of an item.
func (q *Query) rest() (most float64) {
	size := float64(len(q.basket) + len(q.more))
	for _, i := range q.basket {
		h := &q.r.heads[i]
		most += q.r.setting.Pairs*h.pairs/size + q.r.setting.Inverse*h.inverse
	}
	return most * (1 + headError)
}

// fromHeads returns the best items by the heads of long rows, and all that these cannot rule out by whole rows. It
// returns false if they rule out too little.
func (q *Query) fromHeads(basket []int32, n int, keep bool) (toplist.List, bool) {
	r, list := q.r, toplist.New(n)
	if r.heads == nil {
		return list, false
	}
	q.reach(basket, nil, r.heads)
	q.best(&list, keep)
	rest := q.rest()
	if rest == 0 {
		return list, true
	}
	floor, nearly := math.Inf(1), list.Sorted()
	list = toplist.New(n)
	for _, e := range nearly {
		score := q.exact(int32(e.Item))
		floor = min(floor, score)
		list.Offer(e.Item, score)
		q.estimates[e.Item].round = -q.round // it is done
	}
	if floor *= 1 - headError; len(nearly) < n || rest >= floor {
		return list, false
	}
	for _, j := range q.reached {
		if e := &q.estimates[j]; e.round == q.round && r.setting.sum(e)*r.divisor[j]+rest >= floor {
			q.offer(&list, j, q.exact(j), keep)
		}
	}
	for _, j := range r.usual() {
		if q.unreached(j)+rest < floor {
			break
		}
		if e := &q.estimates[j]; e.round != q.round && e.round != -q.round {
			q.offer(&list, j, q.exact(j), keep)
		}
	}
	return list, true
}

// exact returns the score of an item by whole rows, with the sums of reach. What topics say of it must be known.
func (q *Query) exact(j int32) float64 {
	r, e, reached := q.r, estimate{}, false
	if known := q.estimates[j]; known.round == q.round {
		e.topics, reached = known.topics, true
	}
	if r.base != nil {
		e.inverse = float32(r.base[j])
	}
	for x, i := range q.basket {
		at := r.pairs.place(i, j)
		if at < 0 {
			continue
		}
		reached = true
		e.pairs += q.factors[x] * r.pairs.Weights[at]
		if r.base != nil {
			e.inverse += r.pairs.Inverse[at]
		}
	}
	if !reached {
		return q.unreached(j)
	}
	return r.setting.sum(&e) * r.divisor[j]
}
