package rectify

import (
	"context"
	"math"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// spiked returns marginals that are concentrated on items whose share in Pe is great, where P projects onto the span of
// y, and a = eᵀPp. The higher the power, the greater a.
func spiked(t *testing.T, y *matrix.Tall, power float64) (p []float64, a float64) {
	t.Helper()
	basis := y.Copy(y.Cols())
	if _, err := kernel.Orthonormalize(context.Background(), basis, 1); err != nil {
		t.Fatal(err)
	}
	sums, total := kernel.ColumnSums(context.Background(), basis, 1), 0.0
	share := make([]float64, y.Rows())
	p = make([]float64, y.Rows())
	for i := range p {
		for j, v := range basis.Row(i) {
			share[i] += v * sums[j]
		}
		p[i] = math.Pow(max(share[i], 0), power)
		total += p[i]
	}
	for i := range p {
		p[i] /= total
		a += share[i] * p[i]
	}
	return p, a
}

// TestENNSettlesWhereShiftsDoNot draws marginals with which r·ppᵀ, added in every iteration, drives the sum of all
// entries away from
// 1. With them ENN must settle: the distance may not grow once the shifts are over, and in the end all entries sum to 1
// and few are negative.
func TestENNSettlesWhereShiftsDoNot(t *testing.T) {
	const n, k = 150, 6
	y := planted(t, 4, n, k, 1)
	for i := range 3 { // a few items outweigh the others, as in vocabularies
		for j := range y.Row(i) {
			y.Row(i)[j] *= 4
		}
	}
	p, a := spiked(t, y, 40)
	_, _, sums := denseENN(t, y, p, n, 12, -1)
	if a < 2 || math.Abs(sums[11]-1) < math.Abs(sums[0]-1) {
		t.Fatalf("a is %.3g, and with r·ppᵀ the sum of all entries settles: %.4g", a, sums)
	}
	for _, opts := range []Options{{Iterations: 150}, {}} {
		opts.Marginals, opts.Seed = p, 3
		result, err := ENN(context.Background(), y.Copy(k), opts)
		if err != nil {
			t.Fatal(err)
		}
		for i := shiftedEvaluations + 1; i < opts.Iterations; i++ {
			if before, done := result.Iterations[i-1], result.Iterations[i]; done.Distance > before.Distance*1.0001 {
				t.Errorf("iteration %d: the distance grows from %g to %g", done.Number, before.Distance, done.Distance)
			}
		}
		last := result.Iterations[len(result.Iterations)-1]
		if !result.Converged || last.Change > ENNTolerance {
			t.Errorf("%d iterations: not converged, the last change is %.2g", last.Number, last.Change)
		}
		total := 0.0
		for _, s := range kernel.ColumnSums(context.Background(), result.Factor, 1) {
			total += s * s
		}
		if math.Abs(total-1) > 1e-5 || negativity(result.Factor) > 2*ENNTolerance {
			t.Errorf("%d iterations: entries sum to %v, negative ones to %.2g", last.Number, total, negativity(result.Factor))
		}
	}
}

// TestUnsettledIsNotConverged wants a run that is cut short to say so.
func TestUnsettledIsNotConverged(t *testing.T) {
	for _, opts := range []Options{{Stages: []int{1, 1, 2}}, {Iterations: 5}} {
		opts.Seed = 1
		result, err := ENN(context.Background(), planted(t, 2, 200, 8, 1), opts)
		if err != nil {
			t.Fatal(err)
		}
		if result.Converged {
			t.Errorf("converged after %d iterations with a change of %.2g", len(result.Iterations),
				result.Iterations[len(result.Iterations)-1].Change)
		}
	}
}

// TestNegativityAgainstAllEntries looks at all entries of a factor, and at some of them.
func TestNegativityAgainstAllEntries(t *testing.T) {
	const n, k = 300, 8
	for _, rows := range []int{n, 60, n - 1} {
		result, err := ENN(context.Background(), planted(t, 5, n, k, 1), Options{Rows: rows, Iterations: 2, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		got, least := result.Negativity, 0.0
		for i := range n {
			for j := range n {
				v := 0.0
				for l, a := range result.Factor.Row(i) {
					v += a * result.Factor.Row(j)[l]
				}
				least = min(least, v)
			}
		}
		total := 0.0
		for _, s := range kernel.ColumnSums(context.Background(), result.Factor, 1) {
			total += s * s
		}
		if math.Abs(total-1) < 1e-3 {
			t.Fatalf("all entries sum to %v: nothing is tested", total)
		}
		mass := negativity(result.Factor) / total
		if got.Epsilon > -least*1.001 || got.Bound < -least*0.999 {
			t.Errorf("%d rows: the least entry is %g, found %g with the bound %g", rows, least, -got.Epsilon, -got.Bound)
		}
		if rows == n && (math.Abs(got.Epsilon+least) > -1e-3*least || got.Sampled != 0 || got.MassError != 0 ||
			got.Below != 0) {
			t.Errorf("all rows: the least entry is %g, found %+v", least, got)
		}
		if math.Abs(got.Mass-mass) > 1e-4*mass+4*got.MassError {
			t.Errorf("%d rows: negative entries sum to %g, found %g ± %g", rows, mass, got.Mass, got.MassError)
		}
		if rows < n && (got.Sampled == 0 || math.Abs(math.Pow(1-got.Below, float64(got.Sampled))-doubt) > 1e-6) {
			t.Errorf("%d rows: at most the share %g is below, by %d entries", rows, got.Below, got.Sampled)
		}
	}
}
