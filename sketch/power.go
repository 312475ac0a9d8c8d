// This file has the step of the randomized subspace iteration of Options.Power.

package sketch

import (
	"context"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// replace makes an orthonormal basis of (C+σ·I)·Q the only block. The parts of the product are known: C·Q = Q·H + Q'·R
// with the last block Q'.
func (b *basis) replace(ctx context.Context) error {
	b.raiseShift()
	cols := b.applied
	factor := append(slices.Clone(b.h), b.coupling...)
	for i := range cols {
		factor[i*cols+i] += b.shift
	}
	product := kernel.Combined(ctx, b.blocks, factor, cols, b.opts.Workers)
	b.blocks, b.applied, b.h, b.coupling = []*matrix.Tall{product}, 0, nil, nil
	_, err := kernel.Orthonormalize(ctx, product, b.opts.Workers)
	return err
}

// raiseShift raises σ where negative eigenvalues crowd out wanted ones. The iteration turns to the eigenvalues of
// greatest modulus. Without its diagonal, C can have enough negative ones among these that fewer than K columns are
// left. If −μ is the least Ritz value, σ = μ/2 makes −μ no greater in modulus than an eigenvalue 0, at the least cost
// to the gaps of the others: a shift makes the iteration slower. It is never lowered, or the negative ones would come
// back. (The authors' program shifts by λ₁/10 always, which leaves hardly a gap between small eigenvalues.)
func (b *basis) raiseShift() {
	positive := slices.IndexFunc(b.values, func(v float64) bool { return v <= 0 })
	if positive >= 0 && positive < min(b.k, b.applied) {
		b.shift = max(b.shift, -b.values[len(b.values)-1]/2)
	}
}
