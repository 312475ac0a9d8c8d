// This file learns the weights of a score on held-out baskets.

package items

import (
	"context"
	"math"
	"slices"

	"anchorage/internal/toplist"
)

// LearnOptions say how weights are learned. Zero values are the defaults.
type LearnOptions struct {
	Seed uint64
	// Seen says that the baskets are among the documents that were counted. Then each basket is scored as if it had not
	// been: it is taken out of all counts of its items.
	Seen bool
	// RarerShare is how much the rarer half of sales counts beside all of it: the learning maximizes ln(U +
	// RarerShare·U′), where U is the mean utility of the held-out items of a basket and U′ that of all held-out items of
	// the rarer half. DefaultRarerShare if it is 0.
	RarerShare float64
	Workers    int
}

// DefaultRarerShare lets weights lose a quarter of a percent of what baskets hold for a percent of what is rare in
// them.
const DefaultRarerShare = 0.25

// Learned is the result of learning.
type Learned struct {
	Weights Weights `json:"weights"`
	Baskets int     `json:"baskets"` // that were used
	// Before and After are what was maximized, with the weights that the recommender had and with the new ones.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Trials int     `json:"trials"` // weights that were tried
}

const (
	// candidates is the number of items, besides those held out, whose scores are compared for a basket. They are the best
	// ones of a score that prefers frequent items, and as many of one that prefers rare ones.
	candidates = 300
	// learnCells bounds the numbers of baskets times items given times candidates, 8 bytes each.
	learnCells = 24 << 20
	// learnWork bounds the products for choosing candidates.
	learnWork = 4e10
	rounds    = 3
)

// Learn fits the weights of a recommender to baskets: it moves one weight after the other as long as that helps, then
// with half the steps. Half of each basket is held out. The utility of a held-out item at rank ρ is 1/(1 + (ρ/20)²),
// which favours the first 20 and, unlike recall, changes with every rank. The error is that of ctx.
func (r *Recommender) Learn(ctx context.Context, sample *Sample, opts LearnOptions) (*Learned, error) {
	if opts.RarerShare == 0 {
		opts.RarerShare = DefaultRarerShare
	}
	cases, err := r.cases(ctx, sample, &opts)
	if err != nil {
		return nil, err
	}
	l := &Learned{Weights: r.weights, Baskets: len(cases)}
	if len(cases) == 0 {
		return l, nil
	}
	value := func(w Weights) (float64, error) {
		l.Trials++
		return r.utility(ctx, cases, w, &opts)
	}
	if l.Before, err = value(l.Weights); err != nil {
		return nil, err
	}
	l.After = l.Before
	for _, w := range starts {
		v, err := value(w)
		if err != nil {
			return nil, err
		}
		if v > l.After+gain {
			l.Weights, l.After = w, v
		}
	}
	for steps := 1.0; steps > math.Pow(0.5, rounds); steps /= 2 {
		for improved := true; improved; {
			improved = false
			for x := range parameters {
				if r.topics == nil && parameters[x].name == "topics" {
					continue
				}
				better, err := l.climb(&parameters[x], steps, value)
				if err != nil {
					return nil, err
				}
				improved = improved || better
			}
		}
	}
	return l, nil
}

// starts are weights that learning may begin with instead of those of the recommender, the best of them: many pairs and
// few, and what all items of a basket share or not.
var starts = []Weights{
	DefaultWeights,
	{Shrink: 20, Certainty: 1, Peculiar: 0.3, Rarity: 0, Topics: 1, Prior: 0.1, Blend: 0.12},
	{Shrink: 20, Certainty: 1, Peculiar: 0.4, Rarity: 0, Topics: 0.7, Prior: 0.1, Blend: 0.01},
	{Shrink: 5, Certainty: 0.8, Peculiar: 0.45, Rarity: 0.5, Topics: 0.5, Prior: 0.1, Blend: 0.05},
}

// gain is the least improvement that counts; less is chance.
const gain = 2e-4

// climb moves one weight in the direction that helps, as far as it helps.
func (l *Learned) climb(p *parameter, steps float64, value func(Weights) (float64, error)) (improved bool, err error) {
	for _, direction := range []float64{steps, -steps} {
		for {
			w := p.moved(l.Weights, direction)
			if w == l.Weights {
				break
			}
			v, err := value(w)
			if err != nil {
				return improved, err
			}
			if !(v > l.After+gain) {
				break
			}
			l.Weights, l.After, improved = w, v, true
		}
		if improved {
			break
		}
	}
	return improved, nil
}

// trial is a basket as learning sees it: of every candidate what each given item knows of it.
type trial struct {
	given      []given
	candidates []candidate
	held       int       // the first candidates are the held-out items
	pairs      []float32 // w_ij in units, candidates×given
	topics     []float32 // t_ij, candidates×given; nil without topics
}

// given is an item of a basket, with its counts in other documents.
type given struct {
	item              int32
	count, companions int64
	weighted          float64
}

// candidate is an item that may be recommended, with its counts in other documents.
type candidate struct {
	item     int32
	count    int64
	weighted float64
	rare     bool
}

// cases prepares baskets, as many as fit.
func (r *Recommender) cases(ctx context.Context, sample *Sample, opts *LearnOptions) ([]trial, error) {
	baskets := sample.Divide(HeldOutHalf, opts.Seed)
	k := 1
	if r.topics != nil {
		k += r.topics.K()
	}
	baskets = baskets[:min(len(baskets), max(int(learnWork/float64(r.Items()*k)), 100))]
	cells := 0
	for x, b := range baskets {
		if cells += len(b.Given) * (2*candidates + len(b.Held)); cells > learnCells {
			baskets = baskets[:max(x, 1)]
			break
		}
	}
	tiers := Tiers(r.pairs.Counts)
	cases := make([]trial, len(baskets))
	frequent, rare := r.weights, r.weights
	frequent.Peculiar, rare.Peculiar = 0.1, 0.6
	toFrequent, toRare := r.With(frequent), r.With(rare)
	err := inParts(ctx, len(baskets), opts.Workers, func() func(x int) {
		scores, queries := make([]float64, r.Items()), [2]*Query{toFrequent.NewQuery(), toRare.NewQuery()}
		return func(x int) {
			t := &cases[x]
			r.begin(t, &baskets[x], tiers, opts.Seen)
			for _, q := range queries {
				q.Scores(scores, baskets[x].Given)
				list := toplist.New(candidates)
				for j, s := range scores {
					list.Offer(j, s)
				}
				for _, e := range list.Sorted() {
					if !math.IsInf(e.Score, -1) { // given
						t.add(r, e.Item, tiers)
					}
				}
			}
			r.know(t, &baskets[x], opts.Seen)
		}
	})
	return cases, err
}

// begin sets what is given, and makes candidates of what is held out.
func (r *Recommender) begin(t *trial, b *Basket, tiers []int, seen bool) {
	own, companions, weight := int64(0), int64(0), 0.0
	if seen {
		n := len(b.Given) + len(b.Held)
		own, companions, weight = 1, int64(n-1), Weight(n)
	}
	for _, i := range b.Given {
		t.given = append(t.given, given{i, r.pairs.Counts[i] - own, r.pairs.Companions[i] - companions,
			max(r.pairs.Weighted[i]-weight, 0)})
	}
	for _, h := range b.Held {
		t.add(r, int(h), tiers)
		c := &t.candidates[len(t.candidates)-1]
		c.count -= own
		c.weighted = max(c.weighted-weight, 0)
	}
	t.held = len(b.Held)
}

// add adds a candidate, unless it is one.
func (t *trial) add(r *Recommender, item int, tiers []int) {
	for x := range t.candidates {
		if int(t.candidates[x].item) == item {
			return
		}
	}
	t.candidates = append(t.candidates, candidate{int32(item), r.pairs.Counts[item], r.pairs.Weighted[item],
		tiers[item] >= Deciles/2})
}

// know fills in what the given items know of the candidates. If the basket was counted, held-out items lose what they
// owe to it: its part of w_ij, and of topics their share 1/c_j.
func (r *Recommender) know(t *trial, b *Basket, seen bool) {
	g := len(t.given)
	t.pairs = make([]float32, g*len(t.candidates))
	for x, c := range t.candidates {
		for y, i := range t.given {
			count, weight := r.pairs.count(i.item, c.item)
			if seen && x < t.held && count > 0 {
				weight -= float32(Weight(g + len(b.Held)))
				if count == 1 {
					weight = 0
				}
			}
			t.pairs[x*g+y] = float32(r.unit) * max(weight, 0)
		}
	}
	if r.topics == nil {
		return
	}
	t.topics = make([]float32, g*len(t.candidates))
	mixture, follow := make([]float64, r.topics.K()), make([]float64, r.topics.K())
	for y, i := range t.given {
		clear(mixture)
		r.topics.addMixture(mixture, 1, i.item)
		r.topics.follow(follow, mixture)
		for x, c := range t.candidates {
			v := r.topics.at(follow, int(c.item))
			if seen && x < t.held {
				v *= float64(c.count) / float64(c.count+1)
			}
			t.topics[x*g+y] = float32(v)
		}
	}
}

// utility returns what is maximized.
func (r *Recommender) utility(ctx context.Context, cases []trial, w Weights, opts *LearnOptions) (float64, error) {
	with := *r
	with.weights = w
	found, rare := make([]float64, len(cases)), make([]float64, len(cases))
	err := inParts(ctx, len(cases), opts.Workers, func() func(x int) {
		var scores, factors, expected []float64
		return func(x int) {
			t := &cases[x]
			g := len(t.given)
			factors, expected = slices.Grow(factors[:0], g)[:g], slices.Grow(expected[:0], g)[:g]
			for y, i := range t.given {
				b := with.basketItem(i.item, i.count, i.companions, i.weighted)
				factors[y], expected[y] = b.factor, b.expected
			}
			scores = scores[:0]
			for c := range t.candidates {
				scores = append(scores, with.candidate(t, c, factors, expected))
			}
			found[x], rare[x] = t.found(scores)
		}
	})
	all, rarer, held := 0.0, 0.0, 1e-9
	for x := range cases {
		all += found[x] / float64(max(cases[x].held, 1))
		rarer += rare[x]
		for _, c := range cases[x].candidates[:cases[x].held] {
			if c.rare {
				held++
			}
		}
	}
	const least = 1e-9 // of a logarithm's argument
	return math.Log(all/float64(len(cases)) + opts.RarerShare*rarer/held + least), err
}

// candidate returns the score of a candidate.
func (r *Recommender) candidate(t *trial, x int, factors, expected []float64) float64 {
	c, g := &t.candidates[x], len(t.given)
	share := r.weights.Topics
	if t.topics == nil {
		share = 0
	}
	popular, sum := (1-share)*float64(c.count)/max(r.all, 1), 0.0
	for y, w := range t.pairs[x*g : x*g+g] {
		sum += factors[y]*float64(w) + expected[y]*popular
	}
	if share > 0 {
		for y, v := range t.topics[x*g : x*g+g] {
			sum += share * expected[y] * float64(v)
		}
	}
	return sum * r.discount(c.weighted)
}

// found returns the utility of the held-out items, and of those of the rarer half.
func (t *trial) found(scores []float64) (all, rare float64) {
	for h, s := range scores[:t.held] {
		rank := 0.0
		for x, other := range scores {
			if other > s || other == s && x != h {
				rank++
			}
		}
		u := 1 / (1 + rank*rank/(shortList*shortList))
		all += u
		if t.candidates[h].rare {
			rare += u
		}
	}
	return all, rare
}
