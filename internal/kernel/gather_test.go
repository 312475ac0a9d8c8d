package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"anchorage/internal/long"
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

// TestCombineSingles holds sums of rows of single precision against those of double precision, within the rounding of
// one sum after the other.
func TestCombineSingles(t *testing.T) {
	long.Unwatched(t)
	rng := rand.New(rand.NewPCG(6, 3))
	for _, cols := range []int{1, 8, 16, 17, 31, 48, 100, 130, 144, 200, 257, 300, 600} {
		m := randomTall(rng, matrix.BlockRows+77, cols)
		s := matrix.LikeOf[float32](m, m.Cols())
		for i := range m.Rows() {
			for j, v := range m.Row(i) {
				s.Row(i)[j] = float32(v)
			}
		}
		for _, n := range []int{0, 1, 2, 50} {
			rows, weights := make([]int32, n), randomSlice(rng, n)
			for i := range rows {
				rows[i] = int32(rng.IntN(m.Rows()))
				weights[i] = float64(float32(weights[i]))
			}
			got, want, sizes := make([]float32, s.Stride()), make([]float64, s.Stride()), make([]float64, s.Stride())
			for j := range got {
				got[j] = float32(rng.NormFloat64())
				want[j], sizes[j] = float64(got[j]), math.Abs(float64(got[j]))
			}
			for i, r := range rows {
				for j, v := range s.PaddedRow(int(r)) {
					want[j] += weights[i] * float64(v)
					sizes[j] += math.Abs(weights[i] * float64(v))
				}
			}
			CombineSingles(got, s, rows, weights)
			for j := range want {
				if off := math.Abs(float64(got[j]) - want[j]); !(off <= float64(2*n)*0x1p-24*sizes[j]) {
					t.Fatalf("%d columns, %d rows: value %d is %v, want %v", cols, n, j, got[j], want[j])
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
		"single beyond": func() { CombineSingles(make([]float32, 16), matrix.NewSingle(10, 5), []int32{10}, []float64{1}) },
		"single narrow": func() { CombineSingles(make([]float32, 5), matrix.NewSingle(10, 5), []int32{1}, []float64{1}) },
		"no such row": func() {
			CombineRounded([]int32{2}, []float64{1}, make([]float32, 32), 16, make([]float64, 16), 6)
		},
		"rows that overlap": func() {
			CombineRounded([]int32{0}, []float64{1}, make([]float32, 32), 8, make([]float64, 16), 6)
		},
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
		PrefetchValues([]int32{1, 2, 3}[:i%4])
	}
	if bitsOf(m) != before {
		t.Error("rows that were asked for have changed")
	}
}
