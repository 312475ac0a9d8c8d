// This file holds the epsilon-non-negative rectification.

package rectify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// ExtraColumns is the number of columns that eigenvector iterations carry beyond K.
const ExtraColumns = 10

// The extra columns begin as noise. So the first iteration makes additional steps of subspace iteration, and more of
// them where ENN follows the published iterations: the effect of the noise on the first factor can still be seen in the
// last anchors.
const (
	firstSteps          = 1
	firstPublishedSteps = 4
)

// ENN rectifies C ≈ Y·Yᵀ by the epsilon-non-negative rectification (Lee et al., ICML 2021, Algorithm 3). Given Y, N×K
// with orthogonal columns, every iteration
//
//   - finds E, symmetric and sparse: E_ij = max(−y_i·y_j, 0) where i or j is one of the |I| rows of largest norm. By
//     Cauchy-Schwarz |y_i·y_j| ≤ ‖y_i‖‖y_j‖, so all other negative entries are small;
//   - finds r with which the entries of C' = Y·Yᵀ + E + r·eeᵀ sum to 1;
//   - replaces Y by V·√D⁺ for the K leading eigenpairs of C'.
//
// With marginals p the first iterations add r·(Pp)(Pp)ᵀ instead, where P projects onto the span of Y, and the others
// nothing: at the end Y is scaled. See normalize, the package comment for what this is good for, and
// docs/decisions/enn.md.
//
// ENN does not compute the eigenpairs from scratch: it carries a block of K+10 vectors along and multiplies it with C'
// once per iteration. See docs/decisions/enn.md. With Options.Truncated it multiplies as often as it takes until the K
// leading pairs have residuals of at most TruncatedTolerance, which is the truncated eigendecomposition of Algorithm 3.
// Unless Options.Iterations is given, iterations are the stages of longer steps, 35 at most, of which 19 go as far as
// about 110 of the published iterations: see docs/decisions/enn.md. They end as soon as Y has settled to the tolerance.
//
// Of a y that several ranks share, each rank has its rows of the factor. Everything else is the same on all of them,
// except Iteration.Corrections and CorrectionBytes.
//
// Tall matrices have single precision, and sums over their rows double. ENN uses y up: it is released. The error is a
// *durable.SpillError where E cannot be spilled, or that of ctx.
func ENN(ctx context.Context, y *matrix.Tall, opts Options) (_ *Result, err error) {
	opts.point = checkpoint.PointOf(ctx)
	e, result := enn{marginals: opts.Marginals, truncated: opts.Truncated, workers: opts.Workers,
		point: opts.point}, &Result{}
	var p *pacer // nil where the options give the number of iterations
	if opts.Iterations == 0 {
		p = newPacer(opts.Stages)
		opts.Iterations = p.left()
	}
	n, k, resumes := 0, 0, opts.point.Resumes()
	if resumes {
		if err := opts.point.Restore(result.keeping(func(v *checkpoint.Values) { e.checkpoint(v, p) })); err != nil {
			return nil, err
		}
		n, k = e.y.Dims()
	} else {
		n, k = y.Dims()
	}
	if n == 0 || k == 0 {
		return nil, fmt.Errorf("rectify: a factor of %d×%d has nothing to rectify", n, k)
	}
	rows := Corrected(n, k, opts.Rows)
	if opts.Marginals != nil && len(opts.Marginals) != n {
		panic("rectify: number of marginals is not the number of items")
	}
	e.corrections = newCorrections(n, rows, opts.Corrections, opts.Workers)
	defer func() {
		if closing := e.corrections.Close(); err == nil {
			err = closing
		}
	}()
	if !resumes {
		if err := e.start(ctx, y, opts); err != nil {
			return nil, err
		}
	}
	if err := e.iterate(ctx, result, p, opts); err != nil {
		return nil, err
	}
	e.before, e.x, e.z = nil, nil, nil // the factor in double precision can have their memory
	result.Products = e.products
	if result.Norm, err = e.orthogonalize(ctx); err != nil {
		return nil, err
	}
	if result.Negativity, err = e.negativity(ctx, opts.Seed); err != nil {
		return nil, err
	}
	result.Factor = matrix.Converted[float64](e.y)
	return result, nil
}

// iterate makes exactly as many iterations as the options say or, with a schedule, steps of growing length, and shorter
// ones after a step has left the flow, until Y has settled.
func (e *enn) iterate(ctx context.Context, result *Result, p *pacer, opts Options) error {
	return result.repeat("ENN", opts.Iterations, opts, func() func(*checkpoint.Values) { return e.keeping(p) },
		func(number int) (Iteration, error) {
			s, steps := iterationStage, firstPublishedSteps
			if p != nil {
				s, steps = p.next(), firstSteps
			}
			if number > 1 {
				steps = 0
			}
			done, err := e.advance(ctx, s, steps)
			if p != nil {
				p.note(done.Distance)
			}
			return done, err
		}, func(done Iteration) bool {
			result.Converged = e.settled(done, cmp.Or(opts.Tolerance, ENNTolerance))
			return p != nil && result.Converged
		})
}

// settled reports whether an iteration moved Y, and found negative entries, to no more than the tolerance.
func (e *enn) settled(done Iteration, tolerance float64) bool {
	return done.Change <= tolerance && done.CorrectionsSum <= tolerance*e.total
}

// keeping returns a function that takes the state as it is now, and that of the schedule if there is one, to a
// checkpoint.
func (e *enn) keeping(p *pacer) func(*checkpoint.Values) {
	now := *e
	if p != nil {
		p = &pacer{slices.Clone(p.steps), slices.Clone(p.stages), p.size, p.least, p.limit, p.settle}
	}
	return func(v *checkpoint.Values) { now.checkpoint(v, p) }
}

// enn is the state between iterations.
type enn struct {
	y           *matrix.Single // N×K
	before      *matrix.Single // y before the last stage of a step
	x, z        *matrix.Single // N×(K+10): the orthonormal vectors that are carried along, and their product with C'
	corrections *corrections
	marginals   []float64 // p; nil for the published normalization
	total       float64   // the sum of all entries of Y·Yᵀ at the last evaluation
	shift       float64   // r
	direction   []float64 // w with g = Y·w, see normalize; nil without marginals
	cross       []float64 // Yᵀx, K×(K+10), of the last product
	evaluations int       // of F, so far
	products    int       // with C', so far
	truncated   bool      // every iteration finds accurate eigenpairs
	applied     int       // products of the last iteration that did; 0 if there was none
	workers     int
	point       *checkpoint.Point
}

// start uses y up, and sets x to an orthonormal basis of its columns and of random ones.
func (e *enn) start(ctx context.Context, y *matrix.Tall, opts Options) error {
	n, k := y.Dims()
	gram := kernel.Gram(ctx, y, y, e.workers)
	if err := ctx.Err(); err != nil {
		return err
	}
	for j := range k {
		if v := gram[j*k+j]; !(v > 0) { // NaN too
			return fmt.Errorf("rectify: column %d of the factor has squared length %v: there are fewer than %d topics in it",
				j, v, k)
		}
	}
	e.y = matrix.Converted[float32](y)
	cols := min(k+ExtraColumns, n)
	e.x = matrix.LikeOf[float32](e.y, cols)
	first, last := e.y.HeldRows()
	for i := first; i < last; i++ {
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

// advance evaluates F(Y), after the given number of additional steps of subspace iteration, and replaces Y as the stage
// says. With truncated eigendecompositions there are no additional steps.
func (e *enn) advance(ctx context.Context, s stage, steps int) (Iteration, error) {
	e.evaluations++
	e.total = entrySum(ctx, e.y, e.workers)
	if e.z.Cols() != e.x.Cols() {
		e.z = matrix.Like(e.x)
	}
	e.multiply(ctx, e.z, e.x)
	later := steps
	if e.truncated {
		later = max(cmp.Or(e.applied, usualApplications)-1, 1)
	}
	if err := e.corrections.buildAndApply(ctx, e.y, e.z, e.x, later); err != nil {
		return Iteration{}, err
	}
	if err := e.normalize(ctx); err != nil {
		return Iteration{}, err
	}
	e.addShift(ctx, e.z, e.x)
	e.point.Leave()
	values, residual, applications, err := e.eigenpairs(ctx, steps)
	if err != nil {
		return Iteration{}, err
	}
	e.products += applications
	change, err := e.combine(ctx, values, s)
	if err == nil && e.truncated { // the Ritz vectors that the next one begins with are orthonormal up to rounding
		err = e.orthonormalize(ctx, e.x)
	}
	return Iteration{Change: change, Density: e.corrections.density(), Shift: e.shift, CorrectionsSum: e.corrections.sum,
		Epsilon:  e.corrections.epsilon,
		Distance: math.Sqrt(e.corrections.squares), Applications: applications, Residual: residual,
		Corrections: e.corrections.placed, CorrectionBytes: e.corrections.kept.Load()}, err
}

// eigenpairs replaces x by leading eigenvectors of C', given z = C'·x, and returns their values, and how often C' was
// applied: accurate ones with truncated eigendecompositions, of which residual is the greatest residual, and otherwise
// those of project.
func (e *enn) eigenpairs(ctx context.Context,
	steps int) (values []float64, residual float64, applications int, err error) {
	if e.truncated {
		values, residual, applications, err = e.truncate(ctx)
		e.applied = applications
		return values, residual, applications, err
	}
	for range steps {
		e.x, e.z = e.z, e.x
		if err := e.orthonormalize(ctx, e.x); err != nil {
			return nil, 0, 0, err
		}
		if e.z.Cols() != e.x.Cols() {
			e.z = matrix.Like(e.x)
		}
		if err := e.apply(ctx, e.z, e.x); err != nil {
			return nil, 0, 0, err
		}
	}
	values, err = e.project(ctx)
	return values, 0, steps + 1, err
}

// apply sets z to C'·x.
func (e *enn) apply(ctx context.Context, z, x *matrix.Single) error {
	e.multiply(ctx, z, x)
	if err := e.corrections.apply(ctx, z, x); err != nil {
		return err
	}
	e.addShift(ctx, z, x)
	return ctx.Err()
}

// multiply sets z to Y·(Yᵀx).
func (e *enn) multiply(ctx context.Context, z, x *matrix.Single) {
	e.cross = kernel.Gram(ctx, e.y, x, e.workers)
	kernel.Multiply(ctx, z, e.y, e.cross, e.workers)
}
