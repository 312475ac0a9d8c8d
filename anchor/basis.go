// This file changes coordinates: from the columns of the factor to an orthonormal basis of their span. There a row of C
// = Y·Yᵀ is a short vector of the same norm.

package anchor

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// basis is Q (N×rank), whose orthonormal columns span the columns of Y (N×L), given by two small matrices. Row i of C
// has the coordinates Qᵀ·C_i = toRow·Y_i, and a row of any matrix E has Qᵀ·E_i = Σ_j E_ij·(toBasis·Y_j).
type basis struct {
	rank, columns int
	toRow         []float64 // columns×rank: the transpose of R = Σ·Wᵀ
	toBasis       []float64 // columns×rank: the transpose of Σ⁻¹·Wᵀ, so that Q = Y·toBasis
}

// lostDirection is the singular value of Y, relative to the largest, up to which a direction is left out. Its square is
// an eigenvalue of C, and at the machine precision it is lost beside the largest.
const lostDirection = 0x1p-26

// newBasis returns the basis of y and the N×rank matrix X̃ = diag(d)·X with rows toRow·Y_i. It returns a *RankError if
// fewer than k directions are left.
//
// R comes from an orthonormalisation of Y that repeats until rounding no longer shows, since a single Gram matrix has
// only half of the digits. The singular value decomposition R = U·Σ·Wᵀ shows the rank and gives R⁻ᵀ without a solve.
// The rotation U is left out, because it does not change inner products.
func newBasis(ctx context.Context, y *matrix.Tall, k, workers int) (*basis, *matrix.Tall, error) {
	columns := y.Cols()
	x := y.Copy(columns)
	r, err := kernel.Orthonormalize(ctx, x, workers)
	if err != nil {
		return nil, nil, fmt.Errorf("anchor: QR decomposition of the factor: %w", err)
	}
	b := &basis{columns: columns}
	if spanned := x.Cols(); spanned > 0 {
		var svd mat.SVD
		converged := false
		err := kernel.Await(ctx, func() { converged = svd.Factorize(mat.NewDense(spanned, columns, r), mat.SVDThin) })
		switch {
		case err != nil:
			return nil, nil, err
		case !converged:
			return nil, nil, errors.New("anchor: the singular values of the factor did not converge")
		}
		b.setFrom(&svd)
	}
	if b.rank < k {
		return nil, nil, &RankError{Topics: k, Rank: b.rank, bound: fmt.Sprintf("the factor has only rank %d", b.rank)}
	}
	if x.Cols() != b.rank {
		x = matrix.LikeOf[float64](y, b.rank)
	}
	kernel.Multiply(ctx, x, y, b.toRow, workers)
	return b, x, ctx.Err()
}

func (b *basis) setFrom(svd *mat.SVD) {
	values := svd.Values(nil)
	b.rank = kernel.RankAbove(values, lostDirection)
	var w mat.Dense
	svd.VTo(&w)
	b.toRow = make([]float64, b.columns*b.rank)
	b.toBasis = make([]float64, b.columns*b.rank)
	for i := range b.columns {
		for j, value := range values[:b.rank] {
			b.toRow[i*b.rank+j] = w.At(i, j) * value
			b.toBasis[i*b.rank+j] = w.At(i, j) / value
		}
	}
}
