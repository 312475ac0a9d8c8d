// This file holds the anchor word algorithm for a dense C.

package anchor

import (
	"context"
	"fmt"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// AW infers topics from the dense co-occurrence matrix c, N×N and symmetric, by the anchor word algorithm (Lee et al.,
// ICML 2021, Algorithm 1; Arora et al., ICML 2013). On the C that was counted it is the Baseline of the papers, and on
// a C that rectify.AP has rectified it is their RAW.
//
//	d    row sums of C
//	S    the K anchors, the first pivots of a column-pivoted QR decomposition of C̄ᵀ, C̄ = diag(d)⁻¹·C
//	B̆_i  the mixture p(topic | i): argmin ‖C̄_i − C̄_Sᵀ·b‖² over b ≥ 0, Σ b = 1, which needs C̄_S·C̄_Sᵀ and C̄_S·C̄_iᵀ
//	B    by Bayes' rule, B_ik = B̆_ki·d_i / Σ_j B̆_kj·d_j
//	A    diag(B_SS)⁻¹·C_SS·diag(B_SS)⁻¹
//
// It is LAW without the change of coordinates and without a correction, since C has no negative entries, counted or
// rectified. An item whose row sums to 0, because it occurs with no other, takes no part.
//
// opts.Topics is K and must be given. opts.RowSums, SamplingVariance, Halves and Polish are not used. c is not modified
// and must not change while the Topics is in use. Memory besides c: N×K values, K rows of c, and N²/512 values for the
// pivoting.
//
// The error is a *RankError if there cannot be K topics, an *ItemError if some items cannot be worked with, such as one
// with a negative entry, or that of ctx.
func AW(ctx context.Context, c *matrix.Tall, opts Options) (*Topics, error) {
	n, k := c.Rows(), opts.Topics
	if c.Cols() != n {
		panic("anchor: not a square matrix")
	}
	if opts.MinDF > 1 && len(opts.DocumentFrequency) != n {
		panic("anchor: number of document frequencies is not the number of items")
	}
	if err := checkTopics(k, n, k); err != nil {
		return nil, err
	}
	weights, err := denseWeights(ctx, c, &opts)
	if err != nil {
		return nil, err
	}
	scale, candidates := candidateScales(weights, &opts)
	if candidates < k {
		return nil, &RankError{Topics: k, Rank: candidates,
			bound: fmt.Sprintf("only %d items may become anchors (positive weight, document frequency at least %d)",
				candidates, opts.MinDF)}
	}
	opts.SamplingVariance = nil
	pivots, err := selectPivots(ctx, c, scale, k, &opts)
	if err != nil {
		return nil, err
	}
	anchors := itemsOf(pivots)
	vertices, err := anchorRows(ctx, c, weights, apart(anchors), &opts)
	if err != nil {
		return nil, err
	}
	mixtures, points := vertexProducts(ctx, c, vertices, k, opts.Workers)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	solver, err := solveProducts(ctx, mixtures, points, weights, &opts)
	if err != nil {
		return nil, err
	}
	topics := &Topics{K: k, Anchors: anchors, Mixtures: mixtures, RowSums: weights,
		Stats: Stats{Solver: solver}, dense: c, workers: opts.Workers}
	topics.notePivots(pivots)
	if err := topics.complete(ctx, &opts); err != nil {
		return nil, err
	}
	return topics, nil
}

// denseWeights returns the row sums of c, or an error if an entry is negative or not finite.
func denseWeights(ctx context.Context, c *matrix.Tall, opts *Options) ([]float64, error) {
	weights := make([]float64, c.Rows())
	err := eachItem(ctx, c.Layout(), opts.Workers, len(weights), func(i int) error {
		for j, v := range c.Row(i) {
			if !(v >= 0) || !finite(v) {
				return opts.itemError(BadValue, []int{i, j}, "their entry of the co-occurrence matrix is %v", v)
			}
			weights[i] += v
		}
		if !finite(weights[i]) {
			return opts.itemError(BadValue, []int{i}, "its row sum is %v", weights[i])
		}
		return nil
	})
	return weights, err
}

// vertexProducts returns the products d_i·C̄_S·C̄_iᵀ = C̄_S·C_iᵀ, N×K, for the rows C̄_S, K×N row-major, and the Gram
// matrix of those rows.
func vertexProducts(ctx context.Context, c *matrix.Tall, vertices []float64,
	k, workers int) (*matrix.Tall, *simplexPoints) {
	n := c.Rows()
	rows, columns := matrix.NewTall(n, k), kernel.Transposed(vertices, k, n)
	for j := range n {
		copy(rows.Row(j), columns[j*k:])
	}
	products := matrix.NewTall(n, k)
	kernel.Multiply(ctx, products, c, columns, workers)
	return products, newSimplexPoints(kernel.Gram(ctx, rows, rows, workers), k)
}
