package kernel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkSymmetricEigen is run with all eigenvectors, with an eighth of them, as the block Krylov method asks for,
// and without, and with gonum's, which is single-threaded.
func BenchmarkSymmetricEigen(b *testing.B) {
	for _, n := range []int{60, 110, 130, 260, 520, 880} {
		a := randomSymmetric(rand.New(rand.NewPCG(11, uint64(n))), n)
		for _, workers := range []int{1, 2} {
			for name, count := range map[string]int{"all": n, "eighth": n / 8, "none": 0} {
				b.Run(fmt.Sprintf("n=%d/vectors=%s/workers=%d", n, name, workers), func(b *testing.B) {
					benchmarkLeading(b, a, n, count, workers)
				})
			}
		}
		b.Run(fmt.Sprintf("n=%d/gonum", n), func(b *testing.B) {
			for b.Loop() {
				var eigen mat.EigenSym
				if !eigen.Factorize(mat.NewSymDense(n, append([]float64(nil), a...)), true) {
					b.Fatal("no convergence")
				}
			}
		})
	}
}

func benchmarkLeading(b *testing.B, a []float64, n, count, workers int) {
	for b.Loop() {
		if _, _, err := LeadingEigen(context.Background(), a, n, count, workers); err != nil {
			b.Fatal(err)
		}
	}
}

func randomSymmetric(rng *rand.Rand, n int) []float64 {
	a := randomSlice(rng, n*n)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
	}
	return a
}
