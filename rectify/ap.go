// This file holds the rectification by alternating projection, on a dense C.

package rectify

import (
	"context"

	"anchorage/matrix"
)

// AP rectifies the dense co-occurrence matrix c, N×N and symmetric, by alternating projection (Lee et al., ICML 2021,
// Algorithm 2). Every iteration projects it onto three sets, one after the other:
//
//	PSD_K   Y·Yᵀ with Y = V·√D⁺ for its k leading eigenpairs: positive semidefinite matrices of rank K
//	NOR     Y·Yᵀ + r·eeᵀ with r = (1 − Σ_ij y_i·y_j)/N²: matrices whose entries sum to 1
//	NN      max(Y·Yᵀ + r·eeᵀ, 0): matrices without negative entries
//
// The eigenpairs are accurate to a residual of 1e-11, and each search starts from those of the last iteration. AP stops when c
// moves by no more than the tolerance, ‖C_t+1 − C_t‖_F/‖C_t+1‖_F, or after 150 iterations. At the end it divides c by its sum,
// which NN has made slightly greater than 1.
//
// AP overwrites c, which becomes Result.Matrix; Result.Factor is the Y of the last iteration. Memory: no N×N matrix besides c;
// see Eigen for the rest.
func AP(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error) {
	return ap.rectify(ctx, c, k, opts)
}

var ap = denseMethod{name: "AP", matrices: 1, begin: func(ctx context.Context, d *dense) (denseSteps, error) {
	multiply := Dense(d.c, d.opts.Workers)
	return denseSteps{step: func(int) (Iteration, error) {
		if err := d.project(ctx, multiply); err != nil {
			return Iteration{}, err
		}
		return d.lift(ctx)
	}}, nil
}}
