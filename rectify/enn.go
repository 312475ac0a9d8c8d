// This file holds the epsilon-non-negative rectification.

package rectify

import (
	"context"
	"fmt"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// extraColumns is the number of columns that eigenvector iterations carry beyond K.
const extraColumns = 10

// The extra columns begin as noise. So the first iteration makes additional steps of subspace iteration, and more of them where
// ENN follows the published iterations: the effect of the noise on the first factor can still be seen in the last anchors.
const (
	firstSteps          = 1
	firstPublishedSteps = 4
)

// ENN rectifies C ≈ Y·Yᵀ by the epsilon-non-negative rectification (Lee et al., ICML 2021, Algorithm 3). Given Y, N×K with
// orthogonal columns, every iteration
//
//   - finds E, symmetric and sparse: E_ij = max(−y_i·y_j, 0) where i or j is one of the |I| rows of largest norm. By
//     Cauchy-Schwarz |y_i·y_j| ≤ ‖y_i‖‖y_j‖, so all other negative entries are small;
//   - finds r with which the entries of C' = Y·Yᵀ + E + r·qqᵀ sum to 1, where q is e or, with marginals, p;
//   - replaces Y by V·√D⁺ for the K leading eigenpairs of C'.
//
// ENN does not compute the eigenpairs from scratch: it carries a block of K+10 vectors along and multiplies it with C' once per
// iteration. See docs/decisions/enn-warm-start.md. Unless Options.Iterations is given, iterations are the stages of longer
// steps, 19 in all, which go as far as about 110 of the published iterations: see docs/decisions/enn-acceleration.md.
//
// Tall matrices have single precision, and sums over their rows double. ENN uses y up: it is released. The error is a
// *CorrectionsError or a *SpillError where E cannot be kept as Options.Corrections demand, or that of ctx.
func ENN(ctx context.Context, y *matrix.Tall, opts Options) (_ *Result, err error) {
	n, k := y.Dims()
	if n == 0 || k == 0 {
		return nil, fmt.Errorf("rectify: a factor of %d×%d has nothing to rectify", n, k)
	}
	rows := corrected(n, k, opts.Rows)
	if rows > maxCorrectedRows {
		return nil, fmt.Errorf("rectify: corrections are sought in at most %d rows, not %d", maxCorrectedRows, rows)
	}
	if err := opts.Corrections.check(); err != nil {
		return nil, err
	}
	if opts.Marginals != nil && len(opts.Marginals) != n {
		panic("rectify: number of marginals is not the number of items")
	}
	e := enn{corrections: newCorrections(n, rows, opts.Corrections.placement(), opts.Workers), marginals: opts.Marginals, workers: opts.Workers}
	defer func() {
		if closing := e.corrections.Close(); err == nil {
			err = closing
		}
	}()
	if err := e.start(ctx, y, opts); err != nil {
		return nil, err
	}
	result := &Result{}
	if opts.Iterations > 0 {
		err = e.follow(ctx, result, opts)
	} else {
		err = e.accelerate(ctx, result, opts)
	}
	if err != nil {
		return nil, err
	}
	e.before, e.x, e.z = nil, nil, nil // the factor in double precision can have their memory
	result.Products = e.products
	result.Norm, err = e.orthogonalize(ctx)
	result.Factor = matrix.Converted[float64](e.y)
	return result, err
}

// follow makes the published iterations, exactly as many as the options say.
func (e *enn) follow(ctx context.Context, result *Result, opts Options) error {
	return result.iterate("ENN", opts, func(number int) (Iteration, error) {
		steps := 0
		if number == 1 {
			steps = firstPublishedSteps
		}
		return e.advance(ctx, iterationStage, steps)
	})
}

// accelerate makes steps of growing length, and shorter ones after a step has left the flow.
func (e *enn) accelerate(ctx context.Context, result *Result, opts Options) error {
	p, err := newPacer(opts.Stages)
	if err != nil {
		return err
	}
	opts.Iterations = p.left()
	return result.iterate("ENN", opts, func(number int) (Iteration, error) {
		steps := 0
		if number == 1 {
			steps = firstSteps
		}
		done, err := e.advance(ctx, p.next(), steps)
		p.note(done.Change)
		return done, err
	})
}

// enn is the state between iterations.
type enn struct {
	y           *matrix.Single // N×K
	before      *matrix.Single // y before the last stage of a step
	x, z        *matrix.Single // N×(K+10): the orthonormal vectors that are carried along, and their product with C'
	corrections *corrections
	marginals   []float64 // q; nil stands for e
	shift       float64
	products    int // with C', so far
	workers     int
}

// start uses y up, and sets x to an orthonormal basis of its columns and of random ones.
func (e *enn) start(ctx context.Context, y *matrix.Tall, opts Options) error {
	n, k := y.Dims()
	gram := kernel.Gram(ctx, y, y, e.workers)
	if err := ctx.Err(); err != nil {
		return err
	}
	for j, v := range diagonal(gram, k) {
		if !(v > 0) { // NaN too
			return fmt.Errorf("rectify: column %d of the factor has squared length %v: there are fewer than %d topics in it", j, v, k)
		}
	}
	e.y = matrix.Converted[float32](y)
	cols := min(k+extraColumns, n)
	e.x = matrix.NewSingle(n, cols)
	for i := range n {
		row, key := e.x.Row(i), random.KeyOf(opts.Key, i)
		for j := copy(row, e.y.Row(i)); j < cols; j++ {
			row[j] = float32(random.Symmetric(opts.Seed, random.ENNStart, key, uint64(j)))
		}
	}
	for range 2 { // the second time removes the rounding of single precision that the first leaves
		if err := e.orthonormalize(ctx, e.x); err != nil {
			return err
		}
	}
	e.z = matrix.Like(e.x)
	e.before = matrix.Like(e.y)
	return nil
}

// orthonormalize replaces the columns of t by an orthonormal basis of their span.
func (e *enn) orthonormalize(ctx context.Context, t *matrix.Single) error {
	s, kept, err := orthonormalizer(ctx, kernel.Gram(ctx, t, t, e.workers), t.Cols(), e.workers)
	if err != nil {
		return err
	}
	kernel.Transform(ctx, t, s, kept, e.workers)
	return ctx.Err()
}

// advance evaluates F(Y), after the given number of additional steps of subspace iteration, and replaces Y as the stage says.
func (e *enn) advance(ctx context.Context, s stage, steps int) (Iteration, error) {
	total := 0.0
	for _, sum := range kernel.ColumnSums(e.y, e.workers) {
		total += sum * sum // Σ_ij y_i·y_j = ‖Yᵀe‖²
	}
	if e.z.Cols() != e.x.Cols() {
		e.z = matrix.Like(e.x)
	}
	kernel.Multiply(ctx, e.z, e.y, kernel.Gram(ctx, e.y, e.x, e.workers), e.workers)
	if err := e.corrections.buildAndApply(ctx, e.y, e.z, e.x, steps); err != nil {
		return Iteration{}, err
	}
	weight := e.weight()
	e.shift = (1 - total - e.corrections.sum) / (weight * weight)
	e.addShift(ctx)
	for range steps {
		e.x, e.z = e.z, e.x
		if err := e.orthonormalize(ctx, e.x); err != nil {
			return Iteration{}, err
		}
		if e.z.Cols() != e.x.Cols() {
			e.z = matrix.Like(e.x)
		}
		kernel.Multiply(ctx, e.z, e.y, kernel.Gram(ctx, e.y, e.x, e.workers), e.workers)
		if err := e.corrections.apply(ctx, e.z, e.x); err != nil {
			return Iteration{}, err
		}
		e.addShift(ctx)
	}
	e.products += steps + 1
	values, err := e.project(ctx)
	if err != nil {
		return Iteration{}, err
	}
	change, err := e.combine(ctx, values, s)
	plan := e.corrections.plan
	return Iteration{Change: change, Density: e.corrections.density(), Shift: e.shift, CorrectionsSum: e.corrections.sum,
		Corrections: plan.mode, CorrectionBytes: plan.bytes, CorrectionReason: plan.reason}, err
}

// weight returns Σ_i q_i.
func (e *enn) weight() float64 {
	if e.marginals == nil {
		return float64(e.y.Rows())
	}
	sum := 0.0
	for _, p := range e.marginals {
		sum += p
	}
	return sum
}

// addShift adds r·q(qᵀx) to z.
//
// Let P be the projection onto the span of Y, and a = eᵀPq/eᵀq. The projection of r·qqᵀ onto the tangent space of the matrices of
// rank K at Y·Yᵀ has the sum r·(eᵀq)²·(1 − (1−a)²). Where a is near 2 or greater, that does not bring the sum of all entries to
// 1, or drives it further off. Then q is replaced by Pq, which lies in the span, and r by what that needs.
func (e *enn) addShift(ctx context.Context) {
	k, cols := min(e.y.Cols(), e.x.Cols()), e.x.Cols()
	sums := kernel.WeightedColumnSums(e.x, e.marginals, e.workers)
	weight, inside := e.weight(), 0.0
	if e.marginals != nil {
		for j, s := range kernel.ColumnSums(e.x, e.workers)[:k] {
			inside += s * sums[j]
		}
	}
	if inside <= mostInside*weight {
		kernel.AddOuter(e.z, e.shift, e.marginals, sums, e.workers)
		return
	}
	outer := make([]float64, cols*cols)
	for i, s := range sums[:k] {
		for j, t := range sums[:k] {
			outer[i*cols+j] = s * t
		}
	}
	kernel.MultiplyAdd(ctx, e.z, e.shift*weight*weight/(inside*inside), e.x, outer, e.workers)
}

// mostInside is the greatest a with which r·qqᵀ is added as it is: (1−a)² of a deviation of the sum from 1 remains.
const mostInside = 1.9

func diagonal(a []float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i*n+i]
	}
	return d
}
