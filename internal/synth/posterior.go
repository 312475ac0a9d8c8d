// This file estimates the model from the documents with everything known that can help: the prior, and where to begin.

package synth

import (
	"context"
	"errors"
	"slices"

	"anchorage/internal/random"
)

const (
	// posteriorSweeps is the number of sweeps over all tokens. The first posteriorBurn leave the drawn topics; the counts
	// of the others are averaged.
	posteriorSweeps = 60
	posteriorBurn   = 20
	// posteriorItem is the parameter of the Dirichlet prior of a topic's items: rows of B are sparse, so it is small.
	posteriorItem = 0.05
)

// Posterior estimates B and A by collapsed Gibbs sampling (Griffiths & Steyvers, PNAS 101, 2004) that begins at the
// drawn topics of all tokens and has the Dirichlet prior that documents were drawn from: about what the documents tell
// of the topics, where no wrong start and no wrong prior misleads. A topic that gets no tokens has the estimate 0. It
// makes the given number of sweeps, one token after the other, and takes 8 bytes per token and 4·(M+2N)·K. The error is
// that of ctx, or says that the prior is not a Dirichlet distribution.
func (c *Drawn) Posterior(ctx context.Context) (e Estimate, sweeps int, err error) {
	if c.Model.Logistic != nil {
		return e, 0, errors.New("the documents have no Dirichlet prior")
	}
	g := c.newSampler()
	k := c.Model.Topics
	mean := make([]float32, len(g.byItem)) // Σ of n_ik over the sweeps that count
	source := random.NewSource()
	for sweep := range posteriorSweeps {
		if err := ctx.Err(); err != nil {
			return e, 0, err
		}
		source.Seek(c.Model.Seed, random.SyntheticSweep, uint64(sweep))
		g.sweep(source)
		if sweep >= posteriorBurn {
			for i, n := range g.byItem {
				mean[i] += float32(n)
			}
		}
	}
	totals := make([]float64, k)
	for i, v := range mean {
		totals[i%k] += float64(v)
	}
	row := func(dst []float64, i int) {
		for j := range dst {
			if dst[j] = 0; totals[j] > 0 {
				dst[j] = float64(mean[i*k+j]) / totals[j]
			}
		}
	}
	return Estimate{Row: row, Correlations: g.joint()}, posteriorSweeps, nil
}

// sampler holds all tokens and the counts of their topics.
type sampler struct {
	alpha      []float64 // of the prior of documents
	topics     []int32   // of the tokens
	items      []int32
	offsets    []int   // document d has the tokens offsets[d] to offsets[d+1]−1
	byItem     []int32 // N×K
	byDocument []int32 // M×K
	byTopic    []float64
	cumulative []float64 // scratch
}

// newSampler draws all documents.
func (c *Drawn) newSampler() *sampler {
	k := c.Model.Topics
	g := &sampler{alpha: c.prior.alpha, offsets: []int{0}, byItem: make([]int32, c.Model.Items*k),
		byDocument: make([]int32, c.Model.Documents*k),
		byTopic:    make([]float64, k), cumulative: make([]float64, k)}
	m := c.newMaker()
	for d := range c.Model.Documents {
		m.draw(d)
		for t, topic := range m.topics {
			g.byItem[int(m.items[t])*k+int(topic)]++
			g.byDocument[d*k+int(topic)]++
			g.byTopic[topic]++
		}
		g.topics, g.items = append(g.topics, m.topics...), append(g.items, m.items...)
		g.offsets = append(g.offsets, len(g.topics))
	}
	g.topics, g.items = slices.Clip(g.topics), slices.Clip(g.items)
	return g
}

// sweep draws the topic of every token given those of all others:
//
//	p(k) ∝ (n_dk + α_k)·(n_ik + β)/(n_k + Nβ)
func (g *sampler) sweep(s *random.Source) {
	k := len(g.alpha)
	rest := posteriorItem * float64(len(g.byItem)/k)
	for d := range len(g.offsets) - 1 {
		document := g.byDocument[d*k:][:k]
		for t := g.offsets[d]; t < g.offsets[d+1]; t++ {
			item, old := g.byItem[int(g.items[t])*k:][:k], g.topics[t]
			item[old]--
			document[old]--
			g.byTopic[old]--
			sum := 0.0
			for j := range g.cumulative {
				sum += (float64(document[j]) + g.alpha[j]) * (float64(item[j]) + posteriorItem) / (g.byTopic[j] + rest)
				g.cumulative[j] = sum
			}
			topic := search(g.cumulative, s.Float64()*sum)
			g.topics[t] = int32(topic)
			item[topic]++
			document[topic]++
			g.byTopic[topic]++
		}
	}
}

// joint returns the mean over documents of E[θθᵀ] given the topics of their tokens, K×K.
func (g *sampler) joint() []float64 {
	k := len(g.alpha)
	a, gamma := make([]float64, k*k), make([]float64, k)
	documents := len(g.offsets) - 1
	for d := range documents {
		total := 0.0
		for j := range gamma {
			gamma[j] = float64(g.byDocument[d*k+j]) + g.alpha[j]
			total += gamma[j]
		}
		share := 1 / (total * (total + 1) * float64(documents))
		for i, u := range gamma {
			row := a[i*k:][:k]
			for j, v := range gamma {
				row[j] += share * u * v
			}
			row[i] += share * u
		}
	}
	return a
}
