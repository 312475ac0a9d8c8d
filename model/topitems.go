// This file picks the items that a topic is read by.

package model

import (
	"math"

	"anchorage/anchor"
)

// Scored is an item with what it was picked by.
type Scored struct {
	Item        int
	Probability float64
}

// Prominent returns, for every topic, the count items of greatest relevance λ, in decreasing order, with their p(item |
// topic); see Relevance. With λ = 1 they are the most probable ones. Items without weight are left out.
func Prominent(t *anchor.Topics, p []float64, lambda float64, count int) [][]Scored {
	top := make([]ranking, t.K)
	for k := range top {
		top[k].limit = count
	}
	row := make([]float64, t.K)
	for i := range t.RowSums {
		if p[i] <= 0 {
			continue
		}
		t.BRow(row, i)
		rarity := math.Pow(p[i], lambda-1)
		for k, probability := range row {
			top[k].offer(i, probability*rarity)
		}
	}
	lists := make([][]Scored, t.K)
	for k := range top {
		lists[k] = top[k].best
		for j := range lists[k] {
			lists[k][j].Probability = t.B(lists[k][j].Item, k)
		}
	}
	return lists
}

// Characteristic returns, for every topic, the count items that co-occur most with the topic's anchor, by p(item | anchor)
// under the rectified co-occurrences, in decreasing order (Lee et al., ICML 2021, section 5). Topics without anchors have none.
func Characteristic(t *anchor.Topics, count int) [][]Scored {
	lists := make([][]Scored, t.K)
	if t.Anchors == nil {
		return lists
	}
	row := make([]float64, len(t.RowSums))
	for k := range lists {
		t.CharacteristicRow(row, k)
		top := ranking{limit: count}
		for i, p := range row {
			top.offer(i, p)
		}
		lists[k] = top.best
	}
	return lists
}

// ranking keeps the best of the items offered to it, in decreasing order; of equal ones the first offered.
type ranking struct {
	limit int
	best  []Scored
}

func (r *ranking) offer(item int, p float64) {
	if p <= 0 || len(r.best) == r.limit && p <= r.best[r.limit-1].Probability {
		return
	}
	at := len(r.best)
	for at > 0 && r.best[at-1].Probability < p {
		at--
	}
	if len(r.best) < r.limit {
		r.best = append(r.best, Scored{})
	}
	copy(r.best[at+1:], r.best[at:])
	r.best[at] = Scored{item, p}
}
