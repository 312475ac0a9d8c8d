// This file holds the rectification by Douglas–Rachford reflections, on a dense C.

package rectify

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// DouglasRachford rectifies the dense co-occurrence matrix c, N×N and symmetric, by cyclic Douglas–Rachford iterations over
// the sets that AP projects onto (Borwein & Tam, J. Optim. Theory Appl. 160, 2014; the JSMF family's "DR"). With P_A the
// projection onto A and R_A = 2P_A − I the reflection at it, an iteration is
//
//	X ← T(NN, PSD_K) T(NOR, NN) T(PSD_K, NOR) X,  T(A, B) = (I + R_B·R_A)/2
//
// With Σ X the sum of all entries, each T is
//
//	T(PSD_K, NOR) X = Y·Yᵀ + ρ·eeᵀ,        ρ = (1 − 2·Σ Y·Yᵀ + Σ X)/N², Y·Yᵀ = PSD_K(X)
//	T(NOR, NN) X    = max(X + 2τ, 0) − τ,  τ = (1 − Σ X)/N²
//	T(NN, PSD_K) X  = PSD_K(|X|) + min(X, 0)
//
// X itself need not settle, but its projections do: at a fixed point of convex sets they lie in the intersection. So
// DouglasRachford stops when Y·Yᵀ = PSD_K(X) moves by no more than the tolerance, relative to ‖Y·Yᵀ‖_F, or after 150 iterations.
// X may have negative entries, so the result is NN(NOR(PSD_K(X))), divided by its sum.
//
// DouglasRachford overwrites c, which becomes Result.Matrix; Result.Factor is the last Y. Memory: one N×N matrix, |X|, besides c.
// It solves two eigenproblems per iteration, where AP solves one.
func DouglasRachford(ctx context.Context, c *matrix.Tall, k int, opts Options) (*Result, error) {
	return douglasRachford.rectify(ctx, c, k, opts)
}

var douglasRachford = denseMethod{name: "Douglas–Rachford", matrices: 2, begin: func(ctx context.Context, d *dense) (denseSteps, error) {
	r := reflections{dense: d, abs: matrix.NewTall(d.n, d.n), absPairs: newLeading(d.n, d.k, random.ReflectionStart, d.opts)}
	if err := d.project(ctx, Dense(d.c, d.opts.Workers)); err != nil {
		return denseSteps{}, err
	}
	for _, v := range kernel.ColumnSums(ctx, d.c, d.opts.Workers) {
		d.total += v
	}
	end := func() error {
		_, err := d.lift(ctx)
		return err
	}
	return denseSteps{step: func(int) (Iteration, error) { return r.iterate(ctx) }, end: end}, nil
}}

// reflections is the state between iterations: c is X, y and sum are those of PSD_K(X), and total is Σ X.
type reflections struct {
	*dense
	abs      *matrix.Tall // within an iteration, |X|
	absPairs *leading     // of |X|
}

// iterate makes one cycle, and finds PSD_K of its result.
func (d *reflections) iterate(ctx context.Context) (Iteration, error) {
	entries, workers := float64(d.n)*float64(d.n), d.opts.Workers
	rho := (1 - 2*d.sum + d.total) / entries
	tau := (1 - d.sum - rho*entries) / entries
	first, err := sweep(ctx, d.y, workers, func(i int, products []float64, t *tally) {
		x, abs := d.c.Row(i), d.abs.Row(i)
		for j, v := range products {
			x[j] = t.clip(v+rho+2*tau) - tau
			abs[j] = math.Abs(x[j])
		}
	})
	if err != nil {
		return Iteration{}, err
	}
	reflected, _, err := d.absPairs.project(ctx, Dense(d.abs, workers))
	if err != nil {
		return Iteration{}, err
	}
	second, err := sweep(ctx, reflected, workers, func(i int, products []float64, t *tally) {
		x := d.c.Row(i)
		for j, v := range products {
			t.put(&x[j], v+min(x[j], 0))
		}
	})
	if err != nil {
		return Iteration{}, err
	}
	d.total = second.total
	before := d.y
	if err := d.project(ctx, Dense(d.c, workers)); err != nil {
		return Iteration{}, err
	}
	change, err := relativeChange(ctx, before, d.y, workers)
	return Iteration{Change: change, Density: float64(first.count) / entries, Shift: tau, CorrectionsSum: first.negative}, err
}

// relativeChange returns ‖Y·Yᵀ − Z·Zᵀ‖_F/‖Y·Yᵀ‖_F for N×K factors, from their Gram matrices: ‖Y·Yᵀ − Z·Zᵀ‖² = ‖YᵀY‖² +
// ‖ZᵀZ‖² − 2‖YᵀZ‖².
func relativeChange(ctx context.Context, z, y *matrix.Tall, workers int) (float64, error) {
	after, before := norm(kernel.Gram(ctx, y, y, workers)), norm(kernel.Gram(ctx, z, z, workers))
	cross := norm(kernel.Gram(ctx, y, z, workers))
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if after == 0 {
		return 0, errNothingLeft
	}
	return math.Sqrt(max(after*after+before*before-2*cross*cross, 0)) / after, nil
}
