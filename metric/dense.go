// This file computes the distances exactly, from a dense C.

package metric

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// DenseDistances computes the distances exactly from C, N×N, and its row sums p. Base lists the items of BaseRecovery
// and may be nil. Besides the arguments it holds 2·K rows of C, and 128 + K more for every worker. The error is that of
// ctx.
func DenseDistances(ctx context.Context, c *matrix.Tall, p []float64, t *Topics, base []int,
	workers int) (Distances, error) {
	t.check()
	n := c.Rows()
	if c.Cols() != n || len(p) != n || t.Items.Rows() != n {
		panic("metric: shapes of the co-occurrences and the topics do not fit")
	}
	d := noDistances()
	if t.mixed() {
		if err := d.recovery(ctx, c, p, t, base, workers); err != nil {
			return d, err
		}
	}
	if t.TopicJoint != nil {
		if err := d.approximation(ctx, c, t, workers); err != nil {
			return d, err
		}
	}
	return d, nil
}

// recovery sets the figures about rows of C̄.
func (d *Distances) recovery(ctx context.Context, c *matrix.Tall, p []float64, t *Topics, base []int,
	workers int) error {
	n, k := t.Items.Dims()
	anchors := make([]float64, k*n) // C̄_S
	for s, item := range t.Anchors {
		if p[item] > 0 {
			for j, v := range c.Row(item) {
				anchors[s*n+j] = v / p[item]
			}
		}
	}
	distances, squares := make([]float64, n), make([]float64, n)
	err := eachProductRow(ctx, t.Mixtures, anchors, n, workers, func(i int, mixed []float64) {
		if p[i] <= 0 {
			return
		}
		sum, square := 0.0, 0.0
		for j, v := range c.Row(i) {
			v /= p[i]
			square += v * v
			sum += (v - mixed[j]) * (v - mixed[j])
		}
		distances[i], squares[i] = math.Sqrt(sum), square
	})
	if err != nil {
		return err
	}
	distance := func(i int) float64 { return distances[i] }
	d.Recovery = exactly(meanOver(p, nil, distance))
	d.RelativeRecovery = exactly(d.Recovery.Value / math.Sqrt(total(squares)))
	if base != nil {
		d.BaseRecovery = exactly(meanOver(p, base, distance))
	}
	return nil
}

// approximation sets the figures about the whole of C.
func (d *Distances) approximation(ctx context.Context, c *matrix.Tall, t *Topics, workers int) error {
	n, k := t.Items.Dims()
	transposed := make([]float64, k*n)
	for i := range n {
		for s, v := range t.Items.Row(i) {
			transposed[s*n+i] = v
		}
	}
	right := kernel.Times(ctx, t.TopicJoint, transposed, k, k, n)              // A·Bᵀ
	distances, norms := make([]float64, n), make([]float64, n)                 // squared, off the diagonal
	diagonalDistances, diagonalNorms := make([]float64, n), make([]float64, n) // squared
	err := eachProductRow(ctx, t.Items, right, n, workers, func(i int, row []float64) {
		distance, norm := 0.0, 0.0
		for j, v := range c.Row(i) {
			if j != i {
				norm += v * v
				distance += (v - row[j]) * (v - row[j])
			}
		}
		v := c.Row(i)[i]
		distances[i], norms[i] = distance, norm
		diagonalDistances[i], diagonalNorms[i] = (v-row[i])*(v-row[i]), v*v
	})
	if err != nil {
		return err
	}
	off, offNorm := total(distances), total(norms)
	whole, norm := off+total(diagonalDistances), offNorm+total(diagonalNorms)
	d.Approximation = exactly(math.Sqrt(whole))
	d.RelativeApproximation = exactly(math.Sqrt(whole / norm))
	d.OffDiagonalApproximation = exactly(math.Sqrt(off / offNorm))
	return nil
}

// tileRows is how many rows of an N×N product are computed at a time.
const tileRows = 128

// eachProductRow calls fn with every row of left·right, where left is N×K and right K×n row-major, on several
// goroutines. The row is valid until fn returns.
func eachProductRow(ctx context.Context, left *matrix.Tall, right []float64, n, workers int,
	fn func(i int, row []float64)) error {
	rows, k := left.Dims()
	return kernel.Ranges(ctx, workers, rows, tileRows, func(first, last int) error {
		part, product := matrix.NewTall(last-first, k), matrix.NewTall(last-first, n)
		for i := range part.Rows() {
			copy(part.Row(i), left.Row(first+i))
		}
		kernel.Multiply(ctx, product, part, right, 1)
		for i := range product.Rows() {
			fn(first+i, product.Row(i))
		}
		return nil
	})
}
