// This file finds leading eigenpairs of a symmetric matrix that is given by its products, and with them makes the
// truncated eigendecomposition of every iteration of ENN as published.

package rectify

import (
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// lanczosBlocks is how many blocks the basis holds, besides the product with the last, before it is compressed.
const lanczosBlocks = 4

// lanczos is a block Lanczos method with thick restarts (Wu & Simon, SIAM J. Matrix Anal. Appl. 22, 2000) and full
// reorthogonalisation: Rayleigh–Ritz in an orthonormal basis Q, N×m in blocks, that grows by what C adds to it. C·Q
// lies in its span except for W, the part of C times the last block that is orthogonal to Q. So the residual of a Ritz
// pair (θ, Q·s) is W·s', with the last coefficients s' of s, and no product with C but W is held.
type lanczos[T float32 | float64] struct {
	multiply       func(ctx context.Context, dst, x *matrix.TallOf[T]) error // sets dst to C·x
	orthonormalize func(ctx context.Context, t *matrix.TallOf[T]) error
	workers        int
	tolerance      float64 // residual of a wanted pair, relative to the greatest |θ|, at which a search ends

	blocks  []*matrix.TallOf[T] // Q; the next product is that with the last block
	w       *matrix.TallOf[T]   // the product
	size    int                 // m
	h       []float64           // QᵀCQ, m×m
	values  []float64           // Ritz values, decreasing
	vectors []float64           // coefficients of the leading Ritz vectors, m×count, in columns
	count   int
}

// search extends the space of x, whose product with C is z, until the first k Ritz pairs have small residuals, C was
// applied so often as most, or the space is invariant. It returns the residuals, relative to the greatest |θ|, and how
// often C was applied.
func (t *lanczos[T]) search(ctx context.Context, x, z *matrix.TallOf[T],
	k, most int) (residuals []float64, applications int, err error) {
	wanted := x.Cols()
	t.blocks, t.w = []*matrix.TallOf[T]{x}, z
	for applications = 1; ; applications++ {
		rest, scale, err := t.absorb(ctx, wanted)
		if err != nil {
			return nil, 0, err
		}
		residuals = t.residuals(rest, k, scale)
		if slices.Max(residuals) <= t.tolerance || applications == most {
			return residuals, applications, nil
		}
		grows, err := t.extend(ctx, rest, scale)
		if err != nil {
			return nil, 0, err
		}
		if !grows { // the space is invariant: its pairs are exact
			return residuals, applications, nil
		}
		last := t.blocks[len(t.blocks)-1]
		t.w = matrix.Like(last)
		if err := t.multiply(ctx, t.w, last); err != nil {
			return nil, 0, err
		}
	}
}

// absorb takes w, C times the last block: it extends h, solves for the leading Ritz pairs, and leaves in w the part
// outside of the space, of which it returns the Gram matrix. scale is the greatest |θ|.
func (t *lanczos[T]) absorb(ctx context.Context, wanted int) (rest []float64, scale float64, err error) {
	workers := t.workers
	coefficients := kernel.ProjectOut(ctx, t.w, t.blocks, workers)
	n := t.size + t.w.Cols()
	t.h, t.size, t.count = kernel.Bordered(t.h, coefficients, n, t.w.Cols()), n, min(wanted, n)
	if t.values, t.vectors, err = kernel.LeadingEigen(ctx, t.h, n, t.count, workers); err != nil {
		return nil, 0, err
	}
	rest = kernel.Gram(ctx, t.w, t.w, workers)
	return rest, max(math.Abs(t.values[0]), math.Abs(t.values[n-1])), ctx.Err()
}

// residuals returns the residuals of the first k Ritz pairs, relative to scale, given WᵀW.
func (t *lanczos[T]) residuals(rest []float64, k int, scale float64) []float64 {
	cols := t.w.Cols()
	last := t.vectors[(t.size-cols)*t.count:]
	residuals := make([]float64, min(k, t.count))
	for c := range residuals {
		square := 0.0
		for i := range cols {
			for j := range cols {
				square += last[i*t.count+c] * rest[i*cols+j] * last[j*t.count+c]
			}
		}
		if !(square <= 0) { // NaN too
			residuals[c] = math.Sqrt(square) / scale
		}
	}
	return residuals
}

// extend makes what w adds to the space the last block, and compresses a full basis. It reports whether w adds
// anything. Scaling short directions up also scales up what rounding left of the space in them, so they are projected
// again.
func (t *lanczos[T]) extend(ctx context.Context, rest []float64, scale float64) (grows bool, err error) {
	workers, cols, deflated := t.workers, t.w.Cols(), t.tolerance/8
	squares, directions, err := kernel.SymmetricEigen(ctx, rest, cols, workers)
	if err != nil {
		return false, err
	}
	kept := 0
	for kept < cols && squares[kept] > (deflated*scale)*(deflated*scale) { // shorter ones are rounding
		kept++
	}
	if kept == 0 {
		return false, nil
	}
	s := kernel.FirstColumns(directions, cols, cols, kept)
	for i := range s {
		s[i] /= math.Sqrt(squares[i%kept])
	}
	next := t.w
	t.w = nil
	kernel.Transform(ctx, next, s, kept, workers)
	next.Shrink(kept)
	for range 2 {
		kernel.ProjectOut(ctx, next, t.blocks, workers)
		if err := t.orthonormalize(ctx, next); err != nil {
			return false, err
		}
	}
	if len(t.blocks) == lanczosBlocks {
		t.compress(ctx)
	}
	t.blocks = append(t.blocks, next)
	return true, ctx.Err()
}

// compress replaces the basis by the leading Ritz vectors.
func (t *lanczos[T]) compress(ctx context.Context) {
	t.blocks = []*matrix.TallOf[T]{t.ritzVectors(ctx, t.count)}
	t.size, t.h = t.count, make([]float64, t.count*t.count)
	for j := range t.count {
		t.h[j*t.count+j] = t.values[j]
	}
}

// ritzVectors returns the first count Ritz vectors, and releases the blocks.
func (t *lanczos[T]) ritzVectors(ctx context.Context, count int) *matrix.TallOf[T] {
	count = min(count, t.count)
	return kernel.Combined(ctx, t.blocks, kernel.FirstColumns(t.vectors, t.size, t.count, count), count, t.workers, nil)
}

const (
	// TruncatedTolerance is the residual ‖C'·v − θ·v‖₂ of each of the K leading pairs, relative to the greatest |θ|, at
	// which a truncated eigendecomposition ends. Products in single precision leave about a tenth of it.
	TruncatedTolerance = 1e-6
	// truncatedProducts bounds the applications of C' in one iteration. Residuals do not depend on gaps between
	// eigenvalues and have been small long before; Iteration.Residual says so.
	truncatedProducts = 100
	// usualApplications is how often C' is applied in an iteration, until the last iteration shows it.
	usualApplications = 5
)

// truncate replaces x by the K+10 leading Ritz vectors of C', given z = C'·x, and returns their values. The first K
// pairs have residuals of at most TruncatedTolerance; their greatest is returned, and how often C' was applied. The
// basis starts from the K+10 leading vectors of the iteration before.
func (e *enn) truncate(ctx context.Context) (values []float64, residual float64, applications int, err error) {
	wanted, k := e.x.Cols(), min(e.y.Cols(), e.x.Cols())
	t := lanczos[float32]{multiply: e.apply, orthonormalize: e.orthonormalize, workers: e.workers,
		tolerance: TruncatedTolerance}
	x, z := e.x, e.z
	e.x, e.z = nil, nil
	residuals, applications, err := t.search(ctx, x, z, k, truncatedProducts)
	if err != nil {
		return nil, 0, 0, err
	}
	if !(t.values[0] > 0) {
		return nil, 0, 0, nothingLeft(ctx)
	}
	t.w = nil
	e.x = t.ritzVectors(ctx, wanted)
	e.z = matrix.Like(e.x)
	values = make([]float64, e.x.Cols())
	for i := range min(k, len(values)) {
		values[i] = max(t.values[i], 0)
	}
	return values, slices.Max(residuals), applications, ctx.Err()
}
