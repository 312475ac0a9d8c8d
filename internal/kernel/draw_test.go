package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDraw draws topics: as often as they should be, and the same for every instruction set.
func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	for _, width := range []int{16, 48, 112} {
		row, a, total := make([]float32, width), make([]float32, width), 0.0
		for k := range width - 3 {
			row[k], a[k] = rng.Float32(), 3*rng.Float32()
			if k%5 == 0 {
				row[k] = 0
			}
			total += float64(row[k] * a[k])
		}
		lanes := assembly.lanes
		counts, draws := make([]float64, width), 200_000
		for range draws {
			u := rng.Float32()
			k := Draw(row, a, u)
			assembly.lanes = nil
			if other := Draw(row, a, u); other != k {
				t.Fatalf("width %d: topic %d of %v, in Go %d", width, k, u, other)
			}
			assembly.lanes = lanes
			counts[k]++
		}
		for k, count := range counts {
			p := float64(row[k]*a[k]) / total
			want := p * float64(draws)
			if d := count - want; d*d > 25*(want*(1-p)+1) || p == 0 && count > 0 {
				t.Errorf("width %d: topic %d was drawn %v times, not %.0f", width, k, count, want)
			}
		}
		for _, u := range []float32{0, 0.99999994} {
			if k := Draw(row, a, u); k < 0 || !(row[k]*a[k] > 0) {
				t.Errorf("width %d: %v draws topic %d", width, u, k)
			}
		}
		if k := Draw(make([]float32, width), a, 0.5); k != -1 {
			t.Errorf("width %d: topic %d is drawn of none", width, k)
		}
		only := make([]float32, width)
		only[width-1] = 1e-30
		if k := Draw(only, slices.Repeat([]float32{1}, width), 0.99999994); k != width-1 {
			t.Errorf("width %d: topic %d is drawn of the last", width, k)
		}
	}
}

// BenchmarkDraw draws among 100 topics.
func BenchmarkDraw(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	row, a, u := make([]float32, 112), make([]float32, 112), make([]float32, 1024)
	for k := range 100 {
		row[k], a[k] = rng.Float32(), rng.Float32()
	}
	for i := range u {
		u[i] = rng.Float32()
	}
	lanes := assembly.lanes
	defer func() { assembly.lanes = lanes }()
	for _, name := range []string{"kernel", "go"} {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				Draw(row, a, u[i%1024])
				i++
			}
		})
		assembly.lanes = nil
	}
}
