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
		sent := countedTables(t, ranks, func(ctx context.Context) error {
			x := matrix.NewShared[float64](collective.From(ctx).Layout(), n, k)
			first, last := x.HeldRows()
			for i := first; i < last; i++ {
				for j := range k {
					x.Row(i)[j] = math.Sin(float64(i*j + 1))
				}
			}
			out, err := Create(ctx, path, nil)
			if err != nil {
				return err
			}
			defer out.Abort()
			return matrixTable("x.parquet", "x", x).write(out)
		})
		// all that other ranks hold, each value with its length, and the numbers of the rows
		least := 8 * n * k * (1 - 1/float64(ranks))
		if sent := float64(sent.Bytes); sent < least || sent > 1.5*least {
			t.Errorf("%d ranks send %v bytes, not %v", ranks, sent, least)
		}
	}
}
