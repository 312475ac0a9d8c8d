// This file chooses a setting on baskets that were held out of all counts.

package items

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

// Candidate is a setting with what it reached on held-out halves of baskets. Errors are standard errors.
type Candidate struct {
	Setting
	Recall20 float64 `json:"recall_20"`
	Rarer20  float64 `json:"recall_20_rarer_half"`
	NDCG100  float64 `json:"ndcg_100"`
	Error20  float64 `json:"recall_20_error"`
}

// Validation is what Validate measured, and what it chose.
type Validation struct {
	Baskets    int             `json:"baskets"`
	Candidates []Candidate     `json:"candidates"`
	Chosen     map[Aim]Setting `json:"-"`
}

// The shares and exponents that Validate tries: all mixtures of quarters.
const quarters = 4

var exponents = []float64{0, 0.15, 0.3, 0.45}

// candidates returns the settings of what a recommender has: single methods first. If topics cannot be chosen, they are
// in no mixture.
func (r *Recommender) candidates(topics bool) (list []Setting) {
	var blends []Setting
	for a := quarters; a >= 0; a-- {
		for b := quarters - a; b >= 0; b-- {
			c := quarters - a - b
			if b > 0 && r.base == nil || c > 0 && r.topics == nil {
				continue
			}
			for _, p := range exponents {
				s := Setting{float64(a) / quarters, float64(b) / quarters, float64(c) / quarters, p}
				if s.Single() {
					list = append(list, s)
				} else if topics || c == 0 {
					blends = append(blends, s)
				}
			}
		}
	}
	return append(list, blends...)
}

// Single reports whether a setting is one method and no blend.
func (s Setting) Single() bool {
	return max(s.Pairs, s.Inverse, s.Topics) == s.Pairs+s.Inverse+s.Topics
}

// gains are what candidates reached for a basket.
type gains struct{ recall, ndcg, rarer float32 }

// Validate measures candidates on baskets that were not counted, and chooses one for every aim. For popular it is the
// single method with the greatest
//
//	recall@20/R + NDCG@100/D,
//
// where R and D are the greatest of each that a candidate reached; or the best blend of counts and inverse, if that is
// more by over twice the standard error of the difference; or the best blend with topics, if that is more by as much
// again. For other aims it is the one with the most of the rarer half of sales among those that lose no more of both
// than the aim allows. known is, for each item, the share of its documents that are counted, by which topics that were
// learned with the baskets are to know less of it; nil if they were not. Such topics look better than they are even so,
// and are measured, but not chosen. The error is that of ctx.
func (r *Recommender) Validate(ctx context.Context, baskets []Basket, known []float32,
	workers int) (*Validation, error) {
	all := r.With(Setting{Pairs: 1, Inverse: 1, Topics: 1})
	settings, tiers := r.candidates(known == nil), Tiers(r.pairs.Counts)
	divisors := make([][]float64, len(exponents))
	for e, p := range exponents {
		divisors[e] = r.With(Setting{Pairs: 1, Peculiar: p}).divisor
	}
	usual := all.usual()
	found := make([][]gains, len(settings))
	for c := range found {
		found[c] = make([]gains, len(baskets))
	}
	held := 0.0
	for _, b := range baskets {
		for _, h := range b.Held {
			if tiers[h] >= Deciles/2 {
				held++
			}
		}
	}
	err := kernel.ParallelWith(ctx, workers, len(baskets), func() func(x int) {
		q := all.NewQuery()
		return func(x int) {
			b := &baskets[x]
			q.reach(b.Given, known, nil)
			for _, j := range usual[:min(len(usual), longList+len(b.Given))] {
				q.of(j)
			}
			near := q.near(q.near(q.reached, settings, divisors), settings, divisors)
			for c, s := range settings {
				list := q.list(near, &s, divisors)
				found[c][x] = gainsOf(list.Sorted(), b, tiers)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	v := &Validation{Baskets: len(baskets), Chosen: map[Aim]Setting{}}
	for c, s := range settings {
		v.Candidates = append(v.Candidates, summary(s, found[c], held))
	}
	v.choose(found, known != nil)
	return v, nil
}

// near returns those of some items that can be among the best of them by some of the settings. Items that are among the
// best by one estimate alone give a floor to each setting. A setting is a mean of the three estimates: what is below
// its floor by each of those that it uses is below it by their mean. The floors of very many items come from a sample,
// so that near may be asked again with what it returned.
func (q *Query) near(of []int32, settings []Setting, divisors [][]float64) (items []int32) {
	const rounding = 1e-6
	some := q.leaders(of, divisors[len(divisors)/2])
	least := make([][3]float64, len(divisors))
	for e := range least {
		least[e] = [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	for _, s := range settings {
		list, e := q.list(some, &s, divisors), slices.Index(exponents, s.Peculiar)
		floor := max(list.Floor(), 0) * (1 - rounding)
		for m, share := range [3]float64{s.Pairs, s.Inverse, s.Topics} {
			if share > 0 {
				least[e][m] = min(least[e][m], floor)
			}
		}
	}
	bounds := [3]float32{} // below which an estimate is too small whatever the exponent
	for m := range bounds {
		bound := math.Inf(1)
		for e, p := range exponents {
			bound = min(bound, least[e][m]*math.Pow(shrink, p)) // no divisor is greater than 5^−p
		}
		bounds[m] = float32(bound * (1 - rounding))
	}
	for _, j := range of {
		estimate := &q.estimates[j]
		if estimate.pairs < bounds[0] && estimate.inverse < bounds[1] && estimate.topics < bounds[2] {
			continue
		}
		for e, divisor := range divisors {
			d := divisor[j]
			if float64(estimate.pairs)*d >= least[e][0] || float64(estimate.inverse)*d >= least[e][1] ||
				float64(estimate.topics)*d >= least[e][2] {
				items = append(items, j)
				break
			}
		}
	}
	return items
}

// leaders returns items that are among the best by one of the three estimates alone, of a sample of very many.
func (q *Query) leaders(of []int32, divisor []float64) (items []int32) {
	const sampled, run = 1 << 16, 1 << 10 // items; those of a run are side by side in memory
	var lists [3]toplist.List
	var floors [3]float64
	for m := range lists {
		lists[m] = toplist.New(2 * longList)
	}
	for first := 0; first < len(of); first += run * (1 + len(of)/sampled) {
		for _, j := range of[first:min(first+run, len(of))] {
			e, d := &q.estimates[j], divisor[j]
			for m, v := range [3]float64{float64(e.pairs) * d, float64(e.inverse) * d, float64(e.topics) * d} {
				if v > floors[m] {
					q.offer(&lists[m], j, v, false)
					floors[m] = max(lists[m].Floor(), 0)
				}
			}
		}
	}
	for m := range lists {
		for _, e := range lists[m].Sorted() {
			items = append(items, int32(e.Item))
		}
	}
	slices.Sort(items)
	return slices.Compact(items)
}

// list returns the best of some items by a setting.
func (q *Query) list(items []int32, s *Setting, divisors [][]float64) toplist.List {
	list, divisor := toplist.New(longList), divisors[slices.Index(exponents, s.Peculiar)]
	for _, j := range items {
		q.offer(&list, j, s.sum(&q.estimates[j])*divisor[j], false)
	}
	return list
}

// gainsOf returns what a list reaches.
func gainsOf(list []toplist.Entry, b *Basket, tiers []int) gains {
	o := look(list, b, tiers)
	return gains{float32(o.recall20), float32(o.ndcg), float32(floats.Sum(o.found[Deciles/2:]))}
}

// summary adds up what a setting reached.
func summary(s Setting, found []gains, held float64) Candidate {
	c, n, squares := Candidate{Setting: s}, float64(max(len(found), 1)), 0.0
	for _, g := range found {
		c.Recall20 += float64(g.recall) / n
		c.NDCG100 += float64(g.ndcg) / n
		c.Rarer20 += float64(g.rarer) / max(held, 1)
		squares += float64(g.recall) * float64(g.recall) / n
	}
	c.Error20 = math.Sqrt(max(squares-c.Recall20*c.Recall20, 0) / n)
	return c
}

// choose sets Chosen. If the topics have seen the baskets, no choice has any of them.
func (v *Validation) choose(found [][]gains, seen bool) {
	var most Candidate
	kinds := [3][]int{} // single methods, blends of counts and inverse, blends with topics
	for c, s := range v.Candidates {
		if seen && s.Topics > 0 {
			continue
		}
		most.Recall20, most.NDCG100 = max(most.Recall20, s.Recall20), max(most.NDCG100, s.NDCG100)
		kind := 0
		if !s.Single() {
			kind = 1
			if s.Topics > 0 {
				kind = 2
			}
		}
		kinds[kind] = append(kinds[kind], c)
	}
	const least = 1e-9
	value := func(recall, ndcg float64) float64 {
		return recall/max(most.Recall20, least) + ndcg/max(most.NDCG100, least)
	}
	chosen := -1
	for _, kind := range kinds {
		best, most := -1, 0.0
		for _, c := range kind {
			if sum := value(v.Candidates[c].Recall20, v.Candidates[c].NDCG100); best < 0 || sum > most {
				best, most = c, sum
			}
		}
		if chosen < 0 || best >= 0 && better(found[best], found[chosen], value) {
			chosen = best
		}
	}
	popular := v.Candidates[chosen]
	if v.Baskets == 0 {
		popular.Setting = DefaultSetting
	}
	for _, aim := range Aims {
		best := popular
		for _, kind := range kinds {
			for _, c := range kind {
				s := v.Candidates[c]
				if s.Recall20 >= (1-aim.Cost)*popular.Recall20 && s.NDCG100 >= (1-aim.Cost)*popular.NDCG100 &&
					s.Rarer20 > best.Rarer20 && aim.Cost > 0 {
					best = s
				}
			}
		}
		v.Chosen[aim.Name] = best.Setting
	}
}

// better reports whether one setting is better than another by more than twice the standard error of the difference.
func better(one, other []gains, value func(recall, ndcg float64) float64) bool {
	sum, squares, n := 0.0, 0.0, float64(len(one))
	for x := range one {
		d := value(float64(one[x].recall), float64(one[x].ndcg)) - value(float64(other[x].recall), float64(other[x].ndcg))
		sum += d
		squares += d * d
	}
	return sum > 2*math.Sqrt(max(squares-sum*sum/n, 0))
}
