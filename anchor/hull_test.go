package anchor

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"anchorage/matrix"
)

// someRows returns the rows of a factor with items in k groups, and 5 guard directions.
func someRows(t *testing.T, n, k, workers int) *Rows {
	t.Helper()
	y, p := matrix.NewTall(n, k), make([]float64, n)
	guards := matrix.NewSingle(n, 5)
	for i := range n {
		p[i] = 1 / float64(n)
		for j := range k {
			y.Row(i)[j] = (0.2 + 0.1*math.Sin(float64(i*(j+3)))) / float64(n)
			if i%k == j {
				y.Row(i)[j] = (3 + math.Cos(float64(i*7+j))) / float64(n)
			}
		}
		for j := range guards.Row(i) {
			guards.Row(i)[j] = float32(math.Sin(float64((i+1)*(j+5)))) / float32(math.Sqrt(float64(n)))
		}
		if i%97 == 5 {
			clear(y.Row(i)) // an item without weight
			p[i] = 0
		}
	}
	rows, err := NewRows(t.Context(), y, RowsOptions{Probabilities: p, Guards: guards, GuardValues: []float64{5e-4, 4e-4,
		3e-4, 2e-4, 1e-4}, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func corners(t *testing.T, rows *Rows, groups ...[]int) [][]float64 {
	t.Helper()
	var list [][]float64
	for _, group := range groups {
		corner, err := rows.Tandem(t.Context(), group)
		if err != nil || corner == nil {
			t.Fatalf("%v: %v", group, err)
		}
		list = append(list, corner)
	}
	return list
}

// TestMoveAgainstNaive wants a hull whose corners were moved to have the mixtures of one that was solved from nothing.
func TestMoveAgainstNaive(t *testing.T) {
	for _, n := range []int{40, 511, 512, 1500} {
		rows := someRows(t, n, 8, 0)
		begun := corners(t, rows, []int{0, 8}, []int{1}, []int{2, 10, 18}, []int{3}, []int{4, 12})
		joined := corners(t, rows, []int{6, 14}, []int{7})
		h, err := NewHull(t.Context(), rows, begun, nil)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := h.Move(t.Context(), []int{1, 4}, joined)
		if err != nil {
			t.Fatal(err)
		}
		left, err := moved.Move(t.Context(), []int{5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			h   *Hull
			ids []int
		}{{moved, []int{0, 2, 3, 5, 6}}, {left, []int{0, 2, 3, 6}}} {
			var list [][]float64
			for _, id := range c.ids {
				list = append(list, c.h.Corner(id))
			}
			naive, err := NewHull(t.Context(), rows, list, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				a, b, total := make([]float64, 7), make([]float64, len(list)), 0.0
				c.h.Mixture(a, i)
				naive.Mixture(b, i)
				for at, id := range c.ids {
					if math.Abs(a[id]-b[at]) > 1e-6 {
						t.Fatalf("%d items, item %d: the share of corner %d is %v, and solved from nothing %v", n, i, id, a[id], b[at])
					}
					total += a[id]
				}
				if weight := rows.Weight(i); weight > 0 && math.Abs(total-1) > 1e-9 || weight <= 0 && total != 0 {
					t.Fatalf("%d items, item %d of weight %v: the shares sum to %v", n, i, weight, total)
				}
			}
		}
		if all := h.Solved; moved.Solved == 0 || moved.Solved > all || left.Solved >= all {
			t.Errorf("%d items: %d rows were solved, then %d and %d", n, all, moved.Solved, left.Solved)
		}
	}
}

// TestHullOfWorkers wants the same bits from any number of workers, and a hull that stays as it was when corners move.
func TestHullOfWorkers(t *testing.T) {
	var first *Hull
	for _, workers := range []int{1, 3} {
		rows := someRows(t, 2000, 6, workers)
		h, err := NewHull(t.Context(), rows, corners(t, rows, []int{0}, []int{1}, []int{2}), nil)
		if err != nil {
			t.Fatal(err)
		}
		next, err := h.Move(t.Context(), []int{0}, corners(t, rows, []int{3, 9}))
		if err != nil {
			t.Fatal(err)
		}
		if h.Corner(0) == nil || next.Corner(0) != nil || next.Corners() != 4 {
			t.Fatal("a corner was lost, or stayed")
		}
		if first == nil {
			first = next
			continue
		}
		for i := range 2000 {
			ids, shares := first.Entries(i)
			others, theirs := next.Entries(i)
			if !slices.Equal(ids, others) || !slices.Equal(shares, theirs) {
				t.Fatalf("item %d differs with %d workers", i, workers)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := first.Move(ctx, []int{1}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted move: %v", err)
	}
}

// TestFarthest wants the row that corners explain least.
func TestFarthest(t *testing.T) {
	rows := someRows(t, 300, 5, 0)
	h, err := NewHull(t.Context(), rows, corners(t, rows, []int{0}, []int{1}, []int{2}), nil)
	if err != nil {
		t.Fatal(err)
	}
	even := func(i int) bool { return i%2 == 0 }
	found, err := h.Farthest(t.Context(), even)
	if err != nil {
		t.Fatal(err)
	}
	best, most := -1, 0.0
	for i := 0; i < 300; i += 2 {
		if !(rows.Weight(i) > 0) {
			continue
		}
		row, mixture := make([]float64, rows.Width()), make([]float64, 3)
		rows.row(row, i)
		h.Mixture(mixture, i)
		square := 0.0
		for j, v := range row {
			for id, share := range mixture {
				v -= share * h.Corner(id)[j]
			}
			square += v * v
		}
		if score := square * rows.Weight(i); score > most {
			best, most = i, score
		}
	}
	if found.Item != best || found.Certain {
		t.Errorf("found %+v, not %d", found, best)
	}
	if none, err := h.Farthest(t.Context(), func(int) bool { return false }); err != nil || none.Item != -1 {
		t.Errorf("none is allowed, but %+v was found: %v", none, err)
	}
}

// TestFixedCorners wants fixed groups to be the first corners of LAW, at the mean of their rows, pivots elsewhere, and
// banned items to be none.
func TestFixedCorners(t *testing.T) {
	for _, polish := range []bool{false, true} {
		model := plant(random(3), 120, 6)
		y := tallOf(disturb(random(3), model.y, 0.05))
		free, err := LAW(t.Context(), y, model.rowSums, Options{Topics: 6, RowSums: RowSumsExact, Polish: polish})
		if err != nil {
			t.Fatal(err)
		}
		group := []int{free.Anchors[2], free.Anchors[4]}
		opts := Options{Topics: 6, RowSums: RowSumsExact, Polish: polish, Fixed: [][]int{{free.Anchors[5]}, group},
			Banned: []int{free.Anchors[0]}}
		got, err := LAW(t.Context(), y, model.rowSums, opts)
		if err != nil {
			t.Fatal(err)
		}
		if got.Anchors[0] != free.Anchors[5] || !slices.Contains(group, got.Anchors[1]) {
			t.Errorf("polish %v: the anchors are %v, without what was fixed %v", polish, got.Anchors, free.Anchors)
		}
		for k, item := range got.Anchors {
			if item == free.Anchors[0] || k > 1 && slices.Contains(group, item) {
				t.Errorf("polish %v: item %d is an anchor", polish, item)
			}
		}
		if !polish { // the group's items are on both sides of their mean
			for _, i := range group {
				if share := got.Mixtures.Row(i)[1]; share < 0.3 {
					t.Errorf("item %d of the group has %v of its topic", i, share)
				}
			}
		}
		if other, err := LAW(t.Context(), y, model.rowSums, Options{Topics: 6, RowSums: RowSumsExact, Fixed: [][]int{{1},
			{1}}}); err == nil {
			t.Errorf("the same corner twice: %v", other.Anchors)
		}
	}
}

// Mixture sets dst, a value per id that was ever given, to the mixture of item i; that of an item without weight is 0.
func (h *Hull) Mixture(dst []float64, i int) {
	clear(dst[:len(h.corners)])
	ids, shares := h.parts[i/rangeRows].entries(i % rangeRows)
	for e, id := range ids {
		dst[id] = shares[e]
	}
}
