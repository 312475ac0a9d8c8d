// This file finds accurate leading eigenpairs of a matrix that is given by its products.

package rectify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// Operator sets dst = C·x for a symmetric N×N matrix C; dst and x are N×L with the same stride. It overwrites dst and
// leaves x as it is. It is called from one goroutine at a time. The method Multiply of a sketch.Operator is one.
type Operator func(ctx context.Context, dst, x *matrix.Tall) error

// Dense returns the operator of a dense matrix c, N×N and symmetric. It refers to c and does not copy it.
func Dense(c *matrix.Tall, workers int) Operator {
	if c.Rows() != c.Cols() {
		panic("rectify: not a square matrix")
	}
	return func(ctx context.Context, dst, x *matrix.Tall) error {
		flat := make([]float64, 0, x.Rows()*x.Cols())
		for i := range x.Rows() {
			flat = append(flat, x.Row(i)...)
		}
		kernel.Multiply(ctx, dst, c, flat, workers)
		return ctx.Err()
	}
}

const (
	// eigenTolerance is the residual ‖C·v − θ·v‖₂ of a wanted pair, relative to the greatest |θ|, that counts as 0: some
	// thousand times what rounding leaves.
	eigenTolerance = 1e-11
	// eigenProducts bounds the products with C. Close eigenvalues slow down eigenvectors but not residuals; more products
	// than this mean that the operator is not symmetric.
	eigenProducts = 1000
)

// Eigen returns the k greatest eigenvalues of C, N×N, with their eigenvectors, each with a residual of at most 1e-11 of
// the greatest eigenvalue. It returns a *sketch.RankError if fewer than k are positive. ENN and PALM can start from the
// result's Factor, V·√D; ENN is then the papers' ENN from an exact truncated eigendecomposition. Of opts it takes Seed,
// Key and Workers.
//
// Memory: 6·(K+10) columns of N values.
func Eigen(ctx context.Context, multiply Operator, n, k int, opts Options) (*sketch.Eigen, error) {
	if k < 1 || k > n {
		return nil, fmt.Errorf("rectify: a matrix of %d items does not have %d eigenpairs", n, k)
	}
	l := newLeading(n, k, random.EigenStart, opts)
	values, residuals, err := l.solve(ctx, multiply)
	if err != nil {
		return nil, err
	}
	if rank := kernel.RankAbove(values, float64(n)*0x1p-52); rank < k {
		return nil, &sketch.RankError{Topics: k, Rank: rank}
	}
	for i := range residuals {
		residuals[i] /= values[0]
	}
	return &sketch.Eigen{Values: values, Vectors: l.x.Copy(k), Residuals: residuals, Passes: l.products}, nil
}

// leading finds the leading eigenpairs of one matrix after the other; each search starts from the last result.
type leading struct {
	k, workers int
	x          *matrix.Tall // N×(K+10): where the next search starts; after a search, the Ritz vectors in order
	products   int          // with C, in all
}

// newLeading returns a leading that starts from random vectors: numbers of the stage, uniform on (−1, 1).
func newLeading(n, k int, stage random.Stage, opts Options) *leading {
	l := &leading{k: k, workers: opts.Workers, x: matrix.NewTall(n, min(k+ExtraColumns, n))}
	for i := range n {
		key := random.KeyOf(opts.Key, i)
		row := l.x.Row(i)
		for j := range row {
			row[j] = random.Symmetric(opts.Seed, stage, key, uint64(j))
		}
	}
	return l
}

// solve returns the k greatest eigenvalues in decreasing order and the norms of the residuals, and leaves the
// eigenvectors in the first columns of x.
func (l *leading) solve(ctx context.Context, multiply Operator) (values, residuals []float64, err error) {
	s := lanczos[float64]{multiply: multiply, workers: l.workers, tolerance: eigenTolerance}
	s.orthonormalize = func(ctx context.Context, t *matrix.Tall) error {
		_, err := kernel.Orthonormalize(ctx, t, l.workers)
		return err
	}
	if err := s.orthonormalize(ctx, l.x); err != nil {
		return nil, nil, err
	}
	wanted, image := l.x.Cols(), matrix.Like(l.x)
	if err := multiply(ctx, image, l.x); err != nil {
		return nil, nil, err
	}
	residuals, products, err := s.search(ctx, l.x, image, l.k, eigenProducts)
	if err != nil {
		return nil, nil, err
	}
	if l.products += products; products == eigenProducts {
		return nil, nil, fmt.Errorf("%d leading eigenpairs were not found in %d products: a residual is %.2g", l.k, products,
			slices.Max(residuals))
	}
	for i := range residuals {
		residuals[i] *= max(math.Abs(s.values[0]), math.Abs(s.values[s.size-1]))
	}
	l.x = s.ritzVectors(ctx, wanted)
	return s.values[:l.k], residuals, ctx.Err()
}

// project is the projection PSD_K: it returns V·√D⁺, N×K, for the k leading eigenpairs of the matrix that multiply
// represents for, so that its product with its transpose is the nearest positive semidefinite matrix of rank K; and the
// sum of all entries of that product.
func (l *leading) project(ctx context.Context, multiply Operator) (y *matrix.Tall, sum float64, err error) {
	values, _, err := l.solve(ctx, multiply)
	if err != nil {
		return nil, 0, err
	}
	y = l.x.Copy(l.k)
	roots := make([]float64, l.k*l.k)
	for j, v := range values {
		roots[j*l.k+j] = math.Sqrt(max(v, 0))
	}
	kernel.Transform(ctx, y, roots, l.k, l.workers)
	return y, entrySum(ctx, y, l.workers), ctx.Err()
}
