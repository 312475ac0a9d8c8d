package anchor

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// scoredPivots selects columns by the definition: every time the greatest √(‖r_i‖² − 4·σ²_i·(L−t)/L), r_i what the
// directions so far leave of column i; when none is positive, the greatest ‖r_i‖.
func scoredPivots(rows [][]float64, noise []float64, k int) (selected []int, certain []bool) {
	width := len(rows[0])
	rest := make([][]float64, len(rows))
	for i := range rows {
		rest[i] = slices.Clone(rows[i])
	}
	noisy := true
	for len(selected) < k {
		best, greatest := -1, 0.0
		for i, r := range rest {
			score := kernel.Dot(r, r)
			if noisy {
				score -= 4 * noise[i] * float64(width-len(selected)) / float64(width)
			}
			if score > greatest && !slices.Contains(selected, i) {
				best, greatest = i, score
			}
		}
		if best < 0 {
			noisy = false
			continue
		}
		direction := slices.Clone(rest[best])
		length := math.Sqrt(kernel.Dot(direction, direction))
		for i := range rest {
			component := kernel.Dot(direction, rest[i]) / length
			for j := range rest[i] {
				rest[i][j] -= component * direction[j] / length
			}
		}
		selected, certain = append(selected, best), append(certain, noisy)
	}
	return selected, certain
}

func TestPivotsByWhatIsCertain(t *testing.T) {
	for _, shape := range []struct {
		n, width, k int
		loudness    float64
	}{{30, 5, 5, 0.1}, {rangeRows + 50, 12, 10, 0.2}, {2000, 8, 8, 3}, {40, 6, 6, 1e6}} {
		rng := random(uint64(shape.n))
		x, scale := matrix.NewTall(shape.n, shape.width), make([]float64, shape.n)
		rows, noise := make([][]float64, shape.n), make([]float64, shape.n)
		for i := range rows {
			scale[i] = math.Exp(rng.NormFloat64())
			rows[i] = make([]float64, shape.width)
			for j := range rows[i] {
				x.Row(i)[j] = rng.NormFloat64()
				rows[i][j] = x.Row(i)[j] * scale[i]
			}
			noise[i] = shape.loudness * rng.ExpFloat64() * kernel.Dot(rows[i], rows[i])
		}
		noise[3] = math.Inf(1)
		want, certain := scoredPivots(rows, noise, shape.k)
		for _, workers := range []int{1, 3} {
			got, err := selectPivots(t.Context(), x, scale, shape.k, &Options{SamplingVariance: noise, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(itemsOf(got)) != fmt.Sprint(want) {
				t.Errorf("%v: selected %v, want %v", shape, itemsOf(got), want)
			}
			for j, p := range got {
				if p.certain != certain[j] {
					t.Errorf("%v: pivot %d is certain: %v, want %v", shape, j, p.certain, certain[j])
				}
				if p.margin < 0 || p.margin > 1 {
					t.Errorf("%v: pivot %d has margin %v", shape, j, p.margin)
				}
			}
		}
	}
}

// TestNoiseKeepsOutliersOut plants a row that is longer than any anchor's and pure noise.
func TestNoiseKeepsOutliersOut(t *testing.T) {
	const n, k = 60, 4
	model := plant(random(5), n, k)
	y := tallOf(model.y)
	const outlier = n - 1
	// The outlier shares topics in amounts that no mixture of anchors has: it lies outside of their hull.
	for j := range y.Row(outlier) {
		y.Row(outlier)[j] = 30 * (y.Row(model.anchor[1])[j] - 0.9*y.Row(model.anchor[2])[j])
	}
	noise := make([]float64, n)
	noise[outlier] = 1e6
	opts := Options{RowSums: RowSumsExact}
	sums := slices.Clone(model.rowSums)
	sums[outlier] = 1e-3
	plain, err := LAW(t.Context(), y, sums, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(plain.Anchors, outlier) {
		t.Fatalf("the outlier is no anchor without noise either: %v", plain.Anchors)
	}
	opts.SamplingVariance = noise
	careful, err := LAW(t.Context(), y, sums, opts)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(careful.Anchors, outlier) {
		t.Errorf("the outlier is an anchor: %v", careful.Anchors)
	}
	// Its mixture is the prior's, for all of its row is noise.
	if careful.Reliability[outlier] > 1e-3 {
		t.Errorf("the outlier has reliability %v", careful.Reliability[outlier])
	}
	for topic, share := range careful.Mixtures.Row(outlier) {
		near(t, "the outlier's share of a topic", share, careful.Prior[topic], 5e-3, 1)
	}
}

func TestShrinkage(t *testing.T) {
	const n, k = 80, 4
	model := plant(random(2), n, k)
	y := tallOf(model.y)
	plain, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: RowSumsExact})
	if err != nil {
		t.Fatal(err)
	}
	// No noise changes nothing.
	silent, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: RowSumsExact, SamplingVariance: make([]float64, n)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for topic := range k {
			near(t, "a mixture without noise", silent.Mixtures.Row(i)[topic], plain.Mixtures.Row(i)[topic], 1e-12, 1)
		}
	}
	noise := make([]float64, n)
	rng := random(3)
	for i := range noise {
		noise[i] = 1e-6 * rng.ExpFloat64()
	}
	noise[model.anchor[0]] = 1e-12
	got, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: RowSumsExact, SamplingVariance: noise})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Anchors) != fmt.Sprint(plain.Anchors) {
		t.Fatalf("anchors %v, want %v", got.Anchors, plain.Anchors)
	}
	// ρ = s/(s+σ²) by the rows themselves: inner products of rows of C are those of their coordinates.
	c := denseOf(model.y)
	mean := make([]float64, n)
	total := 0.0
	for i := range n {
		for j := range n {
			mean[j] += c.Row(i)[j]
		}
		total += model.rowSums[i]
	}
	for i := range n {
		signal := 0.0
		for j := range n {
			difference := c.Row(i)[j]/model.rowSums[i] - mean[j]/total
			signal += difference * difference
		}
		want := signal / (signal + noise[i])
		if slices.Contains(got.Anchors, i) {
			want = 1
		}
		near(t, fmt.Sprintf("reliability of item %d", i), got.Reliability[i], want, 1e-8, 1)
		for topic, share := range plain.Mixtures.Row(i) {
			near(t, "a shrunk mixture", got.Mixtures.Row(i)[topic], want*share+(1-want)*plain.Prior[topic], 1e-8, 1)
		}
	}
	sum := 0.0
	for _, p := range got.Prior {
		sum += p
	}
	near(t, "the sum of the prior", sum, 1, 1e-12, 1)
	for topic := range k {
		column := 0.0
		for i := range n {
			column += got.B(i, topic)
		}
		near(t, "a column's sum of B", column, 1, 1e-12, 1)
	}
}

// TestNoiseBoundsRowSums gives an item a row of the factor that sums to almost nothing, though its true row does not.
func TestNoiseBoundsRowSums(t *testing.T) {
	const n, k, rare = 60, 4, 17
	model := plant(random(8), n, k)
	y := tallOf(model.y)
	sums := kernel.ColumnSums(context.Background(), y, 1)
	row := y.Row(rare)
	row[0] -= (kernel.Dot(sums, row) - 1e-9*model.rowSums[rare]) / sums[0] // nearly nothing is left of d
	plain, err := LAW(t.Context(), y, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Anchors[0] != rare || plain.Pivots[0] <= 1 {
		t.Fatalf("the row does not explode without noise: anchors %v, pivots %v", plain.Anchors, plain.Pivots)
	}
	noise := make([]float64, n)
	for i := range noise {
		noise[i] = 1e-9
	}
	got, err := LAW(t.Context(), y, model.rowSums, Options{SamplingVariance: noise})
	if err != nil {
		t.Fatal(err)
	}
	if got.RowSums[rare] < leastShare*model.rowSums[rare]*(1-1e-12) {
		t.Errorf("weight %v of a row that sums to %v", got.RowSums[rare], model.rowSums[rare])
	}
	for j, pivot := range got.Pivots {
		if !(pivot <= 1) {
			t.Errorf("pivot %d is %v", j, pivot)
		}
	}
	scaled := scaledNoise([]float64{1, 1, 1}, []float64{2, 1, 1}, []float64{1, 2, 0})
	if fmt.Sprint(scaled) != "[4 1 +Inf]" {
		t.Errorf("scaled noise %v, want [4 1 +Inf]", scaled)
	}
}
