// This file projects the rows of C̄ onto their two principal axes, and finds convex hulls in the plane.

package paper

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	report "anchorage/internal/page"
	"anchorage/matrix"
	"anchorage/rectify"
)

// point is a place in the plane, NaN for an item without a row of C̄.
type point struct{ x, y float64 }

func (p point) known() bool { return !math.IsNaN(p.x) && !math.IsNaN(p.y) }

// space holds the rows of C̄ = diag(d)⁻¹·C, C symmetric, as a product with C. Items with d ≤ 0 have no row.
type space struct {
	multiply rectify.Operator
	sums     []float64 // d
	workers  int
}

// space returns the rows that topics were inferred from.
func (o *outcome) space(workers int) space {
	s := space{sums: o.topics.RowSums, workers: workers}
	if o.rectified != nil {
		s.multiply = rectify.Dense(o.rectified, workers)
		return s
	}
	y := o.factor
	s.multiply = func(ctx context.Context, dst, x *matrix.Tall) error {
		kernel.Multiply(ctx, dst, y, kernel.Gram(ctx, y, x, workers), workers)
		return ctx.Err()
	}
	return s
}

// mean returns the mean row, N×1, rows weighted by d.
func (s space) mean(ctx context.Context) (*matrix.Tall, error) {
	ones, mean := matrix.NewTall(len(s.sums), 1), matrix.NewTall(len(s.sums), 1)
	total := 0.0
	for i, d := range s.sums {
		if d > 0 {
			ones.Row(i)[0] = 1
			total += d
		}
	}
	if err := s.multiply(ctx, mean, ones); err != nil {
		return nil, err
	}
	for i := range s.sums {
		mean.Row(i)[0] /= total
	}
	return mean, nil
}

// centred sets dst to (C̄ − e·mᵀ)·x for the rows that there are, N×L.
func (s space) centred(ctx context.Context, dst, x, mean *matrix.Tall) error {
	if err := s.multiply(ctx, dst, x); err != nil {
		return err
	}
	shift := kernel.Gram(ctx, mean, x, s.workers)
	for i, d := range s.sums {
		for j, v := range dst.Row(i) {
			if dst.Row(i)[j] = 0; d > 0 {
				dst.Row(i)[j] = v/d - shift[j]
			}
		}
	}
	return ctx.Err()
}

// axes are the mean row and the two principal axes of a space, N×2 and orthonormal.
type axes struct{ mean, directions *matrix.Tall }

// axes returns the principal axes: the leading eigenvectors of Zᵀ·diag(d)·Z, where the rows of Z are those of C̄ less
// their mean. Frequent words so decide on the axes. An axis along which only a few words lie apart is passed over for
// the next; see participation. The longer part of an axis is positive.
func (s space) axes(ctx context.Context) (*axes, error) {
	n := len(s.sums)
	mean, err := s.mean(ctx)
	if err != nil {
		return nil, err
	}
	eigen, err := rectify.Eigen(ctx, func(ctx context.Context, dst, x *matrix.Tall) error {
		z := matrix.NewTall(n, x.Cols())
		if err := s.centred(ctx, z, x, mean); err != nil {
			return err
		}
		sums := make([]float64, x.Cols())
		for i, d := range s.sums {
			for j, v := range z.Row(i) {
				sums[j] += max(d, 0) * v
			}
		}
		if err := s.multiply(ctx, dst, z); err != nil {
			return err
		}
		for i := range n {
			for j, sum := range sums {
				dst.Row(i)[j] -= mean.Row(i)[0] * sum
			}
		}
		return ctx.Err()
	}, n, min(candidateAxes, n), rectify.Options{Workers: s.workers})
	if err != nil {
		return nil, err
	}
	places := matrix.Like(eigen.Vectors)
	if err := s.centred(ctx, places, eigen.Vectors, mean); err != nil {
		return nil, err
	}
	return &axes{mean, pickAxes(eigen.Vectors, places)}, nil
}

// Of candidateAxes principal axes, those count first along which at least leastParticipation of the words lie apart.
const (
	candidateAxes      = 8
	leastParticipation = 0.01
)

// pickAxes returns two of the directions, N×2, given the places of the items along all of them.
func pickAxes(directions, places *matrix.Tall) *matrix.Tall {
	n, count := directions.Dims()
	var wide, narrow []int
	for j := range count {
		if participation(places, j) >= leastParticipation*float64(n) {
			wide = append(wide, j)
		} else {
			narrow = append(narrow, j)
		}
	}
	picked := matrix.NewTall(n, 2)
	for to, from := range append(wide, narrow...)[:min(2, count)] {
		cubes := 0.0
		for i := range n {
			cubes += math.Pow(directions.Row(i)[from], 3)
		}
		for i := range n {
			picked.Row(i)[to] = math.Copysign(1, cubes) * directions.Row(i)[from]
		}
	}
	return picked
}

// participation returns (Σ x²)²/Σ x⁴ over a column: how many items have a part in its length, from 1 to N.
func participation(places *matrix.Tall, column int) float64 {
	squares, fourths := 0.0, 0.0
	for i := range places.Rows() {
		v := places.Row(i)[column] * places.Row(i)[column]
		squares += v
		fourths += v * v
	}
	return squares * squares / fourths
}

// project returns the places of all items along the axes, which may be those of another space.
func (s space) project(ctx context.Context, a *axes) ([]point, error) {
	at := matrix.NewTall(len(s.sums), 2)
	if err := s.centred(ctx, at, a.directions, a.mean); err != nil {
		return nil, err
	}
	points := make([]point, len(s.sums))
	for i, d := range s.sums {
		points[i] = point{math.NaN(), math.NaN()}
		if d > 0 {
			points[i] = point{at.Row(i)[0], at.Row(i)[1]}
		}
	}
	return points, nil
}

// turn is positive where a, b, c go round to the left, and twice the area of the triangle.
func turn(a, b, c point) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

// convexHull returns the corners of the convex hull, to the left around.
func convexHull(points []point) (hull []point) {
	var places [][2]float64
	for _, at := range points {
		places = append(places, [2]float64{at.x, at.y})
	}
	for _, i := range report.Hull(places) {
		hull = append(hull, points[i])
	}
	return hull
}

// area returns the area within corners that go to the left around.
func area(corners []point) float64 {
	sum := 0.0
	for i := 2; i < len(corners); i++ {
		sum += turn(corners[0], corners[i-1], corners[i]) / 2
	}
	return sum
}

// contains reports whether a place is within corners that go to the left around, or on the edge.
func contains(corners []point, at point) bool {
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		if turn(a, b, at) < -1e-12*(math.Abs(b.x-a.x)+math.Abs(b.y-a.y)) {
			return false
		}
	}
	return len(corners) > 2
}

// reachOf returns a function that reports whether a place lies within the bounds of the corners, widened about their
// middle.
func reachOf(corners []point, times float64) func(point) bool {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, c := range corners {
		low, high = point{min(low.x, c.x), min(low.y, c.y)}, point{max(high.x, c.x), max(high.y, c.y)}
	}
	return func(at point) bool {
		return math.Abs(at.x-(low.x+high.x)/2) <= times*(high.x-low.x)/2 &&
			math.Abs(at.y-(low.y+high.y)/2) <= times*(high.y-low.y)/2
	}
}
