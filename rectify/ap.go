// This file holds the rectification by alternating projection, on a dense C.

package rectify

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// AP rectifies the dense co-occurrence matrix c, N×N and symmetric, by alternating projection (Lee et al., ICML 2021,
// Algorithm 2). Every iteration projects it onto three sets, one after the other:
//
//	PSD_K   Y·Yᵀ with Y = V·√D⁺ for its k leading eigenpairs: positive semidefinite matrices of rank K
//	NOR     Y·Yᵀ + r·eeᵀ with r = (1 − Σ_ij y_i·y_j)/N²: matrices whose entries sum to 1
//	NN      max(Y·Yᵀ + r·eeᵀ, 0): matrices without negative entries
//
// The eigenpairs are accurate to a residual of 1e-11, and each search starts from those of the last iteration. AP stops
// when c moves by no more than the tolerance, ‖C_t+1 − C_t‖_F/‖C_t+1‖_F, or after 150 iterations. At the end it divides
// c by its sum, which NN has made slightly greater than 1.
//
// AP overwrites c, which becomes Result.Matrix; Result.Factor is the Y of the last iteration. Memory: no N×N matrix
// besides c; see Eigen for the rest. The error is a *sketch.DenseError if c takes more than opts.MostBytes. AP also
// refuses a c with an entry that is not finite, and one of which nothing positive is left.
func AP(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error) {
	if err := checkDense(c, k, opts); err != nil {
		return nil, err
	}
	pairs, multiply := newLeading(c.Rows(), k, random.EigenStart, opts), Dense(c, opts.Workers)
	result, total := &Result{}, 0.0
	step := func(int) (Iteration, error) {
		y, sum, err := pairs.project(ctx, multiply)
		if err != nil {
			return Iteration{}, err
		}
		result.Factor = y
		n := float64(c.Rows())
		shift := (1 - sum) / (n * n)
		done, err := lift(ctx, c, y, shift, opts.Workers)
		if err != nil {
			return Iteration{}, err
		}
		total = done.total
		return done.iteration(c.Rows(), shift)
	}
	err := result.repeat("AP", cmp.Or(opts.Iterations, DefaultIterations), opts, nil, step, func(done Iteration) bool {
		result.Converged = done.Change <= opts.tolerance()
		return result.Converged && opts.Iterations == 0
	})
	if err != nil {
		return nil, err
	}
	err = kernel.EachRow(ctx, c, opts.Workers, func(_ int, row []float64) {
		for j := range row {
			row[j] /= total
		}
	})
	if err != nil {
		return nil, err
	}
	result.Matrix = c
	result.Norm = norm(kernel.Gram(ctx, result.Factor, result.Factor, opts.Workers))
	return result, nil
}

// checkDense returns an error unless c, N×N, can be rectified to rank k: a *sketch.DenseError if it takes more than the
// options allow.
func checkDense(c *matrix.Tall, k int, opts Options) error {
	n := c.Rows()
	if c.Cols() != n {
		panic("rectify: not a square matrix")
	}
	if k < 1 || k > n {
		return fmt.Errorf("rectify: a matrix of %d items does not have rank %d", n, k)
	}
	most := cmp.Or(opts.MostBytes, sketch.DefaultDenseBytes)
	if bytes := 8 * int64(n) * int64(c.Stride()); bytes > most {
		return fmt.Errorf("rectify: %w", &sketch.DenseError{Items: n, Bytes: bytes, Most: most})
	}
	for i := range n {
		for j, v := range c.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("rectify: entry %d,%d of the co-occurrence matrix is %v", i, j, v)
			}
		}
	}
	return nil
}

// tally holds sums over entries.
type tally struct {
	moved, squares float64 // Σ (new − old)² and Σ new²
	negative       float64 // Σ max(−entry, 0), and the number of such entries
	count          int64
	total          float64 // Σ new
}

func (t *tally) add(o tally) {
	t.moved += o.moved
	t.squares += o.squares
	t.negative += o.negative
	t.count += o.count
	t.total += o.total
}

// set sets *entry to max(v, 0), and counts v if it was negative and by how much the entry moved.
func (t *tally) set(entry *float64, v float64) {
	if v < 0 {
		t.negative -= v
		t.count++
		v = 0
	}
	t.moved += (v - *entry) * (v - *entry)
	t.squares += v * v
	t.total += v
	*entry = v
}

// iteration returns what the sums over n×n entries say of an iteration.
func (t *tally) iteration(n int, shift float64) (Iteration, error) {
	if t.squares == 0 {
		return Iteration{}, errNothingLeft
	}
	return Iteration{Change: math.Sqrt(t.moved / t.squares), Density: float64(t.count) / (float64(n) * float64(n)),
		Shift: shift, CorrectionsSum: t.negative}, nil
}

// liftRows is the number of rows of Y·Yᵀ that are computed at a time.
const liftRows = 128

// lift sets c to max(Y·Yᵀ + r·eeᵀ, 0), and returns the sums over its entries, in the order of the rows. It holds the
// transpose of y, and liftRows×N values per worker.
func lift(ctx context.Context, c, y *matrix.Tall, r float64, workers int) (tally, error) {
	n, k := y.Dims()
	transposed := make([]float64, k*n)
	for i := range n {
		for j, v := range y.Row(i) {
			transposed[j*n+i] = v
		}
	}
	parts := make([]tally, (n+liftRows-1)/liftRows)
	err := kernel.Parallel(ctx, workers, len(parts), func(part int) error {
		first := part * liftRows
		left := matrix.NewTall(min(liftRows, n-first), k)
		for i := range left.Rows() {
			copy(left.Row(i), y.Row(first+i))
		}
		products := matrix.NewTall(left.Rows(), n)
		kernel.Multiply(ctx, products, left, transposed, 1)
		for i := range left.Rows() {
			row := c.Row(first + i)
			for j, v := range products.Row(i) {
				parts[part].set(&row[j], v+r)
			}
		}
		return nil
	})
	var sum tally
	for _, part := range parts {
		sum.add(part)
	}
	return sum, err
}
