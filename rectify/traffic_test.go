// This file compares what ranks send in ENN with the formulas in the package comment.

package rectify

import (
	"context"
	"math"
	"testing"

	"anchorage/internal/aligned"
	"anchorage/internal/collective"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
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

// In every iteration, and in all, ranks send what the package comment says.
func TestENNTraffic(t *testing.T) {
	long.Test(t, "it rectifies 40,000 items; TestENNSameBitsForAnyRanks rectifies as well")
	const n, k, rows, ranks = 40_000, 20, 600, 3
	const p = float64(ranks)
	width := func(cols int) float64 { return float64(aligned.Columns[float32](cols)) }
	const wide = 1000
	// What a number costs in a sum over rows, and in one of sections.
	perSum := sent(t, ranks, func(ctx context.Context) error {
		kernel.SumShared(ctx, collective.From(ctx).Layout(), n, wide, 1, func([]float64, int, int) {})
		return ctx.Err()
	}) / wide
	perSections := sent(t, ranks, func(ctx context.Context) error {
		c, sum := collective.From(ctx), kernel.NewTreeSum(matrix.Sections(n), wide)
		first, last := c.Rows(n)
		for section := range matrix.Sections(n) {
			if start, _ := matrix.Section(n, section); start >= first && start < last {
				sum.Add(section, make([]float64, wide))
			}
		}
		_, err := sum.Total(ctx, c.Layout())
		return err
	}) / wide
	const l = k + extraColumns
	all := func(bytes float64) float64 { return (p - 1) * bytes }
	build := all(8*n + 4*rows*k)
	product := all(4*rows*l) + perSections*rows*width(l)
	iteration := build + product + perSum*(k+l+k*width(l)+l*width(k)+2*l*width(l)) + all(16*n/1024)
	step := product + perSum*(l*width(l)+k*width(l)+l)
	end := build + perSum*(k*width(k)+2*k) + 2*sampledPairs*4*k*(1-1/p)
	start := perSum * (k*float64(aligned.Columns[float64](k)) + 2*l*width(l))

	y := tilted(n, k)
	run := func(iterations int) float64 {
		return sent(t, ranks, func(ctx context.Context) error {
			_, err := ENN(ctx, partOf(ctx, y), Options{Iterations: iterations, Rows: rows, Seed: 9, Workers: 1})
			return err
		})
	}
	one, two := run(1), run(2)
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.05*want {
			t.Errorf("%s sends %.0f bytes, not %.0f", what, got, want)
		}
		t.Logf("%s: %.0f bytes, by the formula %.0f", what, got, want)
	}
	near("an iteration", two-one, iteration)
	near("all of it", one, start+iteration+firstPublishedSteps*step+end)

	applications := 0
	truncated := sent(t, ranks, func(ctx context.Context) error {
		result, err := ENN(ctx, partOf(ctx, y), Options{Iterations: 1, Rows: rows, Seed: 9, Workers: 1, Truncated: true})
		if err == nil && collective.From(ctx).First() {
			applications = result.Products
		}
		return err
	})
	each := product + perSum*(l*width(l)+l)
	least := start + iteration + end + float64(applications-1)*each
	most := least + perSum*3*l*width(l) + float64(applications-1)*perSum*14*l*width(l)
	if applications < 2 || truncated < 0.95*least || truncated > 1.05*most {
		t.Errorf("an iteration with %d applications sends %.0f bytes, not from %.0f to %.0f", applications, truncated, least, most)
	}
	t.Logf("%d applications: %.0f bytes, by the formula from %.0f to %.0f", applications, truncated, least, most)
}
