package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"anchorage/internal/long"
	"anchorage/matrix"
)

// sizes are row counts around everything that the kernels cut at.
var sizes = []int{0, 1, 2, 7, 8, 9, 63, 255, 256, 257, matrix.BlockRows - 1, matrix.BlockRows, matrix.BlockRows + 1,
	2*matrix.BlockRows + 17}

func randomTall(rng *rand.Rand, rows, cols int) *matrix.Tall {
	t := matrix.NewTall(rows, cols)
	for i := range rows {
		for j := range cols {
			t.Row(i)[j] = rng.NormFloat64()
		}
	}
	return t
}

func randomSlice(rng *rand.Rand, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	return s
}

// bitsOf is the exact content of a matrix, padding included.
func bitsOf(t *matrix.Tall) string { return fmt.Sprint(t.Cols(), t.Values()) }

func requireZeroPadding(t *testing.T, m *matrix.Tall) {
	t.Helper()
	for i := range m.Rows() {
		for _, v := range m.PaddedRow(i)[m.Cols():] {
			if v != 0 {
				t.Fatalf("row %d: padding is %v", i, v)
			}
		}
	}
}

func TestTallGrowKeepsValuesAndZeroes(t *testing.T) {
	m := matrix.NewTall(0, 5)
	for _, rows := range []int{1, 3, matrix.BlockRows - 1, matrix.BlockRows, matrix.BlockRows + 1, matrix.BlockRows + 2,
		3 * matrix.BlockRows} {
		before := m.Rows()
		m.Grow(rows)
		for i := range rows {
			want := 0.0
			if i < before {
				want = float64(i + 1)
			}
			if got := m.Row(i)[4]; got != want {
				t.Fatalf("rows %d: row %d holds %v, want %v", rows, i, got, want)
			}
			m.Row(i)[4] = float64(i + 1)
		}
		requireZeroPadding(t, m)
	}
	m.Grow(1)
	if m.Rows() != 3*matrix.BlockRows {
		t.Fatalf("Grow shrank the matrix to %d rows", m.Rows())
	}
}

func TestGramAgainstNaive(t *testing.T) {
	long.Unwatched(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, rows := range sizes {
		for _, shape := range [][2]int{{1, 1}, {3, 8}, {9, 25}, {24, 30}} {
			a, b := randomTall(rng, rows, shape[0]), randomTall(rng, rows, shape[1])
			got := Gram(context.Background(), a, b, 2)
			for i := range shape[0] {
				for j := range shape[1] {
					want, scale := 0.0, 0.0
					for r := range rows {
						want += a.Row(r)[i] * b.Row(r)[j]
						scale += math.Abs(a.Row(r)[i] * b.Row(r)[j])
					}
					if off := math.Abs(got[i*shape[1]+j] - want); off > 1e-13*scale {
						t.Fatalf("%d rows, %v: entry %d,%d is off by %g", rows, shape, i, j, off)
					}
				}
			}
		}
	}
}

func TestMultiplyAndTransformAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, rows := range sizes {
		for _, shape := range [][2]int{{1, 1}, {8, 3}, {20, 20}, {300, 25}} {
			if rows > 1000 && shape[0] > 100 {
				continue // the naive product would take its time
			}
			a, s := randomTall(rng, rows, shape[0]), randomSlice(rng, shape[0]*shape[1])
			got, sum := matrix.NewTall(rows, shape[1]), randomTall(rng, rows, shape[1])
			before := sum.Copy(shape[1])
			Multiply(context.Background(), got, a, s, 2)
			MultiplyAdd(context.Background(), sum, -2, a, s, 2)
			inPlace := a.Copy(shape[0])
			if shape[1] <= shape[0] {
				Transform(context.Background(), inPlace, s, shape[1], 2)
			}
			for i := range rows {
				for j := range shape[1] {
					want := 0.0
					for p := range shape[0] {
						want += a.Row(i)[p] * s[p*shape[1]+j]
					}
					bound := 1e-13 * float64(shape[0]+1) * 10
					if math.Abs(got.Row(i)[j]-want) > bound {
						t.Fatalf("%d rows, %v: entry %d,%d is %v, want %v", rows, shape, i, j, got.Row(i)[j], want)
					}
					if math.Abs(sum.Row(i)[j]-(before.Row(i)[j]-2*want)) > 3*bound {
						t.Fatalf("%d rows, %v: accumulated entry %d,%d is off", rows, shape, i, j)
					}
					if shape[1] <= shape[0] && math.Abs(inPlace.Row(i)[j]-want) > bound {
						t.Fatalf("%d rows, %v: transformed entry %d,%d is off", rows, shape, i, j)
					}
				}
			}
			requireZeroPadding(t, got)
			requireZeroPadding(t, inPlace)
		}
	}
}

func TestNegativePartAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, k := range []int{1, 5, 50} {
		for _, n := range []int{1, 47, 48, 49, 150} {
			y := randomTall(rng, 200, k)
			selected := rng.Perm(200)[:n]
			flat, err := RowsOf(t.Context(), y, selected)
			if err != nil {
				t.Fatal(err)
			}
			packed := PackNegated(flat, k)
			const rows = 13
			single := matrix.Converted[float32](y.Copy(k))
			block, _, _ := single.Block(0)
			dst, pitch := make([]float32, (rows+1)*(Padded(n)+5)), Padded(n)+5
			// In two parts, the second of which begins at a whole panel.
			cut := min(n, negativePanel)
			packed.NegativePart(dst, pitch, 0, cut, block, single.Stride(), rows)
			if cut < n {
				packed.NegativePart(dst[cut:], pitch, cut, n-cut, block, single.Stride(), rows)
			}
			for i := range rows {
				for j := range Padded(n) {
					want := 0.0
					if j < n {
						for p := range k {
							want -= y.Row(i)[p] * y.Row(selected[j])[p]
						}
					}
					if got := float64(dst[i*pitch+j]); math.Abs(got-max(want, 0)) > 2e-6*float64(k+4) {
						t.Fatalf("k %d, n %d: entry %d,%d is %v, want %v", k, n, i, j, got, max(want, 0))
					}
				}
			}
		}
	}
}

func TestGramGeneratedIsGram(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for _, rows := range []int{0, 1, matrix.BlockRows + 3} {
		a, b := randomTall(rng, rows, 7), randomTall(rng, rows, 13)
		got := GramGenerated(context.Background(), a, 13, 3, func(dst []float64, i int) { copy(dst, b.Row(i)) })
		if fmt.Sprint(got) != fmt.Sprint(Gram(context.Background(), a, b, 1)) {
			t.Fatalf("%d rows: differs from Gram", rows)
		}
	}
}

func TestAxpyAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, n := range []int{0, 8, 16, 72} {
		x, y := randomSlice(rng, n), randomSlice(rng, n)
		before := append([]float64(nil), y...)
		Axpy(-1.5, x, y)
		for j := range y {
			if want := before[j] - 1.5*x[j]; math.Abs(y[j]-want) > 1e-14 {
				t.Fatalf("n %d: value %d is %v, want %v", n, j, y[j], want)
			}
		}
	}
}

func TestSameBitsForAnyWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	a, s := randomTall(rng, 5*matrix.BlockRows+3, 20), randomSlice(rng, 20*12)
	results := func(workers int) string {
		product := matrix.NewTall(a.Rows(), 12)
		Multiply(context.Background(), product, a, s, workers)
		turned := a.Copy(20)
		Transform(context.Background(), turned, s, 12, workers)
		if _, err := Orthonormalize(context.Background(), turned, workers); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(Gram(context.Background(), a, product, workers), ColumnSums(context.Background(), a, workers),
			SquaredNorms(context.Background(), a, workers)) + bitsOf(product) + bitsOf(turned)
	}
	want := results(1)
	for _, workers := range []int{2, 3, 7} {
		if results(workers) != want {
			t.Fatalf("%d workers give other bits than one", workers)
		}
	}
}

func TestOrthonormalize(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, c := range []struct {
		name       string
		rows, cols int
		rank       int
		build      func(m *matrix.Tall)
	}{
		{"random", 900, 30, 30, func(*matrix.Tall) {}},
		{"graded over 12 orders", 900, 20, 20, func(m *matrix.Tall) {
			for i := range m.Rows() {
				for j := range m.Row(i) {
					m.Row(i)[j] *= math.Pow(10, -12*float64(j)/19)
				}
			}
		}},
		{"nearly dependent", 900, 10, 10, func(m *matrix.Tall) {
			for i := range m.Rows() {
				for j := 1; j < 10; j++ {
					m.Row(i)[j] = m.Row(i)[0] + 1e-5*m.Row(i)[j]
				}
			}
		}},
		{"repeated and zero columns", 900, 10, 7, func(m *matrix.Tall) {
			for i := range m.Rows() {
				m.Row(i)[3], m.Row(i)[5], m.Row(i)[9] = m.Row(i)[1], 2*m.Row(i)[1], 0
			}
		}},
		{"more columns than rows", 5, 9, 5, func(*matrix.Tall) {}},
		{"all zero", 40, 4, 0, func(m *matrix.Tall) { m.Clear() }},
		{"no rows", 0, 4, 0, func(*matrix.Tall) {}},
	} {
		m := randomTall(rng, c.rows, c.cols)
		c.build(m)
		original := m.Copy(c.cols)
		r, err := Orthonormalize(context.Background(), m, 2)
		rank := m.Cols()
		if err != nil || rank != c.rank {
			t.Fatalf("%s: rank %d, want %d; error %v", c.name, rank, c.rank, err)
		}
		if off := offOrthonormal(Gram(context.Background(), m, m, 1), rank); off > 1e-13 {
			t.Errorf("%s: columns are orthonormal to %g only", c.name, off)
		}
		// The space is kept: what is left of the original outside of it is rounding, column by column.
		rest := original.Copy(c.cols)
		MultiplyAdd(context.Background(), rest, -1, m, r, 1)
		left, was := Gram(context.Background(), rest, rest, 1), Gram(context.Background(), original, original, 1)
		for j := range c.cols {
			if l, w := left[j*c.cols+j], was[j*c.cols+j]; math.Sqrt(l) > 1e-6*math.Sqrt(w) {
				t.Errorf("%s: column %d keeps %g of its length outside the space", c.name, j, math.Sqrt(l/w))
			}
		}
		requireZeroPadding(t, m)
	}
}

func TestOrthonormalizeRefusesNaN(t *testing.T) {
	m := randomTall(rand.New(rand.NewPCG(7, 1)), 50, 3)
	m.Row(20)[1] = math.NaN()
	if _, err := Orthonormalize(context.Background(), m, 1); err == nil {
		t.Fatal("no error for a matrix with NaN")
	}
}

func TestSymmetricEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{0, 1, 2, 17, 60} {
		a := randomSlice(rng, n*n)
		for i := range n {
			for j := range i {
				a[i*n+j] = a[j*n+i]
			}
		}
		values, vectors, err := SymmetricEigen(context.Background(), a, n, 2)
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			if k > 0 && values[k] > values[k-1] {
				t.Fatalf("n %d: eigenvalues do not decrease", n)
			}
			for i := range n {
				residual := -values[k] * vectors[i*n+k]
				for j := range n {
					residual += a[i*n+j] * vectors[j*n+k]
				}
				if math.Abs(residual) > 1e-13*float64(n) {
					t.Fatalf("n %d: pair %d has residual %g", n, k, residual)
				}
			}
		}
	}
	if _, _, err := SymmetricEigen(context.Background(), []float64{1, math.NaN(), math.NaN(), 1}, 2, 1); err == nil {
		t.Fatal("no error for NaN")
	}
}

func TestParallelCallsEachOnceAndStops(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		calls := make([]atomic.Int32, 100)
		if err := Parallel(context.Background(), workers, 100,
			func(i int) error { calls[i].Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range calls {
			if calls[i].Load() != 1 {
				t.Fatalf("%d workers: call %d happened %d times", workers, i, calls[i].Load())
			}
		}
		wrong := errors.New("wrong")
		var after atomic.Int32
		err := Parallel(context.Background(), workers, 1000, func(i int) error {
			if i == 3 {
				return wrong
			}
			after.Add(1)
			return nil
		})
		if !errors.Is(err, wrong) || after.Load() > 999-2 && workers == 1 {
			t.Fatalf("%d workers: error %v after %d calls", workers, err, after.Load())
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := Parallel(ctx, workers, 10, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Fatalf("%d workers: cancelled context gives %v", workers, err)
		}
	}
}
