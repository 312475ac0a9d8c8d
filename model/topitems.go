// This file picks the items that a topic is read by.

package model

import (
	"anchorage/anchor"
)

// Scored is an item with what it was picked by.
type Scored struct {
	Item        int
	Probability float64
}

// Prominent returns, for every topic, the count items with the greatest p(item | topic), in decreasing order.
func Prominent(t *anchor.Topics, count int) [][]Scored {
	top := make([]ranking, t.K)
	for k := range top {
		top[k].limit = count
	}
	row := make([]float64, t.K)
	for i := range t.Weights {
		t.BRow(row, i)
		for k, p := range row {
			top[k].offer(i, p)
		}
	}
	lists := make([][]Scored, t.K)
	for k := range top {
		lists[k] = top[k].best
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
	row := make([]float64, len(t.Weights))
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
