// This file reduces a symmetric matrix to tridiagonal form by Householder reflections, and transforms eigenvectors
// back.

package kernel

import (
	"context"
	"math"

	"anchorage/internal/aligned"
)

const (
	// panelRows is how many rows are reduced between two updates of the whole matrix, and how many reflections are
	// applied at once on the way back.
	panelRows = 32
	// rangeColumns is how many columns a product of the symmetric matrix with a vector has for every range that it is
	// cut into: fewer cost less than starting goroutines does.
	rangeColumns = 256
)

// square is a symmetric n×n matrix that is overwritten; rows and columns are padded with zeros to a multiple of lane.
type square struct {
	n, stride int
	values    []float64
}

func newSquare(n int) *square {
	stride := aligned.Columns[float64](n)
	if stride%128 == 0 {
		stride += aligned.Lane // rows that lie a multiple of 1 KiB apart drive each other out of the nearest cache
	}
	return &square{n: n, stride: stride, values: aligned.Make[float64](aligned.Columns[float64](n) * stride)}
}

func (a *square) row(i int) []float64 { return a.values[i*a.stride:][:a.stride] }

// reflections are the orthogonal Q with A = Q·T·Qᵀ: Q = H_{n−1}·H_{n−2}···H_2, H_m = I − tau[m]·v·vᵀ, where row m of
// the matrix holds v: it has n values, of which value m−1 is 1 and those after it are 0.
type reflections struct {
	*square
	tau []float64
}

// tridiagonalize overwrites a by reflections that turn it into a tridiagonal matrix, with the diagonal d and e[i]
// beside d[i] and d[i+1]. Rows are reduced from the last one upwards, so that the rest is always a leading block, whose
// rows begin at cache lines. Within a panel the matrix stays as it is, and A + Σ_r left_r·right_rᵀ is the reduced one;
// it is updated when the panel is done (Dongarra, Sorensen & Hammarling, J. Comput. Appl. Math. 27, 1989; Golub & Van
// Loan, Matrix Computations, 4th ed., 8.3.1). It reads only the lower triangle of a, and the whole blocks of lane rows
// on the diagonal.
func tridiagonalize(ctx context.Context, a *square, workers int) (d, e []float64, h *reflections) {
	n := a.n
	d, e = make([]float64, n), make([]float64, n)
	h = &reflections{square: a, tau: make([]float64, n)}
	rows := min(panelRows, max(aligned.Lane, n/8)) // a panel as long as a small matrix would make more work than it saves
	p := &panelState{ctx: ctx, square: a, workers: workers, factors: make([]float64, 2*rows+aligned.Lane),
		y:    aligned.Make[float64](a.stride),
		left: aligned.Make[float64]((2*rows + aligned.Lane) * a.stride), right: aligned.Make[float64](2 * rows * a.stride)}
	for last := n; last > 0; last -= rows {
		first := max(last-rows, 0)
		p.count = 0
		clear(p.left)
		clear(p.right)
		for m := last - 1; m >= first && ctx.Err() == nil; m-- {
			row := a.row(m)
			p.bringUp(m)
			d[m] = row[m]
			clear(row[m:])
			if m > 0 {
				h.tau[m], e[m-1] = reflect(row[:m])
				p.add(row, m, h.tau[m])
			}
		}
		p.update(first)
	}
	return d, e, h
}

// reflect returns tau and beta with (I − tau·v·vᵀ)·x = beta times the last unit vector, and overwrites x by v, whose
// last value is 1 (Golub & Van Loan, Algorithm 5.1.1). Squares below the range of numbers are nothing beside a matrix
// of norm about 1: then x is the multiple of the unit vector already.
func reflect(x []float64) (tau, beta float64) {
	last := len(x) - 1
	alpha := x[last]
	x[last] = 0
	squares := Dot(x, x)
	x[last] = 1
	if squares < 0x1p-960 {
		clear(x[:last])
		return 0, alpha
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+squares), alpha)
	scale := 1 / (alpha - beta)
	for i := range x[:last] {
		x[i] *= scale
	}
	return (beta - alpha) / beta, beta
}

// panelState is A + Σ_r left_r·right_rᵀ for r < count; left and right hold pairs (v, w) and (−w, −v) in rows. The rows
// of left are followed by as many zero rows as a product with whole lanes of rows may read.
type panelState struct {
	*square
	ctx         context.Context // of the call that the panel serves
	workers     int
	count       int
	left, right []float64
	factors     []float64
	y           []float64
	parts       []float64
}

// bringUp updates row m of the matrix, up to the diagonal.
func (p *panelState) bringUp(m int) {
	for r := range p.count {
		p.factors[r] = p.left[r*p.stride+m]
	}
	p.addRight(p.row(m), m+1)
}

// addRight adds Σ_r factors_r·right_r to the first columns of dst.
func (p *panelState) addRight(dst []float64, columns int) {
	if p.count > 0 {
		blockProduct(&assembly.rows64, byRows, add, operand64{dst, p.stride}, operand64{p.factors, len(p.factors)},
			operand64{p.right, p.stride}, 1, aligned.Columns[float64](columns), p.count)
	}
}

// add takes the reflection of the leading m×m block by v into the sum: A − v·wᵀ − w·vᵀ with w = q − ½·tau·(q·v)·v and
// q = tau·A·v.
func (p *panelState) add(v []float64, m int, tau float64) {
	if tau == 0 {
		return
	}
	w := p.y
	clear(w)
	p.times(w, v, m)
	clear(p.factors)
	width := aligned.Columns[float64](m)
	for r := 0; r < p.count; r += aligned.Lane {
		rowProducts(width, p.left[r*p.stride:], p.stride, v, p.factors[r:], nil, nil)
	}
	p.addRight(w, m)
	clear(w[m:])
	half := -tau * tau / 2 * Dot(w[:m], v[:m])
	at := p.count * p.stride
	left, right := p.left[at:][:2*p.stride], p.right[at:][:2*p.stride]
	for i, value := range v[:m] {
		q := tau*w[i] + half*value
		left[i], left[p.stride+i] = value, q
		right[i], right[p.stride+i] = -q, -value
	}
	p.count += 2
}

// times adds the product of the leading m×m block with x to y. It reads the lower triangle once: every row is used for
// itself and, transposed, for its column. The rows are cut into ranges of about the same number of entries.
func (p *panelState) times(y, x []float64, m int) {
	blocks := (m + aligned.Lane - 1) / aligned.Lane
	ranges := max(m/rangeColumns, 1)
	if ranges == 1 {
		p.timesRows(y, x, 0, blocks)
		return
	}
	if need := ranges * p.stride; len(p.parts) < need {
		p.parts = aligned.Make[float64](need)
	}
	bound := func(r int) int { return int(float64(blocks) * math.Sqrt(float64(r)/float64(ranges))) }
	each(p.ctx, p.workers, ranges, func(r int) {
		part := p.parts[r*p.stride:][:p.stride]
		clear(part)
		p.timesRows(part, x, bound(r), bound(r+1))
	})
	for r := range ranges {
		for i, v := range p.parts[r*p.stride:][:bound(r+1)*aligned.Lane] {
			y[i] += v
		}
	}
}

// timesRows is times for the given blocks of lane rows.
func (p *panelState) timesRows(y, x []float64, first, last int) {
	for b := first; b < last; b++ {
		i := b * aligned.Lane
		rows := p.values[i*p.stride:]
		rowProducts(i, rows, p.stride, x, y[i:], x[i:], y)
		rowProducts(aligned.Lane, rows[i:], p.stride, x[i:], y[i:], nil, nil)
	}
}

// update adds the sum to the leading m×m block, of which it keeps the lower triangle.
func (p *panelState) update(m int) {
	if p.count == 0 || m == 0 {
		return
	}
	const rows = 8 * aligned.Lane
	workers := p.workers
	if m < rangeColumns {
		workers = 1
	}
	each(p.ctx, workers, (m+rows-1)/rows, func(b int) {
		i := b * rows
		last := min(i+rows, m)
		blockProduct(&assembly.columns64, byColumns, add, operand64{p.values[i*p.stride:], p.stride},
			operand64{p.left[i:], p.stride}, operand64{p.right, p.stride}, last-i, aligned.Columns[float64](last), p.count)
	})
}

// takeBack transforms back: it replaces the rows of z, count eigenvectors of the tridiagonal matrix, by those of the
// matrix itself: z·Qᵀ. The reflections are applied in groups H_a·H_{a+1}···H_b = I − V·S·Vᵀ with triangular S
// (Schreiber & Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
func (h *reflections) takeBack(ctx context.Context, z []float64, count, workers int) {
	if count == 0 || h.n < 3 {
		return
	}
	const rows = 48 // of z, that stay in the nearer caches while all groups go over them
	groups := make([]group, (h.n-2+panelRows-1)/panelRows)
	if h.n < rangeColumns {
		workers = 1
	}
	each(ctx, workers, len(groups), func(g int) { groups[g] = h.group(2+g*panelRows, min(2+(g+1)*panelRows, h.n)) })
	each(ctx, workers, (count+rows-1)/rows, func(c int) {
		m := min(rows, count-c*rows)
		piece := operand64{z[c*rows*h.stride:], h.stride}
		onto := operand64{aligned.Make[float64](rows * panelRows), panelRows}
		scaled := operand64{aligned.Make[float64](rows * panelRows), panelRows}
		for _, g := range groups {
			if ctx.Err() != nil {
				return
			}
			size := g.last - g.first
			blockProduct(&assembly.rows64, byRows, set, onto, piece, operand64{g.columns, panelRows}, m, panelRows, g.last-1)
			blockProduct(&assembly.rows64, byRows, set, scaled, onto, operand64{g.factor, panelRows}, m, panelRows, size)
			reflected := operand64{h.values[g.first*h.stride:], h.stride}
			blockProduct(&assembly.rows64, byRows, add, piece, scaled, reflected, m, aligned.Columns[float64](g.last-1), size)
		}
	})
}

// group is the product of the reflections first … last−1: I + columns·factor·columnsᵀ, where columns holds the v and
// factor is panelRows×panelRows.
type group struct {
	first, last     int
	columns, factor []float64
}

func (h *reflections) group(first, last int) group {
	size := last - first
	g := group{first: first, last: last,
		columns: aligned.Make[float64]((last - 1) * panelRows), factor: aligned.Make[float64](panelRows * panelRows)}
	for r := range size {
		for i, v := range h.row(first + r)[:last-1] {
			g.columns[i*panelRows+r] = v
		}
	}
	products := aligned.Make[float64](panelRows * panelRows)
	blockProduct(&assembly.rows64, byRows, set, operand64{products, panelRows},
		operand64{h.values[first*h.stride:], h.stride}, operand64{g.columns, panelRows}, size, panelRows, last-1)
	// S_r = [S_{r−1}, −tau·S_{r−1}·Vᵀv; 0, tau], of which factor is the negative.
	for r := range size {
		tau := h.tau[first+r]
		for i := range r {
			sum := 0.0
			for j := i; j < r; j++ {
				sum += g.factor[i*panelRows+j] * products[j*panelRows+r]
			}
			g.factor[i*panelRows+r] = -tau * sum
		}
		g.factor[r*panelRows+r] = -tau
	}
	return g
}
