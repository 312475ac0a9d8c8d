// This file recommends: it scores all items for a basket and returns the best.

package items

import (
	"math"

	"anchorage/internal/toplist"
)

// Recommender scores items for baskets.
type Recommender struct {
	pairs   *Pairs  // in both directions
	topics  *Topics // may be nil
	weights Weights

	unit    float64   // Σ c_i/Σ w_i
	all     float64   // Σ_i c_i
	left    []float64 // r_i
	divisor []float64 // (w_j + Shrink)^−Peculiar
}

// NewRecommender returns a recommender of pairs and topics; topics may be nil. The number of items must be the same. It copies what
// it needs of pairs.
func NewRecommender(pairs *Pairs, topics *Topics, weights Weights) *Recommender {
	if topics != nil && topics.items.Rows() != pairs.Items() {
		panic("items: pairs and topics of different items")
	}
	n := pairs.Items()
	r := &Recommender{pairs: pairs.both(), topics: topics, left: make([]float64, n), divisor: make([]float64, n)}
	weighted := 0.0
	for i, c := range pairs.Counts {
		r.all += float64(c)
		weighted += pairs.Weighted[i]
	}
	if r.unit = 1; weighted > 0 {
		r.unit = r.all / weighted
	}
	for i := range n {
		_, together, weights := r.pairs.Row(i)
		kept, keptWeights := 0.0, 0.0
		for x, c := range together {
			kept += float64(c)
			keptWeights += float64(weights[x])
		}
		if missing := float64(pairs.Companions[i]) - kept; missing > 0 {
			ratio := pairs.Weighted[i] / float64(pairs.Counts[i])
			if kept > 0 {
				ratio = keptWeights / kept
			}
			r.left[i] = missing * ratio * r.unit
		}
	}
	r.weigh(weights)
	return r
}

// With returns a recommender with other weights. It shares everything else.
func (r *Recommender) With(w Weights) *Recommender {
	other := *r
	other.divisor = make([]float64, len(r.divisor))
	other.weigh(w)
	return &other
}

// Weights returns the weights.
func (r *Recommender) Weights() Weights { return r.weights }

// Items returns N.
func (r *Recommender) Items() int { return r.pairs.Items() }

// Pairs returns the pairs, each in the rows of both of its items, sorted by item.
func (r *Recommender) Pairs() *Pairs { return r.pairs }

// Topics returns the topics; nil if there are none.
func (r *Recommender) Topics() *Topics { return r.topics }

// Documents returns c_i.
func (r *Recommender) Documents(i int) int64 { return r.pairs.Counts[i] }

func (r *Recommender) weigh(w Weights) {
	if name, ok := w.Check(); !ok {
		panic("items: weight out of range: " + name)
	}
	r.weights = w
	for j := range r.divisor {
		r.divisor[j] = r.discount(r.pairs.Weighted[j])
	}
}

// discount returns (w_j + Shrink)^−Peculiar for a sum of weights.
func (r *Recommender) discount(weighted float64) float64 {
	return math.Pow(r.unit*weighted+r.weights.Shrink, -r.weights.Peculiar)
}

// basketItem is what an item of a basket brings to the score of every other.
type basketItem struct {
	item     int32
	factor   float64 // idf^Rarity/(w_i + Shrink)^Certainty
	expected float64 // factor·(r_i + (Prior + Blend·w_i)·ŝ_i)
}

// basketItem returns what item i brings if its counts are c_i, s_i and w_i.
func (r *Recommender) basketItem(i int32, count, companions int64, weighted float64) basketItem {
	w := &r.weights
	idf := math.Log1p(float64(r.pairs.Documents) / (1 + float64(count)))
	factor := math.Pow(idf, w.Rarity) * math.Pow(r.unit*weighted+w.Shrink, -w.Certainty)
	mean := 1.0
	if count > 0 {
		mean = float64(companions) / float64(count)
	}
	return basketItem{i, factor, factor * (r.left[i] + (w.Prior+w.Blend*r.unit*weighted)*mean)}
}

// of is basketItem with the item's own counts.
func (r *Recommender) of(i int32) basketItem {
	return r.basketItem(i, r.pairs.Counts[i], r.pairs.Companions[i], r.pairs.Weighted[i])
}

// Query is the scratch of one goroutine that asks a recommender.
type Query struct {
	r       *Recommender
	scores  []float64
	mixture []float64
	follow  []float64
}

// NewQuery returns the scratch for queries: 8 bytes per item.
func (r *Recommender) NewQuery() *Query {
	q := &Query{r: r, scores: make([]float64, r.Items())}
	if r.topics != nil {
		q.mixture, q.follow = make([]float64, r.topics.K()), make([]float64, r.topics.K())
	}
	return q
}

// expect sets what is expected without counts: the topics in q.follow, and the factor of c_j/Σ c_j, which it returns.
func (q *Query) expect(basket []basketItem) (popular float64) {
	r := q.r
	share := r.weights.Topics
	if r.topics == nil {
		share = 0
	}
	clear(q.mixture)
	for _, b := range basket {
		popular += (1 - share) * b.expected
		if share > 0 {
			r.topics.addMixture(q.mixture, share*b.expected, b.item)
		}
	}
	if share > 0 {
		r.topics.follow(q.follow, q.mixture)
	}
	return popular / max(r.all, 1)
}

// Scores sets dst, of length N, to the scores of all items for a basket of distinct items. Those of the basket itself are −∞.
func (q *Query) Scores(dst []float64, basket []int32) {
	r := q.r
	known := make([]basketItem, len(basket))
	for x, i := range basket {
		known[x] = r.of(i)
	}
	popular := q.expect(known)
	topics := r.topics != nil && r.weights.Topics > 0
	for j := range dst {
		dst[j] = popular * float64(r.pairs.Counts[j])
		if topics {
			dst[j] += r.topics.at(q.follow, j)
		}
	}
	for _, b := range known {
		others, _, weights := r.pairs.Row(int(b.item))
		for x, j := range others {
			dst[j] += b.factor * r.unit * float64(weights[x])
		}
	}
	for j := range dst {
		dst[j] *= r.divisor[j]
	}
	for _, i := range basket {
		dst[i] = math.Inf(-1)
	}
}

// Suggestion is an item that goes with a basket.
type Suggestion struct {
	Item  int
	Score float64
	// Probability estimates the probability that a document with an item of the basket has this one: the mean over the basket of
	// (c_ij + e_ij)/(c_i + Shrink), where e_ij is what is expected of pairs that were not counted. Lift is Probability divided by
	// the share of documents with the item.
	Probability, Lift float64
	// Pairs is the number of the basket's items that it was counted with, and Together the number of such documents, added up. If
	// Pairs is 0, the suggestion rests on topics and frequencies alone.
	Pairs    int
	Together int64
}

// Suggest returns the n items with the greatest scores for a basket, the best first. Items that occur in the basket twice count
// once. Items without a positive score are left out.
func (q *Query) Suggest(basket []int32, n int) []Suggestion {
	basket = distinct(basket)
	q.Scores(q.scores, basket)
	list := toplist.New(n)
	for j, score := range q.scores {
		if score > 0 {
			list.Offer(j, score)
		}
	}
	var found []Suggestion
	for _, e := range list.Sorted() {
		found = append(found, q.explain(basket, e.Item, e.Score))
	}
	return found
}

// explain says what a score rests on.
func (q *Query) explain(basket []int32, j int, score float64) Suggestion {
	r := q.r
	s := Suggestion{Item: j, Score: score}
	for _, i := range basket {
		c, _ := r.pairs.count(i, int32(j))
		if c > 0 {
			s.Pairs++
			s.Together += int64(c)
		}
		b := r.of(i)
		expected := 0.0
		if c == 0 && b.factor > 0 {
			b.expected /= b.factor
			popular := q.expect([]basketItem{b})
			expected = popular * float64(r.pairs.Counts[j])
			if r.topics != nil && r.weights.Topics > 0 {
				expected += r.topics.at(q.follow, j)
			}
		}
		s.Probability += (float64(c) + expected) / (float64(r.pairs.Counts[i]) + r.weights.Shrink)
	}
	s.Probability = min(s.Probability/float64(max(len(basket), 1)), 1)
	if c := r.pairs.Counts[j]; c > 0 {
		s.Lift = s.Probability * float64(r.pairs.Documents) / float64(c)
	}
	return s
}

// distinct returns the items without those that occur before.
func distinct(basket []int32) []int32 {
	var kept []int32
	seen := map[int32]bool{}
	for _, i := range basket {
		if !seen[i] {
			kept = append(kept, i)
		}
		seen[i] = true
	}
	return kept
}
