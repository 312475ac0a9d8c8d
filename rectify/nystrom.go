// This file holds the projection onto matrices of rank K in ENN, from one product with C'.

package rectify

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
)

// project replaces x by the eigenvectors of a low-rank approximation of C', which needs no more than z = C'·x. It
// returns their eigenvalues: the first K belong to the new factor, and the others are 0.
//
// For the K leading Ritz pairs w, θ of H = xᵀz, the approximation of Nyström is Σ (z·w)·θ⁻¹·(z·w)ᵀ (Halko, Martinsson &
// Tropp, SIAM Review 53, 2011, section 5.4): a step of subspace iteration with Ritz values that are as accurate as
// those of a second product. But C' has negative eigenvalues too, and where w mixes their vectors with others, θ is
// near 0 while z·w is not. So θ is replaced: each term gets the eigenvalue that C' would have if its unknown part were
// 0. On w and the residual z·w − θ·x·w, of length ρ, that C' is (θ, ρ; ρ, 0), with the eigenvalue (θ + √(θ²+4ρ²))/2.
// For small ρ that is θ.
func (e *enn) project(ctx context.Context) (values []float64, err error) {
	cols, k := e.x.Cols(), e.y.Cols()
	theta, ritz, err := kernel.SymmetricEigen(ctx, kernel.Gram(ctx, e.x, e.z, e.workers), cols, e.workers)
	if err != nil {
		return nil, err
	}
	kept := kernel.RankAbove(theta[:min(k, cols)], leastRitz)
	if kept == 0 || !(theta[0] > 0) {
		return nil, nothingLeft(ctx)
	}
	gram := kernel.Gram(ctx, e.z, e.z, e.workers)
	basis, rank, err := orthonormalizer(ctx, gram, cols, e.workers)
	if err != nil {
		return nil, err
	}
	// In the basis Q = z·S of the span of z, the approximation is B·Bᵀ with B = Sᵀ·(zᵀz)·W·Θ^−½.
	leading := kernel.FirstColumns(ritz, cols, cols, kept)
	images := kernel.Times(ctx, gram, leading, cols, cols, kept)
	b := kernel.TransposedTimes(ctx, basis, images, cols, rank, kept)
	for j := range kept {
		square := 0.0 // ‖z·w‖² = θ² + ρ²
		for i := range cols {
			square += leading[i*kept+j] * images[i*kept+j]
		}
		excess := max(square-theta[j]*theta[j], 0)
		value := (theta[j] + math.Sqrt(theta[j]*theta[j]+4*excess)) / 2
		scale := math.Sqrt(value / square)
		for i := range rank {
			b[i*kept+j] *= scale
		}
	}
	values, turn, err := kernel.SymmetricEigen(ctx, kernel.TimesTransposed(ctx, b, b, rank, rank, kept), rank, e.workers)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.x, e.z = e.z, e.x
	kernel.Transform(ctx, e.x, kernel.Times(ctx, basis, turn, cols, rank, rank), rank, e.workers)
	for i := range values {
		values[i] = max(values[i], 0)
		if i >= kept {
			values[i] = 0
		}
	}
	return values, nil
}

// leastRitz is the least Ritz value, relative to the greatest, that is more than rounding of single precision.
const leastRitz = 0x1p-22

// combine replaces y as the stage says, given the eigenpairs of G(Y) in x and values, and returns the relative length
// of F(Y). First it rotates the eigenvectors as near to y as possible; Y·Yᵀ is the same for any rotation.
func (e *enn) combine(ctx context.Context, values []float64, s stage) (change float64, err error) {
	k, cols := e.y.Cols(), e.x.Cols()
	used := min(k, cols)
	cross := kernel.Gram(ctx, e.x, e.y, e.workers)[:used*k]
	for i := range cross {
		cross[i] *= math.Sqrt(values[i/k])
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	turn, err := nearestRotation(ctx, mat.NewDense(used, k, cross))
	if err != nil {
		return 0, err
	}
	toFactor := make([]float64, cols*k)
	for i := range used {
		for j := range k {
			toFactor[i*k+j] = math.Sqrt(values[i]) * turn.At(i, j)
		}
	}
	sums := make([]float64, 2*kernel.Pieces(e.x)) // of every piece the squares of G(Y), and of F(Y)
	current, before, advance := float32(s.current), float32(s.before), float32(s.advance)
	kernel.EachProduct(ctx, e.x, toFactor, k, e.workers, func(piece, first, last int, product []float32, stride int) {
		for i := first; i < last; i++ {
			next := product[(i-first)*stride:][:k]
			now, old := e.y.Row(i)[:k], e.before.Row(i)[:k]
			var length, move float32
			for j, v := range next {
				f := v - now[j]
				move += f * f
				length += v * v
				old[j] = current*now[j] + before*old[j] + advance*f
			}
			sums[2*piece] += float64(length)
			sums[2*piece+1] += float64(move)
		}
	})
	e.y, e.before = e.before, e.y
	return e.relativeMove(ctx, sums)
}

// relativeMove returns the root of the quotient of what the rows have moved and their squared lengths, given the two
// sums of every piece of rows that is held. They are added in the order of the pieces.
func (e *enn) relativeMove(ctx context.Context, sums []float64) (float64, error) {
	first, last := kernel.HeldPieces(e.y)
	all, err := kernel.Concat(ctx, e.y.Layout(), sums[2*first:2*last])
	if err != nil {
		return 0, err
	}
	length, move := 0.0, 0.0
	for piece := range slices.Chunk(all, 2) {
		length += piece[0]
		move += piece[1]
	}
	return math.Sqrt(move / length), ctx.Err()
}

// nearestRotation returns U·Vᵀ of the singular value decomposition U·Σ·Vᵀ of a matrix. It uses the matrix up.
func nearestRotation(ctx context.Context, of *mat.Dense) (*mat.Dense, error) {
	var turn mat.Dense
	converged := false
	err := kernel.Await(ctx, func() {
		var svd mat.SVD
		if converged = svd.Factorize(of, mat.SVDThin); converged {
			var u, v mat.Dense
			svd.UTo(&u)
			svd.VTo(&v)
			turn.Mul(&u, v.T())
		}
	})
	switch {
	case err != nil:
		return nil, err
	case !converged:
		return nil, errors.New("the singular values of a small matrix did not converge")
	}
	return &turn, nil
}

// orthogonalize scales y, rotates it so that its columns are orthogonal, in order of decreasing length, and returns
// ‖Y·Yᵀ‖_F.
func (e *enn) orthogonalize(ctx context.Context) (float64, error) {
	k := e.y.Cols()
	values, turn, err := kernel.SymmetricEigen(ctx, kernel.Gram(ctx, e.y, e.y, e.workers), k, e.workers)
	if err != nil {
		return 0, err
	}
	scale, err := e.scale(ctx)
	if err != nil {
		return 0, err
	}
	for i := range turn {
		turn[i] *= scale
	}
	kernel.Transform(ctx, e.y, turn, k, e.workers)
	return norm(values) * scale * scale, ctx.Err()
}

// gramFloor is the least eigenvalue of a scaled Gram matrix of columns of single precision, relative to its greatest,
// that is more than rounding.
const gramFloor = 0x1p-40

// orthonormalizer returns S, n×rank, with Sᵀ·G·S = I for a Gram matrix G: S = D·U·Θ^−½ with D scaling G to unit
// diagonal and U·Θ·Uᵀ = D·G·D. It leaves out directions that are lost in rounding.
func orthonormalizer(ctx context.Context, gram []float64, n, workers int) (s []float64, rank int, err error) {
	scaled, lengths := kernel.ScaledGram(gram, n)
	values, vectors, err := kernel.SymmetricEigen(ctx, scaled, n, workers)
	if err != nil {
		return nil, 0, err
	}
	rank = kernel.RankAbove(values, gramFloor)
	s = make([]float64, n*rank)
	for i, length := range lengths {
		if length == 0 {
			continue
		}
		for j := range rank {
			s[i*rank+j] = 1 / length * vectors[i*n+j] / math.Sqrt(values[j])
		}
	}
	return s, rank, nil
}

// nothingLeft returns errNothingLeft, unless sums are zero because an interrupt has cut them off.
func nothingLeft(ctx context.Context) error { return cmp.Or(ctx.Err(), errNothingLeft) }

// errNothingLeft says that a matrix has become zero, because its negative entries outweigh the others.
var errNothingLeft = errors.New("no positive eigenvalue is left")
