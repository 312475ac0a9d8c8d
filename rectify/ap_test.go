package rectify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// plantedDense returns a dense C with sum 1 and no negative entries: a matrix of rank k and noise, with a diagonal that
// is too small, as sampling makes it.
func plantedDense(t *testing.T, seed uint64, n, k int, noise float64) *matrix.Tall {
	t.Helper()
	y := flat(planted(t, seed, n, k, noise))
	c := kernel.TimesTransposed(context.Background(), y, y, n, n, k)
	sum := 0.0
	for i := range n {
		for j := range n {
			c[i*n+j] = max(c[i*n+j]+noise/float64(n*n)*math.Sin(float64(i*j+i+j)), 0)
		}
		c[i*n+i] /= 2
	}
	for _, v := range c {
		sum += v
	}
	for i := range c {
		c[i] /= sum
	}
	return tallOf(c, n, n)
}

// The three projections by their definitions, on n×n matrices.

func plainPSD(t *testing.T, c []float64, n, k int) []float64 {
	t.Helper()
	values, vectors, err := kernel.SymmetricEigen(context.Background(), c, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, n*k)
	for i := range n {
		for j := range k {
			y[i*k+j] = vectors[i*n+j] * math.Sqrt(max(values[j], 0))
		}
	}
	return kernel.TimesTransposed(context.Background(), y, y, n, n, k)
}

func plainNOR(c []float64) []float64 {
	sum := 0.0
	for _, v := range c {
		sum += v
	}
	return each(c, func(_ int, v float64) float64 { return v + (1-sum)/float64(len(c)) })
}

func plainNN(c []float64) []float64 {
	return each(c, func(_ int, v float64) float64 { return max(v, 0) })
}

// each returns fn of every entry.
func each(c []float64, fn func(i int, v float64) float64) []float64 {
	out := make([]float64, len(c))
	for i, v := range c {
		out[i] = fn(i, v)
	}
	return out
}

func minus(a, b []float64) []float64 {
	return each(a, func(i int, v float64) float64 { return v - b[i] })
}

// scaled divides by the sum.
func scaled(c []float64) []float64 {
	sum := 0.0
	for _, v := range c {
		sum += v
	}
	return each(c, func(_ int, v float64) float64 { return v / sum })
}

func plainAP(t *testing.T, c []float64, n, k, iterations int) []float64 {
	for range iterations {
		c = plainNN(plainNOR(plainPSD(t, c, n, k)))
	}
	return scaled(c)
}

// distance is ‖a − b‖_F/‖b‖_F.
func distance(a, b []float64) float64 {
	off, size := 0.0, 0.0
	for i, v := range a {
		off += (v - b[i]) * (v - b[i])
		size += b[i] * b[i]
	}
	return math.Sqrt(off / size)
}

func TestAPAgainstPlainForm(t *testing.T) {
	for _, s := range []struct {
		n, k, iterations int
		noise            float64
	}{{20, 2, 1, 0.3}, {40, 3, 12, 0.5}, {60, 6, 25, 1}} {
		c := plantedDense(t, 5, s.n, s.k, s.noise)
		want := plainAP(t, flat(c), s.n, s.k, s.iterations)
		result, err := AP(context.Background(), c, s.k, Options{Iterations: s.iterations, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if off := distance(flat(result.Matrix), want); off > 1e-8 || result.Matrix != c {
			t.Errorf("N %d: differs from the plain form by %.2g", s.n, off)
		}
		if len(result.Iterations) != s.iterations || result.Iterations[s.iterations-1].Number != s.iterations {
			t.Errorf("%d iterations, want %d", len(result.Iterations), s.iterations)
		}
	}
}

// A matrix that lies in all three sets is the projection of itself, and the rectifiers agree on it.
func TestRectifiedMatrixStays(t *testing.T) {
	const n, k = 50, 4
	y := flat(planted(t, 9, n, k, 0))
	want := scaled(plainNN(kernel.TimesTransposed(context.Background(), y, y, n, n, k))) // negative only by rounding
	result, err := AP(context.Background(), tallOf(want, n, n), k, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if off := distance(flat(result.Matrix), want); off > 1e-9 || !result.Converged {
		t.Errorf("it moves by %.2g, converged %v", off, result.Converged)
	}
}

func TestProjectionIsIdempotent(t *testing.T) {
	const n, k = 55, 5
	c := plantedDense(t, 10, n, k, 1)
	l := newLeading(n, k, random.EigenStart, Options{})
	once, _, err := l.project(context.Background(), Dense(c, 1))
	if err != nil {
		t.Fatal(err)
	}
	psd := kernel.TimesTransposed(context.Background(), flat(once), flat(once), n, n, k)
	twice, sum, err := l.project(context.Background(), Dense(tallOf(psd, n, n), 1))
	if err != nil {
		t.Fatal(err)
	}
	if off := distance(kernel.TimesTransposed(context.Background(), flat(twice), flat(twice), n, n, k), psd); off > 1e-10 {
		t.Errorf("a second projection moves by %.2g", off)
	}
	total := 0.0
	for _, v := range psd {
		total += v
	}
	if math.Abs(sum-total) > 1e-12 {
		t.Errorf("sum %v, want %v", sum, total)
	}
	if off := distance(psd, plainPSD(t, flat(c), n, k)); off > 1e-10 {
		t.Errorf("differs from the full eigendecomposition by %.2g", off)
	}
}

// With K = N all sets are convex, and AP ends in their intersection.
func TestConvexSets(t *testing.T) {
	const n = 12
	result, err := AP(context.Background(), plantedDense(t, 11, n, 3, 2), n, Options{Iterations: 400})
	if err != nil {
		t.Fatal(err)
	}
	end := flat(result.Matrix)
	if off := distance(plainPSD(t, end, n, n), end); off > 1e-4 {
		t.Errorf("the end is off positive semidefinite by %.2g", off)
	}
}

func TestAPRectify(t *testing.T) {
	const n, k = 60, 4
	reported := 0
	result, err := AP(context.Background(), plantedDense(t, 12, n, k, 1), k,
		Options{Report: func(i Iteration) { reported = i.Number }})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range n {
		for j, v := range result.Matrix.Row(i) {
			if v < 0 || math.Abs(v-result.Matrix.Row(j)[i]) > 1e-15 {
				t.Fatalf("entry %d,%d is %v, entry %d,%d %v", i, j, v, j, i, result.Matrix.Row(j)[i])
			}
			sum += v
		}
	}
	if math.Abs(sum-1) > 1e-12 || reported != len(result.Iterations) || !(result.Norm > 0) {
		t.Errorf("sum %v, %d iterations reported of %d, norm %v", sum, reported, len(result.Iterations), result.Norm)
	}
	if !result.Converged {
		t.Error("AP did not converge")
	}
	if rows, cols := result.Factor.Dims(); rows != n || cols != k {
		t.Errorf("the factor is %d×%d", rows, cols)
	}
}

func TestAPSameBitsForAnyWorkers(t *testing.T) {
	const n, k = 2*liftRows + 50, 3
	start := plantedDense(t, 13, n, k, 0.5)
	want := ""
	for _, workers := range []int{1, 2, 3, 7} {
		result, err := AP(context.Background(), start.Copy(n), k, Options{Iterations: 2, Seed: 3, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(result.Iterations, result.Norm, flat(result.Matrix), flat(result.Factor))
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers give other bits than one", workers)
		}
	}
}

func TestAPRefuse(t *testing.T) {
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	c := plantedDense(t, 14, 30, 3, 0.3)
	if _, err := AP(cancelled, c, 3, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var dense *sketch.DenseError
	if _, err := AP(ctx, c, 3, Options{MostBytes: 30 * 31 * 8}); !errors.As(err, &dense) || dense.Items != 30 {
		t.Errorf("too little memory: %v", err)
	}
	if _, err := AP(ctx, c, 31, Options{}); err == nil {
		t.Errorf("no error for a rank above N")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		c.Row(4)[7] = bad
		if _, err := AP(ctx, c, 3, Options{}); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
	func() {
		defer func() {
			if recover() != "rectify: not a square matrix" {
				t.Errorf("no panic for a matrix that is not square")
			}
		}()
		_, _ = AP(ctx, matrix.NewTall(3, 4), 2, Options{})
	}()
}
