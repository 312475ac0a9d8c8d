// This file defines the distances between C and a factorization of it, and computes them exactly from a dense C.

package metric

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// Estimate is a value and its standard error, which is 0 if the value is exact. The value is NaN if it cannot be
// computed for the topics that are given.
type Estimate struct {
	Value, StandardError float64
}

// exactly is a figure without error.
func exactly(value float64) Estimate { return Estimate{Value: value} }

// Distances are the distances between C and a factorization of it. Low is good. The relative distances can be compared
// across vocabularies. (Lee et al. 2021, section 5; Dong 2019, section 4.6.)
type Distances struct {
	// Recovery is (1/N) Σ_i ‖C̄_i − Σ_k B̆_ki·C̄_{s_k}‖₂: how far rows of C̄ are from their mixtures of the anchors' rows.
	// RelativeRecovery is that divided by ‖C̄‖_F. Both need anchors and mixtures.
	Recovery, RelativeRecovery Estimate
	// BaseRecovery is Recovery over only a given set of items: those of a smaller vocabulary, so that models of growing
	// vocabularies can be compared (Dong 2019, section 4.6). It is NaN if no set is given.
	BaseRecovery Estimate
	// Approximation is ‖C − B·A·Bᵀ‖_F, RelativeApproximation that divided by ‖C‖_F. OffDiagonalApproximation is the same
	// ratio without the diagonals of both: the diagonal of C shows how bursty an item is, which the model does not
	// describe. All need A.
	Approximation, RelativeApproximation, OffDiagonalApproximation Estimate
}

// noDistances returns distances that are all NaN.
func noDistances() Distances {
	missing := exactly(math.NaN())
	return Distances{missing, missing, missing, missing, missing, missing}
}

// meanOver returns the mean of the values of the items with p > 0 among the given items, or among all items if items is
// nil.
func meanOver(p []float64, items []int, value func(i int) float64) float64 {
	sum, count := 0.0, 0
	add := func(i int) {
		if p[i] > 0 {
			sum += value(i)
			count++
		}
	}
	if items == nil {
		for i := range p {
			add(i)
		}
	}
	for _, i := range items {
		add(i)
	}
	return sum / float64(count)
}

// total returns the sum of values.
func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

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
