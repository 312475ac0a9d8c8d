// This file holds the truncated eigendecomposition that every iteration of ENN makes as published: accurate eigenpairs of C'.

package rectify

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// TruncatedTolerance is the residual ‖C'·v − θ·v‖₂ of each of the K leading pairs, relative to the greatest |θ|, at which a
	// truncated eigendecomposition ends. Products in single precision leave about a tenth of it.
	TruncatedTolerance = 1e-6
	// truncatedBlocks is how many blocks the basis holds, besides the product with the last, before it is compressed.
	truncatedBlocks = 4
	// truncatedProducts bounds the applications of C' in one iteration. Residuals do not depend on gaps between eigenvalues and have
	// been small long before; Iteration.Residual says so.
	truncatedProducts = 100
	// deflated is the length, relative to the greatest |θ|, of what a product adds to the space that counts as rounding.
	deflated = TruncatedTolerance / 8
	// usualApplications is how often C' is applied in an iteration, until the last iteration shows it.
	usualApplications = 5
)

// truncated is a block Lanczos method with thick restarts (Wu & Simon, SIAM J. Matrix Anal. Appl. 22, 2000) and full
// reorthogonalisation: Rayleigh–Ritz in an orthonormal basis Q, N×m in blocks, that grows by what C' adds to it. C'·Q lies in its span but
// for W, the part of C' times the last block that is orthogonal to Q. So the residual of a Ritz pair (θ, Q·s) is W·s', with the last
// coefficients s' of s, and no product with C' but W is held. The basis starts from the K+10 leading vectors of the iteration before.
type truncated struct {
	e       *enn
	blocks  []*matrix.Single // Q; the next product is that with the last block
	w       *matrix.Single   // the product
	size    int              // m
	h       []float64        // QᵀC'Q, m×m
	values  []float64        // Ritz values, decreasing
	vectors []float64        // coefficients of the leading Ritz vectors, m×count, in columns
	count   int
}

// truncate replaces x by the K+10 leading Ritz vectors of C', given z = C'·x, and returns their values. The first K pairs have residuals
// of at most TruncatedTolerance; their greatest is returned, and how often C' was applied.
func (e *enn) truncate(ctx context.Context) (values []float64, residual float64, applications int, err error) {
	wanted, k := e.x.Cols(), min(e.y.Cols(), e.x.Cols())
	t := truncated{e: e, blocks: []*matrix.Single{e.x}, w: e.z}
	e.x, e.z = nil, nil
	for applications = 1; ; applications++ {
		rest, scale, err := t.absorb(ctx, wanted)
		if err != nil {
			return nil, 0, 0, err
		}
		residual = t.residual(rest, k) / scale
		if residual <= TruncatedTolerance || applications == truncatedProducts {
			break
		}
		grows, err := t.extend(ctx, rest, scale)
		if err != nil {
			return nil, 0, 0, err
		}
		if !grows { // the space is invariant: its pairs are exact
			break
		}
		if err := t.multiply(ctx); err != nil {
			return nil, 0, 0, err
		}
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
	return values, residual, applications, ctx.Err()
}

// absorb takes w, C' times the last block: it extends h, solves for the leading Ritz pairs, and leaves in w the part outside of the space, of
// which it returns the Gram matrix. scale is the greatest |θ|.
func (t *truncated) absorb(ctx context.Context, wanted int) (rest []float64, scale float64, err error) {
	workers := t.e.workers
	coefficients := t.project(ctx, t.w)
	cols, old := t.w.Cols(), t.size
	n := old + cols
	h := make([]float64, n*n)
	for i := range old {
		copy(h[i*n:], t.h[i*old:(i+1)*old])
	}
	for i := range n {
		for j := range cols {
			v := coefficients[i*cols+j]
			if i >= old { // symmetric but for rounding
				v = (v + coefficients[(old+j)*cols+i-old]) / 2
			}
			h[i*n+old+j], h[(old+j)*n+i] = v, v
		}
	}
	t.h, t.size, t.count = h, n, min(wanted, n)
	if t.values, t.vectors, err = kernel.LeadingEigen(ctx, t.h, n, t.count, workers); err != nil {
		return nil, 0, err
	}
	rest = kernel.Gram(ctx, t.w, t.w, workers)
	return rest, max(math.Abs(t.values[0]), math.Abs(t.values[n-1])), ctx.Err()
}

// project subtracts from w its part in the basis, and returns Qᵀ·w.
func (t *truncated) project(ctx context.Context, w *matrix.Single) (coefficients []float64) {
	for _, q := range t.blocks {
		part := kernel.Gram(ctx, q, w, t.e.workers)
		kernel.MultiplyAdd(ctx, w, -1, q, part, t.e.workers)
		coefficients = append(coefficients, part...)
	}
	return coefficients
}

// residual returns the greatest residual of the first k Ritz pairs, given WᵀW.
func (t *truncated) residual(rest []float64, k int) float64 {
	cols := t.w.Cols()
	last := t.vectors[(t.size-cols)*t.count:]
	greatest := 0.0
	for c := range min(k, t.count) {
		square := 0.0
		for i := range cols {
			for j := range cols {
				square += last[i*t.count+c] * rest[i*cols+j] * last[j*t.count+c]
			}
		}
		if !(square <= greatest) { // NaN too
			greatest = square
		}
	}
	return math.Sqrt(greatest)
}

// extend makes what w adds to the space the last block, and compresses a full basis. It reports whether w adds anything. Scaling short
// directions up also scales up what rounding left of the space in them, so they are projected again.
func (t *truncated) extend(ctx context.Context, rest []float64, scale float64) (grows bool, err error) {
	workers, cols := t.e.workers, t.w.Cols()
	squares, directions, err := kernel.SymmetricEigen(ctx, rest, cols, workers)
	if err != nil {
		return false, err
	}
	kept := 0
	for kept < cols && squares[kept] > (deflated*scale)*(deflated*scale) {
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
		t.project(ctx, next)
		if err := t.e.orthonormalize(ctx, next); err != nil {
			return false, err
		}
	}
	if len(t.blocks) == truncatedBlocks {
		t.compress(ctx)
	}
	t.blocks = append(t.blocks, next)
	return true, ctx.Err()
}

// compress replaces the basis by the leading Ritz vectors.
func (t *truncated) compress(ctx context.Context) {
	t.blocks = []*matrix.Single{t.ritzVectors(ctx, t.count)}
	t.size, t.h = t.count, make([]float64, t.count*t.count)
	for j := range t.count {
		t.h[j*t.count+j] = t.values[j]
	}
}

// multiply sets w to C' times the last block.
func (t *truncated) multiply(ctx context.Context) error {
	q := t.blocks[len(t.blocks)-1]
	t.w = matrix.Like(q)
	return t.e.apply(ctx, t.w, q)
}

// ritzVectors returns the first count Ritz vectors, and releases the blocks.
func (t *truncated) ritzVectors(ctx context.Context, count int) *matrix.Single {
	x := matrix.Unfilled[float32](t.blocks[0], min(count, t.count))
	x.Fill(x.Rows())
	at := 0
	for _, block := range t.blocks {
		part := kernel.FirstColumns(t.vectors[at*t.count:(at+block.Cols())*t.count], block.Cols(), t.count, x.Cols())
		kernel.MultiplyAdd(ctx, x, 1, block, part, t.e.workers)
		at += block.Cols()
		block.Release()
	}
	return x
}
