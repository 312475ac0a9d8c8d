// This file holds the truncated eigendecomposition that every iteration of ENN makes as published: accurate eigenpairs
// of C'.

package rectify

import (
	"context"
	"slices"

	"anchorage/matrix"
)

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
