package anchor

import (
	"context"
	"math"
	"testing"

	"anchorage/internal/kernel"
)

// resamplesOf returns the sums of n resamples that are all like the documents themselves: rows and their mean in the coordinates of y,
// for a C of exactly Y·Yᵀ.
func resamplesOf(t *testing.T, model planted, items []int, n int) (sums, rows, means []float64) {
	t.Helper()
	y := tallOf(model.y)
	k := y.Cols()
	gram := kernel.Gram(t.Context(), y, y, 1)
	for range n + 1 {
		for _, i := range items {
			sums = append(sums, model.rowSums[i])
			rows = append(rows, kernel.Times(t.Context(), y.Row(i), gram, 1, k, k)...)
		}
		means = append(means, kernel.Times(t.Context(), kernel.ColumnSums(context.Background(), y, 1), gram, 1, k, k)...)
	}
	return sums, rows, means
}

// In resamples that are like the documents every topic is found, and shares stay. Where a resample lacks the items of a topic, it is not
// found and has no share. Where the mean row is that of other shares, these change towards them.
func TestResamplesOfAnExactModel(t *testing.T) {
	const items, k, n = 400, 4, 5
	model := plant(random(8), items, k)
	topics, err := LAW(t.Context(), tallOf(model.y), model.rowSums, Options{RowSums: RowSumsExact, Polish: true})
	if err != nil {
		t.Fatal(err)
	}
	search, err := topics.Resampling(t.Context(), ResamplingOptions{Probabilities: model.rowSums, SamplingVariance: make([]float64, items), Candidates: 6})
	if err != nil {
		t.Fatal(err)
	}
	if most := MostCandidates(k, 6); len(search.Items) > most || len(search.Items) < 2*k {
		t.Errorf("%d candidates, at most %d", len(search.Items), most)
	}
	sums, rows, means := resamplesOf(t, model, search.Items, n)
	const lacking, shifted, gone, grown = 1, 3, 2, 0
	for place, i := range search.Items {
		if topics.Mixtures.Row(i)[gone] > 0.3 {
			sums[lacking*len(search.Items)+place] = 0
		}
	}
	anchor := -1
	for place, i := range search.Items {
		if i == topics.Anchors[grown] {
			anchor = place
		}
	}
	if anchor < 0 {
		t.Fatal("the anchor is no candidate")
	}
	for j := range k { // a tenth more of the documents is like the anchor's row
		row := rows[anchor*k+j] / sums[anchor]
		means[shifted*k+j] = 0.9*means[shifted*k+j] + 0.1*row
	}
	s, err := search.Evaluate(t.Context(), n, sums, rows, means)
	if err != nil {
		t.Fatal(err)
	}
	for topic := range k {
		want := 1.0
		if topic == gone {
			want = 1 - 1.0/n
		}
		if math.Abs(s.Found[topic]-want) > 1e-12 {
			t.Errorf("topic %d is found in %v of the resamples, want %v", topic, s.Found[topic], want)
		}
		if move := s.Moves[lacking*k+topic]; math.IsNaN(move) != (topic == gone) {
			t.Errorf("topic %d moves by %v in a resample without topic %d", topic, move, gone)
		}
		for _, like := range []int{0, 2, 4} {
			near(t, "a move", s.Moves[like*k+topic], 0, 1e-9, 1)
		}
	}
	total := 0.0
	for topic, move := range s.Moves[shifted*k : (shifted+1)*k] {
		total += move
		if topic == grown && !(move > 0.05 && move < 0.2) || topic != grown && move > 0.02 {
			t.Errorf("topic %d moves by %v where topic %d has a tenth more", topic, move, grown)
		}
	}
	near(t, "the sum of the moves", total, 0, 0.02, 1)
}
