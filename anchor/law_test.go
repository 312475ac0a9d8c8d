package anchor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/aligned"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/matrix"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// near fails the test unless got is want up to tolerance, relative to scale.
func near(t *testing.T, what string, got, want, tolerance, scale float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*scale) {
		t.Fatalf("%s is %v, want %v (difference %.3g, allowed %.3g)", what, got, want, math.Abs(got-want), tolerance*scale)
	}
}

func compareWithTwin(t *testing.T, got *Topics, want twin) {
	t.Helper()
	if fmt.Sprint(got.Anchors) != fmt.Sprint(want.anchors) {
		t.Fatalf("anchors %v, want %v", got.Anchors, want.anchors)
	}
	row := make([]float64, got.K)
	for k := range got.K {
		near(t, "a pivot", got.Pivots[k], want.pivots[k], 1e-8, want.pivots[0])
		for l := range got.K {
			near(t, "an entry of A", got.TopicJoint[k*got.K+l], want.correlations[k][l], 1e-8, max(1, want.correlations[k][k]))
		}
	}
	for i := range want.b {
		near(t, "a weight", got.RowSums[i], want.weights[i], 1e-12, 1)
		got.BRow(row, i)
		for k := range got.K {
			near(t, fmt.Sprintf("mixture %d,%d", i, k), got.Mixtures.Row(i)[k], want.mixtures[i][k], 1e-8, 1)
			near(t, fmt.Sprintf("B %d,%d", i, k), row[k], want.b[i][k], 1e-8, 1)
		}
	}
}

func TestLAWAgainstPlainForm(t *testing.T) {
	negativeRows, negativeEntries := 0, int64(0)
	seeds := uint64(12)
	if !long.Tier() {
		seeds = 4
	}
	for seed := range seeds {
		for _, shape := range []struct{ n, k int }{{30, 2}, {61, 4}, {120, 6}} {
			rng := random(seed)
			model := plant(rng, shape.n, shape.k)
			y := disturb(rng, model.y, 0.15)
			for _, rowSums := range []RowSums{RowSumsExact, RowSumsFactor} {
				exact := model.rowSums
				if rowSums == RowSumsFactor {
					exact = nil
				}
				want := plainLAW(t, y, exact, shape.k, nil)
				got, err := LAW(t.Context(), tallOf(y), exact, Options{RowSums: rowSums, Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				compareWithTwin(t, got, want)
				negativeRows += got.Stats.Correction.Negative
				negativeEntries += got.Stats.Correction.Entries
			}
		}
	}
	if negativeRows < int(5*seeds/3) || negativeEntries < int64(400*seeds) {
		t.Errorf("%d negative row sums and %d negative entries: the test hardly tests their correction", negativeRows,
			negativeEntries)
	}
}

func TestLAWWithFewerTopicsThanColumnsAndMinDF(t *testing.T) {
	rng := random(3)
	const n, columns, k = 90, 7, 5
	y := disturb(rng, plant(rng, n, columns).y, 0.1)
	frequency := make([]int64, n)
	for i := range frequency {
		frequency[i] = int64(i % 4)
	}
	want := plainLAW(t, y, nil, k, func(i int) bool { return frequency[i] >= 2 })
	got, err := LAW(t.Context(), tallOf(y), nil, Options{Topics: k, RowSums: RowSumsFactor, MinDF: 2,
		DocumentFrequency: frequency})
	if err != nil {
		t.Fatal(err)
	}
	compareWithTwin(t, got, want)
}

// The factor may have columns of zero, or ones that depend on others, as long as its rank is enough.
func TestLAWWithDependentColumns(t *testing.T) {
	rng := random(4)
	const n, k = 70, 4
	model := plant(rng, n, k)
	full := disturb(rng, model.y, 0.1)
	wide := mat.NewDense(n, k+2, nil)
	for i := range n {
		for j := range k {
			wide.Set(i, j, full.At(i, j))
		}
		wide.Set(i, k+1, full.At(i, 0)) // C gains the square of column 0
	}
	// The same C from k independent columns.
	scaled := mat.DenseCopyOf(full)
	for i := range n {
		scaled.Set(i, 0, full.At(i, 0)*math.Sqrt2)
	}
	want := plainLAW(t, scaled, model.rowSums, k, nil)
	got, err := LAW(t.Context(), tallOf(wide), model.rowSums, Options{RowSums: RowSumsExact, Topics: k})
	if err != nil {
		t.Fatal(err)
	}
	compareWithTwin(t, got, want)
}

// A factor that was cut from a wider matrix has its rows further apart; only the values count.
func TestLAWWithRowsFarApart(t *testing.T) {
	const n, k, wide = 60, 4, 20
	rng := random(8)
	model := plant(rng, n, k)
	y := disturb(rng, model.y, 0.15)
	cut, first := matrix.NewTall(n, wide), make([]float64, wide*k)
	for i := range n {
		copy(cut.Row(i), y.RawRowView(i))
	}
	for j := range k {
		first[j*k+j] = 1
	}
	kernel.Transform(context.Background(), cut, first, k, 1)
	if cut.Stride() == aligned.Columns[float64](k) {
		t.Fatal("the rows are not far apart")
	}
	for _, rowSums := range []RowSums{RowSumsExact, RowSumsFactor} {
		want, err := LAW(t.Context(), tallOf(y), model.rowSums, Options{RowSums: rowSums})
		if err != nil {
			t.Fatal(err)
		}
		got, err := LAW(t.Context(), cut, model.rowSums, Options{RowSums: rowSums})
		if err != nil {
			t.Fatal(err)
		}
		if bits(got) != bits(want) {
			t.Error("result differs")
		}
	}
}

func TestLAWRecoversPlantedModel(t *testing.T) {
	// Around a boundary of ranges and of blocks.
	for _, n := range []int{40, rangeRows - 1, rangeRows, rangeRows + 1, matrix.BlockRows - 1, matrix.BlockRows,
		matrix.BlockRows + 1} {
		for _, rowSums := range []RowSums{RowSumsExact, RowSumsFactor} {
			const k = 5
			model := plant(random(uint64(n)), n, k)
			got, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: rowSums})
			if err != nil {
				t.Fatal(err)
			}
			topicOf := make(map[int]int)
			for topic, item := range model.anchor {
				topicOf[item] = topic
			}
			row, sums := make([]float64, k), make([]float64, k)
			for i := range n {
				got.BRow(row, i)
				total := 0.0
				for a, s := range got.Anchors {
					topic, known := topicOf[s]
					if !known {
						t.Fatalf("n=%d: item %d is no planted anchor", n, s)
					}
					near(t, "B", row[a], model.b.At(i, topic), 1e-9, 1)
					near(t, "B(i,k)", got.B(i, a), row[a], 0, 1)
					sums[a] += row[a]
					total += got.Mixtures.Row(i)[a]
				}
				near(t, "sum of a mixture", total, 1, 1e-14, 1)
			}
			for a, s := range got.Anchors {
				near(t, "sum of a topic", sums[a], 1, 1e-12, 1)
				for b, r := range got.Anchors {
					near(t, "A", got.TopicJoint[a*k+b], model.a.At(topicOf[s], topicOf[r]), 1e-9, 1)
				}
			}
			if n <= 1000 {
				checkCharacteristic(t, got, model)
			}
		}
	}
}

// checkCharacteristic compares characteristic rows with C̄.
func checkCharacteristic(t *testing.T, got *Topics, model planted) {
	t.Helper()
	n := len(model.rowSums)
	dst := make([]float64, n)
	for k, s := range got.Anchors {
		if err := got.CharacteristicRow(t.Context(), dst, k); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			c := mat.Dot(model.y.RowView(s), model.y.RowView(i))
			near(t, "a characteristic weight", dst[i], max(c, 0)/model.rowSums[s], 1e-12, 1)
		}
	}
}

// bits writes everything a result holds, to the last bit.
func bits(topics *Topics) string {
	var out strings.Builder
	for i := range topics.Mixtures.Rows() {
		for _, v := range topics.Mixtures.Row(i) {
			fmt.Fprintf(&out, "%x ", math.Float64bits(v))
		}
	}
	fmt.Fprintf(&out, "%v %x %x %x %x %x %+v", topics.Anchors, topics.Pivots, topics.RowSums, topics.Masses, topics.Prior,
		topics.TopicJoint, topics.Stats)
	return out.String()
}

// unchanged fails the test unless a matrix is as it was before.
func unchanged(t *testing.T, m, before *matrix.Tall) {
	t.Helper()
	for i := range before.Rows() {
		if !slices.Equal(m.Row(i), before.Row(i)) {
			t.Fatal("the input was modified")
		}
	}
}

func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	const n, k = matrix.BlockRows + 3*rangeRows + 1, 7
	for _, rowSums := range []RowSums{RowSumsExact, RowSumsFactor} {
		rng := random(11)
		model := plant(rng, n, k)
		y := tallOf(disturb(rng, model.y, 0.2))
		before := y.Copy(k)
		var want string
		for _, workers := range []int{1, 2, 3, 7} {
			got, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: rowSums, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = bits(got)
				if rowSums == RowSumsFactor && got.Stats.Correction.Rows <= correctedChunk {
					t.Errorf("only %d rows corrected: the test does not cross a chunk's boundary", got.Stats.Correction.Rows)
				}
			}
			if bits(got) != want {
				t.Fatalf("%d workers: result differs", workers)
			}
		}
		unchanged(t, y, before)
	}
}

// Items of the vocabulary that never occur have no row to divide; they take no part.
func TestItemsWithoutWeight(t *testing.T) {
	for _, rowSums := range []RowSums{RowSumsExact, RowSumsFactor} {
		const n, k = 50, 3
		model := plant(random(5), n, k)
		extended := matrix.NewTall(n+2, k)
		for i := range n {
			copy(extended.Row(i+1), model.y.RawRowView(i))
		}
		exact := append(append([]float64{0}, model.rowSums...), -1e-9)
		got, err := LAW(t.Context(), extended, exact, Options{RowSums: rowSums})
		if err != nil {
			t.Fatal(err)
		}
		want, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: rowSums})
		if err != nil {
			t.Fatal(err)
		}
		if got.Stats.Weightless != 2 || got.Stats.Solver.Problems != n {
			t.Errorf("%+v: want 2 items without weight, %d with", got.Stats, n)
		}
		for _, i := range []int{0, n + 1} {
			for a := range k {
				near(t, "mixture of an item without weight", got.Mixtures.Row(i)[a], got.Prior[a], 0, 1)
				near(t, "B of an item without weight", got.B(i, a), 0, 0, 1)
			}
		}
		for i := range n {
			for a := range k {
				near(t, "B", got.B(i+1, a), want.B(i, a), 1e-12, 1)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	const n, k = 40, 4
	model := plant(random(6), n, k)
	tall := func(change func(y *mat.Dense)) *matrix.Tall {
		y := mat.DenseCopyOf(model.y)
		if change != nil {
			change(y)
		}
		return tallOf(y)
	}
	sums := func(i int, v float64) []float64 {
		changed := append([]float64(nil), model.rowSums...)
		changed[i] = v
		return changed
	}
	name := func(i int) string { return fmt.Sprintf("word%d", i) }
	two := make([]int64, n)
	two[3], two[4] = 9, 9
	thin := make([]int64, n) // candidates: five copies of three rows
	for i := range 5 {
		thin[i] = 9
	}
	cases := []struct {
		name    string
		y       *matrix.Tall
		rowSums []float64
		opts    Options
		rank    int // of the RankError; 0: none
		items   []int
		text    string
	}{
		{"no columns", matrix.NewTall(n, 0), model.rowSums, Options{RowSums: RowSumsExact}, 0, nil,
			"anchor: number of topics is 0: there must be at least 2"},
		{"one topic", tall(nil), model.rowSums, Options{RowSums: RowSumsExact, Topics: 1}, 0, nil,
			"anchor: number of topics is 1: there must be at least 2"},
		{"more topics than columns", tall(nil), model.rowSums, Options{RowSums: RowSumsExact, Topics: 5}, 4, nil,
			"anchor: 5 topics asked for, but the factor has only 4 columns"},
		{"more topics than items", tallOf(model.y.Slice(0, 3, 0, k)), model.rowSums[:3],
			Options{RowSums: RowSumsExact}, 3, nil,
			"anchor: 4 topics asked for, but there are only 3 items"},
		{"no items", matrix.NewTall(0, k), nil, Options{RowSums: RowSumsFactor}, -1, nil,
			"anchor: 4 topics asked for, but there are only 0 items"},
		{"zero factor", matrix.NewTall(n, k), model.rowSums, Options{RowSums: RowSumsExact}, -1, nil,
			"anchor: 4 topics asked for, but the factor has only rank 0"},
		{"dependent columns", tall(func(y *mat.Dense) {
			for i := range n {
				y.Set(i, 2, y.At(i, 0)-3*y.At(i, 1))
			}
		}), model.rowSums, Options{RowSums: RowSumsExact}, 3, nil,
			"anchor: 4 topics asked for, but the factor has only rank 3"},
		{"few candidates", tall(nil), model.rowSums, Options{RowSums: RowSumsExact, MinDF: 5, DocumentFrequency: two}, 2, nil,
			"anchor: 4 topics asked for, but only 2 items may become anchors (positive weight, document frequency at least 5)"},
		{"candidates of low rank", tall(func(y *mat.Dense) {
			y.SetRow(3, y.RawRowView(0))
			y.SetRow(4, y.RawRowView(1))
		}), model.rowSums, Options{RowSums: RowSumsExact, MinDF: 5, DocumentFrequency: thin}, 3, nil,
			"anchor: 4 topics asked for, but the co-occurrence rows of the candidates have only rank 3"},
		{"NaN in the factor", tall(func(y *mat.Dense) { y.Set(7, 1, math.NaN()) }), model.rowSums,
			Options{RowSums: RowSumsExact, Name: name}, 0, []int{7},
			`anchor: item "word7": its row of the factor holds NaN`},
		{"Inf in the factor", tall(func(y *mat.Dense) { y.Set(9, 1, math.Inf(-1)); y.Set(8, 0, math.Inf(1)) }), nil,
			Options{RowSums: RowSumsFactor}, 0, []int{8},
			"anchor: item 8: its row of the factor holds +Inf"},
		{"NaN row sum", tall(nil), sums(6, math.NaN()), Options{RowSums: RowSumsExact}, 0, []int{6},
			"anchor: item 6: its row sum is NaN"},
		{"infinite row sum", tall(nil), sums(6, math.Inf(1)), Options{RowSums: RowSumsExact}, 0, []int{6},
			"anchor: item 6: its row sum is +Inf"},
		{"overflowing row sum", tall(func(y *mat.Dense) {
			for i := range n {
				y.SetRow(i, []float64{1e200, 1e200, 1, 1})
			}
		}), nil, Options{RowSums: RowSumsFactor}, 0, []int{0}, "anchor: item 0: its row sum is +Inf"},
		{"tiny row sum of a candidate", tall(nil), sums(6, 5e-324), Options{RowSums: RowSumsExact}, 0, []int{6},
			"anchor: item 6: its row sum is too small to divide its row by"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			topics, err := LAW(t.Context(), c.y, c.rowSums, c.opts)
			if err == nil || err.Error() != c.text || topics != nil {
				t.Fatalf("error %q, want %q", err, c.text)
			}
			var rank *RankError
			if errors.As(err, &rank) != (c.rank != 0) || (rank != nil && (rank.Rank != max(c.rank, 0) || rank.Topics == 0)) {
				t.Errorf("%#v: want a RankError with rank %d", err, c.rank)
			}
			var item *ItemError
			if errors.As(err, &item) != (c.items != nil) || (item != nil && fmt.Sprint(item.Items) != fmt.Sprint(c.items)) {
				t.Errorf("%#v: want an ItemError about %v", err, c.items)
			}
		})
	}
}

// An item that may not be an anchor can have a row sum too small to divide by, which shows only when its mixture is
// sought.
func TestTinyRowSumOutsideTheCandidates(t *testing.T) {
	const n, k = 40, 3
	model := plant(random(6), n, k)
	frequency := make([]int64, n)
	for i := range frequency {
		frequency[i] = 2
	}
	frequency[5], model.rowSums[5] = 1, 1e-320
	_, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: RowSumsExact, MinDF: 2,
		DocumentFrequency: frequency})
	want := "anchor: item 5: its row sum is too small to divide its row by"
	if err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// Of two items that nearly always come together both are selected when there is nothing else; they are named.
func TestAnchorsThatAreTheSame(t *testing.T) {
	const n, k = 40, 4
	model := plant(random(6), n, k)
	frequency := make([]int64, n)
	for i := range 4 {
		frequency[i] = 9
	}
	row := append([]float64(nil), model.y.RawRowView(0)...)
	row[1] += 1e-9 * row[0]
	model.y.SetRow(3, row)
	model.rowSums[3] = model.rowSums[0]
	_, err := LAW(t.Context(), tallOf(model.y), model.rowSums,
		Options{RowSums: RowSumsExact, MinDF: 5, DocumentFrequency: frequency,
			Name: func(i int) string { return string(rune('a' + i)) }})
	for _, part := range []string{`"a"`, `"d"`, "selected as anchors, but their co-occurrence rows are the same"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not contain %q", err, part)
		}
	}
}

func TestAnchorsThatCannotBeCorners(t *testing.T) {
	x := matrix.NewTall(3, 2)
	copy(x.Row(0), []float64{1, 0})
	copy(x.Row(2), []float64{1, 1})
	for _, c := range []struct {
		weights []float64
		anchors []int
		text    string
	}{
		{[]float64{1, 1, 0}, []int{0, 2}, "anchor: item 2: selected as an anchor, but its row sum is 0"},
		{[]float64{1, 1, -1}, []int{0, 2}, "anchor: item 2: selected as an anchor, but its row sum is -1"},
		{[]float64{1, 1, 1}, []int{0, 1}, "anchor: item 1: selected as an anchor, but its co-occurrence row has norm 0"},
	} {
		_, err := anchorRows(t.Context(), x, c.weights, apart(c.anchors), &Options{})
		if err == nil || err.Error() != c.text {
			t.Errorf("error %q, want %q", err, c.text)
		}
		if item := new(ItemError); !errors.As(err, &item) || item.Fault != NoCorner {
			t.Errorf("%#v: want the fault %v", err, NoCorner)
		}
	}
	topics := &Topics{K: 2, Anchors: []int{0, 2}, Mixtures: x, RowSums: []float64{1, 1, 0}, factor: x}
	x.Clear()
	x.Row(0)[0] = 1
	err := topics.complete(t.Context(), &Options{})
	want := "anchor: item 2: the topic of this anchor has weight 0, and its anchor 0"
	if err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestWrongShapesPanic(t *testing.T) {
	model := plant(random(1), 30, 2)
	y := tallOf(model.y)
	topics, err := LAW(t.Context(), y, model.rowSums, Options{RowSums: RowSumsExact})
	if err != nil {
		t.Fatal(err)
	}
	for text, call := range map[string]func(){
		"anchor: number of row sums is not the number of items": func() {
			_, _ = LAW(t.Context(), y, nil,
				Options{RowSums: RowSumsExact})
		},
		"anchor: number of document frequencies is not the number of items": func() {
			_, _ = LAW(t.Context(), y,
				model.rowSums, Options{RowSums: RowSumsExact, MinDF: 2})
		},
		"anchor: length of a row of B is not the number of topics": func() { topics.BRow(make([]float64, 3), 0) },
		"anchor: length of a characteristic row is not the number of items": func() {
			_ = topics.CharacteristicRow(t.Context(), make([]float64, 29), 0)
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != text {
					t.Errorf("panic %v, want %q", got, text)
				}
			}()
			call()
		}()
	}
}

func TestCancel(t *testing.T) {
	model := plant(random(1), 30, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LAW(ctx, tallOf(model.y), model.rowSums,
		Options{RowSums: RowSumsExact}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func BenchmarkLAW(b *testing.B) {
	const n, k = 100_000, 100
	for name, rowSums := range map[string]RowSums{"exact": RowSumsExact, "factor": RowSumsFactor} {
		b.Run(name, func(b *testing.B) {
			rng := random(1)
			model := plant(rng, n, k)
			y := tallOf(disturb(rng, model.y, 0.1))
			var topics *Topics
			for b.Loop() {
				var err error
				if topics, err = LAW(context.Background(), y, model.rowSums, Options{RowSums: rowSums, Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(topics.Stats.Correction.Rows), "corrected-rows")
			b.ReportMetric(float64(topics.Stats.Correction.Entries), "corrections")
			b.ReportMetric(float64(topics.Stats.Solver.Iterations)/n, "iterations/item")
		})
	}
}
