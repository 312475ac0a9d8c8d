package anchor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/matrix"
)

// denseOf returns Y·Yᵀ.
func denseOf(y *mat.Dense) *matrix.Tall {
	var c mat.Dense
	c.Mul(y, y.T())
	return tallOf(&c)
}

// plainAW follows the published algorithm.
func plainAW(t *testing.T, c *matrix.Tall, k int) twin {
	t.Helper()
	n := c.Rows()
	result := twin{weights: make([]float64, n)}
	rows, masses := make([][]float64, n), make([]float64, k)
	for i := range n {
		for _, v := range c.Row(i) {
			result.weights[i] += v
		}
		for _, v := range c.Row(i) {
			rows[i] = append(rows[i], v/result.weights[i])
		}
	}
	result.anchors, result.pivots = plainPivots(rows, k)
	points := mat.NewDense(k, n, nil)
	for a, s := range result.anchors {
		points.SetRow(a, rows[s])
	}
	for i := range n {
		b := bruteSimplex(t, points, rows[i])
		result.mixtures = append(result.mixtures, b)
		for a := range k {
			masses[a] += b[a] * result.weights[i]
		}
	}
	for i := range n {
		row := make([]float64, k)
		for a := range k {
			row[a] = result.mixtures[i][a] * result.weights[i] / masses[a]
		}
		result.b = append(result.b, row)
	}
	for a, s := range result.anchors {
		row := make([]float64, k)
		for b, r := range result.anchors {
			row[b] = c.Row(s)[r] / result.b[s][a] / result.b[r][b]
		}
		result.correlations = append(result.correlations, row)
	}
	return result
}

// rough returns a dense C of full rank: counts drawn about a planted model.
func rough(seed uint64, n, k int) *matrix.Tall {
	rng := random(seed)
	c := denseOf(plant(rng, n, k).y)
	for i := range n {
		for j := range i + 1 {
			v := c.Row(i)[j] * rng.ExpFloat64()
			c.Row(i)[j], c.Row(j)[i] = v, v
		}
	}
	return c
}

func TestAWAgainstPlainForm(t *testing.T) {
	for seed := range uint64(4) {
		for _, shape := range []struct{ n, k int }{{20, 2}, {41, 4}, {60, 6}} {
			c := rough(seed, shape.n, shape.k)
			got, err := AW(t.Context(), c, Options{Topics: shape.k, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			compareWithTwin(t, got, plainAW(t, c, shape.k))
			row := make([]float64, shape.n)
			for a, s := range got.Anchors {
				if err := got.CharacteristicRow(t.Context(), row, a); err != nil {
					t.Fatal(err)
				}
				for i, v := range row {
					near(t, "a characteristic weight", v, c.Row(s)[i]/got.RowSums[s], 1e-14, 1)
				}
			}
		}
	}
}

// On a C of rank K without negative entries AW and LAW are the same algorithm.
func TestAWAgreesWithLAW(t *testing.T) {
	for _, n := range []int{40, rangeRows + 1} {
		const k = 5
		model := plant(random(uint64(n)), n, k)
		want, err := LAW(t.Context(), tallOf(model.y), nil, Options{RowSums: RowSumsFactor})
		if err != nil {
			t.Fatal(err)
		}
		got, err := AW(t.Context(), denseOf(model.y), Options{Topics: k})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Anchors) != fmt.Sprint(want.Anchors) {
			t.Fatalf("anchors %v, with LAW %v", got.Anchors, want.Anchors)
		}
		for i := range n {
			for a := range k {
				near(t, "B", got.B(i, a), want.B(i, a), 1e-9, 1)
			}
		}
		for at, v := range got.TopicJoint {
			near(t, "A", v, want.TopicJoint[at], 1e-9, 1)
		}
	}
}

func TestAWSameBitsForAnyNumberOfWorkers(t *testing.T) {
	const n, k = rangeRows + 100, 6
	c := rough(3, n, k)
	before, want := c.Copy(n), ""
	for _, workers := range []int{1, 2, 3, 7} {
		got, err := AW(t.Context(), c, Options{Topics: k, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = bits(got)
		}
		if bits(got) != want {
			t.Fatalf("%d workers: result differs", workers)
		}
	}
	unchanged(t, c, before)
}

func TestAWRefuses(t *testing.T) {
	const n, k = 40, 4
	change := func(fn func(c *matrix.Tall)) *matrix.Tall {
		c := rough(1, n, k)
		fn(c)
		return c
	}
	name := func(i int) string { return fmt.Sprintf("word%d", i) }
	for _, c := range []struct {
		name string
		c    *matrix.Tall
		opts Options
		text string
	}{
		{"no topics", rough(1, n, k), Options{}, "anchor: number of topics is 0: there must be at least 2"},
		{"too many topics", matrix.NewTall(3, 3), Options{Topics: 4}, "anchor: 4 topics asked for, but there are only 3 " +
			"items"},
		{"NaN", change(func(c *matrix.Tall) { c.Row(5)[7] = math.NaN() }), Options{Topics: k, Name: name},
			`anchor: items "word5", "word7": their entry of the co-occurrence matrix is NaN`},
		{"infinite", change(func(c *matrix.Tall) { c.Row(5)[7] = math.Inf(1) }), Options{Topics: k},
			"anchor: items 5, 7: their entry of the co-occurrence matrix is +Inf"},
		{"negative", change(func(c *matrix.Tall) { c.Row(5)[7] = -1 }), Options{Topics: k},
			"anchor: items 5, 7: their entry of the co-occurrence matrix is -1"},
		{"overflow", change(func(c *matrix.Tall) { c.Row(5)[7], c.Row(5)[8] = 1.5e308, 1.5e308 }), Options{Topics: k},
			"anchor: item 5: its row sum is +Inf"},
		{"zeros", matrix.NewTall(n, n), Options{Topics: k}, "anchor: 4 topics asked for, but only 0 items may become " +
			"anchors (positive weight, document frequency at least 0)"},
		{"low rank", denseOf(plant(random(1), n, 3).y), Options{Topics: 5},
			"anchor: 5 topics asked for, but the co-occurrence rows of the candidates have only rank 3"},
	} {
		if _, err := AW(t.Context(), c.c, c.opts); err == nil || err.Error() != c.text {
			t.Errorf("%s: error %q, want %q", c.name, err, c.text)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := AW(cancelled, rough(1, n, k), Options{Topics: k}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for text, call := range map[string]func(){
		"anchor: not a square matrix": func() {
			_, _ = AW(t.Context(),
				matrix.NewTall(3, 4), Options{})
		},
		"anchor: number of document frequencies is not the number of items": func() {
			_, _ = AW(t.Context(), rough(1, n, k),
				Options{Topics: k, MinDF: 2})
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

// Items that come together with no other take no part.
func TestAWItemsWithoutWeight(t *testing.T) {
	const n, k = 50, 3
	inner := rough(5, n, k)
	c := matrix.NewTall(n+2, n+2)
	for i := range n {
		copy(c.Row(i + 1)[1:], inner.Row(i))
	}
	got, err := AW(t.Context(), c, Options{Topics: k})
	if err != nil {
		t.Fatal(err)
	}
	want, err := AW(t.Context(), inner, Options{Topics: k})
	if err != nil {
		t.Fatal(err)
	}
	if got.Stats.Weightless != 2 || got.Stats.Solver.Problems != n {
		t.Errorf("%+v: want 2 items without weight, %d with", got.Stats, n)
	}
	for i := range n {
		for a := range k {
			near(t, "B", got.B(i+1, a), want.B(i, a), 1e-10, 1)
		}
	}
}
