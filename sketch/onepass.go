// This file holds the single-pass eigendecomposition.

package sketch

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Truncated returns the k leading eigenpairs that one pass determines (Halko, Martinsson & Tropp, SIAM Review 53,
// 2011, section 5.5, with a truncated range). Q, N×ℓ, holds the left singular vectors of Y = C·Ω to its ℓ = L/2 greatest
// singular values; the small matrix B ≈ Qᵀ·C·Q is the symmetric least-squares solution of B·(Qᵀ·Ω) = Qᵀ·Y. With all
// L vectors there would be as many unknowns as equations, and B would hold the noise of the small singular values: the error of
// V·D·Vᵀ would be ten times as large. Truncation needs L ≥ 2·min(k, N) columns.
//
// The residuals are estimated: Ωᵀ(C·v − λ·v) = Yᵀ·v − λ·Ωᵀ·v is known, and its L random signs make it √L times as long as
// C·v − λ·v on average; B has taken ℓ of its L degrees of freedom.
//
// It uses the sketch up: Product is nil afterwards, and a second call panics. The error is a *RankError where fewer than k
// eigenvalues are positive, or that of ctx.
func (s *Sketch) Truncated(ctx context.Context, k int, workers int) (*Eigen, error) {
	s.mustHaveProduct()
	if err := s.normalize(ctx, workers); err != nil {
		return nil, err
	}
	q, cols := s.Product, s.Product.Cols()
	s.Product = nil
	r, err := kernel.Orthonormalize(ctx, q, workers)
	if err != nil {
		return nil, err
	}
	rank := q.Cols()
	half := min(max(cols/2, min(k, rank)), rank)
	// The left singular vectors of Y = Q·R are Q times those of R, which are the eigenvectors of R·Rᵀ.
	_, leading, err := kernel.LeadingEigen(ctx, kernel.TimesTransposed(ctx, r, r, rank, rank, cols), rank, half, workers)
	if err != nil {
		return nil, err
	}
	kernel.Transform(ctx, q, leading, half, workers)
	onY := kernel.TransposedTimes(ctx, leading, r, rank, half, cols) // Qᵀ·Y, ℓ×L
	signs := omega{seed: s.Seed, cols: cols}
	onOmega := kernel.GramGenerated(ctx, q, cols, workers, func(dst []float64, i int) { // Qᵀ·Ω, ℓ×L
		signs.row(dst, s.vocabulary.Key(i))
	})
	b, err := symmetricLeastSquares(ctx, onOmega, onY, half, cols, workers)
	if err != nil {
		return nil, err
	}
	values, wanted, err := kernel.LeadingEigen(ctx, b, half, min(k, half), workers)
	if err != nil {
		return nil, err
	}
	if err := checkRank(values, k); err != nil {
		return nil, err
	}
	kernel.Transform(ctx, q, wanted, k, workers)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Eigen{
		Values:    values[:k],
		Vectors:   matrix.Converted[float64](q), // without the room for L columns
		Residuals: estimateResiduals(wanted, values[:k], onY, onOmega, half, cols),
		Estimated: true,
		Passes:    1,
	}, nil
}

// symmetricLeastSquares returns the symmetric l×l matrix B that minimizes ‖B·X − Y‖_F for l×n matrices X and Y. With
// X·Xᵀ = U·S²·Uᵀ, B = U·(Uᵀ(Y·Xᵀ + X·Yᵀ)U / (s_i² + s_j²))·Uᵀ.
func symmetricLeastSquares(ctx context.Context, x, y []float64, l, n, workers int) ([]float64, error) {
	squares, u, err := kernel.SymmetricEigen(ctx, kernel.TimesTransposed(ctx, x, x, l, l, n), l, workers)
	if err != nil {
		return nil, err
	}
	right := kernel.TimesTransposed(ctx, y, x, l, l, n)
	for i := range l {
		for j := range i + 1 {
			sum := right[i*l+j] + right[j*l+i]
			right[i*l+j], right[j*l+i] = sum, sum
		}
	}
	inner := kernel.TransposedTimes(ctx, u, kernel.Times(ctx, right, u, l, l, l), l, l, l)
	for i := range l {
		for j := range l {
			if sum := squares[i] + squares[j]; sum > 0 {
				inner[i*l+j] /= sum
			} else {
				inner[i*l+j] = 0
			}
		}
	}
	return kernel.TimesTransposed(ctx, kernel.Times(ctx, u, inner, l, l, l), u, l, l, l), nil
}

// estimateResiduals returns ‖Yᵀ·v − λ·Ωᵀ·v‖/√(L−ℓ), relative to the greatest eigenvalue, for the columns v of Q·wanted.
func estimateResiduals(wanted, values, onY, onOmega []float64, l, n int) []float64 {
	k := len(values)
	residuals := make([]float64, k)
	for c := range k {
		sum := 0.0
		for j := range n {
			d := 0.0
			for i := range l {
				d += wanted[i*k+c] * (onY[i*n+j] - values[c]*onOmega[i*n+j])
			}
			sum += d * d
		}
		residuals[c] = math.Sqrt(sum/float64(max(n-l, 1))) / values[0]
	}
	return residuals
}
