// This file compares what ranks send in LAW with the formulas in the package comment.

package anchor

import (
	"context"
	"math"
	"testing"

	"anchorage/internal/aligned"
	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// sent returns the bytes that all ranks together send while each calls fn.
func sent(t *testing.T, ranks int, fn func(ctx context.Context) error) float64 {
	t.Helper()
	total := 0.0
	err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
		c := collective.From(ctx)
		if err := fn(ctx); err != nil {
			return err
		}
		_, moved := c.Moved()
		bytes := []int64{moved[""].Bytes}
		err := collective.Sum(ctx, c, bytes)
		if c.First() {
			total = float64(bytes[0])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

func TestLAWTraffic(t *testing.T) {
	const n, k, ranks = 3*matrix.BlockRows + 5, 20, 3
	const p = float64(ranks)
	const wide = 1000
	perSum := sent(t, ranks, func(ctx context.Context) error {
		kernel.SumShared(ctx, collective.From(ctx).Layout(), n, wide, 1, func([]float64, int, int) {})
		return ctx.Err()
	}) / wide
	padded := float64(aligned.Columns[float64](k))
	gather := func(bytes float64) float64 { return (p - 1) * (bytes + 8*p) }
	pivots := k * (2*gather(32*p) + gather(8*k))
	correction := gather(8*k*k) + perSum*(k*(k+1)+1)
	base := 2*perSum*k*padded + pivots + correction + 3*gather(8*k*k) + gather(32*p) + perSum*k
	polish := correction + gather(8*k*k) + gather(32*p) + perSum*(k*(k+1)+2*k*k)
	noise := perSum*(2*k+1) + (p-1)*8*n

	model := plant(random(8), n, k)
	y := tallOf(model.y)
	for _, c := range []struct {
		name string
		opts Options
		want float64
	}{
		{"exact sums", Options{RowSums: RowSumsExact}, base},
		{"sums of the factor", Options{}, base + 2*(p-1)*8*n + perSum*k},
		{"noise and polish", Options{RowSums: RowSumsExact, Polish: true, SamplingVariance: make([]float64, n)}, base + polish + noise},
	} {
		c.opts.Workers = 1
		got := sent(t, ranks, func(ctx context.Context) error {
			_, err := LAW(ctx, sharedPart(ctx, y), model.rowSums, c.opts)
			return err
		})
		if math.Abs(got-c.want) > 0.05*c.want {
			t.Errorf("%s: ranks send %.0f bytes, not %.0f", c.name, got, c.want)
		}
	}
}
