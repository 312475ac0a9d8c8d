// This file measures recommendations on held-out baskets.

package items

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

// Scorer sets dst, of length N, to the scores of all items for a basket. It belongs to one goroutine. The scores of the
// basket's own items do not matter.
type Scorer func(dst []float64, basket []int32)

// Method is a way to recommend.
type Method struct {
	Name string
	New  func() Scorer // returns a scorer for one goroutine
}

// Method returns the recommender as a method.
func (r *Recommender) Method(name string) Method {
	return Method{name, func() Scorer { return r.NewQuery().Scores }}
}

// Deciles is into how many parts of equal sales Tiers divides the items.
const Deciles = 10

// Tiers returns the decile of each item: 0 for the most frequent items, which make the first tenth of all Σ_i c_i, and
// so on. Items without documents are in the last. Deciles 5 to 9 are the rarer half of sales.
func Tiers(counts []int64) []int {
	total := int64(0)
	for _, c := range counts {
		total += c
	}
	tiers, sum := make([]int, len(counts)), int64(0)
	for _, i := range toplist.Order(counts) {
		tiers[i] = min(int(sum*Deciles/max(total, 1)), Deciles-1)
		if counts[i] == 0 {
			tiers[i] = Deciles - 1
		}
		sum += counts[i]
	}
	return tiers
}

// Score is what a method reaches on baskets. Errors are standard errors over the baskets.
type Score struct {
	Name     string  `json:"method"`
	Baskets  int     `json:"baskets"`
	Recall20 float64 `json:"recall_20"` // the share of a basket's held-out items among the 20 best, mean over the baskets
	Error20  float64 `json:"recall_20_error"`
	Recall50 float64 `json:"recall_50"`
	Error50  float64 `json:"recall_50_error"`
	// NDCG100 is Σ 1/log₂(rank+1) over held-out items among the 100 best, divided by the best possible.
	NDCG100 float64 `json:"ndcg_100"`
	ErrorN  float64 `json:"ndcg_100_error"`
	// Rarer20 is the share of all held-out items of the rarer half of sales that are among the 20 best.
	Rarer20 Share `json:"recall_20_rarer_half"`
	ErrorR  Share `json:"recall_20_rarer_half_error"`
	// ByDecile is the same for each decile of sales, the most frequent items first.
	ByDecile [Deciles]Share `json:"recall_20_by_decile"`
	Coverage float64        `json:"coverage_20"` // the share of all items that are among the 20 best of some basket
	Novelty  float64        `json:"novelty_20"`  // the mean of −log₂(c_j/M) over the 20 best, in bits
}

// Share is a share of held-out items: NaN, and null in JSON, where no such item was held out.
type Share float64

// MarshalJSON implements json.Marshaler.
func (s Share) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(s)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(s))
}

const (
	shortList  = 20
	middleList = 50
	longList   = 100
)

// outcome is what a method does for a basket.
type outcome struct {
	recall20, recall50, ndcg float64
	found, held              [Deciles]float64
	best                     []int32 // the 20 best
}

// Evaluate measures methods on baskets. counts has c_i of the documents that the methods learned from, and documents M.
func Evaluate(ctx context.Context, methods []Method, baskets []Basket, counts []int64, documents int64,
	workers int) ([]Score, error) {
	tiers := Tiers(counts)
	var scores []Score
	for _, m := range methods {
		outcomes := make([]outcome, len(baskets))
		err := kernel.ParallelWith(ctx, workers, len(baskets), func() func(x int) {
			scorer, dst := m.New(), make([]float64, len(counts))
			return func(x int) { outcomes[x] = judge(scorer, dst, &baskets[x], tiers) }
		})
		if err != nil {
			return nil, err
		}
		scores = append(scores, summarize(m.Name, outcomes, counts, documents))
	}
	return scores, nil
}

// Trial is what a method reaches on baskets that were drawn with a seed and divided in a way.
type Trial struct {
	Split string `json:"split"`
	Seed  uint64 `json:"seed"`
	Score
}

// Trials measures methods on baskets of a pass: times samples of at most size, drawn with seed and the numbers after
// it, and each divided in both ways. full has the counts of the documents that the methods learned from.
func Trials(ctx context.Context, pass corpus.Pass, methods []Method, full *Pairs, size, times int, seed uint64,
	workers int) ([]Trial, error) {
	var list []Trial
	for range times {
		sample, err := Draw(ctx, pass, size, 1, DefaultMaxItems, seed)
		if err != nil {
			return nil, err
		}
		for _, split := range []Split{HeldOutHalf, LeaveOneOut} {
			scores, err := Evaluate(ctx, methods, sample.Divide(split, seed), full.Counts, full.Documents, workers)
			if err != nil {
				return nil, err
			}
			for _, score := range scores {
				list = append(list, Trial{split.String(), seed, score})
			}
		}
		seed++
	}
	return list, nil
}

// judge scores all items for a basket, and looks where the held-out ones are.
func judge(scorer Scorer, dst []float64, b *Basket, tiers []int) outcome {
	scorer(dst, b.Given)
	for _, i := range b.Given {
		dst[i] = math.NaN() // a list does not take it
	}
	list := toplist.New(longList)
	for j, s := range dst {
		list.Offer(j, s)
	}
	return look(list.Sorted(), b, tiers)
}

// look finds where the held-out items of a basket are in a list of the best.
func look(list []toplist.Entry, b *Basket, tiers []int) outcome {
	var o outcome
	for _, h := range b.Held {
		o.held[tiers[h]]++
	}
	ideal := 0.0
	for rank := range min(len(b.Held), longList) {
		ideal += 1 / math.Log2(float64(rank)+2)
	}
	for rank, e := range list {
		if rank < shortList {
			o.best = append(o.best, int32(e.Item))
		}
		if _, hit := slices.BinarySearch(b.Held, int32(e.Item)); !hit {
			continue
		}
		o.ndcg += 1 / math.Log2(float64(rank)+2) / ideal
		if rank < middleList {
			o.recall50 += 1 / float64(len(b.Held))
		}
		if rank < shortList {
			o.recall20 += 1 / float64(len(b.Held))
			o.found[tiers[e.Item]]++
		}
	}
	return o
}

// summarize adds up outcomes.
func summarize(name string, outcomes []outcome, counts []int64, documents int64) Score {
	s := Score{Name: name, Baskets: len(outcomes)}
	mean := func(of func(*outcome) float64) (float64, float64) {
		sum, squares, n := 0.0, 0.0, float64(len(outcomes))
		for x := range outcomes {
			v := of(&outcomes[x])
			sum += v
			squares += v * v
		}
		return sum / n, math.Sqrt(max(squares/n-sum*sum/(n*n), 0) / n)
	}
	s.Recall20, s.Error20 = mean(func(o *outcome) float64 { return o.recall20 })
	s.Recall50, s.Error50 = mean(func(o *outcome) float64 { return o.recall50 })
	s.NDCG100, s.ErrorN = mean(func(o *outcome) float64 { return o.ndcg })
	for d := range Deciles {
		s.ByDecile[d], _ = ratio(outcomes, d, d+1)
	}
	s.Rarer20, s.ErrorR = ratio(outcomes, Deciles/2, Deciles)
	seen, bits, listed := map[int32]bool{}, 0.0, 0.0
	for x := range outcomes {
		for _, j := range outcomes[x].best {
			seen[j] = true
			bits += math.Log2(float64(documents) / (float64(counts[j]) + 0.5))
			listed++
		}
	}
	s.Coverage, s.Novelty = float64(len(seen))/float64(len(counts)), bits/max(listed, 1)
	return s
}

// ratio returns the share of the held-out items of some deciles that were found, and its standard error, that of a
// ratio of sums over the baskets.
func ratio(outcomes []outcome, first, last int) (value, deviation Share) {
	found, held, squares := 0.0, 0.0, 0.0
	for x := range outcomes {
		found += floats.Sum(outcomes[x].found[first:last])
		held += floats.Sum(outcomes[x].held[first:last])
	}
	for x := range outcomes {
		o := &outcomes[x]
		residual := floats.Sum(o.found[first:last]) - found/held*floats.Sum(o.held[first:last])
		squares += residual * residual
	}
	return Share(found / held), Share(math.Sqrt(squares) / held)
}
