// This file estimates the model with the topic of every token known: the floor that methods, which see only items, are
// held against.

package synth

import (
	"context"
	"slices"
	"sync/atomic"
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
