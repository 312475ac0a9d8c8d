// This file holds the inertial form of PALM.

package rectify

import (
	"context"
	"fmt"

	"anchorage/matrix"
)

// IPALM is PALM with inertia (Pock & Sabach, SIAM J. Imaging Sci. 9, 2016, Algorithm iPALM; proposed for this problem in
// Lee et al., ICML 2021, footnote 3). Each factor is extrapolated along its last step before it takes the next:
//
//	V = X + α(X − X₋),  X ← max(V − ∇_X(V, Y)/τ, 0),  τ = γ·L·(1 + 2α)/(2(1 − α))
//
// and the same for Y. τ is their step for constant extrapolations α = β and a convex constraint. J need not fall at every
// iteration, but J plus a multiple of the squared distances last moved does. Everything else is as in PALM; IPALM, too, uses y
// up.
func IPALM(ctx context.Context, y *matrix.Tall, opts Options) (*Result, error) {
	alpha := opts.PALM.Inertia
	if alpha == 0 {
		alpha = DefaultInertia
	}
	if !(alpha > 0 && alpha < 1) {
		return nil, fmt.Errorf("rectify: inertia must lie between 0 and 1, not %v", alpha)
	}
	return runPALM(ctx, "iPALM", y, opts, alpha, (1+2*alpha)/(2*(1-alpha)))
}
