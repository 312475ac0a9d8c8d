package kernel

import (
	"math/rand/v2"
	"testing"

	"anchorage/matrix"
)

// TestCombineRowsIsAxpyByAxpy holds sums of picked rows, of a matrix and of a table, against one row after the other:
// in bits, since what is accumulated may not depend on how many rows are added at a time.
func TestCombineRowsIsAxpyByAxpy(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, cols := range []int{1, 8, 9, 31, 56, 64, 72, 100, 128, 130, 200, 257} {
		m := randomTall(rng, matrix.BlockRows+77, cols)
		m.Row(3)[0], m.Row(matrix.BlockRows + 5)[cols-1] = awkward[9], awkward[2]
		stride := m.Stride()
		for _, n := range []int{0, 1, 2, 50} {
			rows, weights := make([]int32, n), randomSlice(rng, n)
			table, inTable := make([]float64, 0, n*stride), make([]int32, n)
			for i := range rows {
				rows[i] = int32(rng.IntN(m.Rows()))
				if i < 4 {
					rows[i] = []int32{matrix.BlockRows, 3, matrix.BlockRows - 1, matrix.BlockRows + 5}[i]
				}
				inTable[i] = int32(i)
				table = append(table, m.PaddedRow(int(rows[i]))...)
			}
			want := randomSlice(rng, stride)
			got, fromTable := append([]float64(nil), want...), append([]float64(nil), want...)
			for i, r := range rows {
				Axpy(weights[i], m.PaddedRow(int(r)), want)
			}
			CombineRows(got, m, rows, weights)
			Combine(inTable, weights, table, fromTable)
			for j := range want {
				if !sameBits(got[j], want[j]) || !sameBits(fromTable[j], want[j]) {
					t.Fatalf("%d columns, %d rows: value %d is %v, of a table %v, want %v", cols, n, j, got[j], fromTable[j], want[j])
				}
			}
		}
	}
}

func TestCombineRowsChecks(t *testing.T) {
	m := matrix.NewTall(10, 5)
	for name, call := range map[string]func(){
		"row beyond":    func() { CombineRows(make([]float64, 8), m, []int32{10}, []float64{1}) },
		"negative row":  func() { CombineRows(make([]float64, 8), m, []int32{-1}, []float64{1}) },
		"narrow":        func() { CombineRows(make([]float64, 5), m, []int32{1}, []float64{1}) },
		"other lengths": func() { CombineRows(make([]float64, 8), m, []int32{1}, nil) },
	} {
		if !panics(call) {
			t.Errorf("%s: no panic", name)
		}
	}
}

// TestPrefetchChangesNothing asks for every row of matrices of both precisions, the last one and those without columns
// too.
func TestPrefetchChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	m, single := randomTall(rng, 70, 13), matrix.NewSingle(70, 13)
	before := bitsOf(m)
	empty := matrix.NewTall(3, 0)
	for i := range 70 {
		Prefetch(m, i)
		Prefetch(single, i)
		Prefetch(empty, i%3)
	}
	if bitsOf(m) != before {
		t.Error("rows that were asked for have changed")
	}
}
