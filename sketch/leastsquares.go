// This file finds the eigenpairs of a single pass by least squares, as they were published.

package sketch

import (
	"context"
	"math"

	"anchorage/internal/kernel"
)

// leastSquares is the single pass of Halko, Martinsson & Tropp (SIAM Review 53, 2011, Algorithm 5.6): with Q an
// orthonormal basis of Y, C ≈ Q·B·Qᵀ with the symmetric B for which ‖B·(QᵀΩ) − QᵀY‖_F is least. Q has the leading left
// singular vectors of Y, keep at most. With all L of them, as published, QᵀΩ is square, and its inverse multiplies the
// noise.
//
// It takes and returns what nystrom does. With the eigenpairs μ, P of YᵀY, Q = Y·P·μ^−½, QᵀΩ = μ^−½·Pᵀ·W and QᵀY =
// μ^−½·Pᵀ·YᵀY. With M = QᵀΩ, R = QᵀY and the eigenpairs δ, Z of M·Mᵀ, the derivative by B vanishes where
//
//	(ZᵀBZ)_ij·(δ_i + δ_j) = (Zᵀ(R·Mᵀ + M·Rᵀ)Z)_ij
//
// Where δ_i + δ_j is no more than rounding, nothing is known of the entry, which is 0.
func leastSquares(ctx context.Context, gram, core []float64,
	l, keep, k, workers int) (values, coefficients []float64, err error) {
	mu, p, err := kernel.SymmetricEigen(ctx, gram, l, workers)
	if err != nil {
		return nil, nil, err
	}
	r := min(kernel.RankAbove(mu, streamedFloor*streamedFloor), keep)
	basis := kernel.FirstColumns(p, l, l, r) // of Q in Y
	for i := range basis {
		basis[i] /= math.Sqrt(mu[i%r])
	}
	onOmega := kernel.TransposedTimes(ctx, basis, core, l, r, l) // M
	onY := kernel.TransposedTimes(ctx, basis, gram, l, r, l)     // R
	right := kernel.TimesTransposed(ctx, onY, onOmega, r, r, l)
	delta, z, err := kernel.SymmetricEigen(ctx, kernel.TimesTransposed(ctx, onOmega, onOmega, r, r, l), r, workers)
	if err != nil {
		return nil, nil, err
	}
	b := kernel.TransposedTimes(ctx, z, kernel.Times(ctx, right, z, r, r, r), r, r, r)
	for i := range b { // LeadingEigen takes the mean of b and its transpose
		if sum := delta[i/r] + delta[i%r]; sum > streamedFloor*streamedFloor*delta[0] {
			b[i] *= 2 / sum
		} else {
			b[i] = 0
		}
	}
	values, vectors, err := kernel.LeadingEigen(ctx, b, r, min(k, r), workers)
	if err != nil {
		return nil, nil, err
	}
	if rank := kernel.RankAbove(values, streamedFloor); rank < k {
		return nil, nil, &RankError{Topics: k, Rank: rank, Columns: l}
	}
	turned := kernel.Times(ctx, z, vectors, r, r, k)
	return values[:k], kernel.Times(ctx, basis, turned, l, r, k), ctx.Err()
}
