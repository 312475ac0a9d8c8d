// This file tests the push on items.

package itemmap

import (
	"math"
	"testing"

	"anchorage/internal/random"
)

// Start and Neighbours are steps of Draw, for tests that fit models: package fit imports this one.
var Start, Neighbours = start, neighbours

// TestField compares the push on items with the sum over all others.
func TestField(t *testing.T) {
	for _, test := range []struct{ n, wide, most float64 }{{1, 90, 0}, {2, 90, 1e-6}, {50, 90, 0.05}, {3000, 90, 0.05},
		{3000, 1, 0.4}} { // at last half of them in a heap, of which only some are met
		n := int(test.n)
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			spread := []float64{90, test.wide}[i%2]
			x[i] = float32(spread * random.Symmetric(1, random.Test, uint64(i), 0))
			y[i] = float32(spread * random.Symmetric(1, random.Test, uint64(i), 1))
		}
		f := newField(n)
		total, err := f.repel(t.Context(), x, y, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, off, size := 0.0, 0.0, 0.0
		for i := range x {
			p := push{x: x[i], y: y[i]}
			for j := range x {
				p.meet(x[j], y[j], 1)
			}
			want += float64(p.z - 1)
			off += math.Hypot(float64(p.fx-f.fx[i]), float64(p.fy-f.fy[i]))
			size += math.Hypot(float64(p.fx), float64(p.fy))
		}
		if math.Abs(total-want) > 0.02*want+1e-6 || off > test.most*size+1e-6 {
			t.Errorf("%d items: Z is %v, not %v, and the push is off by %.3f of it", n, total, want, off/size)
		}
	}
}
