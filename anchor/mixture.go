// This file writes every item's row as a mixture of the anchors' rows.

package anchor

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// kktTolerance is the greatest KKT residual, as activeSet.solve defines it, that the solution of a problem may have.
const kktTolerance = 1e-8

// SolverStats says how the mixtures were found.
type SolverStats struct {
	Problems      int     // one for every item with weight
	Iterations    int64   // of all problems together
	MaxIterations int     // the most of one problem
	WorstResidual float64 // the greatest relative KKT residual; at most 1e-8
}

// solveMixtures replaces the rows of x̃ = diag(d)·X (N×L) by the mixtures (N×k): row i becomes the b ≥ 0 with Σ b = 1
// that minimises ‖X_i − X_Sᵀ·b‖². The k×L matrix X_S is given row-major. Rows of items with weight 0 become zero.
//
// Besides the Gram matrix of X_S, the problems need only the inner products X_S·x̃_i. They are one matrix product,
// which takes the place of x̃: no other array of N rows is used.
func solveMixtures(ctx context.Context, x *matrix.Tall, vertices, weights []float64, k int,
	opts *Options) (SolverStats, error) {
	width := x.Cols()
	points := newSimplexPoints(kernel.TimesTransposed(ctx, vertices, vertices, k, k, width), k)
	kernel.Transform(ctx, x, kernel.Transposed(vertices, k, width), k, opts.Workers)
	if err := ctx.Err(); err != nil {
		return SolverStats{}, err
	}
	return solveProducts(ctx, x, points, weights, opts)
}

// solveProducts replaces the rows d_i·X_S·X_i of x, N×K, by the mixtures; see solveMixtures.
func solveProducts(ctx context.Context, x *matrix.Tall, points *simplexPoints, weights []float64,
	opts *Options) (SolverStats, error) {
	parts := make([]SolverStats, heldRanges(x.Layout(), len(weights)))
	begin, end := x.HeldRows()
	done := opts.progress(StageMixtures, end-begin)
	err := eachRange(ctx, x.Layout(), opts.Workers, len(weights), func(part, first, last int) error {
		products := make([]float64, points.k)
		solver := newActiveSet(points)
		for i := first; i < last; i++ {
			row := x.Row(i)
			if weights[i] <= 0 {
				clear(row)
				continue
			}
			for s, v := range row {
				products[s] = v / weights[i]
				if !finite(products[s]) {
					return opts.itemError(TinyRowSum, []int{i}, tooSmall)
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			iterations, residual := solver.solve(products)
			if err := checkMixture(i, iterations, residual, opts); err != nil {
				return err
			}
			copy(row, solver.b)
			parts[part].add(SolverStats{1, int64(iterations), iterations, residual})
		}
		done.add(last - first)
		return nil
	})
	if err != nil {
		return SolverStats{}, err
	}
	var own SolverStats
	for _, part := range parts {
		own.add(part)
	}
	return own.ofAll(ctx, x.Layout())
}

// ofAll returns what the solvers of all processes report together.
func (s *SolverStats) ofAll(ctx context.Context, layout matrix.Layout) (total SolverStats, err error) {
	own := []float64{float64(s.Problems), float64(s.Iterations), float64(s.MaxIterations), s.WorstResidual}
	all, err := kernel.Concat(ctx, layout, own)
	for of := range slices.Chunk(all, len(own)) {
		total.add(SolverStats{int(of[0]), int64(of[1]), int(of[2]), of[3]})
	}
	return total, err
}

// checkMixture returns an error unless the solution for item i is good enough.
func checkMixture(i, iterations int, residual float64, opts *Options) error {
	if residual <= kktTolerance {
		return nil
	}
	return opts.itemError(NoMixture, []int{i}, "its mixture of anchors was not found in %d iterations: the KKT residual "+
		"is %.3g of scale, above %.0e", iterations, residual, kktTolerance)
}

func (s *SolverStats) add(t SolverStats) {
	s.Problems += t.Problems
	s.Iterations += t.Iterations
	s.MaxIterations = max(s.MaxIterations, t.MaxIterations)
	s.WorstResidual = max(s.WorstResidual, t.WorstResidual)
}
