// This file answers queries: it scores all items for a basket and returns the best.

package items

import (
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/toplist"
)

// Query is the scratch of one goroutine that asks a recommender.
type Query struct {
	r       *Recommender
	mixture []float64
	follow  []float64
	single  []float32 // follow, for the kernels
	counted []float64 // what pairs add to the score of each item; zero between queries, nil before the first Suggest
}

// NewQuery returns the scratch for queries: 8 bytes per item once Suggest was called.
func (r *Recommender) NewQuery() *Query {
	q := &Query{r: r}
	if r.topics != nil {
		k := r.topics.K()
		q.mixture, q.follow, q.single = make([]float64, k), make([]float64, k), make([]float32, k)
	}
	return q
}

// topical reports whether topics are part of the score.
func (r *Recommender) topical() bool { return r.topics != nil && r.weights.Topics > 0 }

// expect sets what is expected without counts: the topics in q.follow, and the factor of c_j/Σ c_j, which it returns.
func (q *Query) expect(basket ...basketItem) (popular float64) {
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

// expected returns what is expected of item j, given the result of expect.
func (q *Query) expected(j int, popular float64) float64 {
	sum := popular * float64(q.r.pairs.Counts[j])
	if q.r.topical() {
		sum += q.r.topics.at(q.follow, j)
	}
	return sum
}

// begin prepares the score of a basket: it adds what pairs say to dst, sets the basket's own items to −∞, and returns
// the result of expect.
func (q *Query) begin(dst []float64, basket []int32) (popular float64) {
	r := q.r
	known := make([]basketItem, len(basket))
	for x, i := range basket {
		known[x] = r.of(i)
		others, _, weights := r.pairs.Row(int(i))
		for y, j := range others {
			dst[j] += known[x].factor * r.unit * float64(weights[y])
		}
	}
	for _, i := range basket {
		dst[i] = math.Inf(-1)
	}
	return q.expect(known...)
}

// Scores sets dst, of length N, to the scores of all items for a basket of distinct items. Those of the basket itself
// are −∞. It computes in double precision.
func (q *Query) Scores(dst []float64, basket []int32) {
	clear(dst)
	popular := q.begin(dst, basket)
	for j := range dst {
		dst[j] = (dst[j] + q.expected(j, popular)) * q.r.divisor[j]
	}
}

// Suggestion is an item that goes with a basket.
type Suggestion struct {
	Item  int
	Score float64
	// Probability estimates the probability that a document with an item of the basket has this one: the mean over the
	// basket of (c_ij + e_ij)/(c_i + Shrink), where e_ij is what is expected of pairs that were not counted. Lift is
	// Probability divided by the share of documents with the item.
	Probability, Lift float64
	// Pairs is the number of the basket's items that it was counted with, and Together the number of such documents, added
	// up. If Pairs is 0, the suggestion rests on topics and frequencies only.
	Pairs    int
	Together int64
}

// Suggest is Query.Suggest with scratch that the recommender keeps. Several goroutines may call it at once.
func (r *Recommender) Suggest(basket []int32, n int) []Suggestion {
	q := r.queries.Get().(*Query)
	defer r.queries.Put(q)
	return q.Suggest(basket, n)
}

// spare is how many more items than asked for are scored in double precision: single precision may put items in another
// order, and does so differently with other instructions.
const spare = 32

// Suggest returns the n items with the greatest scores for a basket, the best first. Items that occur in the basket
// twice count once. Items without a positive score are left out. It reads what topics say of all items once, in single
// precision through the kernels, and scores the best again in double precision.
func (q *Query) Suggest(basket []int32, n int) []Suggestion {
	if n <= 0 {
		return nil
	}
	if q.counted == nil {
		q.counted = make([]float64, q.r.Items())
	}
	basket = distinct(basket)
	popular := q.begin(q.counted, basket)
	list := toplist.New(n)
	for _, e := range q.best(popular, n+spare) {
		list.Offer(e.Item, (q.counted[e.Item]+q.expected(e.Item, popular))*q.r.divisor[e.Item])
	}
	q.clean(basket)
	var found []Suggestion
	for _, e := range list.Sorted() {
		found = append(found, Suggestion{Item: e.Item, Score: e.Score})
	}
	q.explain(basket, found)
	return found
}

// best returns the items of the greatest positive scores in single precision.
func (q *Query) best(popular float64, n int) []toplist.Entry {
	r := q.r
	if !r.topical() {
		list := toplist.New(n)
		q.offer(&list, 0, r.Items(), popular, nil)
		return list.Sorted()
	}
	for k, v := range q.follow {
		q.single[k] = float32(v)
	}
	items := r.topics.single()
	lists := make([]toplist.List, kernel.Pieces(items))
	for p := range lists {
		lists[p] = toplist.New(n)
	}
	kernel.EachScore(items, q.single, 1, func(piece, first int, scores []float32) {
		q.offer(&lists[piece], first, first+len(scores), popular, scores)
	})
	near := toplist.New(n)
	for p := range lists {
		near.Merge(&lists[p])
	}
	return near.Sorted()
}

// offer offers the items first to last−1 to a list. topics is what topics say of them; it may be nil.
func (q *Query) offer(list *toplist.List, first, last int, popular float64, topics []float32) {
	floor := 0.0
	if worst, full := list.Worst(); full {
		floor = worst.Score
	}
	counts, divisor, counted := q.r.pairs.Counts[first:last], q.r.divisor[first:last], q.counted[first:last]
	for x, c := range counts {
		score := counted[x] + popular*float64(c)
		if topics != nil {
			score += float64(topics[x])
		}
		if score *= divisor[x]; score <= floor {
			continue
		}
		list.Offer(first+x, score)
		if worst, full := list.Worst(); full {
			floor = worst.Score // a later item of the same score comes after it
		}
	}
}

// clean makes q.counted zero again.
func (q *Query) clean(basket []int32) {
	for _, i := range basket {
		others, _, _ := q.r.pairs.Row(int(i))
		for _, j := range others {
			q.counted[j] = 0
		}
	}
	for _, i := range basket {
		q.counted[i] = 0
	}
}

// explain sets what scores rest on.
func (q *Query) explain(basket []int32, found []Suggestion) {
	r := q.r
	for _, i := range basket {
		b, popular := r.of(i), 0.0
		if b.factor > 0 {
			b.expected /= b.factor
			popular = q.expect(b)
		}
		for x := range found {
			s := &found[x]
			c, _ := r.pairs.count(i, int32(s.Item))
			together := float64(c)
			if c > 0 {
				s.Pairs++
				s.Together += int64(c)
			} else if b.factor > 0 {
				together = q.expected(s.Item, popular)
			}
			s.Probability += together / (float64(r.pairs.Counts[i]) + r.weights.Shrink)
		}
	}
	for x := range found {
		s := &found[x]
		s.Probability = min(s.Probability/float64(len(basket)), 1)
		if c := r.pairs.Counts[s.Item]; c > 0 {
			s.Lift = s.Probability * float64(r.pairs.Documents) / float64(c)
		}
	}
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
