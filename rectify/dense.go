// This file holds what the rectifiers of a dense C share: checks before they start, and one sweep over all entries of a
// low-rank matrix that is never held beside the one it is merged into.

package rectify

import (
	"context"
	"fmt"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
	"anchorage/sketch"
)

// checkDense returns an error unless c, N×N, can be rectified to rank k with so many matrices of its size at a time, it
// among them: a *sketch.DenseError when they take more than the options allow.
func checkDense(c *matrix.Tall, k, matrices int, opts Options) error {
	n := c.Rows()
	if c.Cols() != n {
		panic("rectify: not a square matrix")
	}
	if k < 1 || k > n {
		return fmt.Errorf("rectify: a matrix of %d items does not have rank %d", n, k)
	}
	most := opts.MostBytes
	if most == 0 {
		most = sketch.DefaultDenseBytes
	}
	if bytes := int64(matrices) * 8 * int64(n) * int64(c.Stride()); bytes > most {
		return fmt.Errorf("rectify: %d matrices are needed at a time: %w", matrices, &sketch.DenseError{Items: n, Bytes: bytes, Most: most})
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

// tally is what a sweep adds up.
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

// clip returns max(v, 0), and counts v where it was negative.
func (t *tally) clip(v float64) float64 {
	if v < 0 {
		t.negative -= v
		t.count++
		return 0
	}
	return v
}

// put sets *entry to v and counts by how much that moves it.
func (t *tally) put(entry *float64, v float64) {
	t.moved += (v - *entry) * (v - *entry)
	t.squares += v * v
	t.total += v
	*entry = v
}

// iteration is what a sweep over n×n entries says of an iteration.
func (t *tally) iteration(n int, shift float64) (Iteration, error) {
	if t.squares == 0 {
		return Iteration{}, errNothingLeft
	}
	return Iteration{Change: math.Sqrt(t.moved / t.squares), Density: float64(t.count) / (float64(n) * float64(n)),
		Shift: shift, CorrectionsSum: t.negative}, nil
}

// sweepRows is the number of rows of Y·Yᵀ that are computed at a time.
const sweepRows = 128

// sweep calls fn for every row i with y_i·Yᵀ, N values that fn may overwrite, and a tally of its own to add to; it returns
// the sum of the tallies, in the order of the rows. Besides y it holds its transpose and sweepRows×N values per worker.
func sweep(ctx context.Context, y *matrix.Tall, workers int, fn func(i int, products []float64, t *tally)) (tally, error) {
	n, k := y.Dims()
	transposed := make([]float64, k*n)
	for i := range n {
		for j, v := range y.Row(i) {
			transposed[j*n+i] = v
		}
	}
	parts := make([]tally, (n+sweepRows-1)/sweepRows)
	err := kernel.Parallel(ctx, workers, len(parts), func(part int) error {
		first := part * sweepRows
		left := matrix.NewTall(min(sweepRows, n-first), k)
		for r := range left.Rows() {
			copy(left.Row(r), y.Row(first+r))
		}
		products := matrix.NewTall(left.Rows(), n)
		kernel.Multiply(products, left, transposed, 1)
		for r := range left.Rows() {
			fn(first+r, products.Row(r), &parts[part])
		}
		return nil
	})
	var sum tally
	for _, part := range parts {
		sum.add(part)
	}
	return sum, err
}

// project is the projection PSD_K: it returns V·√D⁺, N×K, for the k leading eigenpairs of the matrix that multiply stands
// for, so that its product with its transpose is the nearest positive semidefinite matrix of rank K; and the sum of all
// entries of that product.
func (l *leading) project(ctx context.Context, multiply Operator) (y *matrix.Tall, sum float64, err error) {
	values, _, err := l.solve(ctx, multiply)
	if err != nil {
		return nil, 0, err
	}
	y = l.x.Copy(l.k)
	roots := make([]float64, l.k*l.k)
	for j, v := range values {
		roots[j*l.k+j] = math.Sqrt(max(v, 0))
	}
	kernel.Transform(y, roots, l.k, l.workers)
	for _, s := range kernel.ColumnSums(y, l.workers) {
		sum += s * s
	}
	return y, sum, nil
}

// normalize is how all end: c is divided by its sum, which the last projections leave near 1.
func normalize(ctx context.Context, c *matrix.Tall, total float64, workers int) error {
	return kernel.Parallel(ctx, workers, c.Blocks(), func(b int) error {
		values, _, _ := c.Block(b)
		for i := range values {
			values[i] /= total
		}
		return nil
	})
}

// finish completes the result with the rectified c, whose sum is total, and the last factor y.
func (r *Result) finish(ctx context.Context, c, y *matrix.Tall, total float64, workers int) error {
	if err := normalize(ctx, c, total, workers); err != nil {
		return err
	}
	r.Matrix, r.Factor = c, y
	r.Norm = norm(kernel.Gram(y, y, workers))
	return nil
}
