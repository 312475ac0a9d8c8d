// This file holds the divide-and-conquer method for the eigenvectors of a tridiagonal matrix: it cuts the matrix, and
// joins the pieces level by level. One joint is the work of merge.go.

package kernel

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/aligned"
)

// leafRows is the size up to which a tridiagonal matrix is no longer cut.
const leafRows = 32

// divided is a tridiagonal matrix whose leading pieces have been solved. Eigenvectors are rows of z: those of a piece
// low … high−1 are rows low … high−1, zero outside of columns low … high−1, in no order, with their values beside.
type divided struct {
	ctx        context.Context // of the call that this is the state of
	n, stride  int
	z          []float64 // n×n, the result
	gathered   []float64 // n×n: rows of z in the order in which a joint needs them
	parts      []float64 // n×n: differences of poles and roots, then eigenvectors of rank-one problems in rows
	values     []float64 // by row of z
	order      []int     // rows of every piece by increasing value
	workers    int
	wanted     int // eigenvectors that the last joint has to make: those of the greatest values
	nextValues []float64
}

// tridiagonalEigen returns all eigenvalues of the symmetric tridiagonal matrix with diagonal d and e[i] beside d[i] and
// d[i+1] in decreasing order, and the eigenvectors of the first count as rows of z, with the distance that the matrix h
// has between rows. It uses d and e up.
//
// The method is Cuppen's (Numer. Math. 36, 1981), in the form that keeps eigenvectors orthogonal (Gu & Eisenstat, SIAM
// J. Matrix Anal. Appl. 16, 1995). T = diag(T₁, T₂) + |e|·v·vᵀ, where v has a 1 and the sign of e at the cut. In the
// eigenvectors of T₁ and T₂ it is a diagonal matrix plus one of rank one, see merge.
func tridiagonalEigen(ctx context.Context, d, e []float64, stride, count, workers int) (values,
	z []float64, err error) {
	n := len(d)
	if count == 0 {
		if err := implicitQR(d, e, nil, 0); err != nil {
			return nil, nil, err
		}
		slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(b, a) })
		return d, nil, nil
	}
	t := &divided{ctx: ctx, n: n, stride: stride, workers: workers, wanted: count,
		z: aligned.Make[float64](n * stride), values: d, order: make([]int, n)}
	levels, leaves := cut(n)
	if len(levels) > 0 {
		t.gathered, t.parts, t.nextValues = aligned.Make[float64](n*stride), aligned.Make[float64](n*stride),
			make([]float64, n)
	}
	for _, level := range levels {
		for _, m := range level {
			m.divided, m.coupling = t, e[m.middle-1]
			d[m.middle-1] -= math.Abs(m.coupling)
			d[m.middle] -= math.Abs(m.coupling)
			e[m.middle-1] = 0
		}
	}
	if n < rangeColumns {
		t.workers = 1 // starting goroutines would cost more
	}
	if err := t.solveLeaves(leaves, e); err != nil {
		return nil, nil, err
	}
	for _, level := range slices.Backward(levels) {
		if err := t.join(level); err != nil {
			return nil, nil, err
		}
	}
	sorted, rows := make([]float64, n), t.gathered // nothing is to be gathered any more
	if rows == nil {
		rows = aligned.Make[float64](count * stride)
	}
	for i := range n {
		from := t.order[n-1-i]
		sorted[i] = t.values[from]
		if i < count {
			copy(rows[i*stride:][:n], t.z[from*stride:])
		}
	}
	return sorted, rows, nil
}

// cut returns the joints of a matrix of n rows, level by level, the last joint first, and the bounds of the leaves.
// Cuts are made at multiples of lane, so that block products find their columns padded.
func cut(n int) (levels [][]*merge, leaves []int) {
	pieces := []int{0, n}
	for {
		var level []*merge
		next := pieces[:1:1]
		for i := range len(pieces) - 1 {
			low, high := pieces[i], pieces[i+1]
			if high-low > leafRows {
				middle := low + aligned.Columns[float64]((high-low)/2)
				level = append(level, &merge{low: low, middle: middle, high: high})
				next = append(next, middle)
			}
			next = append(next, high)
		}
		if len(level) == 0 {
			return levels, pieces
		}
		levels, pieces = append(levels, level), next
	}
}

// solveLeaves solves the pieces between consecutive bounds.
func (t *divided) solveLeaves(bounds []int, e []float64) error {
	return t.tasks(len(bounds)-1, func(i int) error {
		low, high := bounds[i], bounds[i+1]
		for row := low; row < high; row++ {
			t.z[row*t.stride+row] = 1
			t.order[row] = row
		}
		if err := implicitQR(t.values[low:high], e[low:high], t.z[low*t.stride+low:], t.stride); err != nil {
			return err
		}
		slices.SortFunc(t.order[low:high], t.byValue)
		return nil
	})
}

func (t *divided) byValue(a, b int) int {
	return cmp.Or(cmp.Compare(t.values[a], t.values[b]), cmp.Compare(a, b))
}

func (t *divided) tasks(n int, fn func(i int) error) error {
	return Parallel(t.ctx, t.workers, n, fn)
}

// join joins the pieces on both sides of every joint of a level. The joints are independent, and so are the parts of
// each of the four steps.
func (t *divided) join(level []*merge) error {
	last := len(level) == 1 && level[0].high-level[0].low == t.n
	if err := t.tasks(len(level), func(i int) error { level[i].prepare(); return nil }); err != nil {
		return err
	}
	const rows = 48
	type piece struct {
		*merge
		first, last int
	}
	var pieces []piece
	for _, m := range level {
		for first := 0; first < m.k; first += rows {
			pieces = append(pieces, piece{m, first, min(first+rows, m.k)})
		}
	}
	steps := []func(p piece) error{
		func(p piece) error { return p.solve(p.first, p.last) },
		func(p piece) error { p.recover(p.first, p.last); return nil },
		func(p piece) error {
			if last {
				p.first = max(p.first, p.k-t.wanted)
			}
			if p.first < p.last {
				p.vectors(p.first, p.last)
			}
			return nil
		},
	}
	for _, step := range steps {
		if err := t.tasks(len(pieces), func(i int) error { return step(pieces[i]) }); err != nil {
			return err
		}
	}
	for _, m := range level {
		m.finish()
	}
	return nil
}
