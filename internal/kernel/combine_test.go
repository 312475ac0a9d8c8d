package kernel

import (
	"context"
	"slices"
	"testing"

	"anchorage/internal/random"
	"anchorage/matrix"
)

// The result has the bits of products that are added up one after the other, and nothing is left of what it was made
// of.
func TestCombined(t *testing.T) {
	for _, rows := range []int{1, pieceRows + 1, matrix.BlockRows, combinedBlocks*matrix.BlockRows + 7} {
		for _, workers := range []int{1, 3, 6} {
			var matrices []*matrix.Tall
			var s []float64
			const cols = 5
			want := matrix.NewTall(rows, cols)
			for i, width := range []int{5, 9, 1} {
				a := matrix.NewTall(rows, width)
				for r := range rows {
					for j := range width {
						a.Row(r)[j] = random.Symmetric(uint64(i), random.Test, uint64(r), uint64(j))
					}
				}
				part := make([]float64, width*cols)
				for j := range part {
					part[j] = random.Symmetric(uint64(i), random.Test, 1<<50, uint64(j))
				}
				MultiplyAdd(context.Background(), want, 1, a, part, workers)
				matrices, s = append(matrices, a), append(s, part...)
			}
			got := Combined(context.Background(), matrices, s, cols, workers, nil)
			if got.Rows() != rows || got.Cols() != cols {
				t.Fatalf("%d×%d", got.Rows(), got.Cols())
			}
			for b := range want.Values() {
				if !slices.Equal(got.Values()[b], want.Values()[b]) {
					t.Fatalf("%d rows, %d workers: block %d differs", rows, workers, b)
				}
			}
			for _, a := range matrices {
				if a.Rows() != 0 || a.Values() != nil {
					t.Errorf("%d rows are left of a matrix that is used up", a.Rows())
				}
			}
		}
	}
}
