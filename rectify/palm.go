// This file holds the rectification by proximal alternating linearized minimization.

package rectify

import (
	"context"
	"fmt"
	"math"

	"anchorage/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// DefaultCoupling is s, as published.
	DefaultCoupling = 1e-4
	// DefaultStep is γ: the authors' program takes steps of 2/(2.01·L).
	DefaultStep = 1.005
	// DefaultInertia is α = β of IPALM, as in the authors' program.
	DefaultInertia = 0.1
)

// PALM finds nonnegative X and Y, N×K, by proximal alternating linearized minimization (Lee et al., ICML 2021, Algorithm 4,
// as spelled out in Dong's thesis, 2019, chapter 4; Bolte, Sabach & Teboulle, Math. Program. 146, 2014) of
//
//	J(X, Y) = ½‖C − X·Yᵀ‖²_F + (s/2)‖X − Y‖²_F   over X, Y ≥ 0
//
// starting from X = Y = y, V·√D for the leading eigenpairs of C. The signs of eigenvectors are arbitrary, yet only the
// positive entries survive the first step, and a column with none is lost for good; so columns are turned to have the longer
// part positive, unless opts.PALM.KeepSigns. Every iteration takes a step in X, then one in Y:
//
//	X ← max(X − ∇_X/(γL), 0),  ∇_X = X·YᵀY − C·Y + s(X − Y),  L = ‖YᵀY + sI‖₂
//	Y ← max(Y − ∇_Y/(γL), 0),  ∇_Y = Y·XᵀX − C·X + s(Y − X),  L = ‖XᵀX + sI‖₂
//
// L is the Lipschitz modulus of the gradient, so with γ > 1 a step from a point with X, Y ≥ 0 lowers J by at least
// (γ−1)L/2 times the squared distance moved. The first iteration may raise J, since y has negative entries.
//
// PALM stops when (‖ΔX‖² + ‖ΔY‖²)/(‖X‖² + ‖Y‖²) is at most the square of the tolerance, or after 150 iterations. The result is
// X, as in the authors' program. Iteration.Objective is J without its constant ½‖C‖²_F, which products do not
// give: J − ½‖C‖² = −tr(YᵀC·X) + ½tr(XᵀX·YᵀY) + (s/2)‖X − Y‖².
//
// PALM needs two products with C per iteration, opts.Multiply. It uses y up, which becomes Result.Factor. Memory: y and three
// more N×K matrices; IPALM holds two more.
func PALM(ctx context.Context, y *matrix.Tall, opts Options) (*Result, error) {
	return runPALM(ctx, "PALM", y, opts, 0, 1)
}

// runPALM iterates with the given inertia and with steps of 1/(γ·scale·L).
func runPALM(ctx context.Context, name string, y *matrix.Tall, opts Options, inertia, scale float64) (*Result, error) {
	if opts.Multiply == nil {
		panic("rectify: PALM needs Options.Multiply")
	}
	resumes := opts.Checkpoint.Resumes()
	if !resumes {
		if n, k := y.Dims(); n == 0 || k == 0 {
			return nil, fmt.Errorf("rectify: a factor of %d×%d has nothing to rectify", n, k)
		}
	}
	if opts.PALM.Coupling == 0 {
		opts.PALM.Coupling = DefaultCoupling
	}
	if opts.PALM.Step == 0 {
		opts.PALM.Step = DefaultStep
	}
	if !(opts.PALM.Coupling > 0) || !(opts.PALM.Step > 1) {
		return nil, fmt.Errorf("rectify: PALM takes a coupling above 0 and a step divisor above 1, not %v and %v", opts.PALM.Coupling, opts.PALM.Step)
	}
	p := palm{multiply: opts.Multiply, workers: opts.Workers, point: opts.Checkpoint, coupling: opts.PALM.Coupling, divisor: opts.PALM.Step * scale, inertia: inertia}
	result := &Result{}
	if resumes {
		if err := result.restore(&opts, p.checkpoint); err != nil {
			return nil, err
		}
		y = p.x.now
	} else {
		if !opts.PALM.KeepSigns {
			turnColumns(ctx, y, opts.Workers)
		}
		p.product, p.gradient = matrix.Like(y), matrix.Like(y)
		p.x = newInertial(y, inertia, opts.Workers)
		p.y = newInertial(y.Copy(y.Cols()), inertia, opts.Workers)
	}
	result.Factor = y
	if err := result.iterate(name, opts, func() func(*checkpoint.Values) { return p.checkpoint }, func(int) (Iteration, error) { return p.iterate(ctx) }); err != nil {
		return nil, err
	}
	result.Norm = norm(kernel.Gram(ctx, y, y, opts.Workers))
	return result, ctx.Err()
}

// turnColumns changes the signs of the columns whose negative entries have the greater sum of squares.
func turnColumns(ctx context.Context, y *matrix.Tall, workers int) {
	k := y.Cols()
	balance, signs := make([]float64, k), make([]float64, k*k)
	for i := range y.Rows() {
		for j, v := range y.Row(i) {
			balance[j] += v * math.Abs(v)
		}
	}
	for j, b := range balance {
		signs[j*k+j] = 1
		if b < 0 {
			signs[j*k+j] = -1
		}
	}
	kernel.Transform(ctx, y, signs, k, workers)
}

// palm is the state between iterations.
type palm struct {
	multiply          Operator
	workers           int
	x, y              inertial
	coupling, divisor float64
	inertia           float64
	product, gradient *matrix.Tall
	point             *checkpoint.Point
}

// inertial is one of the two factors, with its value before the last step; without inertia that is nil.
type inertial struct {
	now, before *matrix.Tall
}

func newInertial(now *matrix.Tall, inertia float64, workers int) inertial {
	if inertia == 0 {
		return inertial{now: now}
	}
	return inertial{now: now, before: now.Copy(now.Cols())}
}

func (p *palm) iterate(ctx context.Context) (Iteration, error) {
	movedX, err := p.step(ctx, p.x, p.y.now)
	if err != nil {
		return Iteration{}, err
	}
	movedY, err := p.step(ctx, p.y, p.x.now)
	if err != nil {
		return Iteration{}, err
	}
	gramX, gramY := kernel.Gram(ctx, p.x.now, p.x.now, p.workers), kernel.Gram(ctx, p.y.now, p.y.now, p.workers)
	cross := kernel.Gram(ctx, p.x.now, p.y.now, p.workers)
	if err := ctx.Err(); err != nil {
		return Iteration{}, err
	}
	k := p.x.now.Cols()
	squares, apart, overlap := 0.0, 0.0, 0.0
	for i := range k {
		squares += gramX[i*k+i] + gramY[i*k+i]
		apart += gramX[i*k+i] + gramY[i*k+i] - 2*cross[i*k+i]
		for j := range k {
			overlap += gramX[i*k+j] * gramY[j*k+i]
		}
	}
	if !(squares > 0) { // NaN too
		return Iteration{}, fmt.Errorf("the factors have the squared length %v", squares)
	}
	// The last product was that with X.
	fit, err := sumRows(ctx, p.y.now, p.workers, func(i int) float64 {
		sum := 0.0
		for j, v := range p.product.Row(i) {
			sum += v * p.y.now.Row(i)[j]
		}
		return sum
	})
	return Iteration{Change: math.Sqrt((movedX + movedY) / squares), Objective: overlap/2 - fit + p.coupling/2*apart}, err
}

// step moves one factor, x, given the other, and returns the square of the distance. With inertia it first extrapolates x along
// its last step, v = x + α(x − x₋), and takes the gradient at v.
func (p *palm) step(ctx context.Context, x inertial, other *matrix.Tall) (moved float64, err error) {
	if err := p.multiply(ctx, p.product, other); err != nil {
		return 0, err
	}
	p.point.Leave()
	k := other.Cols()
	gram := kernel.Gram(ctx, other, other, p.workers)
	for i := range k {
		gram[i*k+i] += p.coupling
	}
	values, _, err := kernel.LeadingEigen(ctx, gram, k, 0, p.workers)
	if err != nil {
		return 0, err
	}
	start := x.now
	if x.before != nil {
		start = x.before
		for i := range start.Rows() {
			before := start.Row(i)
			for j, v := range x.now.Row(i) {
				before[j] = v + p.inertia*(v-before[j])
			}
		}
	}
	kernel.Multiply(ctx, p.gradient, start, gram, p.workers)
	length := 1 / (p.divisor * values[0])
	return sumRows(ctx, start, p.workers, func(i int) float64 {
		from, now, sum := start.Row(i), x.now.Row(i), 0.0
		gradient, product, y := p.gradient.Row(i), p.product.Row(i), other.Row(i)
		for j, v := range from {
			next := max(v-length*(gradient[j]-product[j]-p.coupling*y[j]), 0)
			sum += (next - now[j]) * (next - now[j])
			from[j], now[j] = now[j], next // from is before, if that is kept
		}
		return sum
	})
}

// sumRows adds up fn over the rows of y, in an order that depends on their number alone.
func sumRows(ctx context.Context, y *matrix.Tall, workers int, fn func(i int) float64) (float64, error) {
	parts := make([]float64, y.Blocks())
	err := kernel.Parallel(ctx, workers, len(parts), func(b int) error {
		_, first, last := y.Block(b)
		for i := first; i < last; i++ {
			parts[b] += fn(i)
		}
		return nil
	})
	total := 0.0
	for _, part := range parts {
		total += part
	}
	return total, err
}
