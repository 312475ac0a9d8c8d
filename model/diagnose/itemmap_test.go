package diagnose

import (
	"math"
	"testing"
)

// Anchors lie on the circle in the order of the map, and mixtures of them at the mean of their places.
func TestMapOfMixtures(t *testing.T) {
	const k = 5
	points := make([][]float64, 0, 8)
	for a := range k {
		point := make([]float64, k)
		for c := range point {
			point[c] = math.Sin(float64(7*a + 3*c + 1))
		}
		point[a] += 2
		points = append(points, point)
	}
	weights := [][]float64{{0.2, 0.2, 0.2, 0.2, 0.2}, {0.5, 0, 0.5, 0, 0}, {1.4, -0.4, 0, 0, 0}}
	for _, w := range weights {
		point := make([]float64, k)
		for a, v := range w {
			for c := range point {
				point[c] += v * points[a][c]
			}
		}
		points = append(points, point)
	}
	var places [][2]float64
	items := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for a := range k {
		places = append(places, [2]float64{math.Cos(float64(a)), math.Sin(float64(a))})
	}
	x, y := among(items, places, func(dst []float64, i int) { copy(dst, points[i]) })
	for i := range items {
		wantX, wantY := 0.0, 0.0
		if i < k {
			wantX, wantY = places[i][0], places[i][1]
		} else {
			for a, v := range weights[i-k] {
				wantX, wantY = wantX+v*places[a][0], wantY+v*places[a][1]
			}
		}
		if math.Hypot(x[i]-wantX, y[i]-wantY) > 1e-12 {
			t.Errorf("item %d lies at %v %v, not %v %v", i, x[i], y[i], wantX, wantY)
		}
	}
	if x, _ := among(items, places, func(dst []float64, i int) { dst[0] = 1 }); x != nil {
		t.Error("equal anchors have a map")
	}
}
