// This file holds the normalization of ENN: how the entries of Y·Yᵀ come to sum to 1.

package rectify

import (
	"context"
	"math"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// shiftedEvaluations is the number of evaluations of F that add r·(Pp)(Pp)ᵀ: those of the default's steps of one or two
// stages. Most of the negative entries are lifted by then.
const shiftedEvaluations = 7

// normalize finds r, and the direction of what is added.
//
// The published term r·eeᵀ is the projection onto the matrices whose entries sum to 1 in the Frobenius norm, the norm
// of the other two projections. It takes as much from the row of a rare item as from that of a frequent one. r·ppᵀ
// takes from each what belongs to it, but is no orthogonal projection in that norm, and repeated for ever it need not
// settle: with P the projection onto the span of Y and a = eᵀPp, the next projection onto rank K leaves (1−a)² of a
// deviation of the sum, which may be more than all of it.
//
// So with marginals the term is a choice of the starting point. The first evaluations add r·ggᵀ, with g = Pp/max(a, 1),
// which the projection onto rank K leaves as it is and which brings the sum to 1 at most. Later ones add nothing: the
// sets that are left are cones, so Y needs only to be scaled at the end.
func (e *enn) normalize(ctx context.Context) error {
	e.shift, e.direction = 0, nil
	missing := 1 - e.total - e.corrections.sum
	switch {
	case e.marginals == nil:
		n := float64(e.y.Rows())
		e.shift = missing / (n * n)
	case e.evaluations <= shiftedEvaluations:
		k := e.y.Cols()
		s, rank, err := orthonormalizer(ctx, kernel.Gram(ctx, e.y, e.y, e.workers), k, e.workers)
		if err != nil {
			return err
		}
		image := kernel.WeightedColumnSums(ctx, e.y, e.marginals, e.workers) // Yᵀp; Pp is Y·S·Sᵀ·Yᵀp
		within := kernel.TransposedTimes(ctx, s, image, k, rank, 1)
		e.direction = kernel.Times(ctx, s, within, k, rank, 1)
		a := 0.0
		for j, sum := range kernel.ColumnSums(ctx, e.y, e.workers) {
			a += sum * e.direction[j]
		}
		for j := range e.direction {
			e.direction[j] /= max(a, 1)
		}
		e.shift = missing
	}
	return ctx.Err()
}

// addShift adds r·e(eᵀx) to z, or with marginals r·g(gᵀx); cross is Yᵀx.
func (e *enn) addShift(ctx context.Context, z, x *matrix.Single) {
	cols := x.Cols()
	switch {
	case e.marginals == nil:
		sums := kernel.ColumnSums(ctx, x, e.workers)
		_ = kernel.EachRow(ctx, z, e.workers, func(_ int, row []float32) { // the caller asks ctx
			for j, v := range sums {
				row[j] += float32(e.shift * v)
			}
		})
	case e.direction != nil:
		k := e.y.Cols()
		along := kernel.TransposedTimes(ctx, e.direction, e.cross, k, 1, cols) // gᵀx
		kernel.MultiplyAdd(ctx, z, e.shift, e.y, kernel.Times(ctx, e.direction, along, k, 1, cols), e.workers)
	}
}

// entrySum returns Σ_ij y_i·y_j = ‖Yᵀe‖².
func entrySum[T aligned.Real](ctx context.Context, y *matrix.TallOf[T], workers int) float64 {
	total := 0.0
	for _, s := range kernel.ColumnSums(ctx, y, workers) {
		total += s * s
	}
	return total
}

// scale returns what Y must be multiplied by at the end: 1 where the iterations normalize, and with marginals 1/√ΣY·Yᵀ.
func (e *enn) scale(ctx context.Context) (float64, error) {
	if e.marginals == nil {
		return 1, nil
	}
	sum := entrySum(ctx, e.y, e.workers)
	if !(sum > 0) { // NaN too
		return 0, nothingLeft(ctx)
	}
	return 1 / math.Sqrt(sum), nil
}
