// This file holds the start of the passes from vectors that are known to be near the eigenvectors, those of an earlier
// C.

package sketch

import (
	"context"
	"math"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Start has vectors whose span is near the leading eigenvectors of C: those of most of the documents, or of the
// documents of yesterday. A block Krylov method that starts from them and from some random columns needs fewer passes.
// It finds eigenvectors that they do not know of all the same, by the random columns.
type Start struct {
	// Columns is the number of vectors, less than Options.Columns. The other columns are random; see LeastRandom.
	Columns int
	// Row sets dst, of length Columns, to row i of the vectors: 0 for an item that they do not know. It may be called by
	// several goroutines at once. Several ranks each ask for the rows that they hold.
	Row func(dst []float64, item int)
}

// LeastRandom is the least number of random columns that should remain beside vectors to start from: they find what is
// new.
const LeastRandom = 16

// GuardColumns is how many Ritz vectors beyond K are kept for later sketches to start from, if there are as many. With
// them the passes converge by the gap behind the last of them, not by that behind λ_K; see
// docs/decisions/warm-start.md.
const GuardColumns = 14

// newStart returns the block to start from, Q₀ of the Krylov space: an orthonormal basis of [X Ω/√N], N×L, with X the
// vectors of a Start.
func newStart(ctx context.Context, vocabulary *corpus.Vocabulary, opts *Options) (*matrix.Tall, error) {
	n, from := vocabulary.Len(), opts.Start.Columns
	if from < 1 || from >= opts.Columns {
		panic("sketch: vectors to start from must leave a column of Ω")
	}
	basis := matrix.NewShared[float64](opts.Layout, n, opts.Columns)
	random, scale := omega{seed: opts.Seed, cols: opts.Columns - from}, 1/math.Sqrt(float64(max(n, 1)))
	err := kernel.EachRow(ctx, basis, opts.Workers, func(i int, row []float64) {
		opts.Start.Row(row[:from], i)
		setRow(random, row[from:], i, vocabulary.Key(i))
		for j := range row[from:] {
			row[from+j] *= scale
		}
	})
	if err != nil {
		return nil, err
	}
	_, err = kernel.Orthonormalize(ctx, basis, opts.Workers)
	return basis, err
}
