// This file holds C as an operator: products with it, each in one pass over the documents.

package sketch

import (
	"context"
	"math"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Operator is C as the documents define it. Use does not change it. It computes one product at a time.
type Operator struct {
	Pass corpus.Pass
	// of the same documents; RowSums nil if they have negative weights, for then nothing bounds the sums
	Marginals *Marginals
	Total     float64 // what sums over documents are divided by; 0 for Marginals.Total
	Workers   int     // goroutines; 0 for one per processor
	// Single lets documents meet the vectors x, and sum up their rows, in single precision; the sums over documents remain
	// exact. ‖dst − C·x‖₂ is a few 2⁻²⁴·λ₁·‖x‖₂ at most then, as no entry of C is negative. One process holds x in single
	// precision meanwhile.
	Single bool
}

// Multiply sets dst = C·x = Σ_m ĥ_m(ĥ_mᵀ·x) − Ĥ_diag·x in one pass. Both are N×L with the same stride, and must not be
// the same matrix. It leaves x as it is, and holds a few MiB and two bytes for each item besides the two. Processes
// that share both (matrix.NewShared) also hold the rows of both that a batch of documents needs. The error is that of
// the pass.
func (o *Operator) Multiply(ctx context.Context, dst, x *matrix.Tall) error {
	if dst.Rows() != len(o.Marginals.Diagonal) || x.Rows() != dst.Rows() || x.Cols() != dst.Cols() ||
		x.Stride() != dst.Stride() {
		panic("sketch: shapes of a product with C do not fit")
	}
	dst.Clear()
	sums := product{out: dst, rows: denseRows(x), workers: o.Workers, itemWeights: o.Marginals.Weights,
		pairPrior: o.Marginals.PairPrior}
	greatest, err := greatestMagnitude(ctx, x, o.Workers)
	if err != nil {
		return err
	}
	if greatest <= math.MaxFloat64 && o.Marginals.RowSums != nil { // what is not finite is not rounded
		sums.units = o.Marginals.units(greatest)
	}
	from := fetched(x)
	if o.Single && sums.units != nil {
		from = fetchedSingles(x)
		if x.Whole() {
			if sums.single, err = singles(ctx, x, o.Workers); err != nil {
				return err
			}
		}
	}
	if err := sums.pass(ctx, o.Pass, from); err != nil {
		return err
	}
	total := o.Total
	if total == 0 {
		total = o.Marginals.Total()
	}
	return sums.finish(ctx, o.Marginals, 1/total)
}

// singles returns a copy of t in single precision. The error is that of ctx.
func singles(ctx context.Context, t *matrix.Tall, workers int) (*matrix.Single, error) {
	s := matrix.LikeOf[float32](t, t.Cols())
	return s, kernel.EachRow(ctx, t, workers, func(i int, row []float64) {
		to := s.Row(i)
		for j, v := range row {
			to[j] = float32(v)
		}
	})
}

// greatestMagnitude returns the greatest |x_ij|; NaN if one is not a number.
func greatestMagnitude(ctx context.Context, x *matrix.Tall, workers int) (float64, error) {
	low, high := x.HeldBlocks()
	blocks := make([]float64, high-low)
	err := kernel.EachHeld(ctx, x, workers, func(b int) error {
		values, _, _ := x.Block(b)
		blocks[b-low] = kernel.GreatestMagnitude(values)
		return nil
	})
	if err != nil {
		return 0, err
	}
	greatest := []float64{kernel.GreatestMagnitude(blocks)}
	err = kernel.Greatest(ctx, x.Layout(), greatest)
	return greatest[0], err
}
