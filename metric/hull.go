// This file measures the convex hull of the anchors: its volume, compared with those of random hulls.

package metric

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
)

// hullLimits bound the work for a random hull.
type hullLimits struct {
	numbers int // random numbers, except for the rows that are held
	values  int // of single precision
}

// usualLimits draw and hold all rows for N up to 2,896, and draw all of them for N up to 11,585.
var usualLimits = hullLimits{numbers: 1 << 27, values: 1 << 23}

// shape returns how many rows are drawn, and how many of them are held.
func (l hullLimits) shape(n, k int) (drawn, held int) {
	drawn = min(n, max(l.numbers/n, 4*k))
	return drawn, min(drawn, max(l.values/n, 2*k))
}

// randomVolume draws a random C̄, whose N rows are uniform on the simplex, selects K rows by QR with column pivoting,
// and returns the logarithm of (K−1)! times the volume of their hull.
//
// C̄ is not held. Its rows are independent and alike, and pivoting selects among the longest. So if N² values are too
// many, only those rows are held that are longest, and fewer than N rows are drawn: at least 4K, of which 2K are held.
// Squared lengths differ by about 1/√N of their mean, so what is left out matters little: holding 2K rows moves the
// logarithm by less than 0.1, and drawing 4K by at most about 1.5·K/√N, which is 0.15 for N = 10⁶ and K = 100
// (TestRandomHullsWithin). Memory: the rows that are held, and N values for every worker.
func randomVolume(ctx context.Context, n, k, hull int, opts *Options, limits hullLimits) (float64, error) {
	h := hullDrawer{n: n, hull: hull, seed: opts.Seed, workers: opts.Workers, steps: make([]uint64, n)}
	for i := range h.steps {
		h.steps[i] = random.Step(random.KeyOf(opts.Key, i))
	}
	drawn, held := limits.shape(n, k)
	points, err := h.longest(ctx, drawn, held)
	if err != nil {
		return 0, err
	}
	coordinates, err := pivotedCoordinates(ctx, points, k, opts.Workers)
	if err != nil {
		return 0, err
	}
	d := k - 1
	differences := make([]float64, d*d)
	for a := range d {
		for b := range d {
			for j, v := range coordinates[1+a] {
				differences[a*d+b] += (v - coordinates[0][j]) * (coordinates[1+b][j] - coordinates[0][j])
			}
		}
	}
	return logVolume(ctx, differences, d, opts.Workers)
}

// hullDrawer draws the rows of one random C̄.
type hullDrawer struct {
	n, hull int
	seed    uint64
	workers int
	steps   []uint64 // of the items' keys
}

// draw sets dst to row r, exponential numbers over their sum, and returns its squared length.
func (h *hullDrawer) draw(dst []float64, r int) float64 {
	column := random.ColumnOf(h.seed, random.MetricHulls, uint64(h.hull)<<32|uint64(r))
	sum, squares := 0.0, 0.0
	for i, step := range h.steps {
		v := -math.Log(column.UniformAtStep(step))
		dst[i] = v
		sum += v
		squares += v * v
	}
	for i := range dst {
		dst[i] /= sum
	}
	return squares / (sum * sum)
}

// longest returns the held longest of the first drawn rows, in the order of their numbers.
func (h *hullDrawer) longest(ctx context.Context, drawn, held int) ([][]float32, error) {
	chosen := make([]int, drawn)
	for r := range chosen {
		chosen[r] = r
	}
	if held < drawn {
		lengths := make([]float64, drawn)
		err := h.each(ctx, drawn, func(r int, row []float64) { lengths[r] = h.draw(row, r) })
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(lengths[b], lengths[a]) })
		chosen = chosen[:held]
		slices.Sort(chosen)
	}
	points := make([][]float32, held)
	return points, h.each(ctx, held, func(at int, row []float64) {
		h.draw(row, chosen[at])
		points[at] = make([]float32, h.n)
		for i, v := range row {
			points[at][i] = float32(v)
		}
	})
}

// each calls fn with all numbers below count, on several goroutines, each of which has a row as scratch.
func (h *hullDrawer) each(ctx context.Context, count int, fn func(at int, row []float64)) error {
	return kernel.ParallelWith(ctx, h.workers, count, func() func(at int) {
		row := make([]float64, h.n)
		return func(at int) { fn(at, row) }
	})
}

// pivotedCoordinates selects k of the points by QR with column pivoting (Businger & Golub, Numer. Math. 7, 1965): every
// step takes the point that is farthest from the span of those before. It returns their coordinates in an orthonormal
// basis, in the order of selection, and overwrites those points with the basis.
func pivotedCoordinates(ctx context.Context, points [][]float32, k, workers int) ([][]float64, error) {
	residuals := make([]float64, len(points))  // squared distances from the span
	products := make([][]float64, len(points)) // of every point with the basis
	selected := make([]bool, len(points))      //
	basis, coordinates := [][]float32{}, [][]float64{}
	each := func(fn func(r int)) error {
		return kernel.Parallel(ctx, workers, len(points), func(r int) error {
			if !selected[r] {
				fn(r)
			}
			return nil
		})
	}
	if err := each(func(r int) { residuals[r] = inner(points[r], points[r]) }); err != nil {
		return nil, err
	}
	for step := range k {
		pivot := -1
		for r, v := range residuals {
			if !selected[r] && (pivot < 0 || v > residuals[pivot]) {
				pivot = r
			}
		}
		selected[pivot] = true
		direction := points[pivot]
		length := orthogonalize(direction, basis, products[pivot])
		coordinates = append(coordinates, append(append(products[pivot], length), make([]float64, k-step-1)...))
		basis = append(basis, direction)
		err := each(func(r int) {
			v := inner(points[r], direction)
			products[r] = append(products[r], v)
			residuals[r] -= v * v
		})
		if err != nil {
			return nil, err
		}
	}
	return coordinates, nil
}

// orthogonalize replaces x by its part outside of the span of an orthonormal basis, divided by its length, which it
// returns. Products are those of x with the basis.
func orthogonalize(x []float32, basis [][]float32, products []float64) float64 {
	rest := make([]float64, len(x))
	for i, v := range x {
		rest[i] = float64(v)
	}
	for b, direction := range basis {
		for i, v := range direction {
			rest[i] -= products[b] * float64(v)
		}
	}
	squares := 0.0
	for _, v := range rest {
		squares += v * v
	}
	length := math.Sqrt(squares)
	for i, v := range rest {
		x[i] = float32(v / length)
	}
	return length
}

// inner returns the inner product of two vectors, summed in double precision.
func inner(x, y []float32) float64 {
	var sums [4]float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		sums[0] += float64(x[i]) * float64(y[i])
		sums[1] += float64(x[i+1]) * float64(y[i+1])
		sums[2] += float64(x[i+2]) * float64(y[i+2])
		sums[3] += float64(x[i+3]) * float64(y[i+3])
	}
	for ; i < len(x); i++ {
		sums[0] += float64(x[i]) * float64(y[i])
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

// DefaultHulls is the default number of random hulls with which that of the anchors is compared, for up to
// hullItems/DefaultHulls items; with more items they are fewer, at least leastHulls. Their log volumes differ little,
// and the less the more items there are: by 0.2 with N = 250 and K = 20, and about in proportion to K/√N.
const DefaultHulls = 10

const (
	hullItems  = 1 << 17
	leastHulls = 2
)

// LogRelativeVolume is ln vol(S) − mean ln vol(R): it compares the volume of the convex hull of the anchors' rows of
// C̄, K points in N dimensions, with the volumes of opts.Hulls random hulls. High is good: the anchors are far apart.
// (Lee et al. 2021, section 5.)
//
// A random hull is that of the anchors of a random C̄: every row is drawn uniformly from the simplex of N dimensions,
// and QR with column pivoting selects K of the rows; see randomVolume for what is left out if N is large. Random
// numbers are functions of opts.Seed and the items' keys.
//
// The (K−1)-dimensional volume of a hull is √det(DᵀD)/(K−1)!, where D (N×(K−1)) are the differences from one of its
// points. Determinants are products of eigenvalues of a Gram matrix in float64. So the volume of a hull flatter than
// about 1e-7 in some direction cannot be told from 0, and the figure is −∞. Memory: that of one random hull; see
// randomVolume. The error is that of ctx.
func LogRelativeVolume(ctx context.Context, rows *AnchorRows, opts Options) (float64, error) {
	return logRelativeVolume(ctx, rows, opts, usualLimits)
}

// logRelativeVolume is LogRelativeVolume with other limits for random hulls.
func logRelativeVolume(ctx context.Context, rows *AnchorRows, opts Options, limits hullLimits) (float64, error) {
	own, err := logVolume(ctx, rows.differences(), len(rows.Rows)-1, opts.Workers)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	hulls := opts.hulls(rows.Items)
	for hull := range hulls {
		volume, err := randomVolume(ctx, rows.Items, len(rows.Rows), hull, &opts, limits)
		if err != nil {
			return 0, err
		}
		sum += volume
	}
	return own - sum/float64(hulls), nil
}

// logVolume returns the logarithm of d! times the volume of a simplex of d dimensions, given the inner products, d×d,
// of the differences of its other points from one of them.
func logVolume(ctx context.Context, differences []float64, d, workers int) (float64, error) {
	if d == 0 {
		return 0, nil
	}
	sum := 0.0
	scaled := make([]float64, 0, d*d) // for differences of length 1
	for a := range d {
		length := differences[a*d+a]
		if !(length > 0) {
			return math.Inf(-1), nil
		}
		sum += math.Log(length) / 2
		for b := range d {
			scaled = append(scaled, differences[a*d+b]/math.Sqrt(length)/math.Sqrt(differences[b*d+b]))
		}
	}
	values, _, err := kernel.LeadingEigen(ctx, scaled, d, 0, workers)
	if err != nil {
		return 0, err
	}
	for _, value := range values {
		if value <= 0x1p-50*float64(d+1)*values[0] { // rounding of the inner products
			return math.Inf(-1), nil
		}
		sum += math.Log(value) / 2
	}
	return sum, nil
}
