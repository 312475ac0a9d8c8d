// This file holds the product of C with a block of vectors, accumulated document by document in one pass.

package sketch

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/stream"
)

// Pass reads all documents once: it calls fn with consecutive runs of them, in the same order every time. A sketch is
// made of one or more passes over the same documents.
type Pass func(ctx context.Context, fn func(*stream.Documents) error) error

// product accumulates Σ_m w_m·h_m·(h_mᵀ·X), w_m = 1/(n_m(n_m−1)), over the documents it is given. What is missing to
// C·X, the diagonal and the division by M, is applied at the end: neither is known before all documents are.
//
// With item weights ω it takes ω_i·h_im in place of h_im and w_m = 1/((Σ_i ω_i·h_im)² − Σ_i ω_i²·h_im): see Options.
//
// Every row of the result is the sum of its documents' shares in the order of the documents, whoever computes it: rows,
// not documents, are shared out among workers. So the result has the same bits for any number of workers and any batches.
type product struct {
	out     *kernel.Tall
	addRow  func(z []float64, item int, weight float64) // z += weight·X_item
	workers int
	// itemWeights are ω; nil where every item weighs 1.
	itemWeights []float64

	z       []float64 // w_m·h_mᵀ·X of the documents at hand, one row each
	weights []float64 // w_m of the documents at hand
	starts  []int     // first rows of the ranges that are shared out
}

// zBytes bounds the memory of product.z, so that it stays in the caches near the processors.
const zBytes = 4 << 20

// add accumulates documents; those with fewer than two tokens have no pair and add nothing. Marginals may be nil.
func (p *product) add(ctx context.Context, docs *stream.Documents, marginals *Marginals) error {
	stride := p.out.Stride()
	chunk := max(zBytes/8/max(stride, 1), 64)
	for first := 0; first < docs.Documents(); first += chunk {
		last := min(first+chunk, docs.Documents())
		if err := p.project(ctx, docs, first, last); err != nil {
			return err
		}
		p.split(docs, first, last)
		err := kernel.Parallel(ctx, p.workers, len(p.starts)-1, func(r int) error {
			p.accumulate(docs, first, last, p.starts[r], p.starts[r+1], marginals)
			return nil
		})
		if err != nil {
			return err
		}
		if marginals != nil {
			for _, w := range p.weights {
				if w > 0 {
					marginals.Documents++
				}
			}
		}
	}
	return nil
}

// project computes the weights and rows of z for documents [first, last).
func (p *product) project(ctx context.Context, docs *stream.Documents, first, last int) error {
	const group = 64 // documents that one call of the parallel loop handles
	stride := p.out.Stride()
	p.weights = slices.Grow(p.weights[:0], last-first)[:last-first]
	p.z = slices.Grow(p.z[:0], (last-first)*stride)[:(last-first)*stride]
	return kernel.Parallel(ctx, p.workers, (last-first+group-1)/group, func(g int) error {
		for d := first + g*group; d < min(first+(g+1)*group, last); d++ {
			items, counts := docs.Row(d)
			z := p.z[(d-first)*stride:][:stride]
			clear(z)
			_, w := PairWeight(items, counts, p.itemWeights)
			p.weights[d-first] = w
			if w == 0 {
				continue
			}
			for t, item := range items {
				p.addRow(z, int(item), p.weighted(item, counts[t])*w)
			}
		}
		return nil
	})
}

// weighted returns ω_i·h for an item i that comes h times.
func (p *product) weighted(item, count int32) float64 {
	if p.itemWeights == nil {
		return float64(count)
	}
	return p.itemWeights[item] * float64(count)
}

// split cuts the rows into ranges of about equal work, judged by a sample of the entries of documents [first, last). The
// ranges affect the balance of the work and not its result.
func (p *product) split(docs *stream.Documents, first, last int) {
	entries := docs.Items[docs.Offsets[first]:docs.Offsets[last]]
	ranges := 1
	if workers := kernel.Workers(p.workers); workers > 1 {
		ranges = 4 * workers
	}
	p.starts = append(p.starts[:0], 0)
	if ranges > 1 && len(entries) > 0 {
		const samples = 2048
		var sample []int32
		for i := 0; i < len(entries); i += len(entries)/samples + 1 {
			sample = append(sample, entries[i])
		}
		slices.Sort(sample)
		for r := 1; r < ranges; r++ {
			if at := int(sample[r*len(sample)/ranges]); at > p.starts[len(p.starts)-1] {
				p.starts = append(p.starts, at)
			}
		}
	}
	p.starts = append(p.starts, p.out.Rows())
}

// accumulate adds the shares of documents [first, last) to rows [low, high).
func (p *product) accumulate(docs *stream.Documents, first, last, low, high int, marginals *Marginals) {
	stride := p.out.Stride()
	for d := first; d < last; d++ {
		w := p.weights[d-first]
		if w == 0 {
			continue
		}
		items, counts := docs.Row(d)
		z := p.z[(d-first)*stride:][:stride]
		at := 0
		if low > 0 {
			at, _ = slices.BinarySearch(items, int32(low))
		}
		n := 0.0
		if marginals != nil {
			n, _ = PairWeight(items, counts, p.itemWeights)
		}
		for ; at < len(items) && int(items[at]) < high; at++ {
			item, count := items[at], counts[at]
			kernel.Axpy(p.weighted(item, count), z, p.out.PaddedRow(int(item)))
			if marginals != nil {
				marginals.Add(item, count, n, w)
			}
		}
	}
}

// finish turns the accumulated sums into C·X: it takes off the diagonal's share and divides by M.
func (p *product) finish(ctx context.Context, marginals *Marginals) error {
	scale := 1 / float64(max(marginals.Documents, 1))
	return kernel.Parallel(ctx, p.workers, p.out.Blocks(), func(b int) error {
		_, first, last := p.out.Block(b)
		for i := first; i < last; i++ {
			row := p.out.PaddedRow(i)
			p.addRow(row, i, -marginals.Diagonal[i])
			for j := range row {
				row[j] *= scale
			}
		}
		return nil
	})
}
