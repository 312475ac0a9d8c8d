// This file defines Recommender, which scores the items that a basket reaches.

package items

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/toplist"
)

// Recommender scores items for baskets. Several goroutines may use it at once.
type Recommender struct {
	*prepared
	setting Setting
	divisor []float64 // (w_j + 5)^−Peculiar
	// usual has the items by decreasing score of an empty basket, if that is positive: what the inverse says of items
	// that a basket does not reach. It is made by the first query.
	usual   func() []int32
	cold    func() *Recommender // by topics only; nil if there are none, or if they have a share anyway
	queries *sync.Pool          // of *Query, for Suggest
	heads   []head              // of long rows, by item; nil before Prepare
}

// prepared is what recommenders with different settings share.
type prepared struct {
	pairs    *Pairs  // in both directions
	topics   *Topics // may be nil
	base     []float64
	foremost func() [][]toplist.Entry // of each topic, its items
	lengths  func() []float64         // of the rows that Cosines compares
	// companions returns how many other items a document of an item has, in the mean
	companions func() float64
}

// NewRecommender returns a recommender of pairs and topics; topics may be nil. The number of items must be the same. It
// copies what it needs of pairs.
func NewRecommender(pairs *Pairs, topics *Topics, setting Setting) *Recommender {
	if topics != nil && topics.items.Rows() != pairs.Items() {
		panic("items: pairs and topics of different items")
	}
	p := &prepared{pairs: pairs.both(), topics: topics}
	p.lengths = sync.OnceValue(p.rowLengths)
	p.companions = sync.OnceValue(func() float64 {
		var counts, companions int64
		for i, c := range p.pairs.Counts { // pairs may be long gone
			counts, companions = counts+c, companions+p.pairs.Companions[i]
		}
		return float64(companions) / float64(max(counts, 1))
	})
	if pairs.Inverse != nil {
		p.base = pairs.base()
	}
	if topics != nil {
		p.foremost = sync.OnceValue(func() [][]toplist.Entry { return topics.foremost(pairs.Counts) })
	}
	return (&Recommender{prepared: p}).With(setting)
}

// base returns what the inverse says of each item for an empty basket: m_j − Σ_i m_i·b_ij.
func (p *Pairs) base() []float64 {
	base, documents := make([]float64, p.Items()), float64(max(p.Documents, 1))
	for j := range base {
		base[j] = float64(p.Counts[j]) / documents
		for x := p.Offsets[j]; x < p.Offsets[j+1]; x++ {
			base[j] -= float64(p.Counts[p.Others[x]]) / documents * float64(p.Inverse[x])
		}
	}
	return base
}

// With returns a recommender with another setting. It shares everything else. Shares of what the recommender does not
// have, an inverse or topics, are 0; if nothing else is left, it recommends by conditional counts.
func (r *Recommender) With(s Setting) *Recommender {
	if !s.Check() {
		panic("items: setting out of range")
	}
	if r.base == nil {
		s.Inverse = 0
	}
	if r.topics == nil {
		s.Topics = 0
	}
	if !s.Check() {
		s.Pairs = 1
	}
	other := &Recommender{prepared: r.prepared, setting: s, divisor: make([]float64, r.Items())}
	for j, w := range r.pairs.Weighted {
		other.divisor[j] = s.divisor(w)
	}
	other.usual = sync.OnceValue(other.order)
	if r.topics != nil && s.Topics == 0 {
		other.cold = sync.OnceValue(func() *Recommender { return other.With(TopicsOnly) })
	}
	other.queries = &sync.Pool{New: func() any { return other.NewQuery() }}
	return other
}

// order returns the items by decreasing score of an empty basket, without those of no positive score.
func (r *Recommender) order() (items []int32) {
	if r.setting.Inverse == 0 {
		return nil
	}
	scores := make([]float64, r.Items())
	for j, b := range r.base {
		if scores[j] = b * r.divisor[j]; scores[j] > 0 {
			items = append(items, int32(j))
		}
	}
	slices.SortFunc(items, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return items
}

// Setting returns the setting.
func (r *Recommender) Setting() Setting { return r.setting }

// Items returns N.
func (r *Recommender) Items() int { return r.pairs.Items() }

// Pairs returns the pairs, each in the rows of both of its items, sorted by item.
func (r *Recommender) Pairs() *Pairs { return r.pairs }

// Topics returns the topics; nil if there are none.
func (r *Recommender) Topics() *Topics { return r.topics }

// Documents returns c_i.
func (r *Recommender) Documents(i int) int64 { return r.pairs.Counts[i] }

// estimate is what is known of an item for a basket: the three estimates of Setting. Those of round are of another
// basket if it is not that of the query.
type estimate struct {
	pairs, inverse, topics float32
	round                  int32
}

// Query is the scratch of one goroutine that asks a recommender: 16 bytes per item.
type Query struct {
	r         *Recommender
	round     int32
	estimates []estimate
	reached   []int32
	basket    []int32   // sorted
	factors   []float32 // 1/(|S|·(w_i + 5)) of each item of the basket
	follow    []float64
	mixture   []float64
	more      [][]float64 // mixtures of items of the basket that have no numbers
	cold      *Query      // by topics only, once it was needed
}

// NewQuery returns the scratch for queries.
func (r *Recommender) NewQuery() *Query {
	q := &Query{r: r, estimates: make([]estimate, r.Items())}
	if r.topics != nil {
		q.follow, q.mixture = make([]float64, r.topics.K()), make([]float64, r.topics.K())
	}
	return q
}

// of returns the estimates of an item, which is then among the reached.
func (q *Query) of(j int32) *estimate {
	e := &q.estimates[j]
	if e.round != q.round {
		*e = estimate{round: q.round}
		if q.r.base != nil {
			e.inverse = float32(q.r.base[j])
		}
		q.reached = append(q.reached, j)
	}
	return e
}

// topicsOfBasket is how many topics of a basket, the foremost, reach items.
const topicsOfBasket = 16

// reach sets the estimates of all items that pairs or topics know something of for a basket. Those of the basket itself
// are among them. known scales what topics say of each item; it may be nil. With heads, only those of long rows are
// read.
func (q *Query) reach(basket []int32, known []float32, heads []head) {
	r := q.r
	if q.round == math.MaxInt32 {
		clear(q.estimates)
		q.round = 0
	}
	q.round++
	q.reached = q.reached[:0]
	q.basket = append(q.basket[:0], basket...)
	slices.Sort(q.basket)
	q.basket = slices.Compact(q.basket)
	q.factors = q.factors[:0]
	for _, i := range q.basket {
		factor := float32(1 / (float64(len(q.basket)+len(q.more)) * (r.pairs.Weighted[i] + shrink)))
		q.factors = append(q.factors, factor)
		first, last := r.pairs.Offsets[i], r.pairs.Offsets[i+1]
		others, weights := r.pairs.Others[first:last], r.pairs.Weights[first:last]
		if heads != nil && heads[i].places != nil {
			for _, x := range heads[i].places {
				e := q.of(others[x])
				e.pairs += factor * weights[x]
				if r.base != nil {
					e.inverse += r.pairs.Inverse[first+int64(x)]
				}
			}
			continue
		}
		if r.base == nil {
			for x, j := range others {
				q.of(j).pairs += factor * weights[x]
			}
			continue
		}
		for x, b := range r.pairs.Inverse[first:last] {
			e := q.of(others[x])
			e.pairs += factor * weights[x]
			e.inverse += b
		}
	}
	if r.topics == nil {
		return
	}
	q.expect(known)
	if r.setting.Topics == 0 {
		return
	}
	list := toplist.New(topicsOfBasket)
	for k, share := range q.follow {
		list.Offer(k, share)
	}
	for _, topic := range list.Sorted() {
		for _, e := range r.foremost()[topic.Item] {
			v := float32(topic.Score * e.Score)
			if known != nil {
				v *= known[e.Item]
			}
			q.of(int32(e.Item)).topics += v
		}
	}
}

// expect sets follow to the topics of the basket's companions, times how many a companion has.
func (q *Query) expect(known []float32) {
	r := q.r
	clear(q.mixture)
	size := float64(len(q.basket) + len(q.more))
	for _, mixture := range q.more {
		floats.AddScaled(q.mixture, r.companions()/size, mixture)
	}
	for _, i := range q.basket {
		c, companions := r.pairs.Counts[i], 1.0
		if c > 0 {
			companions = float64(r.pairs.Companions[i]) / float64(c)
		}
		if known != nil {
			companions *= float64(known[i])
		}
		floats.AddScaled(q.mixture, companions/size, r.topics.mixtures.Row(int(i)))
	}
	r.topics.follow(q.follow, q.mixture)
}

// best offers the items of positive scores to a list, those of the basket only if it may keep them.
func (q *Query) best(list *toplist.List, keep bool) {
	r := q.r
	for _, j := range q.reached {
		q.offer(list, j, r.setting.sum(&q.estimates[j])*r.divisor[j], keep)
	}
	for _, j := range r.usual() {
		if q.estimates[j].round == q.round {
			continue
		}
		score := q.unreached(j)
		if score < list.Floor() {
			break
		}
		q.offer(list, j, score, keep)
	}
}

// unreached returns the score of an item that a basket does not reach, if there is an inverse.
func (q *Query) unreached(j int32) float64 { return q.r.setting.Inverse * q.r.base[j] * q.r.divisor[j] }

// offer offers an item of a positive score to a list, one of the basket only if the list may keep them.
func (q *Query) offer(list *toplist.List, j int32, score float64, keep bool) {
	if score <= 0 || score < list.Floor() {
		return
	}
	if _, own := slices.BinarySearch(q.basket, j); keep || !own {
		list.Offer(int(j), score)
	}
}

// Scores sets dst, of length N, to the scores of all items for a basket. Those of the basket itself do not matter.
func (q *Query) Scores(dst []float64, basket []int32) {
	r := q.r
	q.reach(basket, nil, nil)
	for j := range dst {
		dst[j] = 0
		if r.base != nil {
			dst[j] = q.unreached(int32(j))
		}
	}
	for _, j := range q.reached {
		dst[j] = r.setting.sum(&q.estimates[j]) * r.divisor[j]
	}
}
