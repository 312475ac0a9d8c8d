// This file holds what the rectifiers of a dense C share: the checks, the loop and the end.

package rectify

import (
	"context"
	"fmt"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// DenseRectifier is a rectifier of a dense co-occurrence matrix c, N×N and symmetric, to rank k: AP, Dykstra, DouglasRachford and
// DiagonalCompletion. It overwrites c, which becomes Result.Matrix. It returns a *sketch.DenseError where its matrices would take
// more than opts.MostBytes, and an error where c has an entry that is not finite, or nothing positive is left of it.
type DenseRectifier func(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error)

// denseMethod is what one of them is made of.
type denseMethod struct {
	name     string // in errors
	matrices int    // of size N×N that are held at a time, c among them
	begin    func(ctx context.Context, d *dense) (denseSteps, error)
}

// denseSteps are what a method does.
type denseSteps struct {
	// step makes one iteration. It leaves the last factor in d.y and, unless end does, the sum of c's entries in d.total.
	step func(number int) (Iteration, error)
	// end turns what the last iteration left into the result in c; nil where that is it.
	end func() error
}

// dense is a rectification under way.
type dense struct {
	c     *matrix.Tall
	n     int // N
	k     int
	opts  Options
	pairs *leading     // eigenpairs, from iteration to iteration
	y     *matrix.Tall // N×K: Y·Yᵀ is the last PSD_K
	sum   float64      // Σ_ij y_i·y_j
	total float64      // Σ_ij c_ij
}

// rectify runs the method: the iterations that opts ask for, and the division by the sum of all entries.
func (m denseMethod) rectify(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error) {
	if err := checkDense(c, k, m.matrices, opts); err != nil {
		return nil, err
	}
	d := &dense{c: c, n: c.Rows(), k: k, opts: opts, pairs: newLeading(c.Rows(), k, random.EigenStart, opts)}
	steps, err := m.begin(ctx, d)
	if err != nil {
		return nil, err
	}
	result := &Result{}
	if err := result.iterate(m.name, d.opts, nil, steps.step); err != nil {
		return nil, err
	}
	if steps.end != nil {
		if err := steps.end(); err != nil {
			return nil, err
		}
	}
	if err := normalize(ctx, c, d.total, opts.Workers); err != nil {
		return nil, err
	}
	result.Matrix, result.Factor = c, d.y
	result.Norm = norm(kernel.Gram(ctx, d.y, d.y, opts.Workers))
	return result, nil
}

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

// project sets y and sum to PSD_K of the matrix that multiply stands for.
func (d *dense) project(ctx context.Context, multiply Operator) (err error) {
	d.y, d.sum, err = d.pairs.project(ctx, multiply)
	return err
}

// shift returns the r with which the entries of Y·Yᵀ + r·eeᵀ sum to 1.
func (d *dense) shift() float64 { return (1 - d.sum) / (float64(d.n) * float64(d.n)) }

// sweep goes through the entries of Y·Yᵀ row by row, as the function sweep does, notes the sum of the new entries, and returns
// what it says of an iteration.
func (d *dense) sweep(ctx context.Context, shift float64, fn func(i int, products []float64, t *tally)) (Iteration, error) {
	done, err := sweep(ctx, d.y, d.opts.Workers, fn)
	if err != nil {
		return Iteration{}, err
	}
	d.total = done.total
	return done.iteration(d.n, shift)
}

// lift sets c to max(Y·Yᵀ + r·eeᵀ, 0), with r as shift returns it.
func (d *dense) lift(ctx context.Context) (Iteration, error) {
	shift := d.shift()
	return d.sweep(ctx, shift, func(i int, products []float64, t *tally) {
		row := d.c.Row(i)
		for j, v := range products {
			t.put(&row[j], t.clip(v+shift))
		}
	})
}

// normalize divides c by its sum.
func normalize(ctx context.Context, c *matrix.Tall, total float64, workers int) error {
	return kernel.Parallel(ctx, workers, c.Blocks(), func(b int) error {
		values, _, _ := c.Block(b)
		for i := range values {
			values[i] /= total
		}
		return nil
	})
}
