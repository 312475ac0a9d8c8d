package infer

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distmv"
)

// Known returns the items and counts of document d, of n tokens, and the mixture that they were drawn with.
func (w *world) Known(d, n int) (items, counts []int32, mixture []float64) {
	source := rand.NewPCG(5, uint64(d))
	mixture = distmv.NewDirichlet(w.alpha, source).Rand(nil)
	k := len(mixture)
	columns := make([][]float64, k) // cumulative
	for t := range columns {
		columns[t] = make([]float64, w.truth.Items)
	}
	row := make([]float64, k)
	for i := range w.truth.Items {
		w.truth.CopyRow(row, i)
		for t, v := range row {
			columns[t][i] = v
		}
	}
	for _, column := range columns {
		floats.CumSum(column, column)
	}
	cumulative, numbers, seen := floats.CumSum(make([]float64, k), mixture), rand.New(source), map[int32]int32{}
	draw := func(from []float64) int {
		return min(sort.SearchFloat64s(from, numbers.Float64()*from[len(from)-1]), len(from)-1)
	}
	for range n {
		seen[int32(draw(columns[draw(cumulative)]))]++
	}
	items = slices.Sorted(maps.Keys(seen))
	for _, item := range items {
		counts = append(counts, seen[item])
	}
	return items, counts, mixture
}
