// This file holds the rectification by Dykstra's projections, on a dense C.

package rectify

import (
	"context"

	"anchorage/matrix"
)

// Dykstra rectifies the dense co-occurrence matrix c, N×N and symmetric, by Dykstra's projections onto the sets that AP
// projects onto (Boyle & Dykstra, Lecture Notes in Statistics 37, 1986; the JSMF family's "DP"). What a projection has
// subtracted is added again before the next projection onto the same set, by correction matrices P and Q that begin as zero:
//
//	Z = X + P,  X' = PSD_K(Z) = Y·Yᵀ,  P = Z − X'
//	X" = NOR(X') = Y·Yᵀ + r·eeᵀ
//	U = X" + Q,  X = NN(U) = max(U, 0),  Q = U − X = min(U, 0)
//
// NOR needs no correction: it projects onto a plane, and a correction orthogonal to the plane has no effect. For convex sets X
// tends to the point of their intersection that is nearest to C, while AP finds any point of it. The set of matrices of rank K is
// not convex, so this is a heuristic, as AP is.
//
// Dykstra stops when X moves by no more than the tolerance, relative to ‖X‖_F, or after 150 iterations. At the end c is X
// divided by its sum.
//
// Dykstra overwrites c, which becomes Result.Matrix; Result.Factor is the Y of the last iteration. Memory: one N×N matrix, Z,
// besides c, which holds U: X and Q are the positive and the negative part of U, and P + X is the next Z.
func Dykstra(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error) {
	return dykstra.rectify(ctx, c, k, opts)
}

var dykstra = denseMethod{name: "Dykstra", matrices: 2, begin: func(ctx context.Context, d *dense) (denseSteps, error) {
	z := d.c.Copy(d.n)
	clip(d.c) // Q begins as zero
	multiply := Dense(z, d.opts.Workers)
	step := func(int) (Iteration, error) {
		if err := d.project(ctx, multiply); err != nil {
			return Iteration{}, err
		}
		shift := d.shift()
		return d.sweep(ctx, shift, func(i int, products []float64, t *tally) {
			u, z := d.c.Row(i), z.Row(i)
			for j, v := range products {
				x, q := max(u[j], 0), min(u[j], 0)
				u[j] = v + shift + q
				t.put(&x, t.clip(u[j]))
				z[j] += x - v // P + X
			}
		})
	}
	end := func() error {
		clip(d.c)
		return nil
	}
	return denseSteps{step, end}, nil
}}

// clip sets the negative entries of c to 0.
func clip(c *matrix.Tall) {
	for i := range c.Rows() {
		row := c.Row(i)
		for j, v := range row {
			row[j] = max(v, 0)
		}
	}
}
