package rectify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/sketch"
)

// plantedDense returns a dense C with sum 1 and no negative entries: a matrix of rank k and noise, with a diagonal that is
// too small, as sampling makes it.
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

func plus(a, b []float64) []float64 {
	return each(a, func(i int, v float64) float64 { return v + b[i] })
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

// plainDykstra keeps a correction for every set, also for NOR, which has no use for it.
func plainDykstra(t *testing.T, c []float64, n, k, iterations int) []float64 {
	sets := []func([]float64) []float64{func(c []float64) []float64 { return plainPSD(t, c, n, k) }, plainNOR, plainNN}
	corrections := [][]float64{make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)}
	for range iterations {
		for s, project := range sets {
			with := plus(c, corrections[s])
			c = project(with)
			corrections[s] = minus(with, c)
		}
	}
	return scaled(c)
}

func plainDouglasRachford(t *testing.T, c []float64, n, k, iterations int) []float64 {
	psd := func(c []float64) []float64 { return plainPSD(t, c, n, k) }
	reflect := func(project func([]float64) []float64, c []float64) []float64 {
		p := project(c)
		return minus(plus(p, p), c)
	}
	operator := func(a, b func([]float64) []float64, c []float64) []float64 {
		return each(plus(c, reflect(b, reflect(a, c))), func(_ int, v float64) float64 { return v / 2 })
	}
	for range iterations {
		c = operator(plainNN, psd, operator(plainNOR, plainNN, operator(psd, plainNOR, c)))
	}
	return scaled(plainNN(plainNOR(psd(c))))
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

type denseRectifier func(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error)

var denseRectifiers = map[string]denseRectifier{
	"AP": AP, "Dykstra": Dykstra, "DouglasRachford": DouglasRachford, "DiagonalCompletion": DiagonalCompletion,
}

func TestDenseRectifiersAgainstPlainForm(t *testing.T) {
	for name, plain := range map[string]func(t *testing.T, c []float64, n, k, iterations int) []float64{
		"AP": plainAP, "Dykstra": plainDykstra, "DouglasRachford": plainDouglasRachford,
	} {
		for _, s := range []struct {
			n, k, iterations int
			noise            float64
		}{{20, 2, 1, 0.3}, {40, 3, 12, 0.5}, {60, 6, 25, 1}} {
			c := plantedDense(t, 5, s.n, s.k, s.noise)
			want := plain(t, flat(c), s.n, s.k, s.iterations)
			result, err := denseRectifiers[name](context.Background(), c, s.k, Options{Iterations: s.iterations, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if off := distance(flat(result.Matrix), want); off > 1e-8 || result.Matrix != c {
				t.Errorf("%s, N %d: differs from the plain form by %.2g", name, s.n, off)
			}
			if len(result.Iterations) != s.iterations || result.Iterations[s.iterations-1].Number != s.iterations {
				t.Errorf("%s: %d iterations, want %d", name, len(result.Iterations), s.iterations)
			}
		}
	}
}

// plainCompletion is the diagonal from a split, by singular vectors and least squares without row j.
func plainCompletion(t *testing.T, c []float64, n, k int, signs []float64) []float64 {
	t.Helper()
	d := make([]float64, n)
	for _, side := range []float64{1, -1} {
		var rows, columns []int
		for i, sign := range signs {
			if sign == side {
				rows = append(rows, i)
			} else {
				columns = append(columns, i)
			}
		}
		block := mat.NewDense(len(rows), len(columns), nil)
		for a, i := range rows {
			for b, j := range columns {
				block.Set(a, b, c[i*n+j])
			}
		}
		var svd mat.SVD
		if !svd.Factorize(block, mat.SVDThin) {
			t.Fatal("singular values did not converge")
		}
		var all mat.Dense
		svd.UTo(&all)
		for at, j := range rows {
			u, f := mat.NewDense(len(rows)-1, k, nil), mat.NewVecDense(len(rows)-1, nil)
			for a, i := range rows {
				if a == at {
					continue
				}
				to := a
				if a > at {
					to--
				}
				u.SetRow(to, all.RawRowView(a)[:k])
				f.SetVec(to, c[i*n+j])
			}
			var fit mat.VecDense
			if err := fit.SolveVec(u, f); err != nil {
				t.Fatal(err)
			}
			d[j] = mat.Dot(mat.NewVecDense(k, all.RawRowView(at)[:k]), &fit)
		}
	}
	return d
}

func TestDiagonalCompletionAgainstPlainForm(t *testing.T) {
	for _, s := range []struct{ n, k, splits int }{{21, 2, 1}, {40, 3, 4}, {60, 5, 7}} {
		c := plantedDense(t, 6, s.n, s.k, 0.3)
		plain, estimates := flat(c), make([][]float64, s.n)
		split := completion{dense: &dense{n: s.n, opts: Options{Seed: 8}}, signs: make([]float64, s.n)}
		for number := 1; number <= s.splits; number++ {
			split.split(number)
			for j, v := range plainCompletion(t, plain, s.n, s.k, split.signs) {
				estimates[j] = append(estimates[j], v)
			}
		}
		for j := range s.n {
			slices.Sort(estimates[j])
			plain[j*s.n+j] = max(median(estimates[j]), 0)
		}
		result, err := DiagonalCompletion(context.Background(), c, s.k, Options{Iterations: s.splits, Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		if off := distance(flat(result.Matrix), scaled(plain)); off > 1e-7 {
			t.Errorf("N %d: differs from the plain form by %.2g", s.n, off)
		}
	}
}

// Where the off-diagonal entries are those of a matrix of rank K, its diagonal is found.
func TestDiagonalCompletionFindsDiagonal(t *testing.T) {
	const n, k = 60, 4
	y := flat(planted(t, 7, n, k, 0))
	want := scaled(kernel.TimesTransposed(context.Background(), y, y, n, n, k))
	c := tallOf(want, n, n)
	for i := range n {
		c.Row(i)[i] = 0
	}
	result, err := DiagonalCompletion(context.Background(), c, k, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if off := distance(flat(result.Matrix), want); off > 1e-8 || !result.Converged || len(result.Iterations) != DefaultSplits {
		t.Errorf("off by %.2g after %d splits, converged %v", off, len(result.Iterations), result.Converged)
	}
	factor := flat(result.Factor)
	if off := distance(kernel.TimesTransposed(context.Background(), factor, factor, n, n, k), want); off > 1e-8 {
		t.Errorf("the factor is off by %.2g", off)
	}
}

// A matrix that lies in all three sets is the projection of itself, and the rectifiers agree on it.
func TestRectifiedMatrixStays(t *testing.T) {
	const n, k = 50, 4
	y := flat(planted(t, 9, n, k, 0))
	want := scaled(plainNN(kernel.TimesTransposed(context.Background(), y, y, n, n, k))) // negative only by rounding
	for name, rectifier := range denseRectifiers {
		result, err := rectifier(context.Background(), tallOf(want, n, n), k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if off := distance(flat(result.Matrix), want); off > 1e-9 || !result.Converged {
			t.Errorf("%s moves it by %.2g, converged %v", name, off, result.Converged)
		}
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

// With K = N all sets are convex. Then AP ends in their intersection, and Dykstra in the point of it nearest to C.
func TestConvexSets(t *testing.T) {
	const n = 12
	c := plantedDense(t, 11, n, 3, 2)
	start := flat(c)
	ends := make(map[string][]float64)
	for _, name := range []string{"AP", "Dykstra", "DouglasRachford"} {
		result, err := denseRectifiers[name](context.Background(), tallOf(start, n, n), n, Options{Iterations: 400})
		if err != nil {
			t.Fatal(err)
		}
		end := flat(result.Matrix)
		if off := distance(plainPSD(t, end, n, n), end); off > 1e-4 {
			t.Errorf("%s: the end is off positive semidefinite by %.2g", name, off)
		}
		ends[name] = end
	}
	if d, ap := distance(ends["Dykstra"], start), distance(ends["AP"], start); d > ap*(1+1e-4) {
		t.Errorf("Dykstra ends at the distance %v, AP at %v", d, ap)
	}
}

func TestDenseRectifiersRectify(t *testing.T) {
	const n, k = 60, 4
	for name, rectifier := range denseRectifiers {
		reported := 0
		result, err := rectifier(context.Background(), plantedDense(t, 12, n, k, 1), k, Options{Report: func(i Iteration) { reported = i.Number }})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := range n {
			for j, v := range result.Matrix.Row(i) {
				if v < 0 || math.Abs(v-result.Matrix.Row(j)[i]) > 1e-15 {
					t.Fatalf("%s: entry %d,%d is %v, entry %d,%d %v", name, i, j, v, j, i, result.Matrix.Row(j)[i])
				}
				sum += v
			}
		}
		if math.Abs(sum-1) > 1e-12 || reported != len(result.Iterations) || !(result.Norm > 0) {
			t.Errorf("%s: sum %v, %d iterations reported of %d, norm %v", name, sum, reported, len(result.Iterations), result.Norm)
		}
		if name == "AP" && !result.Converged {
			t.Error("AP did not converge")
		}
		if rows, cols := result.Factor.Dims(); rows != n || cols != k {
			t.Errorf("%s: the factor is %d×%d", name, rows, cols)
		}
	}
}

func TestDenseRectifiersSameBitsForAnyWorkers(t *testing.T) {
	const n, k = 2*sweepRows + 50, 3
	start := plantedDense(t, 13, n, k, 0.5)
	for name, rectifier := range denseRectifiers {
		want := ""
		for _, workers := range []int{1, 2, 3, 7} {
			result, err := rectifier(context.Background(), start.Copy(n), k, Options{Iterations: 2, Seed: 3, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(result.Iterations, result.Norm, flat(result.Matrix), flat(result.Factor))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d workers give other bits than one", name, workers)
			}
		}
	}
}

func TestDenseRectifiersRefuse(t *testing.T) {
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, rectifier := range denseRectifiers {
		c := plantedDense(t, 14, 30, 3, 0.3)
		if _, err := rectifier(cancelled, c, 3, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", name, err)
		}
		var dense *sketch.DenseError
		if _, err := rectifier(ctx, c, 3, Options{MostBytes: 30 * 31 * 8}); !errors.As(err, &dense) || dense.Items != 30 {
			t.Errorf("%s: too little memory: %v", name, err)
		}
		if _, err := rectifier(ctx, c, 31, Options{}); err == nil {
			t.Errorf("%s: no error for a rank above N", name)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			c.Row(4)[7] = bad
			if _, err := rectifier(ctx, c, 3, Options{}); err == nil {
				t.Errorf("%s: no error for %v", name, bad)
			}
		}
		func() {
			defer func() {
				if recover() != "rectify: not a square matrix" {
					t.Errorf("%s: no panic for a matrix that is not square", name)
				}
			}()
			_, _ = rectifier(ctx, matrix.NewTall(3, 4), 2, Options{})
		}()
	}
}
