// This file holds C itself, for small vocabularies: some methods need all of it, and tests compare approximations with
// it.

package sketch

import (
	"context"
	"fmt"

	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/matrix"
)

// DefaultDenseBytes is the memory that a dense C may take by default: about 23,000 items.
const DefaultDenseBytes = 4 << 30

// DenseError says that C would be too large to be held.
type DenseError struct {
	Items int   // N
	Bytes int64 // what the N×N matrices take
	Most  int64 // what they may take, in bytes
}

// Error names the numbers.
func (e *DenseError) Error() string {
	return fmt.Sprintf("a co-occurrence matrix of %d items takes %d MiB, and %d MiB are allowed", e.Items,
		e.Bytes>>20, e.Most>>20)
}

// Dense returns C, N×N, and the marginals, from one pass over the documents. Items is N; weights and prior are those of
// Options. It is the one function of this package that holds something of size N². Where that would be more than
// mostBytes, 0 for DefaultDenseBytes, it returns a *DenseError and reads nothing.
func Dense(ctx context.Context, pass corpus.Pass, items int, weights []float64, prior float64,
	mostBytes int64, workers int) (*matrix.Tall, *Marginals, error) {
	if mostBytes <= 0 {
		mostBytes = DefaultDenseBytes
	}
	bytes := 8 * int64(items) * int64(aligned.Columns[float64](items))
	if bytes > mostBytes {
		return nil, nil, &DenseError{Items: items, Bytes: bytes, Most: mostBytes}
	}
	if err := process.Reserve(bytes); err != nil {
		return nil, nil, err
	}
	c := matrix.NewTall(items, items)
	m := NewMarginals(items, weights, prior)
	sums := product{out: c, workers: workers, itemWeights: weights, pairPrior: prior}
	var shares []float64 // ω_i·h_im of every entry
	err := pass(ctx, func(docs *corpus.Documents) error {
		sums.tokens, sums.weights = sums.tokens[:0], sums.weights[:0]
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			n, w := PairWeight(items, counts, weights, prior)
			if w > 0 {
				m.Documents++
			}
			sums.tokens, sums.weights = append(sums.tokens, n), append(sums.weights, w)
		}
		shares = shares[:0]
		for t, item := range docs.Items {
			shares = append(shares, sums.weighted(item, docs.Counts[t]))
		}
		if err := sums.sorted.sort(ctx, docs, 0, docs.Documents(), sums.weights, c.Rows(), workers); err != nil {
			return err
		}
		return sums.sorted.byRange(ctx, workers, func(part []entry) error {
			sums.accumulatePairs(docs, shares, part, m)
			return nil
		})
	})
	if err != nil {
		return nil, nil, err
	}
	scale := 1 / m.Total()
	return c, m, kernel.EachRow(ctx, c, workers, func(i int, row []float64) {
		row[i] = max(row[i]-m.Diagonal[i], 0) // rounding may leave less than nothing
		for j := range row {
			row[j] *= scale
		}
	})
}

// accumulatePairs adds w_m·ω_i·ω_j·h_im·h_jm for all j to row i, for each entry (i, m) of part, and adds the entry
// to the marginals. Shares are ω_i·h_im of every entry of docs.
func (p *product) accumulatePairs(docs *corpus.Documents, shares []float64, part []entry, marginals *Marginals) {
	for _, e := range part {
		d := int(e.document)
		items, _ := docs.Row(d)
		of := shares[docs.Offsets[d]:docs.Offsets[d+1]]
		marginals.Add(e.item, e.count, p.tokens[d], p.weights[d], 1)
		row, h := p.out.Row(int(e.item)), p.weights[d]*p.weighted(e.item, e.count)
		for s, other := range items {
			row[other] += h * of[s]
		}
	}
}
