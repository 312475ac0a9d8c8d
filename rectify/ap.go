// This file holds the rectification by alternating projection, on a dense C.

package rectify

import (
	"context"

	"anchorage/internal/random"
	"anchorage/matrix"
)

// AP rectifies the dense co-occurrence matrix c, N×N and symmetric, by alternating projection (Lee et al., ICML 2021,
// Algorithm 2). Every iteration projects it onto three sets, one after the other:
//
//	PSD_K   Y·Yᵀ with Y = V·√D⁺ for its k leading eigenpairs: positive semidefinite matrices of rank K
//	NOR     Y·Yᵀ + r·eeᵀ with r = (1 − Σ_ij y_i·y_j)/N²: matrices whose entries sum to 1
//	NN      max(Y·Yᵀ + r·eeᵀ, 0): matrices without negative entries
//
// The eigenpairs are accurate to a residual of 1e-11 and start from the last iteration's. It stops when c has moved by no
// more than the tolerance, ‖C_t+1 − C_t‖_F/‖C_t+1‖_F, or after 150 iterations. At the end c is divided by its sum, which NN
// has made slightly greater than 1.
//
// c comes out changed, as Result.Matrix; Result.Factor is the Y of the last iteration. Memory: no N×N matrix besides c; see
// Eigen for the rest.
func AP(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error) {
	if err := checkDense(c, k, 1, opts); err != nil {
		return nil, err
	}
	n := c.Rows()
	pairs, multiply := newLeading(n, k, random.EigenStart, opts), Dense(c, opts.Workers)
	var y *matrix.Tall
	var total float64
	result := &Result{}
	err := result.iterate("AP", opts, func(int) (Iteration, error) {
		var sum float64
		var err error
		if y, sum, err = pairs.project(ctx, multiply); err != nil {
			return Iteration{}, err
		}
		shift := (1 - sum) / (float64(n) * float64(n))
		done, err := sweep(ctx, y, opts.Workers, func(i int, products []float64, t *tally) {
			row := c.Row(i)
			for j, v := range products {
				t.put(&row[j], t.clip(v+shift))
			}
		})
		if err != nil {
			return Iteration{}, err
		}
		total = done.total
		return done.iteration(n, shift)
	})
	if err != nil {
		return nil, err
	}
	return result, result.finish(ctx, c, y, total, opts.Workers)
}
