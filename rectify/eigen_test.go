package rectify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// tallOf returns an n×cols row-major matrix as a Tall.
func tallOf(values []float64, n, cols int) *matrix.Tall {
	t := matrix.NewTall(n, cols)
	for i := range n {
		copy(t.Row(i), values[i*cols:(i+1)*cols])
	}
	return t
}

// flat is the reverse.
func flat(t *matrix.Tall) []float64 {
	var values []float64
	for i := range t.Rows() {
		values = append(values, t.Row(i)...)
	}
	return values
}

// withSpectrum returns a symmetric matrix with the given eigenvalues.
func withSpectrum(t *testing.T, seed uint64, values []float64) []float64 {
	t.Helper()
	n := len(values)
	rng := rand.New(rand.NewPCG(seed, 3))
	q := matrix.NewTall(n, n)
	for i := range n {
		for j := range n {
			q.Row(i)[j] = rng.NormFloat64()
		}
	}
	if _, err := kernel.Orthonormalize(context.Background(), q, 1); err != nil {
		t.Fatal(err)
	}
	u := flat(q)
	scaled := make([]float64, n*n)
	for i := range n {
		for j, v := range values {
			scaled[i*n+j] = u[i*n+j] * v
		}
	}
	return kernel.TimesTransposed(context.Background(), scaled, u, n, n, n)
}

func TestEigenAgainstFull(t *testing.T) {
	spread := func(n int, value func(i int) float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = value(i)
		}
		return values
	}
	for name, c := range map[string]struct {
		values []float64
		k      int
	}{
		"decaying":              {spread(200, func(i int) float64 { return math.Pow(0.97, float64(i)) }), 12},
		"slowly":                {spread(200, func(i int) float64 { return 1 / (1 + float64(i)/50) }), 5},
		"great negative values": {spread(150, func(i int) float64 { return math.Pow(-0.99, float64(i)) }), 8},
		"clusters":              {spread(120, func(i int) float64 { return 1 / float64(1+i/7) }), 10},
		"low rank":              {spread(80, func(i int) float64 { return max(0, float64(6-i)) }), 6},
		"all":                   {spread(40, func(i int) float64 { return float64(40 - i) }), 40},
		"fewer than K+10":       {spread(12, func(i int) float64 { return float64(12 - i) }), 5},
		"one":                   {[]float64{2}, 1},
	} {
		n := len(c.values)
		a := withSpectrum(t, 1, c.values)
		want, _, err := kernel.SymmetricEigen(context.Background(), a, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Eigen(context.Background(), Dense(tallOf(a, n, n), 2), n, c.k, Options{Seed: 4})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for j, v := range got.Values {
			if math.Abs(v-want[j]) > 1e-11*want[0] {
				t.Errorf("%s: eigenvalue %d is %v, want %v", name, j, v, want[j])
			}
			// The residual, from the definition.
			square := 0.0
			for i := range n {
				off := -v * got.Vectors.Row(i)[j]
				for p := range n {
					off += a[i*n+p] * got.Vectors.Row(p)[j]
				}
				square += off * off
			}
			if !(math.Sqrt(square) <= 2*eigenTolerance*want[0]) || !(got.Residuals[j] <= eigenTolerance) {
				t.Errorf("%s: residual %d is %.2g, said to be %.2g", name, j, math.Sqrt(square)/want[0], got.Residuals[j])
			}
		}
		for i, v := range kernel.Gram(context.Background(), got.Vectors, got.Vectors, 1) {
			if i%(c.k+1) == 0 {
				v--
			}
			if math.Abs(v) > 1e-12 {
				t.Errorf("%s: eigenvectors are off orthonormal by %.2g", name, v)
			}
		}
	}
}

func TestEigenRefuses(t *testing.T) {
	ctx := context.Background()
	a := withSpectrum(t, 2, []float64{5, 3, 1, 0, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9})
	var rank *sketch.RankError
	if _, err := Eigen(ctx, Dense(tallOf(a, 14, 14), 1), 14, 4, Options{}); !errors.As(err, &rank) || rank.Rank != 3 {
		t.Errorf("%v: want a RankError with rank 3", err)
	}
	if _, err := Eigen(ctx, Dense(tallOf(a, 14, 14), 1), 14, 15, Options{}); err == nil {
		t.Error("no error for more pairs than items")
	}
	a[3] = math.NaN()
	if _, err := Eigen(ctx, Dense(tallOf(a, 14, 14), 1), 14, 2, Options{}); err == nil {
		t.Error("no error for NaN")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Eigen(cancelled, Dense(tallOf(a, 14, 14), 1), 14, 2, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A further search starts where the last one ended, and so takes fewer products.
func TestLeadingStartsWarm(t *testing.T) {
	const n, k = 120, 5
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Pow(0.9, float64(i))
	}
	c := tallOf(withSpectrum(t, 3, values), n, n)
	l := newLeading(n, k, random.EigenStart, Options{Seed: 1, Workers: 1})
	if _, _, err := l.solve(context.Background(), Dense(c, 1)); err != nil {
		t.Fatal(err)
	}
	cold := l.products
	c.Row(3)[3] += 1e-6
	if _, _, err := l.solve(context.Background(), Dense(c, 1)); err != nil {
		t.Fatal(err)
	}
	if warm := l.products - cold; warm >= cold {
		t.Errorf("%d products from where the last search ended, %d from noise", warm, cold)
	}
}
