package kernel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/internal/collective"
	"anchorage/internal/long"
	"anchorage/matrix"
)

// sharedOf copies the rows of a rank from a whole matrix.
func sharedOf(ctx context.Context, whole *matrix.Tall) *matrix.Tall {
	t := matrix.NewShared[float64](collective.From(ctx).Layout(), whole.Rows(), whole.Cols())
	first, last := t.HeldRows()
	for i := first; i < last; i++ {
		copy(t.Row(i), whole.Row(i))
	}
	return t
}

// TestSharedSums compares what ranks find together with what one finds: the bits must be the same.
func TestSharedSums(t *testing.T) {
	for _, rows := range long.Grid(2, 100, 3*matrix.BlockRows+9,
		70*matrix.BlockRows+1) { // the last has a range for every section
		whole := randomTall(rand.New(rand.NewPCG(1, 1)), rows, 5)
		results := func(ctx context.Context, a *matrix.Tall) string {
			turned := a.Copy(5)
			if _, err := Orthonormalize(ctx, turned, 2); err != nil {
				t.Error(err)
			}
			some, err := RowsOf(ctx, turned, []int{rows - 1, 0, rows / 2})
			return fmt.Sprint(Gram(ctx, a, a, 2), ColumnSums(ctx, a, 2), some, err, SquaredNorms(ctx, a, 2)[rows/3],
				SumShared(ctx, collective.From(ctx).Layout(), rows, 1, 2, func(sums []float64, first, last int) {
					for i := first; i < last; i++ {
						sums[0] += whole.Row(i)[1]
					}
				}))
		}
		want := results(t.Context(), whole)
		for _, ranks := range []int{1, 2, 3, 5} {
			got := make([]string, ranks)
			err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
				got[collective.From(ctx).Rank()] = results(ctx, sharedOf(ctx, whole))
				return nil
			})
			if err != nil || slices.ContainsFunc(got, func(s string) bool { return s != want }) {
				t.Errorf("%d rows, %d ranks: %v, not %v: %v", rows, ranks, got, want, err)
			}
		}
	}
}

func TestSharedCombined(t *testing.T) {
	whole := randomTall(rand.New(rand.NewPCG(2, 2)), 5*matrix.BlockRows+3, 4)
	s := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	want := Combined(t.Context(), []*matrix.Tall{whole.Copy(4)}, s, 2, 1, nil)
	err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		got := Combined(ctx, []*matrix.Tall{sharedOf(ctx, whole)}, s, 2, 2, nil)
		first, last := got.HeldRows()
		for i := first; i < last; i++ {
			if !slices.Equal(got.Row(i), want.Row(i)) {
				return fmt.Errorf("row %d is %v, not %v", i, got.Row(i), want.Row(i))
			}
		}
		if low, high := collective.From(ctx).Rows(whole.Rows()); low != first || high != last {
			return fmt.Errorf("rows %d to %d are held", first, last)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
