// This file finds the eigenpairs that a single pass determines.

package sketch

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// keptCore is the share of the core's eigenvalues, or of Q, that is kept; see docs/decisions/passes.md.
	keptCore = 0.5
	// streamedFloor is the least eigenvalue, relative to the greatest, that is more than the rounding of single precision.
	streamedFloor = 0x1p-20
)

// Form says how the eigenpairs of a single pass follow from Y = C·Ω and W = Ωᵀ·Y.
type Form string

const (
	Nystrom      Form = ""              // the Nyström approximation with a truncated core; see Streamed.Eigen
	LeastSquares Form = "least-squares" // Q·B·Qᵀ with half of Q; see leastSquares
	Published    Form = "published"     // the same with all of Q
)

// Known reports whether there is such a form.
func (f Form) Known() bool { return forms[f].solve != nil }

// forms are what solves them. Solve takes the l×l matrices Yᵀ·Y and W, and how many directions of the one or the other
// count, which are the given share of l. It returns the k leading eigenvalues, and the coefficients of the eigenvectors
// in Y, l×k.
var forms = map[Form]struct {
	share float64
	solve func(ctx context.Context, gram, core []float64,
		l, keep, k, workers int) (values, coefficients []float64, err error)
}{Nystrom: {keptCore, nystrom}, LeastSquares: {keptCore, leastSquares}, Published: {1, leastSquares}}

// Eigen returns the k leading eigenpairs by s.Form: those of the Nyström approximation with a truncated core,
//
//	C ≈ Y·W⁺·Yᵀ     Y = C·Ω     W = Ωᵀ·Y
//
// or those of Q·B·Qᵀ. W⁺ is the pseudoinverse of W with the L/2 eigenvalues of greatest magnitude. The others are left
// out, since C has small negative eigenvalues, next to which the inverse of a small eigenvalue of W is noise
// (Nakatsukasa & Park, SIAM J. Matrix Anal. Appl. 44, 2023). With L ≥ N columns nothing is left out but rounding. It
// takes two products of L columns over the N rows, and no orthonormal basis of them. It needs L ≥ 2·min(k, N) columns.
//
// The residuals are estimated by the test columns T, to which nothing is fitted: ‖Tᵀ(C·v − λ·v)‖²/TestColumns is on
// average ‖C·v − λ·v‖², and Tᵀ·C is known.
//
// It uses the sketch up: Product is nil afterwards, and a second call panics. The error is a *RankError where fewer
// than k eigenvalues are positive, or that of ctx.
func (s *Streamed) Eigen(ctx context.Context, k, workers int) (*Eigen, error) {
	if s.Product == nil {
		panic("sketch: the sketch was used up")
	}
	tests := s.tested()
	if err := s.subtractDiagonal(ctx, workers); err != nil {
		return nil, err
	}
	y, cols, l := s.Product, s.Product.Cols(), s.Columns()
	s.Product = nil
	row := func(dst []float32, i int) { setRow(tests, dst, i, s.vocabulary.Key(i)) }
	core := block(kernel.GramGenerated(ctx, y, cols, workers, row), cols) // Yᵀ·Ω
	gram := block(kernel.Gram(ctx, y, y, workers), cols)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	keep := max(int(forms[s.Form].share*float64(l)), k)
	if l >= y.Rows() {
		keep = y.Rows()
	}
	values, coefficients, err := forms[s.Form].solve(ctx, gram, core, l, min(keep, l), k, workers)
	if err != nil {
		return nil, err
	}
	onTests := matrix.Converted[float64](y.Copy(TestColumns))
	v := streamedVectors(ctx, y, coefficients, k, workers)
	y.Release()
	e := &Eigen{Values: values, Vectors: v, Estimated: true, Passes: 1}
	if err := e.straighten(ctx, l, workers); err != nil {
		return nil, err
	}
	e.Residuals = s.testResiduals(ctx, e, onTests, tests, workers)
	return e, ctx.Err()
}

// subtractDiagonal turns M·S·[T Ω] into C·[T Ω].
func (s *Streamed) subtractDiagonal(ctx context.Context, workers int) error {
	tests, y := s.tested(), s.Product
	scale := 1 / s.Marginals.Total()
	return kernel.Parallel(ctx, workers, y.Blocks(), func(b int) error {
		own := make([]float64, y.Cols())
		_, first, last := y.Block(b)
		for i := first; i < last; i++ {
			setRow(tests, own, i, s.vocabulary.Key(i))
			diagonal := s.Marginals.Diagonal[i]
			for j, v := range y.Row(i) {
				y.Row(i)[j] = float32((float64(v) - diagonal*own[j]) * scale)
			}
		}
		return nil
	})
}

// block returns the part of a matrix of order n that belongs to Ω: without the first TestColumns rows and columns.
func block(a []float64, n int) []float64 {
	l := n - TestColumns
	return kernel.FirstColumns(a[TestColumns*n+TestColumns:], l, n, l)
}

// nystrom returns the k leading eigenvalues of Y·W⁺·Yᵀ, W⁺ of rank keep, and the coefficients of the eigenvectors in Y,
// l×k, given the l×l matrices Yᵀ·Y and W. With the eigenpairs θ, U of W, Y·W⁺·Yᵀ = F·Σ·Fᵀ, F = Y·U·|θ|^−½ and Σ the
// signs of θ; with the eigenpairs μ, P of Fᵀ·F, it is Q·(μ^½·Pᵀ·Σ·P·μ^½)·Qᵀ for the orthonormal Q = F·P·μ^−½.
func nystrom(ctx context.Context, gram, core []float64,
	l, keep, k, workers int) (values, coefficients []float64, err error) {
	theta, u, err := kernel.SymmetricEigen(ctx, core, l, workers)
	if err != nil {
		return nil, nil, err
	}
	kept := greatestMagnitudes(theta, keep)
	r := len(kept)
	f, signs := make([]float64, l*r), make([]float64, r)
	for c, at := range kept {
		signs[c] = math.Copysign(1, theta[at])
		root := math.Sqrt(math.Abs(theta[at]))
		for i := range l {
			f[i*r+c] = u[i*l+at] / root
		}
	}
	onF := kernel.TransposedTimes(ctx, f, kernel.Times(ctx, gram, f, l, l, r), l, r, r)
	mu, p, err := kernel.SymmetricEigen(ctx, onF, r, workers)
	if err != nil {
		return nil, nil, err
	}
	turned := make([]float64, r*r)
	for i := range turned {
		turned[i] = signs[i/r] * p[i]
	}
	inner := kernel.TransposedTimes(ctx, p, turned, r, r, r)
	for i := range mu {
		mu[i] = math.Sqrt(max(mu[i], 0))
	}
	for i := range inner {
		inner[i] *= mu[i/r] * mu[i%r]
	}
	values, vectors, err := kernel.LeadingEigen(ctx, inner, r, min(k, r), workers)
	if err != nil {
		return nil, nil, err
	}
	if rank := kernel.RankAbove(values, streamedFloor); rank < k {
		return nil, nil, &RankError{Topics: k, Rank: rank, Columns: l}
	}
	for i := range vectors {
		if root := mu[i/k]; root > streamedFloor*mu[0] {
			vectors[i] /= root
		} else {
			vectors[i] = 0
		}
	}
	return values[:k], kernel.Times(ctx, f, kernel.Times(ctx, p, vectors, r, r, k), l, r, k), ctx.Err()
}

// greatestMagnitudes returns the positions of the count values of greatest magnitude among decreasing ones, without
// those that are no more than rounding.
func greatestMagnitudes(values []float64, count int) []int {
	var kept []int
	low, high := 0, len(values)-1
	floor := streamedFloor * math.Max(math.Abs(values[low]), math.Abs(values[high]))
	for low <= high && len(kept) < count {
		at := low
		if math.Abs(values[high]) > math.Abs(values[low]) {
			at = high
			high--
		} else {
			low++
		}
		if math.Abs(values[at]) <= floor {
			break
		}
		kept = append(kept, at)
	}
	return kept
}

// streamedVectors returns the columns of Y that belong to Ω times coefficients.
func streamedVectors(ctx context.Context, y *matrix.Single, coefficients []float64, k, workers int) *matrix.Tall {
	v := matrix.NewTall(y.Rows(), k)
	padded := append(make([]float64, TestColumns*k), coefficients...)
	kernel.EachProduct(ctx, y, padded, k, workers, func(_, first, last int, product []float32, stride int) {
		for i := first; i < last; i++ {
			row := v.Row(i)
			for j := range row {
				row[j] = float64(product[(i-first)*stride+j])
			}
		}
	})
	return v
}

// straighten makes the vectors orthonormal without changing V·D·Vᵀ: coefficients of Y are large and cancel, and single
// precision leaves about 10⁻⁵ of the angles between columns. Columns is L.
func (e *Eigen) straighten(ctx context.Context, columns, workers int) error {
	k := len(e.Values)
	r, err := kernel.Orthonormalize(ctx, e.Vectors, workers)
	if err != nil {
		return err
	}
	if left := e.Vectors.Cols(); left < k {
		return &RankError{Topics: k, Rank: left, Columns: columns}
	}
	scaled := make([]float64, k*k)
	for i := range scaled {
		scaled[i] = r[i] * e.Values[i%k]
	}
	values, u, err := kernel.SymmetricEigen(ctx, kernel.TimesTransposed(ctx, scaled, r, k, k, k), k, workers)
	if err != nil {
		return err
	}
	kernel.Transform(ctx, e.Vectors, u, k, workers)
	e.Values = values
	return checkRank(values, k, columns)
}

// testResiduals returns ‖Tᵀ(C·v − λ·v)‖/√TestColumns of every pair, relative to the greatest eigenvalue, given C·T.
func (s *Streamed) testResiduals(ctx context.Context, e *Eigen, onTests *matrix.Tall, tests omega,
	workers int) []float64 {
	k := len(e.Values)
	products := kernel.Gram(ctx, onTests, e.Vectors, workers) // Tᵀ·C·V
	// Only the test columns are wanted of the rows.
	only := omega{seed: tests.seed, tests: TestColumns}
	// Vᵀ·T
	own := kernel.GramGenerated(ctx, e.Vectors, TestColumns, workers, func(dst []float64, i int) {
		setRow(only, dst, i, s.vocabulary.Key(i))
	})
	residuals := make([]float64, k)
	for c := range residuals {
		sum := 0.0
		for t := range TestColumns {
			d := products[t*k+c] - e.Values[c]*own[c*TestColumns+t]
			sum += d * d
		}
		residuals[c] = math.Sqrt(sum/TestColumns) / e.Values[0]
	}
	return residuals
}

// Error returns ‖C·V − V·D‖_F/‖D‖_F by the residuals: how far the pairs together are from eigenpairs. That of a single
// pass is estimated.
func (e *Eigen) Error() float64 {
	residuals, values := 0.0, 0.0
	for j, value := range e.Values {
		r := e.Residuals[j] * e.Values[0]
		residuals += r * r
		values += value * value
	}
	return math.Sqrt(residuals / values)
}
