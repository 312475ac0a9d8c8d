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

	room *matrix.Single // that x in single precision may take; nil for none
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
	f, err := o.factor(ctx, x)
	if err != nil {
		return err
	}
	dst.Clear()
	return o.multiply(ctx, dst, f)
}

// factor is what a product needs of the matrix x, which may be away if single is not nil.
type factor struct {
	x        *matrix.Tall
	single   *matrix.Single // x in single precision; nil if it does not take the place of x
	greatest float64        // |x_ij|; NaN if one is not a number
}

// rounds reports whether shares of documents are rounded: not if x is not finite.
func (o *Operator) rounds(greatest float64) bool {
	return greatest <= math.MaxFloat64 && o.Marginals.RowSums != nil
}

// factor returns what multiply needs of x.
func (o *Operator) factor(ctx context.Context, x *matrix.Tall) (f factor, err error) {
	f.x = x
	f.greatest, err = greatestMagnitude(ctx, x, o.Workers)
	if err == nil && o.Single && o.rounds(f.greatest) && x.Whole() {
		if f.single = o.room; f.single == nil || f.single.Cols() != x.Cols() {
			f.single = matrix.LikeOf[float32](x, x.Cols())
		}
		err = setSingles(ctx, f.single, x, o.Workers)
	}
	return f, err
}

// multiply is Multiply for a dst that is new: it is 0, and its pages come where the pass first meets them.
func (o *Operator) multiply(ctx context.Context, dst *matrix.Tall, f factor) error {
	sums := product{out: dst, rows: denseRows(f.x), single: f.single, workers: o.Workers,
		itemWeights: o.Marginals.Weights, pairPrior: o.Marginals.PairPrior}
	if f.x.IsAway() {
		sums.rows = awayRows(f.x)
	}
	from := fetched(f.x)
	if o.rounds(f.greatest) {
		sums.units = o.Marginals.units(f.greatest)
		if o.Single {
			from = fetchedSingles(f.x)
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
	return s, setSingles(ctx, s, t, workers)
}

// setSingles copies t to s. The error is that of ctx.
func setSingles(ctx context.Context, s *matrix.Single, t *matrix.Tall, workers int) error {
	return kernel.EachRow(ctx, t, workers, func(i int, row []float64) {
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
