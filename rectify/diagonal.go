// This file holds the rectification by diagonal completion, on a dense C.

package rectify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// DefaultSplits is how many random splits the diagonal is estimated from, as in the program of the JSMF's authors.
const DefaultSplits = 30

// DiagonalCompletion rectifies the dense co-occurrence matrix c, N×N and symmetric, by replacing its diagonal. The
// off-diagonal entries are unbiased estimates of a matrix of rank K and are trusted. The diagonal, the counts of an item with
// itself, is known less well. It is replaced so that the whole has rank K, as nearly as the noise allows
// (the JSMF family's "DC", by Lee and Bindel: rectifyC_DC in the program of the JSMF's authors; we know of no paper that
// states it).
//
// Every iteration splits the items at random into two halves I and J. The block C_IJ has no diagonal entry, so its K
// leading left singular vectors U span the columns of the true C_II. All of column j but entry j is known; its least-squares
// fit in the span of U over the rows I\j gives
//
//	d_j = u_jᵀ·p_j / (1 − ‖u_j‖²),   p_j = Σ_{i ∈ I, i ≠ j} u_i·C_ij
//
// with u_i the i-th row of U; and likewise for J. The new diagonal is the median of the estimates of all splits; their number is
// opts.Iterations, or DefaultSplits if that is 0. A split gives no estimate for an item that is alone in some direction, ‖u_j‖ =
// 1. A diagonal entry of a positive semidefinite matrix is not negative, so a negative median becomes 0. At the end c is divided
// by its sum. Iteration.Change is that of the median diagonal.
//
// DiagonalCompletion overwrites c, which becomes Result.Matrix. Small negative eigenvalues remain in it; Result.Factor is the Y
// with Y·Yᵀ = PSD_K of it. Memory: no N×N matrix besides c, and one value per item and split.
func DiagonalCompletion(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error) {
	return diagonalCompletion.rectify(ctx, c, k, opts)
}

var diagonalCompletion = denseMethod{name: "diagonal completion", matrices: 1, begin: func(ctx context.Context, d *dense) (denseSteps, error) {
	if d.opts.Iterations == 0 {
		d.opts.Iterations = DefaultSplits
	}
	f := completion{dense: d, multiply: Dense(d.c, d.opts.Workers),
		signs: make([]float64, d.n), estimates: make([][]float64, d.n), diagonal: make([]float64, d.n)}
	for i := range d.n {
		f.diagonal[i] = d.c.Row(i)[i]
	}
	step := func(number int) (Iteration, error) {
		f.split(number)
		return f.iterate(ctx)
	}
	return denseSteps{step: step, end: func() error { return f.complete(ctx) }}, nil
}}

// completion is the state between splits.
type completion struct {
	*dense
	multiply  Operator
	signs     []float64   // of the split: 1 in I, −1 in J
	estimates [][]float64 // of each diagonal entry, increasing
	diagonal  []float64   // their medians
}

// complete puts the diagonal into c, divides c by its sum and finds PSD_K of it.
func (d *completion) complete(ctx context.Context) error {
	for _, sum := range kernel.ColumnSums(ctx, d.c, d.opts.Workers) {
		d.total += sum
	}
	for i, v := range d.diagonal {
		v = max(v, 0)
		d.total += v - d.c.Row(i)[i]
		d.c.Row(i)[i] = v
	}
	if !(d.total > 0) {
		return fmt.Errorf("rectify: the completed matrix has the sum %v", d.total)
	}
	if err := normalize(ctx, d.c, d.total, d.opts.Workers); err != nil {
		return err
	}
	d.total = 1
	return d.project(ctx, d.multiply)
}

// split draws half of the items.
func (d *completion) split(number int) {
	order := random.Order(d.n, d.opts.Seed, random.DiagonalSplit, d.opts.Key, uint64(number))
	for at, i := range order {
		d.signs[i] = 1
		if at >= len(order)/2 {
			d.signs[i] = -1
		}
	}
}

// blocks sets dst = M·x for M, which has the entries of C between I and J and 0 elsewhere: M = (C − S·C·S)/2 with the signs
// as the diagonal of S. Its eigenvalues are the singular values σ of C_IJ and −σ, and the eigenvector to σ holds the left
// and the right singular vector, each of length 1/√2.
func (d *completion) blocks(ctx context.Context, dst, x *matrix.Tall) error {
	signed, image := matrix.Like(x), matrix.Like(x)
	for i, sign := range d.signs {
		for j, v := range x.Row(i) {
			signed.Row(i)[j] = sign * v
		}
	}
	if err := d.multiply(ctx, image, signed); err != nil {
		return err
	}
	if err := d.multiply(ctx, dst, x); err != nil {
		return err
	}
	for i, sign := range d.signs {
		row := dst.Row(i)
		for j, v := range image.Row(i) {
			row[j] = (row[j] - sign*v) / 2
		}
	}
	return nil
}

// iterate adds the estimates of one split and updates the medians.
func (d *completion) iterate(ctx context.Context) (Iteration, error) {
	n, k := d.n, d.k
	values, _, err := d.pairs.solve(ctx, d.blocks)
	if err != nil {
		return Iteration{}, err
	}
	if !(values[k-1] > float64(n)*0x1p-52*values[0]) { // singular vectors of the value 0 are arbitrary
		rank := 0
		for values[rank] > float64(n)*0x1p-52*values[0] {
			rank++
		}
		return Iteration{}, &sketch.RankError{Topics: k, Rank: rank}
	}
	x := d.pairs.x.Copy(k) // row i is u_i/√2
	image := matrix.Like(x)
	if err := d.multiply(ctx, image, x); err != nil {
		return Iteration{}, err
	}
	moved, squares := 0.0, 0.0
	for i, before := range d.diagonal {
		own, product := d.c.Row(i)[i], image.Row(i)
		numerator, length := 0.0, 0.0
		for j, v := range x.Row(i) {
			numerator += 2 * v * (product[j] - values[j]*v - own*v) // C·x is p and, besides, M·x = x·Θ and the share of entry i
			length += 2 * v * v
		}
		if 1-length > float64(n)*0x1p-52 {
			at, _ := slices.BinarySearch(d.estimates[i], numerator/(1-length))
			d.estimates[i] = slices.Insert(d.estimates[i], at, numerator/(1-length))
			d.diagonal[i] = median(d.estimates[i])
		}
		moved += (d.diagonal[i] - before) * (d.diagonal[i] - before)
		squares += d.diagonal[i] * d.diagonal[i]
	}
	if squares == 0 {
		return Iteration{}, errNothingLeft
	}
	return Iteration{Change: math.Sqrt(moved / squares)}, nil
}

// median returns the middle of increasing values.
func median(sorted []float64) float64 {
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
