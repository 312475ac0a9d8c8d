// This file holds the epsilon-non-negative rectification.

package rectify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"anchorage/internal/kernel"
)

const (
	// DefaultTolerance is the relative Frobenius change of Y·Yᵀ below which it counts as having stopped moving.
	DefaultTolerance = 1e-4
	// LeastIterations, of ENN, and DefaultIterations, of all rectifiers, bound the iterations where the tolerance decides.
	// The least number is the published one: a change below the tolerance comes earlier, and topics still move. See
	// docs/decisions/enn-warm-start.md.
	LeastIterations   = 50
	DefaultIterations = 150
	// DefaultCorrectionBytes is how much of E is held in memory by default.
	DefaultCorrectionBytes = 1 << 30
	// extraColumns is how many columns the eigenvector iteration carries beyond K.
	extraColumns = 10
	// firstSteps is how many steps of subspace iteration the first iteration takes, and every other one takes one: the
	// extra columns begin as noise, and what noise does to the first factor is still seen in the last anchors.
	firstSteps = 4
)

// Options say how co-occurrences are rectified. The zero value is the default.
type Options struct {
	Iterations int     // exactly so many; 0 for as many as Tolerance asks for, at most DefaultIterations; ENN makes LeastIterations at least
	Tolerance  float64 // relative change at which to stop; 0 for DefaultTolerance
	Rows       int     // ENN: |I|, the rows that corrections are sought in; 0 for 10K+1000
	MostBytes  int64   // what the N×N matrices of a rectifier of a dense C may take in all; 0 for sketch.DefaultDenseBytes
	Seed       uint64  // of the columns that eigenvector iterations carry beyond K, and of random splits
	Workers    int     // goroutines; 0 for as many as there are processors
	// Marginals are p, N values that are not negative and sum to 1: then ENN normalizes by r·ppᵀ. With nil it is r·eeᵀ.
	Marginals []float64
	// Corrections says where ENN keeps E while it is applied more than once; CorrectionsAuto if empty. Neither it nor the
	// three limits have an influence on the result.
	Corrections CorrectionsMode
	// CorrectionBytes is how much of E is held in memory, at most; 0 for DefaultCorrectionBytes, negative for nothing.
	CorrectionBytes int64
	// SpillDir is the folder of the spill file. If empty, CorrectionsAuto does not spill and CorrectionsSpill uses the
	// system's folder for temporary files.
	SpillDir string
	// SpillLimit is how many bytes the spill file may have; 0 for as many as the disk takes.
	SpillLimit int64
	// Report, if not nil, is called after every iteration.
	Report func(Iteration)

	least int // iterations before the tolerance counts
}

// Iteration is what one iteration of a rectifier did. What a rectifier does not have is 0.
type Iteration struct {
	Number         int     // from 1
	Change         float64 // of what Tolerance is about, relative; ENN: ‖Y·Yᵀ − Y₋₁·Y₋₁ᵀ‖_F / ‖Y·Yᵀ‖_F
	Density        float64 // share of the entries checked that were negative; ENN: of the N×|I| candidates of E
	Shift          float64 // r, for the sum of all entries to be 1: added to every entry or, with marginals, times p_i·p_j
	CorrectionsSum float64 // Σ_ij E_ij: how much the entries checked were negative, in all
	Objective      float64 // PALM: J(X, Y) − ½‖C‖²_F
	// Corrections is what was done with E after it was computed: CorrectionsMemory, CorrectionsSpill or
	// CorrectionsRecompute. It depends on the machine.
	Corrections      CorrectionsMode
	CorrectionBytes  int64  // that were kept, in memory or in the spill file
	CorrectionReason string // why
}

// Result is what a rectifier makes of co-occurrences.
type Result struct {
	Factor     *kernel.Tall // Y, N×K; but for PALM's its columns are orthogonal, in order of decreasing length
	Matrix     *kernel.Tall // the rectified C, N×N, of the rectifiers of a dense C; nil from others
	Iterations []Iteration
	Converged  bool    // the tolerance was reached
	Norm       float64 // ‖Y·Yᵀ‖_F
}

// ENN rectifies C ≈ Y·Yᵀ by the epsilon-non-negative rectification (Lee et al., ICML 2021, Algorithm 3). Given Y, N×K with
// orthogonal columns, every iteration
//
//   - finds E, symmetric and sparse: E_ij = max(−y_i·y_j, 0) where i or j is one of the |I| rows of largest norm. By
//     Cauchy-Schwarz |y_i·y_j| ≤ ‖y_i‖‖y_j‖, so all other negative entries are small;
//   - finds r with which the entries of C' = Y·Yᵀ + E + r·qqᵀ sum to 1, where q is e or, with marginals, p;
//   - replaces Y by V·√D⁺ for the K leading eigenpairs of C'.
//
// The eigenpairs are not computed anew: a block of K+10 vectors is carried along, and moved on by one step of subspace
// iteration and one Rayleigh–Ritz step, two products with C' in all. See docs/decisions/enn-warm-start.md.
func ENN(ctx context.Context, y *kernel.Tall, opts Options) (_ *Result, err error) {
	n, k := y.Dims()
	if n == 0 || k == 0 {
		return nil, fmt.Errorf("rectify: a factor of %d×%d has nothing to rectify", n, k)
	}
	rows := opts.Rows
	if rows == 0 {
		rows = 10*k + 1000
	}
	rows = min(rows, n)
	if rows > maxCorrectedRows {
		return nil, fmt.Errorf("rectify: corrections are sought in at most %d rows, not %d", maxCorrectedRows, rows)
	}
	if err := opts.Corrections.check(); err != nil {
		return nil, err
	}
	if opts.Marginals != nil && len(opts.Marginals) != n {
		panic("rectify: number of marginals is not the number of items")
	}
	e := enn{y: y, corrections: newCorrections(n, rows, opts.placement(), opts.Workers), marginals: opts.Marginals, workers: opts.Workers}
	defer func() {
		if closing := e.corrections.Close(); err == nil {
			err = closing
		}
	}()
	if err := e.start(opts.Seed); err != nil {
		return nil, err
	}
	opts.least = LeastIterations
	result := &Result{Factor: y}
	err = result.iterate("ENN", opts, func(number int) (Iteration, error) {
		if number == 1 {
			return e.iterate(ctx, firstSteps)
		}
		return e.iterate(ctx, 1)
	})
	if err != nil {
		return nil, err
	}
	result.Norm = norm(e.values)
	return result, nil
}

// iterate calls step with the number of each iteration, as often as the options say, and takes down what it returns. The
// rectifier's name is for errors.
func (r *Result) iterate(name string, opts Options, step func(number int) (Iteration, error)) error {
	tolerance, limit := opts.Tolerance, opts.Iterations
	if tolerance == 0 {
		tolerance = DefaultTolerance
	}
	if limit == 0 {
		limit = DefaultIterations
	}
	for number := 1; number <= limit; number++ {
		done, err := step(number)
		if err != nil {
			return fmt.Errorf("%s iteration %d: %w", name, number, err)
		}
		done.Number = number
		r.Iterations = append(r.Iterations, done)
		if opts.Report != nil {
			opts.Report(done)
		}
		r.Converged = done.Change <= tolerance
		if r.Converged && opts.Iterations == 0 && number >= opts.least {
			break
		}
	}
	return nil
}

// enn is the state between iterations.
type enn struct {
	y           *kernel.Tall
	values      []float64    // squared lengths of the columns of y: the eigenvalues of Y·Yᵀ
	x, z        *kernel.Tall // N×(K+10): the orthonormal vectors carried along, and their product with C'
	corrections *corrections
	marginals   []float64 // q; nil stands for e
	shift       float64
	workers     int
}

// start sets x to an orthonormal basis of the columns of y and of random ones.
func (e *enn) start(seed uint64) error {
	n, k := e.y.Dims()
	e.values = diagonal(kernel.Gram(e.y, e.y, e.workers), k)
	for j, v := range e.values {
		if !(v > 0) { // NaN too
			return fmt.Errorf("rectify: column %d of the factor has squared length %v: there are fewer than %d topics in it", j, v, k)
		}
	}
	cols := min(k+extraColumns, n)
	e.x = kernel.NewTall(n, cols)
	for i := range n {
		row := e.x.Row(i)
		for j := copy(row, e.y.Row(i)); j < cols; j++ {
			row[j] = float64(int64(kernel.Mix(seed^kernel.Mix(uint64(i*cols+j))))) * 0x1p-63 // uniform on (−1, 1)
		}
	}
	if _, err := kernel.Orthonormalize(e.x, e.workers); err != nil {
		return err
	}
	e.z = kernel.NewTallLike(e.x)
	return nil
}

// iterate does one iteration, with the given number of steps of subspace iteration.
func (e *enn) iterate(ctx context.Context, steps int) (Iteration, error) {
	if err := e.corrections.build(ctx, kernel.Converted[float32](e.y.Copy(e.y.Cols(), e.workers)), steps+1); err != nil {
		return Iteration{}, err
	}
	total := 0.0
	for _, s := range e.y.ColumnSums(e.workers) {
		total += s * s // Σ_ij y_i·y_j = ‖Yᵀe‖²
	}
	weight := e.weight()
	e.shift = (1 - total - e.corrections.sum) / (weight * weight)
	for range steps {
		if err := e.advance(ctx); err != nil {
			return Iteration{}, err
		}
	}
	onY, err := e.multiply(ctx)
	if err != nil {
		return Iteration{}, err
	}
	change, err := e.rayleighRitz(onY)
	if err != nil {
		return Iteration{}, err
	}
	plan := e.corrections.plan
	return Iteration{Change: change, Density: e.corrections.density(), Shift: e.shift, CorrectionsSum: e.corrections.sum,
		Corrections: plan.mode, CorrectionBytes: plan.bytes, CorrectionReason: plan.reason}, nil
}

// advance replaces x by an orthonormal basis of C'·x: one step of subspace iteration.
func (e *enn) advance(ctx context.Context) error {
	if _, err := e.multiply(ctx); err != nil {
		return err
	}
	e.x, e.z = e.z, e.x
	if _, err := kernel.Orthonormalize(e.x, e.workers); err != nil {
		return err
	}
	if e.z.Cols() != e.x.Cols() {
		e.z = kernel.NewTallLike(e.x)
	}
	return nil
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

// multiply sets z = C'·x = Y·(Yᵀx) + E·x + r·q(qᵀx), and returns Yᵀx.
func (e *enn) multiply(ctx context.Context) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	onY := kernel.Gram(e.y, e.x, e.workers)
	kernel.Multiply(e.z, e.y, onY, e.workers)
	if err := e.correct(ctx); err != nil {
		return nil, err
	}
	shifts := e.x.WeightedColumnSums(e.marginals, e.workers)
	for j := range shifts {
		shifts[j] *= e.shift
	}
	err := kernel.Parallel(ctx, e.workers, e.z.Blocks(), func(b int) error {
		_, first, last := e.z.Block(b)
		for i := first; i < last; i++ {
			q := 1.0
			if e.marginals != nil {
				q = e.marginals[i]
			}
			row := e.z.Row(i)
			for j, s := range shifts {
				row[j] += q * s
			}
		}
		return nil
	})
	return onY, err
}

// correct adds E·x to z.
func (e *enn) correct(ctx context.Context) error {
	x := kernel.Converted[float32](e.x.Copy(e.x.Cols(), e.workers))
	product := kernel.NewTallLike(x)
	if err := e.corrections.apply(ctx, product, x); err != nil {
		return err
	}
	return kernel.Parallel(ctx, e.workers, e.z.Blocks(), func(b int) error {
		_, first, last := e.z.Block(b)
		for i := first; i < last; i++ {
			row := e.z.Row(i)
			for j, v := range product.Row(i) {
				row[j] += float64(v)
			}
		}
		return nil
	})
}

// rayleighRitz turns x into the Ritz vectors of C' in its span, given z = C'·x, and y into the leading ones times the
// roots of their values. It returns the relative change of Y·Yᵀ; onY is Yᵀx for the y that was.
func (e *enn) rayleighRitz(onY []float64) (change float64, err error) {
	cols, k := e.x.Cols(), e.y.Cols()
	values, vectors, err := kernel.SymmetricEigen(kernel.Gram(e.x, e.z, e.workers), cols)
	if err != nil {
		return 0, err
	}
	roots := make([]float64, k)
	kept := make([]float64, k)
	for j := range min(k, cols) {
		kept[j] = max(values[j], 0)
		roots[j] = math.Sqrt(kept[j])
	}
	// ‖Y₋₁Y₋₁ᵀ − YYᵀ‖² = ‖Y₋₁Y₋₁ᵀ‖² + ‖YYᵀ‖² − 2‖Y₋₁ᵀY‖², and Y₋₁ᵀY = (Y₋₁ᵀx)·U·√D.
	cross := 0.0
	turned := kernel.Times(onY, vectors, k, cols, cols)
	for i := range k {
		for j := range min(k, cols) {
			v := turned[i*cols+j] * roots[j]
			cross += v * v
		}
	}
	before, after := norm(e.values), norm(kept)
	if after == 0 {
		return 0, errNothingLeft
	}
	change = math.Sqrt(max(before*before+after*after-2*cross, 0)) / after
	e.values = kept
	e.x.Transform(vectors, cols, e.workers)
	for i := range e.y.Rows() {
		row, vector := e.y.Row(i), e.x.Row(i)
		for j := range min(k, cols) {
			row[j] = vector[j] * roots[j]
		}
	}
	return change, nil
}

// errNothingLeft says that a matrix has become zero: its negative entries outweigh the others.
var errNothingLeft = errors.New("no positive eigenvalue is left")

func norm(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}

func diagonal(a []float64, n int) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i*n+i]
	}
	return d
}
