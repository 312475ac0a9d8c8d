// This file holds products of single precision against those of double precision.

package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"anchorage/matrix"
)

// TestSingleAgainstDouble runs all operations on matrices of single precision. Sums over rows must stay near those of
// double precision however many rows there are, which they would not if they were carried on in single precision.
func TestSingleAgainstDouble(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, rows := range append(sizes, pieceRows, pieceRows+1, 70*pieceRows) {
		for _, shape := range [][2]int{{1, 1}, {3, 16}, {17, 25}, {24, 30}} {
			if rows > 10*pieceRows && shape[0] > 3 {
				continue
			}
			double, s := randomTall(rng, rows, shape[0]), randomSlice(rng, shape[0]*shape[1])
			a := matrix.Converted[float32](double.Copy(shape[0]))
			// What is lost in conversion does not matter here.
			if double = matrix.Converted[float64](a.Copy(shape[0])); double.Rows() != rows {
				t.Fatalf("%d rows of %d were converted", double.Rows(), rows)
			}
			checkSingle(t, rows, Gram(context.Background(), a, a, 2), Gram(context.Background(), double, double, 2),
				1e-12*float64(rows+1))
			checkSingle(t, rows, WeightedColumnSums(context.Background(), a, nil, 2), WeightedColumnSums(context.Background(),
				double, nil, 2), 1e-12*float64(rows+1))
			checkSingle(t, rows, SquaredNorms(context.Background(), a, 2), SquaredNorms(context.Background(), double, 2), 1e-12)
			product, want := matrix.NewSingle(rows, shape[1]), matrix.NewTall(rows, shape[1])
			Multiply(context.Background(), product, a, s, 2)
			Multiply(context.Background(), want, double, s, 2)
			checkSingleRows(t, product, want)
			MultiplyAdd(context.Background(), product, -2, a, s, 3)
			MultiplyAdd(context.Background(), want, -2, double, s, 3)
			checkSingleRows(t, product, want)
			if shape[1] <= shape[0] {
				Transform(context.Background(), a, s, shape[1], 2)
				Transform(context.Background(), double, s, shape[1], 2)
				checkSingleRows(t, a, double)
			}
		}
	}
}

func checkSingle(t *testing.T, rows int, got, want []float64, bound float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= bound) {
			t.Fatalf("%d rows: value %d is %v, want %v within %v", rows, i, got[i], want[i], bound)
		}
	}
}

func checkSingleRows(t *testing.T, got *matrix.Single, want *matrix.Tall) {
	t.Helper()
	for i := range want.Rows() {
		for j, v := range want.Row(i) {
			if !(math.Abs(float64(got.Row(i)[j])-v) <= 1e-4) {
				t.Fatalf("%d rows: entry %d,%d is %v, want %v", want.Rows(), i, j, got.Row(i)[j], v)
			}
		}
		for _, v := range got.PaddedRow(i)[got.Cols():] {
			if v != 0 {
				t.Fatalf("row %d: padding is %v", i, v)
			}
		}
	}
}
