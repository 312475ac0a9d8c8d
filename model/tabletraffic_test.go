package model

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

// countedTables returns what ranks send together while they do something.
func countedTables(t *testing.T, ranks int, do func(ctx context.Context) error) (sent collective.Traffic) {
	t.Helper()
	all := make([]collective.Traffic, ranks)
	if err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
		c := collective.From(ctx)
		c.Begin("this")
		err := do(ctx)
		_, moved := c.Moved()
		all[c.Rank()] = moved["this"]
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, rank := range all {
		sent.Bytes += rank.Bytes
		sent.Messages += rank.Messages
	}
	return sent
}

// TestTrafficOfTables writes a table of many row groups. What other ranks hold of it is sent as it is written.
func TestTrafficOfTables(t *testing.T) {
	const n, k = 16 * groupRows, 3
	for _, ranks := range []int{2, 4} {
		path := filepath.Join(t.TempDir(), "table")
		size := 0.0
		sent := countedTables(t, ranks, func(ctx context.Context) error {
			x := matrix.NewShared[float64](collective.From(ctx).Layout(), n, k)
			first, last := x.HeldRows()
			for i := first; i < last; i++ {
				for j := range k {
					x.Row(i)[j] = math.Sin(float64(i * j))
				}
			}
			out, err := Create(ctx, path, nil)
			if err != nil {
				return err
			}
			defer out.Abort()
			if err := matrixTable("x.parquet", "x", x).write(out); err != nil {
				return err
			}
			if collective.From(ctx).First() {
				size = float64(out.Files()[0].Size)
			}
			return nil
		})
		want := size * (1 - 1/float64(ranks)) // all that other ranks hold
		if math.Abs(float64(sent.Bytes)-want) > 0.1*want {
			t.Errorf("%d ranks send %d bytes, not %v", ranks, sent.Bytes, want)
		}
	}
}
