// This file goes through all entries of Y·Yᵀ without holding that matrix.

package rectify

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// tally holds the sums of a sweep.
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

// put sets *entry to v and notes by how much that moves it.
func (t *tally) put(entry *float64, v float64) {
	t.moved += (v - *entry) * (v - *entry)
	t.squares += v * v
	t.total += v
	*entry = v
}

// iteration returns what a sweep over n×n entries says of an iteration.
func (t *tally) iteration(n int, shift float64) (Iteration, error) {
	if t.squares == 0 {
		return Iteration{}, errNothingLeft
	}
	return Iteration{Change: math.Sqrt(t.moved / t.squares), Density: float64(t.count) / (float64(n) * float64(n)),
		Shift: shift, CorrectionsSum: t.negative}, nil
}

// sweepRows is the number of rows of Y·Yᵀ that are computed at a time.
const sweepRows = 128

// sweep calls fn for every row i with y_i·Yᵀ, N values that fn may overwrite, and a tally to add to. It returns the sum of the
// tallies, in the order of the rows. It holds the transpose of y, and sweepRows×N values per worker.
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
		kernel.Multiply(ctx, products, left, transposed, 1)
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
