// This file holds C as an operator: products with it, each in one pass over the documents.

package sketch

import (
	"context"

	"anchorage/corpus"
	"anchorage/matrix"
)

// Operator is C as the documents define it. Use does not change it. It computes one product at a time.
type Operator struct {
	Pass      corpus.Pass
	Marginals *Marginals // of the same documents
	Workers   int        // goroutines; 0 for as many as there are processors
}

// Multiply sets dst = C·x = Σ_m ĥ_m(ĥ_mᵀ·x) − Ĥ_diag·x in one pass. Both are N×L with the same stride, and must not be the same
// matrix. It leaves x as it is, and holds a few MiB besides the two. The error is that of the pass.
func (o *Operator) Multiply(ctx context.Context, dst, x *matrix.Tall) error {
	if dst.Rows() != len(o.Marginals.Diagonal) || x.Rows() != dst.Rows() || x.Cols() != dst.Cols() || x.Stride() != dst.Stride() {
		panic("sketch: shapes of a product with C do not fit")
	}
	dst.Clear()
	sums := product{out: dst, rows: denseRows(x), workers: o.Workers, itemWeights: o.Marginals.Weights}
	err := o.Pass(ctx, func(docs *corpus.Documents) error { return sums.add(ctx, docs, nil) })
	if err != nil {
		return err
	}
	return sums.finish(ctx, o.Marginals)
}
