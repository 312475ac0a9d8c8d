// This file compares learned topics with the truth, and estimates them with the topic of every token known: the floor
// that methods, which see only items, are held against.

package synth

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"anchorage/internal/assignment"
	"anchorage/internal/toplist"
)

// Estimate is a model learned from a corpus.
type Estimate struct {
	Items        []int32                    // the item of each row of B; nil for all items in their order
	Row          func(dst []float64, r int) // sets dst to row r of B: K non-negative values
	Correlations []float64                  // A, K×K
	Anchors      []int                      // of each topic, the row of B of its anchor; nil for a method without anchors
}

// The classes of items by frequency. Sorted by decreasing frequency, common items make up the first 50 % of all tokens,
// middling items the next 40 %, and rare items the last 10 %.
const (
	Common = iota
	Middling
	Rare
	Classes
)

// classEnds are the shares of all tokens at which the classes end.
var classEnds = [Classes - 1]float64{0.5, 0.9}

// Recovery measures the error of an Estimate. Topics are matched so that ErrorB is minimal.
type Recovery struct {
	Matched []int   // the true topic of each learned topic
	ErrorB  float64 // mean over the topics of ‖b̂_k − b_k‖₁, from 0 to 2
	Cosine  float64 // mean over the topics of b̂_k·b_k/(‖b̂_k‖·‖b_k‖); 0 for b̂_k = 0
	// ErrorA is ‖Â − A‖_F/‖A‖_F, and DistanceA is Σ_kl |Â_kl − A_kl|, from 0 to 2.
	ErrorA, DistanceA float64
	// Anchors is the share of the topics whose anchor is an anchor of the matched topic. It is NaN for a method without
	// anchors.
	Anchors float64
	Class   [Classes]ClassRecovery
}

// ClassRecovery measures one class of items. Mass and Error are means over the topics.
type ClassRecovery struct {
	Items int
	Mass  float64 // Σ_i B_ik over its items
	Error float64 // Σ_i |B̂_ik − B_ik| over its items; the errors of all classes sum to ErrorB
}

// Relative returns Error/Mass.
func (c ClassRecovery) Relative() float64 { return c.Error / c.Mass }

// Class returns the class of every item.
func (t *Truth) Class() []int {
	class := make([]int, t.Items)
	at, mass := 0, 0.0
	for _, i := range toplist.Order(t.Probabilities) {
		for at < len(classEnds) && mass >= classEnds[at] {
			at++
		}
		class[i] = at
		mass += t.Probabilities[i]
	}
	return class
}

// Recover compares an estimate with the truth. Both must have the same number of topics. Items that the estimate lacks
// count with probability 0. The time is O(N·K) for the learned B, O(K) per entry of the true B, and O(K³) for the
// matching.
func (t *Truth) Recover(e Estimate) Recovery {
	k := t.Topics
	if len(e.Correlations) != k*k || e.Anchors != nil && len(e.Anchors) != k {
		panic("synth: the estimate has another number of topics than the truth")
	}
	class := t.Class()
	r := Recovery{Matched: assignment.Least(t.distances(&e), k)}
	for i, c := range class {
		r.Class[c].Items++
		_, values := t.Row(i)
		for _, v := range values {
			r.Class[c].Mass += v / float64(k)
			r.Class[c].Error += v / float64(k)
		}
	}
	learned := make([]int, k) // of each true topic
	for a, b := range r.Matched {
		learned[b] = a
	}
	dots, squares, truths := make([]float64, k), make([]float64, k), make([]float64, k) // of each learned topic
	for i := range t.Items {
		topics, values := t.Row(i)
		for j, b := range topics {
			truths[learned[b]] += values[j] * values[j]
		}
	}
	t.eachRow(&e, func(i int, row []float64, topics []int32, values []float64) {
		sum := 0.0
		for a, v := range row {
			sum += v
			squares[a] += v * v
		}
		for j, b := range topics {
			v := row[learned[b]]
			sum += math.Abs(v-values[j]) - v - values[j]
			dots[learned[b]] += v * values[j]
		}
		r.Class[class[i]].Error += sum / float64(k)
	})
	for _, c := range r.Class {
		r.ErrorB += c.Error
	}
	for a, dot := range dots {
		if dot > 0 {
			r.Cosine += dot / math.Sqrt(squares[a]*truths[a]) / float64(k)
		}
	}
	t.compareJoint(&r, e.Correlations)
	if e.Anchors == nil {
		r.Anchors = math.NaN()
		return r
	}
	for a, b := range r.Matched {
		if slices.Contains(t.Anchors[b], e.item(e.Anchors[a])) {
			r.Anchors += 1 / float64(k)
		}
	}
	return r
}

// compareJoint notes the errors of a learned A, once its topics are matched.
func (t *Truth) compareJoint(r *Recovery, learned []float64) {
	k := t.Topics
	squares, norm := 0.0, 0.0
	for a, b := range r.Matched {
		for c, d := range r.Matched {
			v := t.Correlations[b*k+d]
			difference := learned[a*k+c] - v
			squares += difference * difference
			norm += v * v
			r.DistanceA += math.Abs(difference)
		}
	}
	r.ErrorA = math.Sqrt(squares / norm)
}

// distances returns ‖b̂_a − b_b‖₁ for all learned topics a and true topics b, K×K. Where B is zero, |B̂ − B| = B̂. So a
// distance is the sum of the two column sums, corrected at the non-zero entries of B.
func (t *Truth) distances(e *Estimate) []float64 {
	k := t.Topics
	d := make([]float64, k*k)
	sums := make([]float64, k)
	t.eachRow(e, func(_ int, row []float64, topics []int32, values []float64) {
		for a, v := range row {
			sums[a] += v
		}
		for j, b := range topics {
			w := values[j]
			for a, v := range row {
				d[a*k+int(b)] += math.Abs(v-w) - v - w
			}
		}
	})
	for a, sum := range sums {
		for b := range k {
			d[a*k+b] += sum + 1
		}
	}
	return d
}

// eachRow calls fn for every row of the estimate, with its item, the row, and the item's row of the true B.
func (t *Truth) eachRow(e *Estimate, fn func(i int, row []float64, topics []int32, values []float64)) {
	count := t.Items
	if e.Items != nil {
		count = len(e.Items)
	}
	row := make([]float64, t.Topics)
	for r := range count {
		e.Row(row, r)
		i := e.item(r)
		topics, values := t.Row(i)
		fn(i, row, topics, values)
	}
}

// item returns the item of row r.
func (e *Estimate) item(r int) int {
	if e.Items == nil {
		return r
	}
	return int(e.Items[r])
}

// Oracle is what is learned of a corpus by one that is told the topic of every token. Its estimates are
//
//	B̂_ik = n_ik/n_k                                      n_ik tokens of item i and topic k, of n_k tokens of topic k
//	Â    = mean over documents of (n·nᵀ − diag(n))/(m(m−1))    n, the topics' counts in a document of m tokens
//
// B̂ is the estimate of maximum likelihood. Â is the unbiased estimate from pairs of tokens, as C is made of pairs.
// An Oracle takes 4 bytes for each non-zero entry of the true B.
type Oracle struct {
	TopicJoint []float64 // Â, K×K

	truth  *Truth
	counts []uint32  // n_ik for the non-zero entries of the true B, in their order; elsewhere it is 0
	totals []float64 // n_k
}

// Oracle draws all documents and counts the topics of their tokens. The error is that of ctx.
func (c *Drawn) Oracle(ctx context.Context) (*Oracle, error) {
	k := c.Model.Topics
	o := &Oracle{TopicJoint: make([]float64, k*k), truth: c.Truth, counts: make([]uint32, len(c.Truth.values))}
	err := inBatches(ctx, c, func() *pairCounter {
		return &pairCounter{maker: c.newMaker(), joint: make([]float64, k*k), counts: make([]int32, k)}
	}, func(p *pairCounter, first, last int) { p.count(o, first, last) }, func(p *pairCounter) error {
		for i, v := range p.joint { // in the order of documents, so that sums do not depend on the workers
			o.TopicJoint[i] += v / float64(c.Model.Documents)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.totals = make([]float64, k)
	for e, topic := range c.Truth.topics {
		o.totals[topic] += float64(o.counts[e])
	}
	return o, nil
}

// pairCounter counts the topics of some documents' tokens. It belongs to one goroutine.
type pairCounter struct {
	*maker
	joint   []float64 // Σ over documents, K×K
	counts  []int32   // of a document's tokens by topic; zero between documents
	present []int32   // the topics of a document
}

// count draws documents [first, last) and counts their tokens.
func (p *pairCounter) count(o *Oracle, first, last int) {
	clear(p.joint)
	k := o.truth.Topics
	for d := first; d < last; d++ {
		p.draw(d)
		p.present = p.present[:0]
		for t, topic := range p.topics {
			if p.counts[topic] == 0 {
				p.present = append(p.present, topic)
			}
			p.counts[topic]++
			atomic.AddUint32(&o.counts[o.truth.entry(int(p.items[t]), topic)], 1)
		}
		n := float64(len(p.topics))
		share := 1 / (n * (n - 1))
		for _, a := range p.present {
			row := p.joint[int(a)*k:][:k]
			for _, b := range p.present {
				row[b] += share * float64(p.counts[a]) * float64(p.counts[b])
			}
			row[a] -= share * float64(p.counts[a])
		}
		for _, a := range p.present {
			p.counts[a] = 0
		}
	}
}

// entry returns the place of B_ik among the non-zero entries.
func (t *Truth) entry(i int, topic int32) int {
	start := t.offsets[i]
	at, ok := slices.BinarySearch(t.topics[start:t.offsets[i+1]], topic)
	if !ok {
		panic("synth: a token has an item that its topic lacks")
	}
	return start + at
}

// Estimate returns B̂ and Â.
func (o *Oracle) Estimate() Estimate {
	return Estimate{Correlations: o.TopicJoint, Row: func(dst []float64, i int) {
		clear(dst)
		for e := o.truth.offsets[i]; e < o.truth.offsets[i+1]; e++ {
			if k := o.truth.topics[e]; o.totals[k] > 0 {
				dst[k] = float64(o.counts[e]) / o.totals[k]
			}
		}
	}}
}
