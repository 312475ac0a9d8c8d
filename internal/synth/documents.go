// This file draws documents.

package synth

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// batchDocuments is the number of documents that one goroutine draws and a pass delivers at a time.
const batchDocuments = 2048

// maker draws documents one by one. It belongs to one goroutine.
type maker struct {
	*random.Source
	corpus  *Drawn
	topics  []int32   // of the tokens
	items   []int32   // of the tokens
	mixture []float64 // scratch of prior.draw
}

func (c *Drawn) newMaker() *maker {
	return &maker{Source: random.NewSource(), corpus: c, mixture: make([]float64, c.Model.Topics)}
}

// draw draws document d: topics and items of its tokens, in the order in which they are drawn.
func (m *maker) draw(d int) {
	m.Seek(m.corpus.Model.Seed, random.SyntheticDocument, uint64(d))
	n := m.corpus.Model.length(m.Source)
	m.topics = slices.Grow(m.topics[:0], n)[:n]
	m.items = slices.Grow(m.items[:0], n)[:n]
	m.corpus.prior.draw(m.Source, m.topics, m.mixture)
	for t, k := range m.topics {
		m.items[t] = m.corpus.tables[k].draw(m.Uint64())
	}
}

// appendTo adds document d to docs.
func (m *maker) appendTo(docs *corpus.Documents, d int) {
	m.draw(d)
	slices.Sort(m.items)
	for t, item := range m.items {
		if t > 0 && item == m.items[t-1] {
			docs.Counts[len(docs.Counts)-1]++
			continue
		}
		docs.Items, docs.Counts = append(docs.Items, item), append(docs.Counts, 1)
	}
	docs.Offsets = append(docs.Offsets, int32(len(docs.Items)))
}

// fill overwrites docs with documents [first, last).
func (m *maker) fill(docs *corpus.Documents, first, last int) {
	docs.Offsets, docs.Items, docs.Counts = append(docs.Offsets[:0], 0), docs.Items[:0], docs.Counts[:0]
	for d := first; d < last; d++ {
		m.appendTo(docs, d)
	}
}

// Pass calls fn with all documents, in order and in batches. A batch is valid until fn returns. Pass is a corpus.Pass;
// several may run at once. It returns the first error of fn, or that of ctx.
func (c *Drawn) Pass(ctx context.Context, fn func(*corpus.Documents) error) error {
	documents := c.Model.Documents
	window := 2 * kernel.Workers(c.Model.Workers) // batches drawn at a time
	makers, batches := make([]*maker, window), make([]corpus.Documents, window)
	for i := range makers {
		makers[i] = c.newMaker()
	}
	for first := 0; first < documents; first += window * batchDocuments {
		count := min(window, (documents-first+batchDocuments-1)/batchDocuments)
		err := kernel.Parallel(ctx, c.Model.Workers, count, func(b int) error {
			start := first + b*batchDocuments
			makers[b].fill(&batches[b], start, min(start+batchDocuments, documents))
			return nil
		})
		if err != nil {
			return err
		}
		for b := range count {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(&batches[b]); err != nil {
				return err
			}
		}
	}
	return nil
}
