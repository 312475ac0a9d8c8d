// This file holds C itself, for vocabularies small enough: what the methods that need all of it are given, and what
// approximations are held against.

package sketch

import (
	"context"
	"fmt"

	"anchorage/internal/kernel"
	"anchorage/stream"
)

// DefaultDenseBytes is the memory that a dense C may take by default: about 23,000 items.
const DefaultDenseBytes = 4 << 30

// DenseError says that C would be too large to be held.
type DenseError struct {
	Items       int
	Bytes, Most int64
}

// Error names the numbers and the remedy.
func (e *DenseError) Error() string {
	return fmt.Sprintf("a co-occurrence matrix of %d items takes %d MiB, and %d MiB are allowed: prune the vocabulary (--max-items), or use a method that does not hold it", e.Items, e.Bytes>>20, e.Most>>20)
}

// Dense returns C, N×N, in one pass over the documents, and the marginals. Weights are those of Options. It is the one function here that holds
// something of size N²; when that would be more than mostBytes, 0 for DefaultDenseBytes, it returns a *DenseError and
// reads nothing.
func Dense(ctx context.Context, pass Pass, items int, weights []float64, mostBytes int64, workers int) (*kernel.Tall, *Marginals, error) {
	if mostBytes <= 0 {
		mostBytes = DefaultDenseBytes
	}
	if bytes := 8 * int64(items) * int64(kernel.PadColumns(items)); bytes > mostBytes {
		return nil, nil, &DenseError{Items: items, Bytes: bytes, Most: mostBytes}
	}
	c := kernel.NewTall(items, items)
	m := NewMarginals(items, weights)
	sums := product{out: c, workers: workers, itemWeights: weights}
	var shares []float64 // ω_i·h_im of every entry
	err := pass(ctx, func(docs *stream.Documents) error {
		sums.weights = sums.weights[:0]
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			_, w := PairWeight(items, counts, weights)
			if w > 0 {
				m.Documents++
			}
			sums.weights = append(sums.weights, w)
		}
		shares = shares[:0]
		for t, item := range docs.Items {
			shares = append(shares, sums.weighted(item, docs.Counts[t]))
		}
		sums.split(docs, 0, docs.Documents())
		return kernel.Parallel(ctx, workers, len(sums.starts)-1, func(r int) error {
			sums.accumulatePairs(docs, shares, sums.starts[r], sums.starts[r+1], m)
			return nil
		})
	})
	if err != nil {
		return nil, nil, err
	}
	scale := 1 / float64(max(m.Documents, 1))
	err = kernel.Parallel(ctx, workers, c.Blocks(), func(b int) error {
		_, first, last := c.Block(b)
		for i := first; i < last; i++ {
			row := c.Row(i)
			row[i] = max(row[i]-m.Diagonal[i], 0) // what is left of pairs of one token with itself is rounding
			for j := range row {
				row[j] *= scale
			}
		}
		return nil
	})
	return c, m, err
}

// accumulatePairs adds w_m·ω_i·ω_j·h_im·h_jm of all documents to rows [low, high), and counts their items. Shares are ω_i·h_im of
// every entry of docs.
func (p *product) accumulatePairs(docs *stream.Documents, shares []float64, low, high int, marginals *Marginals) {
	for d := range docs.Documents() {
		w := p.weights[d]
		if w == 0 {
			continue
		}
		items, counts := docs.Row(d)
		of := shares[docs.Offsets[d]:docs.Offsets[d+1]]
		n := 0.0
		for _, share := range of {
			n += share
		}
		for t, item := range items {
			if int(item) < low || int(item) >= high {
				continue
			}
			marginals.Add(item, counts[t], n, w)
			row, h := p.out.Row(int(item)), w*of[t]
			for s, other := range items {
				row[other] += h * of[s]
			}
		}
	}
}
