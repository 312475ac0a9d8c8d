package anchor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	lapack "gonum.org/v1/gonum/lapack/gonum"

	"anchorage/matrix"
)

// lapackPivots returns the first k pivots of gonum's dgeqp3 on the matrix with the given scaled rows as columns.
func lapackPivots(x *matrix.Tall, scale []float64, k int) (selected []int, pivots []float64) {
	n, width := x.Dims()
	a := make([]float64, width*n)
	for i := range n {
		for j, v := range x.Row(i) {
			a[j*n+i] = v * scale[i]
		}
	}
	free, tau := make([]int, n), make([]float64, min(n, width))
	for i := range free {
		free[i] = -1
	}
	var implementation lapack.Implementation
	size := make([]float64, 1)
	implementation.Dgeqp3(width, n, a, n, free, tau, size, -1)
	implementation.Dgeqp3(width, n, a, n, free, tau, make([]float64, int(size[0])), int(size[0]))
	for j := range k {
		pivots = append(pivots, math.Abs(a[j*n+j]))
	}
	return free[:k], pivots
}

func TestPivotsAgainstLAPACK(t *testing.T) {
	kinds := map[string]func(rng *rand.Rand, i, j int) float64{
		"random": func(rng *rand.Rand, i, j int) float64 { return rng.NormFloat64() },
		// Columns and rows of very different size: norms have to be computed afresh.
		"graded":  func(rng *rand.Rand, i, j int) float64 { return rng.NormFloat64() * math.Pow(10, -float64(j)/3) },
		"skewed":  func(rng *rand.Rand, i, j int) float64 { return rng.NormFloat64() * math.Exp(3*rng.NormFloat64()) },
		"aligned": func(rng *rand.Rand, i, j int) float64 { return 1 + 1e-6*rng.NormFloat64() },
	}
	for name, value := range kinds {
		for _, shape := range []struct{ n, width int }{{2, 2}, {17, 5}, {rangeRows + 1, 30}, {3000, 24}} {
			rng := random(uint64(shape.n))
			x, scale := matrix.NewTall(shape.n, shape.width), make([]float64, shape.n)
			for i := range scale {
				scale[i] = math.Exp(rng.NormFloat64())
				if i%3 == 1 {
					scale[i] = -scale[i]
				}
				for j := range x.Row(i) {
					x.Row(i)[j] = value(rng, i, j)
				}
			}
			k := min(shape.n, shape.width)
			want, wantPivots := lapackPivots(x, scale, k)
			selected, err := selectPivots(t.Context(), x, scale, k, &Options{Workers: 2})
			got := itemsOf(selected)
			if err != nil {
				t.Fatalf("%s %v: %v", name, shape, err)
			}
			for j := range k {
				near(t, fmt.Sprintf("%s %v: pivot %d", name, shape, j), selected[j].norm, wantPivots[j], 1e-12, wantPivots[0])
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s %v: selected %v, want %v", name, shape, got, want)
			}
		}
	}
}

func TestPivotTiesTakeTheFirst(t *testing.T) {
	const n = 2*rangeRows + 5
	x, scale := matrix.NewTall(n, 2), make([]float64, n)
	for i := range n {
		scale[i] = 1
		x.Row(i)[i%2] = 1
	}
	selected, err := selectPivots(t.Context(), x, scale, 2, &Options{Workers: 3})
	got := itemsOf(selected)
	if err != nil || got[0] != 0 || got[1] != 1 {
		t.Errorf("selected %v (%v), want the first column of each direction", got, err)
	}
}

func TestPivotsShowTheRank(t *testing.T) {
	const n, width = 700, 12
	for rank := range width {
		rng := random(uint64(rank))
		x, scale := matrix.NewTall(n, width), make([]float64, n)
		corners := make([]float64, rank*width)
		for j := range corners {
			corners[j] = rng.NormFloat64()
		}
		for i := range n {
			scale[i] = 1
			for r := range rank {
				weight := rng.NormFloat64()
				for j := range width {
					x.Row(i)[j] += weight * corners[r*width+j]
				}
			}
		}
		_, err := selectPivots(t.Context(), x, scale, width, &Options{})
		var failure *RankError
		if !errors.As(err, &failure) || failure.Rank != rank || failure.Topics != width {
			t.Errorf("error %v, want one about rank %d", err, rank)
		}
	}
}

// benchmarkRows returns rows on a simplex, most of them near its middle, like those of items.
func benchmarkRows(n, k int) (x *matrix.Tall, scale []float64) {
	rng := random(1)
	x, scale = matrix.NewTall(n, k), make([]float64, n)
	corners := make([]float64, k*k)
	for j := range corners {
		corners[j] = math.Abs(rng.NormFloat64())
	}
	for i := range n {
		scale[i] = 1
		total := 0.0
		for range 1 + i%10 {
			c, weight := rng.IntN(k), rng.ExpFloat64()
			total += weight
			for j := range k {
				x.Row(i)[j] += weight * corners[c*k+j]
			}
		}
		for j := range k {
			x.Row(i)[j] = x.Row(i)[j]/total + 0.05*rng.NormFloat64()
		}
	}
	return x, scale
}

func BenchmarkPivots(b *testing.B) {
	const n, k = 100_000, 100
	x, scale := benchmarkRows(n, k)
	b.SetBytes(n * k * 8)
	for b.Loop() {
		if _, err := selectPivots(context.Background(), x, scale, k, &Options{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
