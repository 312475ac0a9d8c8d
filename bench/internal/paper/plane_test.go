package paper

import (
	"math"
	"math/rand/v2"
	"testing"

	"anchorage/matrix"
	"anchorage/rectify"
)

// Corners are those places that no triangle of others holds, go to the left around, and bound the area.
func TestConvexHull(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		points := make([]point, 12)
		for i := range points {
			points[i] = point{rng.NormFloat64(), rng.NormFloat64()}
		}
		corners := convexHull(points)
		for i, at := range points {
			inside := false
			for a := range points {
				for b := range points {
					for c := range points {
						if a != i && b != i && c != i && turn(points[a], points[b], at) > 0 && turn(points[b], points[c], at) > 0 &&
							turn(points[c], points[a], at) > 0 {
							inside = true
						}
					}
				}
			}
			corner := false
			for _, c := range corners {
				corner = corner || c == at
			}
			if corner == inside || !contains(corners, at) {
				t.Errorf("%v: corner %v, inside a triangle %v, contained %v", at, corner, inside, contains(corners, at))
			}
		}
		if contains(corners, point{100, 0}) || area(corners) <= 0 {
			t.Error("a far place is inside, or the corners go to the right around")
		}
	}
	square := []point{{0, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 1}, {1, 0}}
	if got := convexHull(square); len(got) != 4 || area(got) != 4 {
		t.Errorf("%v, %v", got, area(got))
	}
	if got := convexHull([]point{{1, 1}, {1, 1}}); len(got) != 1 || area(got) != 0 {
		t.Errorf("%v", got)
	}
	reach := reachOf(square, 2)
	if !reach(point{2.9, -0.9}) || reach(point{3.1, 0}) {
		t.Error("the reach is not twice the extent")
	}
}

// Axes and places are those of the rows of C̄ by their definition.
func TestAxes(t *testing.T) {
	d := openSmall(t)
	n := len(d.p)
	s := space{multiply: rectify.Dense(d.c, 1), sums: d.p, workers: 2}
	axes, err := s.axes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	points, err := s.project(t.Context(), axes)
	if err != nil {
		t.Fatal(err)
	}
	mean, rows := make([]float64, n), make([][]float64, n)
	for i := range n {
		rows[i] = make([]float64, n)
		for j, v := range d.c.Row(i) {
			rows[i][j] = v / d.p[i]
			mean[j] += v
		}
	}
	for i := range n {
		var x, y float64
		for j := range n {
			x += (rows[i][j] - mean[j]) * axes.directions.Row(j)[0]
			y += (rows[i][j] - mean[j]) * axes.directions.Row(j)[1]
		}
		if math.Abs(x-points[i].x) > 1e-12 || math.Abs(y-points[i].y) > 1e-12 {
			t.Fatalf("item %d is at %v, want %v %v", i, points[i], x, y)
		}
	}
	// An axis is an eigenvector of the weighted covariance: the covariance only stretches it.
	for axis := range 2 {
		image, length := make([]float64, n), 0.0
		for i := range n {
			along := 0.0
			for j := range n {
				along += (rows[i][j] - mean[j]) * axes.directions.Row(j)[axis]
			}
			for j := range n {
				image[j] += d.p[i] * along * (rows[i][j] - mean[j])
			}
		}
		for _, v := range image {
			length += v * v
		}
		length = math.Sqrt(length)
		for j, v := range image {
			if math.Abs(v/length-axes.directions.Row(j)[axis]) > 1e-6 {
				t.Fatalf("axis %d is no eigenvector at %d: %v and %v", axis, j, v/length, axes.directions.Row(j)[axis])
			}
		}
	}
}

// An axis along which only two items lie apart is passed over.
func TestPickAxes(t *testing.T) {
	const n = 1000
	directions, places := matrix.NewTall(n, 3), matrix.NewTall(n, 3)
	for i := range n {
		directions.Row(i)[i%3] = 1
		places.Row(i)[1], places.Row(i)[2] = float64(i%7), float64(i%5)
	}
	places.Row(0)[0], places.Row(1)[0] = 100, -100
	picked := pickAxes(directions, places)
	for i := range n {
		if picked.Row(i)[0] != directions.Row(i)[1] || picked.Row(i)[1] != directions.Row(i)[2] {
			t.Fatalf("row %d is %v", i, picked.Row(i))
		}
	}
	if got := participation(places, 0); got != 2 {
		t.Errorf("%v items have a part in it", got)
	}
}
