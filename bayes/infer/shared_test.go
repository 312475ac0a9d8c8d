package infer

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// TestSharedTopics infers documents under topics that ranks share, by copies of rows, and under the same topics without
// ranks.
func TestSharedTopics(t *testing.T) {
	const n, k = 2*matrix.BlockRows + 7, 5
	row := func(dst []float64, i int) {
		for a := range dst {
			dst[a] = float64((i*7+a*a*3)%11) / float64(1+i%4) // some values are 0
		}
	}
	joint := make([]float64, k*k)
	for a := range k {
		joint[a*k+a] = 1 / float64(k)
		joint[a*k+(a+1)%k] = 0.1
	}
	alpha := MatchDirichlet(joint, k)
	alpha[0] *= 2
	whole, err := New(n, k, row, joint, Options{Tolerance: learningTolerance})
	if err == nil {
		err = whole.Renew(t.Context(), 1, alpha, row)
	}
	if err != nil {
		t.Fatal(err)
	}
	documents := [][]int32{{1, 5, 4000, 5000, 8000}, {0, matrix.BlockRows - 1, matrix.BlockRows, n - 1}}
	infer := func(t *Inferrer, items []int32) string {
		w, counts := t.Worker(), make([]float32, len(items))
		for i := range counts {
			counts[i] = float32(i + 1)
		}
		a, gamma, p := slices.Clone(t.Prior()), make([]float32, len(items)*t.Width()), make([]float64, len(items))
		w.Expect(a, gamma, items, counts)
		w.Probabilities(p)
		return fmt.Sprint(w.LogLikelihood(), a, gamma, p)
	}
	for _, ranks := range []int{1, 2, 3, 5} {
		err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			shared, err := NewShared(collective.From(ctx).Layout(), n, k, joint)
			if err != nil {
				return err
			}
			first, last := shared.Table().HeldRows()
			err = shared.Renew(ctx, 2, alpha, func(dst []float64, i int) {
				if i < first || i >= last {
					panic("asked for a row that is not held")
				}
				row(dst, i)
			})
			if err != nil {
				return err
			}
			var near Inferrer
			for _, items := range documents {
				rows := make([]int, len(items))
				for j, item := range items {
					rows[j] = int(item)
				}
				values, err := kernel.RowsOf(ctx, shared.Table(), rows)
				if err != nil {
					return err
				}
				table := matrix.NewSingle(len(items), k)
				for j := range items {
					copy(table.Row(j), values[j*k:])
				}
				near.Copy(shared, table, items)
				places := make([]int32, len(items))
				for j := range places {
					places[j] = int32(j)
				}
				if got, want := infer(&near, places), infer(whole, items); got != want {
					return fmt.Errorf("%s, not %s", got, want)
				}
			}
			if ranks == 1 && infer(shared, documents[0]) != infer(whole, documents[0]) {
				return fmt.Errorf("one rank infers another mixture")
			}
			if !slices.Equal(shared.Alpha(), whole.Alpha()) {
				return fmt.Errorf("the prior is %v", shared.Alpha())
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}
