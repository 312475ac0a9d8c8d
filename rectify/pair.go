// This file holds what PALM and IPALM share: the two factors, their figures, and the run from start to end.

package rectify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// DefaultPALMIterations bounds the iterations of PALM and IPALM where the tolerance decides when to stop.
const DefaultPALMIterations = 10_000

// pair holds the factors X and Y of J(X, Y) = ½‖C − X·Yᵀ‖²_F + (s/2)‖X − Y‖²_F between iterations.
type pair struct {
	multiply Operator
	workers  int
	point    *checkpoint.Point
	coupling float64 // s
	x, y     inertial
	product  *matrix.Tall // the last product with C
}

// inertial is one of the two factors, with its value before the last step; PALM keeps none.
type inertial struct {
	now, before *matrix.Tall
}

// alternation is one of the two algorithms on a pair.
type alternation struct {
	name string
	// start is called once y is X and Y, turned; it may change both.
	start   func(ctx context.Context) error
	iterate func(ctx context.Context) (Iteration, error)
	// settled reports whether an iteration within the tolerance may be the last.
	settled    func(Iteration) bool
	checkpoint func(*checkpoint.Values)
}

// newPair returns a pair without factors.
func newPair(ctx context.Context, name string, y *matrix.Tall, opts *Options) (pair, error) {
	opts.point = checkpoint.PointOf(ctx)
	if opts.Multiply == nil {
		panic("rectify: " + name + " needs Options.Multiply")
	}
	if !opts.point.Resumes() {
		if n, k := y.Dims(); n == 0 || k == 0 {
			return pair{}, fmt.Errorf("rectify: a factor of %d×%d has nothing to rectify", n, k)
		}
	}
	if c := opts.PALM.Coupling; !(c >= 0) || math.IsInf(c, 1) {
		return pair{}, fmt.Errorf("rectify: the coupling must be above 0, not %v", c)
	}
	return pair{multiply: opts.Multiply, workers: opts.Workers, point: opts.point, coupling: opts.PALM.Coupling}, nil
}

// run iterates from X = Y = y, or from the checkpoint, until the algorithm has converged or the iterations are used up.
func (p *pair) run(ctx context.Context, y *matrix.Tall, opts Options, a alternation) (*Result, error) {
	result := &Result{}
	if opts.point.Resumes() {
		if err := opts.point.Restore(result.keeping(a.checkpoint)); err != nil {
			return nil, err
		}
		p.product = matrix.Like(p.x.now)
	} else {
		if !opts.PALM.KeepSigns {
			turnColumns(ctx, y, opts.Workers)
		}
		p.product, p.x.now, p.y.now = matrix.Like(y), y, y.Copy(y.Cols())
		if err := a.start(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
	}
	state := func() func(*checkpoint.Values) { return a.checkpoint }
	err := result.repeat(a.name, cmp.Or(opts.Iterations, DefaultPALMIterations), opts, state,
		func(int) (Iteration, error) { return a.iterate(ctx) },
		func(done Iteration) bool {
			result.Converged = done.Change <= opts.tolerance() && a.settled(done)
			return result.Converged && opts.Iterations == 0
		})
	if err != nil {
		return nil, err
	}
	for _, i := range result.Iterations {
		result.Products += 2
		if i.Restarted {
			result.Products += 2
		}
	}
	result.Factor = p.x.now
	result.Norm = norm(kernel.Gram(ctx, p.x.now, p.x.now, opts.Workers))
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

// multiplyBy sets the product to C times a factor.
func (p *pair) multiplyBy(ctx context.Context, factor *matrix.Tall) error {
	if err := p.multiply(ctx, p.product, factor); err != nil {
		return err
	}
	p.point.Leave()
	return nil
}

// with returns ⟨C·F, other⟩, where C·F is the last product.
func (p *pair) with(ctx context.Context, other *matrix.Tall) float64 {
	return kernel.SumRows(ctx, other, 1, p.workers, func(sums []float64, first, last int) {
		for i := first; i < last; i++ {
			product := p.product.Row(i)
			for j, v := range other.Row(i) {
				sums[0] += v * product[j]
			}
		}
	})[0]
}

// figures returns what is known of X and Y once the product is C·X, given how far both have moved, squared.
func (p *pair) figures(ctx context.Context, moved float64) (Iteration, error) {
	x, y, k := p.x.now, p.y.now, p.x.now.Cols()
	gramX, gramY := kernel.Gram(ctx, x, x, p.workers), kernel.Gram(ctx, y, y, p.workers)
	cross := kernel.Gram(ctx, x, y, p.workers)
	fit, total := p.with(ctx, y), entrySum(ctx, x, p.workers)
	if err := ctx.Err(); err != nil {
		return Iteration{}, err
	}
	ofX, squares, apart, overlap := 0.0, 0.0, 0.0, 0.0
	for i := range k {
		ofX += gramX[i*k+i]
		squares += gramX[i*k+i] + gramY[i*k+i]
		apart += gramX[i*k+i] + gramY[i*k+i] - 2*cross[i*k+i]
		for j := range k {
			overlap += gramX[i*k+j] * gramY[j*k+i]
		}
	}
	if !(ofX > 0 && squares < math.Inf(1)) { // NaN too
		return Iteration{}, errors.New("the factors have become zero, or are not finite")
	}
	return Iteration{Change: math.Sqrt(moved / squares), Objective: overlap/2 - fit + p.coupling/2*apart,
		Coupling: p.coupling, Apart: math.Sqrt(max(apart, 0) / ofX), FactorSum: total}, nil
}
