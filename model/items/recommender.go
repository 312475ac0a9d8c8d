// This file defines Recommender: what the score of an item takes from pairs, topics and frequencies.

package items

import (
	"math"
	"sync"
)

// Recommender scores items for baskets. Several goroutines may use it at once.
type Recommender struct {
	pairs   *Pairs  // in both directions
	topics  *Topics // may be nil
	weights Weights

	unit    float64   // Σ c_i/Σ w_i
	all     float64   // Σ_i c_i
	left    []float64 // r_i
	divisor []float64 // (w_j + Shrink)^−Peculiar
	lengths []float64 // of the rows that Cosines compares

	queries *sync.Pool // of *Query, for Suggest
}

// NewRecommender returns a recommender of pairs and topics; topics may be nil. The number of items must be the same. It
// copies what it needs of pairs.
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
	r.lengths = r.rowLengths()
	r.weigh(weights)
	r.pool()
	return r
}

func (r *Recommender) pool() { r.queries = &sync.Pool{New: func() any { return r.NewQuery() }} }

// With returns a recommender with other weights. It shares everything else.
func (r *Recommender) With(w Weights) *Recommender {
	other := *r
	other.divisor = make([]float64, len(r.divisor))
	other.weigh(w)
	other.pool()
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
