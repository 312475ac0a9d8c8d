package metric_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"anchorage/internal/long"
	"anchorage/metric"
)

// anchorRows returns rows with the given values.
func anchorRows(values ...[]float64) *metric.AnchorRows {
	all := &metric.AnchorRows{Items: len(values[0])}
	for _, row := range values {
		var sparse metric.SparseRow
		for i, v := range row {
			if v != 0 {
				sparse.Items, sparse.Values = append(sparse.Items, int32(i)), append(sparse.Values, v)
			}
		}
		all.Rows = append(all.Rows, sparse)
	}
	return all
}

func volume(t *testing.T, rows *metric.AnchorRows, opts metric.Options) float64 {
	t.Helper()
	v, err := metric.LogRelativeVolume(t.Context(), rows, opts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The hull of the anchors has the volume that geometry says.
func TestLogRelativeVolume(t *testing.T) {
	once := metric.Options{Hulls: 3, Seed: 1}
	triangle := anchorRows([]float64{0, 0, 0.5}, []float64{1, 0, 0.5}, []float64{0, 2, 0.5})
	// Twice as large a hull of three points has 2² times the area, wherever it lies.
	double := anchorRows([]float64{3, 1, 7}, []float64{5, 1, 7}, []float64{3, 5, 7})
	near(t, "a doubled triangle", volume(t, double, once)-volume(t, triangle, once), 2*math.Log(2))
	// The area of the triangle is 1; those of random ones are at most that of the simplex, √3/2.
	if v := volume(t, triangle, once); v < -math.Log(math.Sqrt(3)/2) {
		t.Errorf("ln(relative area) is %g", v)
	}
	permuted := anchorRows([]float64{1, 0, 0.5}, []float64{0, 2, 0.5}, []float64{0, 0, 0.5})
	near(t, "points in another order", volume(t, permuted, once), volume(t, triangle, once))
	for name, flat := range map[string]*metric.AnchorRows{
		"points on a line": anchorRows([]float64{0, 0, 1}, []float64{1, 1, 1}, []float64{2, 2, 1}),
		"equal points":     anchorRows([]float64{1, 2}, []float64{1, 2}),
	} {
		if v := volume(t, flat, once); !math.IsInf(v, -1) {
			t.Errorf("%s have the volume exp(%g)", name, v)
		}
	}
	near(t, "a single point", volume(t, anchorRows([]float64{1, 2}), once), 0)
}

// naiveHull draws a whole random C̄ with another generator, selects anchors by Gram-Schmidt on all rows, and returns
// ln((K−1)!·volume) of their hull by elimination of the differences' inner products.
func naiveHull(rng *rand.Rand, n, k int) float64 {
	c := make([][]float64, n)
	for i := range c {
		c[i] = make([]float64, n)
		sum := 0.0
		for j := range c[i] {
			c[i][j] = rng.ExpFloat64()
			sum += c[i][j]
		}
		for j := range c[i] {
			c[i][j] /= sum
		}
	}
	dot := func(x, y []float64) (sum float64) {
		for j := range x {
			sum += x[j] * y[j]
		}
		return sum
	}
	rest := make([][]float64, n)
	for i := range rest {
		rest[i] = append([]float64(nil), c[i]...)
	}
	var anchors [][]float64
	for range k {
		best := 0
		for i := range rest {
			if dot(rest[i], rest[i]) > dot(rest[best], rest[best]) {
				best = i
			}
		}
		anchors = append(anchors, c[best])
		direction := append([]float64(nil), rest[best]...)
		for i := range rest {
			share := dot(rest[i], direction) / dot(direction, direction)
			for j := range direction {
				rest[i][j] -= share * direction[j]
			}
		}
	}
	gram := make([][]float64, k-1)
	for a := range gram {
		gram[a] = make([]float64, k-1)
		for b := range gram {
			for j := range n {
				gram[a][b] += (anchors[1+a][j] - anchors[0][j]) * (anchors[1+b][j] - anchors[0][j])
			}
		}
	}
	sum := 0.0
	for a := range gram {
		sum += math.Log(gram[a][a]) / 2
		for b := a + 1; b < k-1; b++ {
			share := gram[b][a] / gram[a][a]
			for j := a; j < k-1; j++ {
				gram[b][j] -= share * gram[a][j]
			}
		}
	}
	return sum
}

// simplexCorner returns K unit vectors, whose hull has the volume √K/(K−1)!.
func simplexCorner(n, k int) *metric.AnchorRows {
	rows := make([][]float64, k)
	for a := range rows {
		rows[a] = make([]float64, n)
		rows[a][a] = 1
	}
	return anchorRows(rows...)
}

// The mean volume of random hulls is that of a naive twin, within four standard errors of both.
func TestRandomHulls(t *testing.T) {
	long.Unwatched(t)
	for _, shape := range []struct{ n, k, hulls int }{{30, 4, 400}, {90, 12, 150}, {250, 20, 40}} {
		rng := rand.New(rand.NewPCG(1, 2))
		var sum, squares float64
		for range shape.hulls {
			v := naiveHull(rng, shape.n, shape.k)
			sum, squares = sum+v, squares+v*v
		}
		count := float64(shape.hulls)
		mean := sum / count
		deviation := math.Sqrt((squares - count*mean*mean) / (count - 1))
		got := math.Log(float64(shape.k))/2 - volume(t, simplexCorner(shape.n, shape.k),
			metric.Options{Hulls: shape.hulls, Seed: 5})
		t.Logf("N = %d, K = %d: %.4f, the twin %.4f ± %.4f", shape.n, shape.k, got, mean, deviation/math.Sqrt(count))
		if off := math.Abs(got - mean); !(off < 4*math.Sqrt2*deviation/math.Sqrt(count)) {
			t.Errorf("N = %d, K = %d: ln volume of random hulls is %.4f, that of the twin %.4f ± %.4f", shape.n, shape.k, got,
				mean, deviation/math.Sqrt(count))
		}
	}
}

// Neither fewer held rows nor fewer drawn ones move the figure by more than is said.
func TestRandomHullsWithin(t *testing.T) {
	long.Unwatched(t)
	const n, k = 1200, 20
	rows := simplexCorner(n, k)
	within := func(numbers, values int) float64 {
		v, err := metric.VolumeWithin(t.Context(), rows, metric.Options{Hulls: 6, Seed: 3}, numbers, values)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	all := within(n*n, n*n)
	if v := within(n*n, 0); math.Abs(v-all) > 0.1 {
		t.Errorf("ln volume is %.3f with all rows held, and %.3f with 2K of them", all, v)
	} else {
		t.Logf("all %.3f, 2K held %.3f", all, v)
	}
	// The longest of 80 rows instead of 1,200: their lengths, half of the logarithm of a square each, are some deviations,
	// 1/√N, shorter.
	if v := within(0, 0); v-all < 0 || v-all > 2*k/math.Sqrt(n) {
		t.Errorf("ln volume is %.3f with all rows drawn, and %.3f with 4K of them", all, v)
	} else {
		t.Logf("all %.3f, 4K drawn %.3f", all, v)
	}
}

// The figure depends only on the seed and the keys, neither on workers nor on the order of the items.
func TestRandomHullsAreFunctions(t *testing.T) {
	const n, k = 300, 6
	rows := simplexCorner(n, k)
	opts := metric.Options{Hulls: 2, Seed: 1, Workers: 1}
	first := volume(t, rows, opts)
	for _, workers := range []int{2, 3, 7} {
		opts.Workers = workers
		if v := volume(t, rows, opts); v != first {
			t.Errorf("%d workers: %v, and one: %v", workers, v, first)
		}
	}
	opts.Key = func(i int) uint64 { return uint64(n - 1 - i) }
	if v := volume(t, rows, opts); math.Abs(v-first) > 1e-6 {
		t.Errorf("with items in another order: %v, not %v", v, first)
	}
	opts.Seed = 2
	if volume(t, rows, opts) == first {
		t.Error("another seed gives the same hulls")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := metric.LogRelativeVolume(ctx, rows, opts); err == nil {
		t.Error("an ended context goes unnoticed")
	}
}

// The characteristic items of a rare anchor are those that it occurs with, whatever a factor would say.
func TestCharacteristicItems(t *testing.T) {
	rows := anchorRows([]float64{0, 0.5, 0.2, 0.3}, []float64{0.25, 0.25, 0.25, 0.25}, []float64{0, 0, 0, 0})
	lists := rows.Characteristic(2)
	want := [][]metric.ItemProbability{{{1, 0.5}, {3, 0.3}}, {{0, 0.25}, {1, 0.25}}, nil}
	for k, list := range lists {
		if len(list) != len(want[k]) {
			t.Fatalf("topic %d: %v, want %v", k, list, want[k])
		}
		for at, listed := range list {
			if listed != want[k][at] {
				t.Errorf("topic %d: %v, want %v", k, list, want[k])
			}
		}
	}
}

// TestDominancies compares the two forms on a joint distribution by hand.
func TestDominancies(t *testing.T) {
	a := []float64{0.3, 0.1, 0.1, 0.5}
	near(t, "dominancy", metric.Dominancy(a), (0.75+5.0/6)/2)
	near(t, "diagonal dominancy", metric.DiagonalDominancy(a), 0.4)
}
