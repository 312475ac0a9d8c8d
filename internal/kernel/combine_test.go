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
	for _, rows := range []int{1, pieceRows + 1, matrix.BlockRows, combinedBlocks*matrix.BlockRows + 7,
		8 * matrix.BlockRows} {
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
			var spare matrix.Spare[float64]
			memory := map[*float64]bool{}
			for _, a := range matrices {
				for _, block := range a.Values() {
					memory[&block[0]] = true
				}
			}
			got := Combined(context.Background(), matrices, s, cols, workers, &spare)
			if got.Rows() != rows || got.Cols() != cols {
				t.Fatalf("%d×%d", got.Rows(), got.Cols())
			}
			for b := range want.Values() {
				if !slices.Equal(got.Values()[b], want.Values()[b]) {
					t.Fatalf("%d rows, %d workers: block %d differs", rows, workers, b)
				}
			}
			// The first step has new memory, and what it leaves is enough for whole blocks: a and c have rows of 8 values.
			another := matrix.LikeFrom(got, &spare)
			for b := range got.Values() {
				if at := &got.Values()[b][0]; b >= max(combinedBlocks, workers) && (b+1)*matrix.BlockRows <= rows && !memory[at] {
					t.Errorf("%d rows, %d workers: block %d has new memory", rows, workers, b)
				}
				if !memory[&another.Values()[b][0]] {
					t.Errorf("%d rows, %d workers: no memory is left for block %d", rows, workers, b)
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
