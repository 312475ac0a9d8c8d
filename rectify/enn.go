// This file holds the epsilon-non-negative rectification.

package rectify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// extraColumns is how many columns the eigenvector iteration carries beyond K.
const extraColumns = 10

// The extra columns begin as noise. In the first iteration they take so many additional steps of subspace iteration, and more
// where the published iterations are followed: what the noise does to the first factor is still seen in the last anchors.
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
// The eigenpairs are not computed anew: a block of K+10 vectors is carried along and multiplied with C' once in every
// iteration. See docs/decisions/enn-warm-start.md. Unless a number of iterations is asked for, they are the stages of longer
// steps, 19 in all, which go as far as about 110 of the published iterations: see docs/decisions/enn-acceleration.md.
//
// Tall matrices have single precision, and sums over their rows double. Y is used up.
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
	if err := e.start(y, opts); err != nil {
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
	e.before, e.x, e.z = nil, nil, nil // so that the factor in double precision can have their memory
	result.Products = e.products
	result.Norm, err = e.orthogonalize()
	result.Factor = matrix.Converted[float64](e.y)
	return result, err
}

// follow makes the published iterations, exactly as many as asked for.
func (e *enn) follow(ctx context.Context, result *Result, opts Options) error {
	return result.iterate("ENN", opts, func(number int) (Iteration, error) {
		steps := 0
		if number == 1 {
			steps = firstPublishedSteps
		}
		return e.advance(ctx, iterationStage, steps)
	})
}

// accelerate makes steps of growing length, and shorter ones where a step leaves the flow.
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
	before      *matrix.Single // what y was before the last stage of a step
	x, z        *matrix.Single // N×(K+10): the orthonormal vectors carried along, and their product with C'
	corrections *corrections
	marginals   []float64 // q; nil stands for e
	shift       float64
	products    int // with C', so far
	workers     int
}

// start takes y over, and sets x to an orthonormal basis of its columns and of random ones.
func (e *enn) start(y *matrix.Tall, opts Options) error {
	n, k := y.Dims()
	for j, v := range diagonal(kernel.Gram(y, y, e.workers), k) {
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
	for range 2 { // what single precision leaves of the first time is gone after the second
		if err := e.orthonormalize(e.x); err != nil {
			return err
		}
	}
	e.z = matrix.Like(e.x)
	e.before = matrix.Like(e.y)
	return nil
}

// orthonormalize replaces the columns of t by as many orthonormal ones as span what they span.
func (e *enn) orthonormalize(t *matrix.Single) error {
	s, kept, err := orthonormalizer(kernel.Gram(t, t, e.workers), t.Cols(), e.workers)
	if err != nil {
		return err
	}
	kernel.Transform(t, s, kept, e.workers)
	return nil
}

// advance evaluates F(Y) and makes Y what the stage says, after the given number of additional steps of subspace iteration.
func (e *enn) advance(ctx context.Context, s stage, steps int) (Iteration, error) {
	total := 0.0
	for _, sum := range kernel.ColumnSums(e.y, e.workers) {
		total += sum * sum // Σ_ij y_i·y_j = ‖Yᵀe‖²
	}
	if e.z.Cols() != e.x.Cols() {
		e.z = matrix.Like(e.x)
	}
	kernel.Multiply(e.z, e.y, kernel.Gram(e.y, e.x, e.workers), e.workers)
	if err := e.corrections.buildAndApply(ctx, e.y, e.z, e.x, steps); err != nil {
		return Iteration{}, err
	}
	weight := e.weight()
	e.shift = (1 - total - e.corrections.sum) / (weight * weight)
	e.addShift()
	for range steps {
		e.x, e.z = e.z, e.x
		if err := e.orthonormalize(e.x); err != nil {
			return Iteration{}, err
		}
		if e.z.Cols() != e.x.Cols() {
			e.z = matrix.Like(e.x)
		}
		kernel.Multiply(e.z, e.y, kernel.Gram(e.y, e.x, e.workers), e.workers)
		if err := e.corrections.apply(ctx, e.z, e.x); err != nil {
			return Iteration{}, err
		}
		e.addShift()
	}
	e.products += steps + 1
	values, err := e.project()
	if err != nil {
		return Iteration{}, err
	}
	change, err := e.combine(values, s)
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
// With P the projection onto the span of Y and a = eᵀPq/eᵀq, what is left of r·qqᵀ in matrices of rank K near Y·Yᵀ has the sum
// r·(eᵀq)²·(1 − (1−a)²), by the projection onto their tangent space: where a is near 2 or beyond, it does not bring the sum of all entries to 1, or drives
// it further off. Then q is replaced by Pq, all of which is left, and r by what is needed for it.
func (e *enn) addShift() {
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
	kernel.MultiplyAdd(e.z, e.shift*weight*weight/(inside*inside), e.x, outer, e.workers)
}

// mostInside is the greatest a with which r·qqᵀ is added as it is: (1−a)² of a deviation of the sum from 1 is left with it.
const mostInside = 1.9

// project replaces x by the eigenvectors of a low-rank approximation of C' that one product tells, given z = C'·x, and
// returns their eigenvalues, of which the first K belong to the new factor and the others are 0.
//
// For the K leading Ritz pairs w, θ of H = xᵀz, the approximation of Nyström is Σ (z·w)·θ⁻¹·(z·w)ᵀ (Halko, Martinsson & Tropp,
// SIAM Review 53, 2011, section 5.4): a step of subspace iteration with Ritz values that are as accurate as those of a second
// product. But C' has negative eigenvalues too, and where w mixes their vectors with others, θ nears 0 while z·w does not. So
// θ is replaced by what gives each term the eigenvalue that C' has when all that is not known of it is 0: on w and the
// residual z·w − θ·x·w, of length ρ, it is (θ, ρ; ρ, 0), with the eigenvalue (θ + √(θ²+4ρ²))/2. Where ρ is small that is θ.
func (e *enn) project() (values []float64, err error) {
	cols, k := e.x.Cols(), e.y.Cols()
	theta, ritz, err := kernel.SymmetricEigen(kernel.Gram(e.x, e.z, e.workers), cols, e.workers)
	if err != nil {
		return nil, err
	}
	kept := 0
	for kept < min(k, cols) && theta[kept] > leastRitz*theta[0] {
		kept++
	}
	if kept == 0 || !(theta[0] > 0) {
		return nil, errNothingLeft
	}
	gram := kernel.Gram(e.z, e.z, e.workers)
	basis, rank, err := orthonormalizer(gram, cols, e.workers)
	if err != nil {
		return nil, err
	}
	// In the basis Q = z·S of the span of z, the approximation is B·Bᵀ with B = Sᵀ·(zᵀz)·W·Θ^−½.
	leading := kernel.FirstColumns(ritz, cols, cols, kept)
	images := kernel.Times(gram, leading, cols, cols, kept)
	b := kernel.TransposedTimes(basis, images, cols, rank, kept)
	for j := range kept {
		square := 0.0 // ‖z·w‖² = θ² + ρ²
		for i := range cols {
			square += leading[i*kept+j] * images[i*kept+j]
		}
		excess := max(square-theta[j]*theta[j], 0)
		value := (theta[j] + math.Sqrt(theta[j]*theta[j]+4*excess)) / 2
		scale := math.Sqrt(value / square)
		for i := range rank {
			b[i*kept+j] *= scale
		}
	}
	values, turn, err := kernel.SymmetricEigen(kernel.TimesTransposed(b, b, rank, rank, kept), rank, e.workers)
	if err != nil {
		return nil, err
	}
	e.x, e.z = e.z, e.x
	kernel.Transform(e.x, kernel.Times(basis, turn, cols, rank, rank), rank, e.workers)
	for i := range values {
		values[i] = max(values[i], 0)
		if i >= kept {
			values[i] = 0
		}
	}
	return values, nil
}

// leastRitz is the least Ritz value, relative to the greatest, that is told from rounding of single precision.
const leastRitz = 0x1p-22

// combine makes y what the stage says, given the eigenpairs of G(Y) in x and values, and returns the relative length of F(Y).
// The eigenvectors are turned first so that they come as near to y as they can: Y·Yᵀ is the same for any turn.
func (e *enn) combine(values []float64, s stage) (change float64, err error) {
	k, cols := e.y.Cols(), e.x.Cols()
	used := min(k, cols)
	cross := kernel.Gram(e.x, e.y, e.workers)[:used*k]
	for i := range cross {
		cross[i] *= math.Sqrt(values[i/k])
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(used, k, cross), mat.SVDThin) {
		return 0, errors.New("the singular values of a small matrix did not converge")
	}
	var u, v, turn mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	turn.Mul(&u, v.T())
	toFactor := make([]float64, cols*k)
	for i := range used {
		for j := range k {
			toFactor[i*k+j] = math.Sqrt(values[i]) * turn.At(i, j)
		}
	}
	lengths, moves := make([]float64, kernel.Pieces(e.x)), make([]float64, kernel.Pieces(e.x))
	current, before, advance := float32(s.current), float32(s.before), float32(s.advance)
	kernel.EachProduct(e.x, toFactor, k, e.workers, func(piece, first, last int, product []float32, stride int) {
		for i := first; i < last; i++ {
			next := product[(i-first)*stride:][:k]
			now, old := e.y.Row(i)[:k], e.before.Row(i)[:k]
			var length, move float32
			for j, v := range next {
				f := v - now[j]
				move += f * f
				length += v * v
				old[j] = current*now[j] + before*old[j] + advance*f
			}
			lengths[piece] += float64(length)
			moves[piece] += float64(move)
		}
	})

	e.y, e.before = e.before, e.y
	length, move := 0.0, 0.0
	for p := range lengths {
		length += lengths[p]
		move += moves[p]
	}
	return math.Sqrt(move / length), nil
}

// orthogonalize turns y so that its columns are orthogonal, in order of decreasing length, and returns ‖Y·Yᵀ‖_F.
func (e *enn) orthogonalize() (float64, error) {
	k := e.y.Cols()
	values, turn, err := kernel.SymmetricEigen(kernel.Gram(e.y, e.y, e.workers), k, e.workers)
	if err != nil {
		return 0, err
	}
	kernel.Transform(e.y, turn, k, e.workers)
	return norm(values), nil
}

// gramFloor is the least eigenvalue of a scaled Gram matrix of columns of single precision, relative to its greatest, that stands for a
// direction and not for rounding.
const gramFloor = 0x1p-40

// orthonormalizer returns S, n×rank, with Sᵀ·G·S = I for a Gram matrix G: S = D·U·Θ^−½ with D scaling G to unit diagonal and
// U·Θ·Uᵀ = D·G·D. Directions that are lost in rounding are left out.
func orthonormalizer(gram []float64, n, workers int) (s []float64, rank int, err error) {
	scale, scaled := make([]float64, n), make([]float64, n*n)
	for i := range n {
		if g := gram[i*n+i]; g > 0 {
			scale[i] = 1 / math.Sqrt(g)
		}
	}
	for i := range n {
		for j := range n {
			scaled[i*n+j] = gram[i*n+j] * scale[i] * scale[j]
		}
	}
	values, vectors, err := kernel.SymmetricEigen(scaled, n, workers)
	if err != nil {
		return nil, 0, err
	}
	for rank < n && values[rank] > gramFloor*values[0] {
		rank++
	}
	s = make([]float64, n*rank)
	for i := range n {
		for j := range rank {
			s[i*rank+j] = scale[i] * vectors[i*n+j] / math.Sqrt(values[j])
		}
	}
	return s, rank, nil
}

// errNothingLeft says that a matrix has become zero: its negative entries outweigh the others.
var errNothingLeft = errors.New("no positive eigenvalue is left")

func diagonal(a []float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i*n+i]
	}
	return d
}
