// This file answers queries: the best items for a basket, why they are, and how alike items are by what they were
// counted with.

package items

import (
	"math"
	"slices"

	"anchorage/internal/toplist"
)

// Suggestion is an item that goes with a basket.
type Suggestion struct {
	Item  int
	Score float64
	// Probability estimates the probability that a document with the basket has the item: the score before it is divided
	// by (w_j + 5)^Peculiar, within 0 and 1. Lift is Probability divided by the share of documents with the item.
	Probability, Lift float64
	// Pairs is the number of the basket's items that it was counted with, and Together the number of such documents, added
	// up. If Pairs is 0, the suggestion rests on topics and frequencies only.
	Pairs    int
	Together int64
	// Because has the items of the basket that speak most for the item, the first most; −1 where there is none. Topic is
	// the topic that speaks most for it, −1 without topics.
	Because [2]int32
	Topic   int
}

// Suggest is Query.Suggest with scratch that the recommender keeps. More are the mixtures of items of the basket that
// have no numbers; it may be nil. Several goroutines may call Suggest at once.
func (r *Recommender) Suggest(basket []int32, more [][]float64, n int) []Suggestion {
	q := r.queries.Get().(*Query)
	defer r.queries.Put(q)
	q.more = more
	defer func() { q.more = nil }()
	return q.Suggest(nil, basket, n, false)
}

// Suggest appends to dst the n items with the greatest scores for a basket, the best first. Items that occur in the
// basket twice count once, and are left out unless keep is set. Items without a positive score are left out. Behind
// those that the pairs reach come those of the basket's topics: pairs say nothing of cold and rare items.
func (q *Query) Suggest(dst []Suggestion, basket []int32, n int, keep bool) []Suggestion {
	begin := len(dst)
	list, found := q.fromHeads(basket, n, keep)
	if !found {
		list = toplist.New(n)
		q.reach(basket, nil, nil)
		q.best(&list, keep)
	}
	for _, e := range list.Sorted() {
		dst = append(dst, q.explain(e))
	}
	if len(dst)-begin == n || q.r.cold == nil {
		return dst
	}
	if q.cold == nil {
		q.cold = q.r.cold().NewQuery()
	}
	reached := dst[begin:]
	q.cold.more = q.more
	for _, s := range q.cold.Suggest(nil, basket, n, keep) {
		if len(dst)-begin < n && !slices.ContainsFunc(reached, func(of Suggestion) bool { return of.Item == s.Item }) {
			dst = append(dst, s)
		}
	}
	return dst
}

// explain says what a score rests on.
func (q *Query) explain(found toplist.Entry) Suggestion {
	r, j := q.r, int32(found.Item)
	s := Suggestion{Item: found.Item, Score: found.Score, Because: [2]int32{-1, -1}, Topic: -1}
	s.Probability = min(max(found.Score/r.divisor[j], 0), 1)
	if c := r.pairs.Counts[j]; c > 0 {
		s.Lift = s.Probability * float64(r.pairs.Documents) / float64(c)
	}
	var most [2]float64
	for x, i := range q.basket {
		at := r.pairs.place(i, j)
		if at < 0 {
			continue
		}
		s.Pairs++
		s.Together += int64(r.pairs.Together[at])
		part := r.setting.Pairs * float64(q.factors[x]*r.pairs.Weights[at])
		if r.base != nil {
			part += r.setting.Inverse * float64(r.pairs.Inverse[at])
		}
		switch {
		case part > most[0]:
			most[1], s.Because[1] = most[0], s.Because[0]
			most[0], s.Because[0] = part, i
		case part > most[1]:
			most[1], s.Because[1] = part, i
		}
	}
	if r.topics != nil {
		share := 0.0
		for k, v := range r.topics.items.Row(int(j)) {
			if v *= q.follow[k]; v > share {
				share, s.Topic = v, k
			}
		}
	}
	return s
}

// Cosines returns the cosine of item i with every item j, by their rows of pairs: vectors with w_il/(w_l + 1)^½ for
// every l that was kept as a neighbour of i, or that i was kept as one of. It is 0 for items without pairs. Each call
// reads the rows of what i was counted with.
func (r *Recommender) Cosines(i int) []float64 {
	products, lengths := make([]float64, r.Items()), r.lengths()
	others, _, weights := r.pairs.Row(i)
	for x, l := range others {
		factor := float64(weights[x]) * r.share(l)
		also, _, theirs := r.pairs.Row(int(l))
		for y, j := range also {
			products[j] += factor * float64(theirs[y])
		}
	}
	for j, product := range products {
		if product != 0 {
			products[j] = product / (lengths[i] * lengths[j])
		}
	}
	return products
}

// share returns the square of (w_l + 1)^−½.
func (r *prepared) share(l int32) float64 { return 1 / (r.pairs.Weighted[l] + 1) }

// rowLengths returns the lengths of the rows.
func (r *prepared) rowLengths() []float64 {
	lengths := make([]float64, r.pairs.Items())
	for j := range lengths {
		sum := 0.0
		others, _, weights := r.pairs.Row(j)
		for x, l := range others {
			sum += float64(weights[x]) * float64(weights[x]) * r.share(l)
		}
		lengths[j] = math.Sqrt(sum)
	}
	return lengths
}
