// This file holds the rectification by proximal alternating linearized minimization.

package rectify

import (
	"cmp"
	"context"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// DefaultCoupling is s of PALM, as published.
	DefaultCoupling = 1e-4
	// palmDivisor is γ: the authors' program takes steps of 2/(2.01·L).
	palmDivisor = 1.005
)

// PALM finds nonnegative X and Y, N×K, by proximal alternating linearized minimization (Lee et al., ICML 2021,
// Algorithm 4, as spelled out in Dong's thesis, 2019, chapter 4; Bolte, Sabach & Teboulle, Math. Program. 146, 2014) of
//
//	J(X, Y) = ½‖C − X·Yᵀ‖²_F + (s/2)‖X − Y‖²_F   over X, Y ≥ 0
//
// starting from X = Y = y, V·√D for the leading eigenpairs of C. The signs of eigenvectors are arbitrary, yet only the
// positive entries survive the first step, and a column with none is lost for good; so columns are turned to have the
// longer part positive, unless opts.PALM.KeepSigns. Every iteration takes a step in X, then one in Y:
//
//	X ← max(X − ∇_X/(γL), 0),  ∇_X = X·YᵀY − C·Y + s(X − Y),  L = ‖YᵀY + sI‖₂
//	Y ← max(Y − ∇_Y/(γL), 0),  ∇_Y = Y·XᵀX − C·X + s(Y − X),  L = ‖XᵀX + sI‖₂
//
// L is the Lipschitz modulus of the gradient, so with γ > 1 a step from a point with X, Y ≥ 0 lowers J by at least
// (γ−1)L/2 times the squared distance moved. The first iteration may raise J, since y has negative entries.
//
// PALM has converged when (‖ΔX‖² + ‖ΔY‖²)/(‖X‖² + ‖Y‖²) is at most the square of the tolerance. It stops there, or
// after DefaultPALMIterations. Steps as long as the greatest eigenvalue allows move the columns of small ones slowly,
// so thousands of iterations are common; IPALM needs fewer. The result is X, as in the authors' program, and
// approximates C by X·Xᵀ only if X and Y have met: see Iteration.Apart and docs/decisions/palm.md. Iteration.Objective
// is J without its constant ½‖C‖²_F, which products do not give: J − ½‖C‖² = −tr(YᵀC·X) + ½tr(XᵀX·YᵀY) + (s/2)‖X − Y‖².
//
// PALM needs two products with C per iteration, opts.Multiply. It uses y up, which becomes Result.Factor. Memory: y and
// three more N×K matrices.
func PALM(ctx context.Context, y *matrix.Tall, opts Options) (*Result, error) {
	shared, err := newPair(ctx, "PALM", y, &opts)
	if err != nil {
		return nil, err
	}
	p := palm{pair: shared}
	p.coupling = cmp.Or(p.coupling, DefaultCoupling)
	return p.run(ctx, y, opts, alternation{name: "PALM", start: func(context.Context) error { return nil },
		iterate: p.iterate, settled: func(Iteration) bool { return true }, checkpoint: p.checkpoint})
}

// palm is the state between iterations.
type palm struct {
	pair
	gradient *matrix.Tall
}

func (p *palm) iterate(ctx context.Context) (Iteration, error) {
	movedX, err := p.step(ctx, p.x.now, p.y.now)
	if err != nil {
		return Iteration{}, err
	}
	movedY, err := p.step(ctx, p.y.now, p.x.now)
	if err != nil {
		return Iteration{}, err
	}
	return p.figures(ctx, movedX+movedY)
}

// step moves one factor, x, given the other, and returns the square of the distance.
func (p *palm) step(ctx context.Context, x, other *matrix.Tall) (moved float64, err error) {
	if err := p.multiplyBy(ctx, other); err != nil {
		return 0, err
	}
	if p.gradient == nil {
		p.gradient = matrix.Like(x)
	}
	k := other.Cols()
	gram := kernel.Gram(ctx, other, other, p.workers)
	for i := range k {
		gram[i*k+i] += p.coupling
	}
	values, _, err := kernel.LeadingEigen(ctx, gram, k, 0, p.workers)
	if err != nil {
		return 0, err
	}
	kernel.Multiply(ctx, p.gradient, x, gram, p.workers)
	length := 1 / (palmDivisor * values[0])
	sums := kernel.SumRows(ctx, x, 1, p.workers, func(sums []float64, first, last int) {
		for i := first; i < last; i++ {
			now, gradient, product, y := x.Row(i), p.gradient.Row(i), p.product.Row(i), other.Row(i)
			for j, v := range now {
				next := max(v-length*(gradient[j]-product[j]-p.coupling*y[j]), 0)
				sums[0] += (next - v) * (next - v)
				now[j] = next
			}
		}
	})
	return sums[0], ctx.Err()
}
