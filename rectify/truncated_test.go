package rectify

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/long"
	"anchorage/matrix"
)

// exactENN makes iterations of ENN as Algorithm 3 has them, on dense matrices, with gonum's eigendecomposition of C' in
// each. It returns Y·Yᵀ and the greatest residual that Y's columns could have been given: none.
func exactENN(t *testing.T, y *matrix.Tall, rows, iterations int) *mat.SymDense {
	t.Helper()
	n, k := y.Dims()
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for l := range k {
				sum += y.At(i, l) * y.At(j, l)
			}
			c.SetSym(i, j, sum)
		}
	}
	for range iterations {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case c.At(a, a) > c.At(b, b):
				return -1
			case c.At(a, a) < c.At(b, b):
				return 1
			}
			return 0
		})
		inside := make([]bool, n)
		for _, i := range order[:rows] {
			inside[i] = true
		}
		sum := 0.0
		for i := range n {
			for j := range i + 1 {
				if c.At(i, j) < 0 && (inside[i] || inside[j]) {
					c.SetSym(i, j, 0)
				}
			}
		}
		for i := range n {
			for j := range n {
				sum += c.At(i, j)
			}
		}
		for i := range n {
			for j := range i + 1 {
				c.SetSym(i, j, c.At(i, j)+(1-sum)/float64(n*n))
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(c, true) {
			t.Fatal("gonum finds no eigenvalues")
		}
		values := eigen.Values(nil)
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		for i := range n {
			for j := range i + 1 {
				entry := 0.0
				for l := n - k; l < n; l++ {
					entry += max(values[l], 0) * vectors.At(i, l) * vectors.At(j, l)
				}
				c.SetSym(i, j, entry)
			}
		}
	}
	return c
}

// With truncated eigendecompositions, ENN is Algorithm 3 on dense matrices with exact ones: after the first iteration,
// and after many.
func TestTruncatedENNAgainstExact(t *testing.T) {
	long.Test(t, "it compares with dense eigendecompositions of up to 333 rows")
	for _, c := range []struct {
		n, k, rows, iterations int
		noise                  float64
	}{{5, 2, 5, 3, 0.1}, {13, 3, 13, 10, 0.3}, {60, 3, 60, 1, 0.5}, {60, 3, 60, 40, 0.5}, {90, 6, 40, 25, 1}, {151, 10,
		151, 30, 0.3}, {333, 25, 120, 12, 0.6}} {
		t.Run(fmt.Sprint(c.n, c.k, c.iterations), func(t *testing.T) {
			y := planted(t, 1, c.n, c.k, c.noise)
			want := exactENN(t, y, c.rows, c.iterations)
			result, err := ENN(t.Context(), y, Options{Iterations: c.iterations, Rows: c.rows, Seed: 5, Workers: 2,
				Truncated: true})
			if err != nil {
				t.Fatal(err)
			}
			off, scale := 0.0, 0.0
			for i := range c.n {
				for j := range c.n {
					v := 0.0
					for l := range c.k {
						v += result.Factor.At(i, l) * result.Factor.At(j, l)
					}
					off += (v - want.At(i, j)) * (v - want.At(i, j))
					scale += want.At(i, j) * want.At(i, j)
				}
			}
			if relative := math.Sqrt(off / scale); relative > 2e-5 {
				t.Errorf("Y·Yᵀ differs by %.2g", relative)
			} else {
				t.Logf("Y·Yᵀ differs by %.2g", relative)
			}
			products := 0
			for _, i := range result.Iterations {
				products += i.Applications
				if i.Residual > TruncatedTolerance || i.Applications >= truncatedProducts {
					t.Errorf("iteration %d: a residual of %.2g after %d products", i.Number, i.Residual, i.Applications)
				}
			}
			if products != result.Products {
				t.Errorf("%d products in all, %d in the iterations", result.Products, products)
			}
			t.Logf("%d products in %d iterations", products, c.iterations)
		})
	}
}
