package kernels

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// total returns the sum of all values, padding included.
func total(t *matrix.Tall) float64 {
	sum := 0.0
	for b := range t.Blocks() {
		values, _, _ := t.Block(b)
		for _, v := range values {
			sum += v
		}
	}
	return sum
}

// What is measured as changes of rows changes as many rows as it says, each once per update, for any number of workers.
func TestRowTableChange(t *testing.T) {
	for _, columns := range []int{1, 7, 64} {
		for _, workers := range []int{1, 2, 3} {
			table := newRowTable(1<<16, columns)
			for i := range table.add {
				table.add[i] = 1
			}
			before := total(table.rows)
			work, took, err := table.visit(change, workers, 1)()
			if err != nil || took.wall <= 0 {
				t.Fatal(err, took)
			}
			if got, want := total(table.rows)-before, work*float64(len(table.add)); got != want {
				t.Errorf("%d columns, %d workers: the values grow by %v, want %v", columns, workers, got, want)
			}
		}
	}
}

// More workers than rows are no reason to fail.
func TestRowTableSmall(t *testing.T) {
	table := newRowTable(1, 8)
	if table.rows.Rows() != 1 {
		t.Fatalf("%d rows", table.rows.Rows())
	}
	for _, what := range []visit{change, gather, gatherSingle, gather | change, gatherSingle | change} {
		before := total(table.rows)
		work, _, err := table.visit(what, 5, 1)()
		if err != nil || work <= 0 || total(table.rows) != before {
			t.Errorf("%d: %v, %v", what, work, err)
		}
	}
	if work, _, err := table.read(2)(); err != nil || work <= 0 {
		t.Errorf("%v, %v", work, err)
	}
}

func TestPeak(t *testing.T) {
	one, _, err := peakOf[float32](1)()
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := peakOf[float32](2)()
	if err != nil || two != 2*one || one <= 0 {
		t.Errorf("%v GFLOP by one worker, %v by two: %v", one, two, err)
	}
	if typeName[float32]() != "float32" || typeName[float64]() != "float64" {
		t.Error("types have other names")
	}
}

// Noise has the moments of the standard normal distribution, and depends on seed and key alone.
func TestNoise(t *testing.T) {
	const n = 20_000
	sum, squares, fourth := 0.0, 0.0, 0.0
	for i := range uint64(n) {
		v := noise(3, i)
		sum, squares, fourth = sum+v, squares+v*v, fourth+v*v*v*v
	}
	if mean := sum / n; math.Abs(mean) > 5/math.Sqrt(n) {
		t.Errorf("mean %v", mean)
	}
	if variance := squares / n; math.Abs(variance-1) > 5*math.Sqrt(2.0/n) {
		t.Errorf("variance %v", variance)
	}
	if kurtosis := fourth / n; math.Abs(kurtosis-3) > 5*math.Sqrt(96.0/n) {
		t.Errorf("fourth moment %v", kurtosis)
	}
	if noise(3, 7) != noise(3, 7) || noise(3, 7) == noise(4, 7) || noise(3, 7) == noise(3, 8) {
		t.Error("noise does not depend on seed and key, or on something else")
	}
	one, two := noisy[float64](50, 3), noisy[float64](50, 3)
	for i := range 50 {
		for j := range 3 {
			if one.Row(i)[j] != two.Row(i)[j] {
				t.Fatalf("row %d differs", i)
			}
		}
	}
}

// The dropped product is max(−Y·Y_Iᵀ, 0).
func TestNegativePart(t *testing.T) {
	const n, k, chosen = 200, 5, 90
	y := noisy[float32](n, k)
	part := newNegativePart(y, chosen)
	dense := newDenseTile()
	for low := 0; low < n; low += kernel.TileRows {
		high := min(low+kernel.TileRows, n)
		for panel := range part.panels() {
			part.tile(dense, low, high, panel)
			for i := low; i < high; i++ {
				for j := panel * kernel.TileColumns; j < min((panel+1)*kernel.TileColumns, chosen); j++ {
					product := 0.0
					for p, v := range y.Row(i) {
						product += float64(v) * float64(y.Row(j)[p])
					}
					got := float64(dense[(i-low)*kernel.TileColumns+j%kernel.TileColumns])
					if want := max(-product, 0); math.Abs(got-want) > 1e-4 {
						t.Fatalf("row %d, column %d: %v, want %v", i, j, got, want)
					}
				}
			}
		}
	}
	for _, workers := range []int{1, 2} {
		if work, _, err := part.operation(workers, n, 0.5)(); err != nil || work != n/2 {
			t.Errorf("%v, %v", work, err)
		}
	}
}

// The factor that anchors are found in is that of B·A·Bᵀ but for 5 % of noise in every value.
func TestNoisyFactor(t *testing.T) {
	options := fewKernels()
	m := options.factorModel(4)
	truth := m.Plant().Truth
	y, rowSums, err := noisyFactor(truth)
	if err != nil {
		t.Fatal(err)
	}
	k, b := truth.Topics, truth.Dense()
	difference, size := 0.0, 0.0
	for i := range truth.Items {
		for j := range truth.Items {
			exact, got := 0.0, 0.0
			for p := range k {
				got += y.Row(i)[p] * y.Row(j)[p]
				for q := range k {
					exact += b[i*k+p] * truth.Correlations[p*k+q] * b[j*k+q]
				}
			}
			difference, size = difference+(got-exact)*(got-exact), size+exact*exact
		}
	}
	if relative := math.Sqrt(difference / size); !(relative > 0.005 && relative < 0.15) {
		t.Errorf("Y·Yᵀ is off by %v", relative)
	}
	if len(rowSums) != truth.Items || &rowSums[0] != &truth.Probabilities[0] {
		t.Error("the row sums are not the truth's")
	}
	times, err := timeStages(context.Background(), y, rowSums, 1)
	if err != nil {
		t.Fatal(err)
	}
	var sum time.Duration
	for stage, took := range times {
		if stage != "" {
			sum += took.wall
		}
	}
	if len(times) < 3 || sum > times[""].wall {
		t.Errorf("stages %v", times)
	}
}

// All documents are collected once, in order, in batches that are not too large.
func TestCollectDocuments(t *testing.T) {
	options := fewKernels()
	m := options.documentModel()
	docs := m.Plant()
	batches, entries, err := collectDocuments(context.Background(), docs)
	if err != nil {
		t.Fatal(err)
	}
	var items []int32
	documents := 0
	for i := range batches {
		items = append(items, batches[i].Items...)
		documents += batches[i].Documents()
		if batches[i].Entries() != len(batches[i].Items) || len(batches[i].Counts) != len(batches[i].Items) {
			t.Errorf("batch %d: %d entries, %d items", i, batches[i].Entries(), len(batches[i].Items))
		}
	}
	at, seen := 0, 0
	err = docs.Pass(context.Background(), func(docs *corpus.Documents) error {
		for _, item := range docs.Items {
			if at >= len(items) || items[at] != item {
				return errors.New("other items")
			}
			at++
		}
		seen += docs.Documents()
		return nil
	})
	if err != nil || at != entries || at != len(items) || seen != documents {
		t.Errorf("%d of %d entries, %d of %d documents: %v", at, entries, documents, seen, err)
	}
}

// A matrix with fewer rows than columns cannot be measured, and says so.
func TestOrthonormalizeTooSmall(t *testing.T) {
	m := &measuring{Options: Options{Items: 4, Runs: 1, Least: 1}}
	err := m.orthonormalize(context.Background(), noisy[float64](4, 9), 1)
	if err == nil || !strings.Contains(err.Error(), "orthonormalize, float64, N = 4, K = 9") {
		t.Errorf("%v", err)
	}
}

func TestMedianPace(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		list      []pace
		wall, cpu float64
	}{
		{[]pace{{3, 1}, {1, 3}, {2, 2}}, 2, 2},
		{[]pace{{4, 1}, {1, 1}, {2, 3}, {3, 3}}, 2.5, 2},
		{[]pace{{1, nan}, {2, 5}, {3, 7}}, 2, 5},
		{[]pace{{9, nan}}, 9, nan},
	} {
		got := medianPace(test.list)
		same := got.cpu == test.cpu || math.IsNaN(got.cpu) && math.IsNaN(test.cpu)
		if got.wall != test.wall || !same {
			t.Errorf("%v: %v", test.list, got)
		}
	}
	if p := paceOf(6, span{wall: 2 * time.Second}); p.wall != 3 || !math.IsNaN(p.cpu) {
		t.Errorf("without processor time: %v", p)
	}
}

// An interruption ends the measurement between two operations.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if records, err := fewKernels().Run(ctx); !errors.Is(err, context.Canceled) || records != nil {
		t.Errorf("%d records, %v", len(records), err)
	}
}
