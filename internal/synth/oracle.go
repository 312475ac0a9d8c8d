// This file estimates the model with the topic of every token known: the floor that methods, which see only items, are
// held against.

package synth

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"anchorage/internal/kernel"
)

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
	seen   []float64 // share of each item in all tokens
}

// Oracle draws all documents and counts the topics of their tokens. The error is that of ctx.
func (c *Drawn) Oracle(ctx context.Context) (*Oracle, error) {
	k := c.Model.Topics
	o := &Oracle{TopicJoint: make([]float64, k*k), truth: c.Truth, counts: make([]uint32, len(c.Truth.values))}
	documents := c.Model.Documents
	window := 2 * kernel.Workers(c.Model.Workers) // batches drawn at a time
	counters := make([]*pairCounter, window)
	for i := range counters {
		counters[i] = &pairCounter{maker: c.newMaker(), joint: make([]float64, k*k), counts: make([]int32, k)}
	}
	for first := 0; first < documents; first += window * batchDocuments {
		count := min(window, (documents-first+batchDocuments-1)/batchDocuments)
		err := kernel.Parallel(ctx, c.Model.Workers, count, func(b int) error {
			start := first + b*batchDocuments
			counters[b].count(o, start, min(start+batchDocuments, documents))
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, counter := range counters[:count] { // in the order of documents, so that sums do not depend on the workers
			for i, v := range counter.joint {
				o.TopicJoint[i] += v / float64(documents)
			}
		}
	}
	o.complete()
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

// complete sums up the counts.
func (o *Oracle) complete() {
	o.totals, o.seen = make([]float64, o.truth.Topics), make([]float64, o.truth.Items)
	tokens := 0.0
	for i := range o.seen {
		for e := o.truth.offsets[i]; e < o.truth.offsets[i+1]; e++ {
			n := float64(o.counts[e])
			o.totals[o.truth.topics[e]] += n
			o.seen[i] += n
			tokens += n
		}
	}
	for i := range o.seen {
		o.seen[i] /= tokens
	}
}

// Estimate returns the estimate of B, drawn by a weight from 0 to 1 towards the items' frequencies p̂, and that of A:
//
//	B̃_ik = (1−weight)·n_ik/n_k + weight·p̂_i
func (o *Oracle) Estimate(weight float64) Estimate {
	return Estimate{Correlations: o.TopicJoint, Row: func(dst []float64, i int) {
		for k := range dst {
			dst[k] = weight * o.seen[i]
		}
		for e := o.truth.offsets[i]; e < o.truth.offsets[i+1]; e++ {
			if k := o.truth.topics[e]; o.totals[k] > 0 {
				dst[k] += (1 - weight) * float64(o.counts[e]) / o.totals[k]
			}
		}
	}}
}

// ExpectedErrorB returns the error that B̂ has in expectation, by the normal approximation of the binomial
// distribution: the mean over topics of Σ_i √(2·B_ik·(1−B_ik)/(π·n_k)). It is somewhat too large where items are rarer
// than a few tokens. The estimate of a topic without tokens is 0, and so the error is 1.
func (o *Oracle) ExpectedErrorB() float64 {
	sum := 0.0
	for e, b := range o.truth.values {
		if total := o.totals[o.truth.topics[e]]; total > 0 {
			sum += math.Sqrt(2 * b * (1 - b) / (math.Pi * total))
		} else {
			sum += b
		}
	}
	return sum / float64(o.truth.Topics)
}

// BestWeight returns the weight of Estimate with the least error of B, 0 where none is better than that. Only the truth
// says it. The error is convex in the weight, so an interval shrinks around the least one by thirds.
func (o *Oracle) BestWeight() float64 {
	low, high := 0.0, 1.0
	for high-low > 1e-4 {
		third := (high - low) / 3
		if o.errorB(low+third) <= o.errorB(high-third) {
			high -= third
		} else {
			low += third
		}
	}
	if best := (low + high) / 2; o.errorB(best) < o.errorB(0) {
		return best
	}
	return 0
}

// errorB returns the mean ℓ1 error of Estimate's B. Where the true B is 0 the estimate is the weight times p̂, so that
// only the other entries are visited.
func (o *Oracle) errorB(weight float64) float64 {
	sum := weight * float64(o.truth.Topics) // as if B were 0 everywhere, and n_ik too
	for i, seen := range o.seen {
		for e := o.truth.offsets[i]; e < o.truth.offsets[i+1]; e++ {
			v := weight * seen
			sum -= v
			if total := o.totals[o.truth.topics[e]]; total > 0 {
				v += (1 - weight) * float64(o.counts[e]) / total
			}
			sum += math.Abs(v - o.truth.values[e])
		}
	}
	return sum / float64(o.truth.Topics)
}
