// This file holds the inertial form of PALM.

package rectify

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// startCoupling is the s that IPALM starts with, as a share of the greatest eigenvalue.
	startCoupling = 1.0 / 16
	// couplingAfter is the number of iterations that IPALM makes before it may raise s: the first ones move too far to say
	// anything.
	couplingAfter = 5
	// couplingApart is how far X and Y must be apart, relative to X, for s to be raised: closer ones have met, and ρ is
	// lost in rounding.
	couplingApart = 1e-4
	// ipalmSweeps is how often IPALM goes through the columns of a factor for one product with C.
	ipalmSweeps = 3
	// ipalmRounding is how much J may rise, relative to what is known of it, and still be taken to fall: J is a difference
	// of sums that are rounded.
	ipalmRounding = 1e-13
)

// IPALM minimizes the J of PALM with inertia (Pock & Sabach, SIAM J. Imaging Sci. 9, 2016; proposed for this problem in
// Lee et al., ICML 2021, footnote 3), with the columns of both factors as its 2K blocks (Bolte, Sabach & Teboulle,
// Math. Program. 146, 2014, section 3.6). An iteration extrapolates both factors along their last steps, X ← max(X +
// α(X − X₋), 0) and Y likewise, and then moves each column of X in turn:
//
//	x_j ← max(x_j − (X·g_j − C·y_j + s(x_j − y_j))/L_j, 0),  g_j column j of G = YᵀY,  L_j = G_jj + s
//
// and the same for Y, given the new X. J is quadratic in a column, with L_j times the identity, so that this is its
// minimum: no step is held back by the greatest eigenvalue, and without inertia J falls by at least L_j/2 times the
// squared distance. Three such sweeps share a product with C, which costs more than they do (Gillis & Glineur, Neural
// Comput. 24, 2012). Pock & Sabach extrapolate only the block that moves; but s pulls X to Y, so that inertia of only
// one is lost (Ang & Gillis, Neural Comput. 31, 2019, extrapolate both).
//
// In iteration t, α = (t−1)/(t+2). If J rises, the iteration is taken back and made without
// inertia, and t begins again at 1 (O'Donoghue & Candès, Found. Comput. Math. 15, 2015). So J falls in every iteration.
//
// If opts.PALM.Coupling is 0, s starts at a sixteenth of the greatest eigenvalue and adapts. With D = X − Y and S =
// ½(X·Yᵀ + Y·Xᵀ), a stationary point fulfils 2s‖D‖² ≤ ⟨S − C, D·Dᵀ⟩. So X = Y if 2s is above the greatest eigenvalue of
// S − C (a form of Zhu, Li, Liu & Li, NeurIPS 2018, theorem 1), and otherwise they may part for good. ρ = ⟨S − C,
// D·Dᵀ⟩/‖D‖² is below that eigenvalue, and costs no product. From the fifth iteration on, ρ > 1.8s raises s to ρ while
// ‖X − Y‖ > 10⁻⁴‖X‖, which raises J. That happens only a few times, since s nearly doubles.
//
// IPALM has converged when the change of PALM is within the tolerance in an iteration with inertia. It starts from
// X = Y = max(y, 0) and uses y up. Memory: y and four more N×K matrices.
func IPALM(ctx context.Context, y *matrix.Tall, opts Options) (*Result, error) {
	shared, err := newPair(ctx, "iPALM", y, &opts)
	if err != nil {
		return nil, err
	}
	p := ipalm{pair: shared, adapts: opts.PALM.Coupling == 0}
	return p.run(ctx, y, opts, alternation{name: "iPALM", start: p.start, iterate: p.iterate,
		settled: func(Iteration) bool { return p.since > 1 }, checkpoint: p.checkpoint})
}

// ipalm is the state between iterations.
type ipalm struct {
	pair
	adapts bool
	done   int // iterations
	since  int // iterations since the last without inertia, itself included; 0 after s was raised
	// 1 once the factors are extrapolated for the next iteration, as an interrupt of its first product finds them
	ahead     int
	objective float64 // J − ½‖C‖² with the present s
}

// start drops negative entries, and chooses s.
func (p *ipalm) start(ctx context.Context) error {
	k := p.x.now.Cols()
	if p.adapts {
		values, _, err := kernel.LeadingEigen(ctx, kernel.Gram(ctx, p.x.now, p.x.now, p.workers), k, 0, p.workers)
		if err != nil {
			return err
		}
		p.coupling = startCoupling * values[0]
	}
	for i := range p.x.now.Rows() {
		x, y := p.x.now.Row(i), p.y.now.Row(i)
		for j, v := range x {
			x[j] = max(v, 0)
			y[j] = x[j]
		}
	}
	p.x.before, p.y.before = p.x.now.Copy(k), p.y.now.Copy(k)
	return nil
}

func (p *ipalm) iterate(ctx context.Context) (Iteration, error) {
	t := float64(p.since + 1)
	alpha := (t - 1) / (t + 2)
	now, overfit, err := p.try(ctx, alpha)
	if err == nil && alpha > 0 && now.Objective > p.objective+ipalmRounding*math.Abs(p.objective) {
		p.back()
		p.since = 0
		now, overfit, err = p.try(ctx, 0)
		now.Restarted = true
	}
	if err != nil {
		return Iteration{}, err
	}
	p.done++
	p.since++
	p.objective = now.Objective
	if p.adapts && p.done >= couplingAfter && overfit > 1.8*p.coupling && now.Apart > couplingApart {
		p.coupling, p.since = overfit, 0
		again, err := p.figures(ctx, 0) // J with this s
		if err != nil {
			return Iteration{}, err
		}
		p.objective = again.Objective
	}
	return now, ctx.Err()
}

// try makes an iteration and returns ρ as well.
func (p *ipalm) try(ctx context.Context, alpha float64) (now Iteration, overfit float64, err error) {
	x, y := p.x.now, p.y.now
	if p.ahead == 0 {
		p.x.extrapolate(alpha)
		p.y.extrapolate(alpha)
		p.ahead = 1
	}
	if err := p.multiplyBy(ctx, y); err != nil {
		return now, 0, err
	}
	p.ahead = 0
	gramY, along := kernel.Gram(ctx, y, y, p.workers), p.with(ctx, y)
	moved := p.sweep(ctx, p.x, y, gramY)
	if err := p.multiplyBy(ctx, x); err != nil {
		return now, 0, err
	}
	gramX, cross := kernel.Gram(ctx, x, x, p.workers), kernel.Gram(ctx, x, y, p.workers)
	along += p.with(ctx, x) - 2*p.with(ctx, y) // now ⟨C, D·Dᵀ⟩
	overfit = quotient(gramX, gramY, cross, along, x.Cols())
	moved += p.sweep(ctx, p.y, x, gramX)
	now, err = p.figures(ctx, moved)
	return now, overfit, err
}

// extrapolate moves a factor along its last step.
func (f inertial) extrapolate(alpha float64) {
	for i := range f.now.Rows() {
		now, before := f.now.Row(i), f.before.Row(i)
		for j, v := range now {
			now[j], before[j] = max(v+alpha*(v-before[j]), 0), v
		}
	}
}

// quotient returns ρ of XᵀX, YᵀY, XᵀY and ⟨C, D·Dᵀ⟩; 0 where X = Y. ⟨S, D·Dᵀ⟩ is ⟨DᵀX, DᵀY⟩.
func quotient(gramX, gramY, cross []float64, along float64, k int) float64 {
	fit, squares := 0.0, 0.0
	for i := range k {
		squares += gramX[i*k+i] + gramY[i*k+i] - 2*cross[i*k+i]
		for j := range k {
			fit += (gramX[i*k+j] - cross[j*k+i]) * (cross[i*k+j] - gramY[i*k+j])
		}
	}
	if !(squares > 0) {
		return 0
	}
	return (fit - along) / squares
}

// sweep minimizes J over the columns of a factor in turn, given the other factor and its Gram matrix. It returns the
// square of the distance from before. The rows do not depend on each other.
func (p *ipalm) sweep(ctx context.Context, x inertial, other *matrix.Tall, gram []float64) (moved float64) {
	k := other.Cols()
	h := append([]float64(nil), gram...)
	for j := range k {
		h[j*k+j] += p.coupling
	}
	return kernel.SumRows(ctx, other, 1, p.workers, func(sums []float64, first, last int) {
		target := make([]float64, k)
		for i := first; i < last; i++ {
			now, before, product, y := x.now.Row(i), x.before.Row(i), p.product.Row(i), other.Row(i)
			for j := range target {
				target[j] = product[j] + p.coupling*y[j]
			}
			descend(now, h, target)
			for j, v := range now {
				sums[0] += (v - before[j]) * (v - before[j])
			}
		}
	})[0]
}

// descend lowers ½vᵀH·v − vᵀb over v ≥ 0, one coordinate after the other.
func descend(v, h, b []float64) {
	k := len(v)
	for range ipalmSweeps {
		for j := range v {
			slope := -b[j]
			for l, w := range h[j*k : j*k+k] {
				slope += w * v[l]
			}
			v[j] = max(v[j]-slope/h[j*k+j], 0)
		}
	}
}

// back takes the last iteration back.
func (p *ipalm) back() {
	for _, f := range []inertial{p.x, p.y} {
		for i := range f.now.Rows() {
			copy(f.now.Row(i), f.before.Row(i))
		}
	}
}
