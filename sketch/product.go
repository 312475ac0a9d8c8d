// This file holds the product of C with a block of vectors, accumulated document by document in one pass.

package sketch

import (
	"context"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// product accumulates Σ_m v_m·w_m·h_m·(h_mᵀ·X), w_m = 1/(n_m(n_m−1)), over the documents that it is given, of weights
// v. The diagonal and the division by M, which make C·X of it, come at the end: neither is known before all documents
// are.
//
// With item weights ω it takes ω_i·h_im in place of h_im and w_m = 1/((Σ_i ω_i·h_im)² − Σ_i ω_i²·h_im): see Options.
//
// It works on chunks of documents: first it computes z_m = v_m·w_m·Xᵀ·h_m of every document, then it goes through the
// chunk's entries in the order of items, so that one worker reads and writes each row of the result once in a chunk.
// Every row is the sum of its documents' shares, rounded to the row's unit, and such sums are exact
// (docs/decisions/exact-sums.md). So the result has the same bits for any number of workers and ranks, any batches and
// any chunks. Without units, shares are added as they are, in the order of the documents.
type product struct {
	out   *matrix.Tall
	width int             // of a row of z; that of out if there is one
	rows  func() rowAdder // of X; every goroutine makes its own
	// X in single precision, whose rows are added in place of these; nil if they are not. It needs units
	single  *matrix.Single
	workers int
	// itemWeights are ω; nil where every item weighs 1.
	itemWeights []float64
	pairPrior   float64 // κ
	units       units   // of the rows; nil where shares are not rounded
	tally       *tally  // of the marginals; nil if they are not wanted
	numbers     []int32 // of the items of the documents, in units and marginals; nil if they are numbered so already

	z       []float64 // v_m·w_m·h_mᵀ·X of the present documents, one row each
	tokens  []float64 // n_m of the present documents
	weights []float64 // v_m·w_m of the present documents
	squares []float64 // Σ_i ω_i²·h_im² of those of them whose w_m is not 0
	shares  []float64 // of their entries: v_m·w_m·h_im
	peaks   []float64 // the greatest share that an item has in each of them: v_m·w_m·n_m·max_i h_im
	sorted  entries

	singles []float32 // ω-weighted h_mᵀ·X of the present documents in single precision, one row each, in place of z
}

// rowAdder adds rows of a matrix X to z in the given order: z += Σ_t weights[t]·X_items[t]. Like a row of a Tall, z is
// padded with zeros to a multiple of 8.
type rowAdder func(z []float64, items []int32, weights []float64)

// denseRows adds rows of x.
func denseRows(x *matrix.Tall) func() rowAdder {
	return func() rowAdder {
		return func(z []float64, items []int32, weights []float64) { kernel.CombineRows(z, x, items, weights) }
	}
}

// zBytes bounds the memory of product.z. The greater it is, the more entries of a chunk share a row, but product.z must
// stay in the processor's last cache.
const zBytes = 8 << 20

// longChunk is the number of entries of a chunk from which it must hold a long document.
const longChunk = 1 << 20

// stride returns the number of values of a row of z.
func (p *product) stride() int {
	if p.out != nil {
		return p.out.Stride()
	}
	return p.width
}

// chunks calls fn with the documents of one chunk after the other.
func (p *product) chunks(docs *corpus.Documents, fn func(first, last int) error) error {
	n := docs.Documents()
	most := max(zBytes/8/max(p.stride(), 1), 64)
	if p.single != nil {
		most = max(zBytes/4/max(p.single.Stride(), 1), 64)
	}
	count := (n + most - 1) / most
	for c := range count {
		if err := fn(c*n/count, (c+1)*n/count); err != nil {
			return err
		}
	}
	return nil
}

// add accumulates documents. Those with fewer than two tokens have no pair and add nothing.
func (p *product) add(ctx context.Context, docs *corpus.Documents) error {
	return p.chunks(docs, func(first, last int) error {
		if err := p.project(ctx, docs, first, last); err != nil {
			return err
		}
		if err := p.accumulate(ctx, docs, first, last); err != nil {
			return err
		}
		for d, w := range p.weights {
			if w > 0 && p.tally != nil {
				p.tally.addDocument(p.peaks[d])
			}
		}
		return nil
	})
}

// number returns the number of an item of the documents in units and marginals.
func (p *product) number(item int32) int32 {
	if p.numbers == nil {
		return item
	}
	return p.numbers[item]
}

// project computes the weights, the squares and the rows of z for documents [first, last).
func (p *product) project(ctx context.Context, docs *corpus.Documents, first, last int) error {
	const group = 64 // documents that one call of the parallel loop handles
	stride := p.stride()
	p.tokens = slices.Grow(p.tokens[:0], last-first)[:last-first]
	p.weights = slices.Grow(p.weights[:0], last-first)[:last-first]
	p.squares = slices.Grow(p.squares[:0], last-first)[:last-first]
	p.peaks = slices.Grow(p.peaks[:0], last-first)[:last-first]
	if p.single != nil {
		stride = p.single.Stride()
		p.singles = slices.Grow(p.singles[:0], (last-first)*stride)[:(last-first)*stride]
	} else {
		p.z = slices.Grow(p.z[:0], (last-first)*stride)[:(last-first)*stride]
	}
	start := docs.Offsets[first]
	if entries := int64(docs.Offsets[last] - start); entries > longChunk {
		const perEntry = 32 // share, and two copies to sort
		if err := process.Reserve(entries * perEntry); err != nil {
			return err
		}
	}
	p.shares = slices.Grow(p.shares[:0], int(docs.Offsets[last]-start))[:docs.Offsets[last]-start]
	return kernel.Parallel(ctx, p.workers, (last-first+group-1)/group, func(g int) error {
		var addRows rowAdder
		if p.single == nil {
			addRows = p.rows()
		}
		for d := first + g*group; d < min(first+(g+1)*group, last); d++ {
			items, counts := docs.Row(d)
			shares := p.shares[docs.Offsets[d]-start:][:len(items)]
			n, w := pairWeight(shares, items, counts, p.itemWeights, p.pairPrior)
			w *= docs.Weight(d)
			p.tokens[d-first], p.weights[d-first] = n, w
			if w == 0 {
				continue
			}
			square, greatest := 0.0, 0.0
			for _, h := range shares {
				square += h * h
				greatest = max(greatest, h)
			}
			p.squares[d-first], p.peaks[d-first] = square, max(greatest*w, 0)*n
			if p.single != nil { // without the weight of the document, which may be beyond single precision
				z := p.singles[(d-first)*stride:][:stride]
				clear(z)
				kernel.CombineSingles(z, p.single, items, shares)
				continue
			}
			for t := range shares {
				shares[t] *= w
			}
			z := p.z[(d-first)*stride:][:stride]
			clear(z)
			addRows(z, items, shares)
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

// itemWeight returns ω_i.
func (p *product) itemWeight(item int32) float64 {
	if p.itemWeights == nil {
		return 1
	}
	return p.itemWeights[item]
}

// accumulate adds the shares of documents [first, last), which project has prepared, to the rows of their items.
func (p *product) accumulate(ctx context.Context, docs *corpus.Documents, first, last int) error {
	if err := p.sorted.sort(ctx, docs, first, last, p.weights, p.out.Rows(), p.workers); err != nil {
		return err
	}
	return p.sorted.byRange(ctx, p.workers, func(part []entry) error {
		const (
			most  = 256 // entries that one call of the kernel handles
			ahead = 8   // entries between asking for a row and adding to it
		)
		documents, shares := make([]int32, 0, most), make([]float64, 0, most)
		for at := 0; at < len(part); {
			item := part[at].item
			number := p.number(item)
			documents, shares = documents[:0], shares[:0]
			for ; at < len(part) && part[at].item == item && len(shares) < most; at++ {
				e := part[at]
				if next := at + ahead; next < len(part) && part[next].item != part[next-1].item {
					kernel.Prefetch(p.out, int(part[next].item))
				}
				share := p.weighted(item, e.count)
				if p.single != nil {
					share *= p.weights[e.document]
				}
				documents, shares = append(documents, e.document), append(shares, share)
				if p.tally != nil {
					p.tally.add(number, e.count, p.tokens[e.document], p.weights[e.document])
				}
			}
			row := p.out.PaddedRow(int(item))
			if p.single != nil {
				apart := p.single.Stride()
				row = row[:min(len(row), apart)] // what is beyond is padding
				kernel.CombineRounded(documents, shares, p.singles, apart, row, p.units[number].Shift())
			} else if p.units == nil {
				kernel.Combine(documents, shares, p.z, row)
			} else {
				kernel.CombineRounded(documents, shares, p.z, len(row), row, p.units[number].Shift())
			}
		}
		return nil
	})
}

// finish turns the accumulated sums into M·C·X times a scale: it subtracts the diagonal's share, M·Ĥ_diag·X.
func (p *product) finish(ctx context.Context, marginals *Marginals, scale float64) error {
	return kernel.EachHeld(ctx, p.out, p.workers, func(b int) error {
		addRows, item, weight := p.rows(), make([]int32, 1), make([]float64, 1)
		_, first, last := p.out.Block(b)
		for i := first; i < last; i++ {
			row := p.out.PaddedRow(i)
			item[0], weight[0] = int32(i), -marginals.Diagonal[i]
			addRows(row, item, weight)
			for j := range row {
				row[j] *= scale
			}
		}
		return nil
	})
}
