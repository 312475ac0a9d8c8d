package rectify

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/matrix"
)

// planted returns a factor of a joint-stochastic matrix with noise that makes some of its entries negative, as N×K with
// orthogonal columns: the leading eigenpairs of the dense matrix.
func planted(t *testing.T, seed uint64, n, k int, noise float64) *matrix.Tall {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	b := make([]float64, n*k)
	for i := range b {
		if rng.Float64() < 0.3 {
			b[i] = rng.ExpFloat64()
		}
	}
	c := kernel.TimesTransposed(context.Background(), b, b, n, n, k)
	mean := 0.0
	for _, v := range c {
		mean += v / float64(n*n)
	}
	sum := 0.0
	for i := range n {
		for j := range i + 1 {
			c[i*n+j] += noise * mean * rng.NormFloat64()
			c[j*n+i] = c[i*n+j]
		}
	}
	for _, v := range c {
		sum += v
	}
	values, vectors, err := kernel.SymmetricEigen(context.Background(), c, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	y := matrix.NewTall(n, k)
	for i := range n {
		for j := range k {
			y.Row(i)[j] = vectors[i*n+j] * math.Sqrt(values[j]/sum)
		}
	}
	return y
}

// denseENN is the rectification on dense matrices with exact truncated eigendecompositions: E and the normalization as
// in the package, nothing warm-started, nothing in single precision. With marginals p, shifts is the number of
// iterations that add r·ggᵀ, or, if it is negative, all add r·ppᵀ. It returns also the sum of all entries before each
// iteration.
func denseENN(t *testing.T, y *matrix.Tall, p []float64,
	rows, iterations, shifts int) (c []float64, density float64, sums []float64) {
	t.Helper()
	n, k := y.Dims()
	flat := make([]float64, 0, n*k)
	for i := range n {
		flat = append(flat, y.Row(i)...)
	}
	c = kernel.TimesTransposed(context.Background(), flat, flat, n, n, k)
	for iteration := range iterations {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c[b*n+b], c[a*n+a]) })
		inside := make([]bool, n)
		for _, i := range order[:rows] {
			inside[i] = true
		}
		q := make([]float64, n)
		for i := range q {
			q[i] = 1 / float64(n)
		}
		switch {
		case p != nil && shifts < 0:
			q = p
		case p != nil && iteration < shifts:
			q = within(t, c, p, k)
		case p != nil:
			clear(q)
		}
		corrected := slices.Clone(c)
		sum, before, count := 0.0, 0.0, 0
		for i := range n {
			for j := range n {
				before += c[i*n+j]
				if c[i*n+j] < 0 && (inside[i] || inside[j]) {
					corrected[i*n+j] = 0
					if inside[j] {
						count++
					}
				}
				sum += corrected[i*n+j]
			}
		}
		sums = append(sums, before)
		density = float64(count) / float64(n*rows)
		for i := range n {
			for j := range n {
				corrected[i*n+j] += (1 - sum) * q[i] * q[j]
			}
		}
		values, vectors, err := kernel.SymmetricEigen(context.Background(), corrected, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		leading := make([]float64, n*k)
		for i := range n {
			for j := range k {
				leading[i*k+j] = vectors[i*n+j] * math.Sqrt(max(values[j], 0))
			}
		}
		c = kernel.TimesTransposed(context.Background(), leading, leading, n, n, k)
	}
	if p != nil && shifts >= 0 {
		sum := 0.0
		for _, v := range c {
			sum += v
		}
		for i := range c {
			c[i] /= sum
		}
	}
	return c, density, sums
}

// within returns Pp/max(eᵀPp, 1), where P projects onto the k leading eigenvectors of c.
func within(t *testing.T, c, p []float64, k int) []float64 {
	t.Helper()
	n := len(p)
	_, vectors, err := kernel.SymmetricEigen(context.Background(), c, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	q, a := make([]float64, n), 0.0
	for j := range k {
		along := 0.0
		for i := range n {
			along += vectors[i*n+j] * p[i]
		}
		for i := range n {
			q[i] += vectors[i*n+j] * along
			a += vectors[i*n+j] * along
		}
	}
	for i := range q {
		q[i] /= max(a, 1)
	}
	return q
}

func TestENNAgainstDense(t *testing.T) {
	for _, c := range []struct {
		n, k, rows int
		noise      float64
		marginal   bool
	}{{60, 3, 60, 0.5, false}, {90, 6, 40, 1, false}, {150, 10, 150, 0.3, false}, {60, 3, 60, 0.5, true}, {150, 10,
		150, 0.3, true}} {
		y := planted(t, 1, c.n, c.k, c.noise)
		var p []float64
		if c.marginal {
			harmonic := 0.0
			for i := range c.n {
				harmonic += 1 / float64(i+1)
			}
			for i := range c.n {
				p = append(p, 1/float64(i+1)/harmonic)
			}
		}
		want, density, _ := denseENN(t, y, p, c.rows, 40, shiftedEvaluations)
		opts := Options{Iterations: 40, Rows: c.rows, Seed: 5, Workers: 2, Marginals: p}
		result, err := ENN(context.Background(), y, opts)
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		scale := 0.0
		for i := range c.n {
			for j := range c.n {
				v := 0.0
				for p := range c.k {
					v += result.Factor.Row(i)[p] * result.Factor.Row(j)[p]
				}
				got += (v - want[i*c.n+j]) * (v - want[i*c.n+j])
				scale += want[i*c.n+j] * want[i*c.n+j]
			}
		}
		if relative := math.Sqrt(got / scale); relative > 2e-3 {
			t.Errorf("N %d, K %d, noise %v: Y·Yᵀ differs from the dense form by %.2g", c.n, c.k, c.noise, relative)
		}
		last := result.Iterations[39]
		if math.Abs(last.Density-density) > 0.01 || len(result.Iterations) != 40 {
			t.Errorf("N %d: density %.4f, dense form %.4f, after %d iterations", c.n, last.Density, density,
				len(result.Iterations))
		}
		if math.Abs(result.Norm-math.Sqrt(scale)) > 1e-3*math.Sqrt(scale) {
			t.Errorf("N %d: norm %g, dense form %g", c.n, result.Norm, math.Sqrt(scale))
		}
	}
}

// TestENNRectifies checks what a rectified factor is for: entries that sum to 1 and are hardly negative.
func TestENNRectifies(t *testing.T) {
	y := planted(t, 2, 200, 8, 1)
	before := negativity(y)
	result, err := ENN(context.Background(), y, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if p := newPacer(nil); len(result.Iterations) >= p.left() || !result.Converged {
		t.Errorf("%d iterations, the last with a change of %v", len(result.Iterations),
			result.Iterations[len(result.Iterations)-1].Change)
	}
	if after := negativity(result.Factor); after > before/3 || math.Abs(result.Negativity.Mass-after) > 1e-3*after {
		t.Errorf("negative entries sum to %g, %g by the result, and %g before", after, result.Negativity.Mass, before)
	}
	total := 0.0
	for _, s := range kernel.ColumnSums(context.Background(), result.Factor, 1) {
		total += s * s
	}
	if math.Abs(total-1) > 0.01 {
		t.Errorf("entries sum to %v", total)
	}
}

func negativity(y *matrix.Tall) float64 {
	sum := 0.0
	for i := range y.Rows() {
		for j := range y.Rows() {
			v := 0.0
			for p, a := range y.Row(i) {
				v += a * y.Row(j)[p]
			}
			sum += max(-v, 0)
		}
	}
	return sum
}

func TestENNSameBitsForAnyWorkersAndCorrections(t *testing.T) {
	run := func(workers int, opts Options) string {
		y := matrix.NewTall(2*matrix.BlockRows+100, 4)
		for i := range y.Rows() {
			for j := range y.Row(i) {
				y.Row(i)[j] = math.Sin(float64(i*7+j*j)) * math.Sqrt(1/float64(i+1)) / float64(j+1)
			}
		}
		opts.Iterations, opts.Rows, opts.Seed, opts.Workers = 3, 300, 9, workers
		result, err := ENN(context.Background(), y, opts)
		if err != nil {
			t.Fatal(err)
		}
		hash := fnv.New128a()
		for _, i := range result.Iterations {
			i.Corrections, i.CorrectionBytes = "", 0 // where E was kept may differ
			fmt.Fprint(hash, i)
		}
		fmt.Fprint(hash, result.Norm, result.Negativity)
		for i := range result.Factor.Rows() {
			for _, v := range result.Factor.Row(i) {
				hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
			}
		}
		return string(hash.Sum(nil))
	}
	for _, truncated := range []bool{false, true} {
		compareENNBits(t, truncated, run)
	}
}

// compareENNBits compares what ENN gives with several numbers of workers and places of the corrections.
func compareENNBits(t *testing.T, truncated bool, run func(workers int, opts Options) string) {
	t.Helper()
	want := run(1, Options{Truncated: truncated})
	places := []Corrections{{}, {Bytes: 1 << 20}, {Mode: CorrectionsSpill, SpillDir: t.TempDir()}, {Bytes: 1},
		{Mode: CorrectionsRecompute}}
	for _, workers := range long.Grid(1, 3, 2, 7) {
		for _, kept := range long.Grid(3, places...) {
			if run(workers, Options{Corrections: kept, Truncated: truncated}) != want {
				t.Fatalf("truncated %v: %d workers with %+v give other bits than one worker with enough memory",
					truncated, workers, kept)
			}
		}
	}
}

func TestENNRefuses(t *testing.T) {
	ctx := context.Background()
	if _, err := ENN(ctx, matrix.NewTall(0, 3), Options{}); err == nil {
		t.Error("no error for a factor without rows")
	}
	if _, err := ENN(ctx, matrix.NewTall(10, 3), Options{}); err == nil {
		t.Error("no error for a factor of zeros")
	}
	bad := planted(t, 4, 50, 3, 0.1)
	bad.Row(7)[1] = math.NaN()
	if _, err := ENN(ctx, bad, Options{}); err == nil {
		t.Error("no error for a factor with NaN")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := ENN(cancelled, planted(t, 4, 50, 3, 0.1), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
