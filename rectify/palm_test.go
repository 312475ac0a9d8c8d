package rectify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/sketch"
)

// startOf returns V·√D of a dense C.
func startOf(t *testing.T, c *matrix.Tall, k int) *matrix.Tall {
	t.Helper()
	eigen, err := Eigen(context.Background(), Dense(c, 1), c.Rows(), k, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return eigen.Factor(1)
}

// plainPALM is (i)PALM with N×N matrices, step 1/(divisor·L), and returns X, and J after every iteration.
func plainPALM(t *testing.T, c, start []float64, n, k, iterations int, s, alpha, divisor float64) (x []float64, objectives []float64) {
	t.Helper()
	x = each(start, func(_ int, v float64) float64 { return v })
	y, beforeX, beforeY := x, x, x
	step := func(x, before, y []float64) []float64 {
		v := each(x, func(i int, now float64) float64 { return now + alpha*(now-before[i]) })
		gram := kernel.TransposedTimes(context.Background(), y, y, n, k, k)
		for i := range k {
			gram[i*k+i] += s
		}
		values, _, err := kernel.LeadingEigen(context.Background(), gram, k, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		gradient := kernel.Times(context.Background(), minus(kernel.TimesTransposed(context.Background(), v, y, n, n, k), c), y, n, n, k)
		return each(v, func(i int, at float64) float64 {
			return max(at-(gradient[i]+s*(at-y[i]))/(divisor*values[0]), 0)
		})
	}
	for range iterations {
		x, beforeX = step(x, beforeX, y), x
		y, beforeY = step(y, beforeY, x), y
		j := 0.0
		for _, v := range minus(c, kernel.TimesTransposed(context.Background(), x, y, n, n, k)) {
			j += v * v / 2
		}
		for _, v := range minus(x, y) {
			j += s / 2 * v * v
		}
		objectives = append(objectives, j)
	}
	return x, objectives
}

func halfSquare(c *matrix.Tall) float64 {
	sum := 0.0
	for _, v := range flat(c) {
		sum += v * v / 2
	}
	return sum
}

func TestPALMAgainstPlainForm(t *testing.T) {
	for _, s := range []struct {
		n, k, iterations int
		opts             PALMOptions
	}{{30, 2, 1, PALMOptions{}}, {45, 4, 30, PALMOptions{}}, {60, 6, 15, PALMOptions{Coupling: 0.01, Step: 3, KeepSigns: true}}} {
		for _, inertia := range []float64{0, 0.1, 0.4} {
			c := plantedDense(t, 21, s.n, s.k, 0.5)
			y := startOf(t, c, s.k)
			start := y.Copy(s.k)
			if !s.opts.KeepSigns {
				turnColumns(t.Context(), start, 1)
			}
			coupling, step := s.opts.Coupling, s.opts.Step
			if coupling == 0 {
				coupling, step = 1e-4, 2.01/2 // the authors' steps of 2/(2.01·L)
			}
			opts, method := Options{Iterations: s.iterations, Workers: 2, PALM: s.opts}, FactorRectifier(PALM)
			if inertia > 0 {
				opts.PALM.Inertia, method = inertia, IPALM
				step *= (1 + 2*inertia) / (2 - 2*inertia)
			}
			want, objectives := plainPALM(t, flat(c), flat(start), s.n, s.k, s.iterations, coupling, inertia, step)
			result, err := method(context.Background(), y, through(Dense(c, 2), opts))
			if err != nil {
				t.Fatal(err)
			}
			if off := distance(flat(result.Factor), want); off > 1e-10 || result.Factor != y || result.Matrix != nil {
				t.Errorf("N %d, inertia %v: the factor differs from the plain form by %.2g", s.n, inertia, off)
			}
			for at, i := range result.Iterations {
				if got := i.Objective + halfSquare(c); math.Abs(got-objectives[at]) > 1e-12*halfSquare(c) {
					t.Errorf("N %d, inertia %v, iteration %d: J is %v, want %v", s.n, inertia, at, got, objectives[at])
				}
			}
		}
	}
}

// From the first iteration, after which both factors are not negative, J never rises, whatever the step.
func TestPALMDescends(t *testing.T) {
	for seed := range uint64(5) {
		const n, k = 60, 5
		c := plantedDense(t, 30+seed, n, k, 1)
		for _, step := range []float64{0, 1.5, 10} {
			result, err := PALM(context.Background(), startOf(t, c, k), through(Dense(c, 1), Options{Iterations: 200, PALM: PALMOptions{Step: step}}))
			if err != nil {
				t.Fatal(err)
			}
			for at, i := range result.Iterations[1:] {
				if before := result.Iterations[at].Objective; i.Objective > before+1e-14*math.Abs(before) {
					t.Fatalf("seed %d, step %v: J rises from %v to %v in iteration %d", seed, step, before, i.Objective, i.Number)
				}
			}
		}
	}
}

func TestInertiaIsFaster(t *testing.T) {
	const n, k = 60, 5
	c := plantedDense(t, 40, n, k, 1)
	end := func(method FactorRectifier) float64 {
		result, err := method(context.Background(), startOf(t, c, k), through(Dense(c, 1), Options{Iterations: 60}))
		if err != nil {
			t.Fatal(err)
		}
		return result.Iterations[59].Objective
	}
	if plain, inertial := end(PALM), end(IPALM); inertial >= plain {
		t.Errorf("after 60 iterations J is %v with inertia, %v without", inertial, plain)
	}
}

// From where J has settled it settles again, at once and at the same value.
func TestPALMConverges(t *testing.T) {
	const n, k = 60, 3
	c := plantedDense(t, 41, n, k, 0.2)
	result, err := PALM(context.Background(), startOf(t, c, k), through(Dense(c, 1), Options{Iterations: 5000}))
	if err != nil {
		t.Fatal(err)
	}
	again, err := PALM(context.Background(), result.Factor.Copy(k), through(Dense(c, 1), Options{}))
	if err != nil {
		t.Fatal(err)
	}
	first, second := result.Iterations[4999].Objective, again.Iterations[len(again.Iterations)-1].Objective
	if !again.Converged || math.Abs(first-second) > 1e-5*halfSquare(c) {
		t.Errorf("converged %v after %d iterations; J %v, at first %v", again.Converged, len(again.Iterations), second, first)
	}
	for _, v := range flat(again.Factor) {
		if v < 0 {
			t.Fatalf("entry %v", v)
		}
	}
}

// The same through passes over documents, with C never formed.
func TestPALMThroughPasses(t *testing.T) {
	const n, k = 150, 4
	docs, _ := synth.Model{Items: n, Topics: k, Documents: 400, Tokens: 20, Concentration: 0.2, Seed: 1}.Draw()
	pass := func(ctx context.Context, fn func(*corpus.Documents) error) error { return fn(docs) }
	c, marginals, err := sketch.Dense(context.Background(), pass, n, nil, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	implicit := &sketch.Operator{Pass: pass, Marginals: marginals, Workers: 2}
	for name, method := range map[string]FactorRectifier{"PALM": PALM, "IPALM": IPALM} {
		opts := Options{Iterations: 20}
		want, err := method(context.Background(), startOf(t, c, k), through(Dense(c, 1), opts))
		if err != nil {
			t.Fatal(err)
		}
		eigen, err := Eigen(context.Background(), implicit.Multiply, n, k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := method(context.Background(), eigen.Factor(1), through(implicit.Multiply, opts))
		if err != nil {
			t.Fatal(err)
		}
		if off := distance(flat(got.Factor), flat(want.Factor)); off > 1e-7 {
			t.Errorf("%s: differs from that of the dense C by %.2g", name, off)
		}
	}
}

// through returns opts with the product with C.
func through(multiply Operator, opts Options) Options {
	opts.Multiply = multiply
	return opts
}

// lowRank is the operator of B·Bᵀ.
func lowRank(b *matrix.Tall, workers int) Operator {
	return func(ctx context.Context, dst, x *matrix.Tall) error {
		kernel.Multiply(context.Background(), dst, b, kernel.Gram(context.Background(), b, x, workers), workers)
		return ctx.Err()
	}
}

func TestPALMSameBitsForAnyWorkers(t *testing.T) {
	b := matrix.NewTall(2*matrix.BlockRows+100, 6)
	for i := range b.Rows() {
		for j := range b.Row(i) {
			b.Row(i)[j] = math.Abs(math.Sin(float64(i*7+j*j))) / float64(i+10) / float64(j+1)
		}
	}
	for _, method := range []FactorRectifier{PALM, IPALM} {
		want := ""
		for _, workers := range []int{1, 2, 3, 7} {
			result, err := method(context.Background(), b.Copy(4), through(lowRank(b, workers), Options{Iterations: 4, Workers: workers}))
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(result.Iterations, result.Norm, flat(result.Factor))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%d workers give other bits than one", workers)
			}
		}
	}
}

func TestPALMRefuses(t *testing.T) {
	ctx := context.Background()
	c := plantedDense(t, 42, 30, 3, 0.3)
	try := func(c *matrix.Tall, y *matrix.Tall, opts Options) error {
		_, err := PALM(ctx, y, through(Dense(c, 1), opts))
		return err
	}
	for name, err := range map[string]error{
		"no columns":     try(c, matrix.NewTall(30, 0), Options{}),
		"zeros":          try(c, matrix.NewTall(30, 3), Options{}),
		"short divisor":  try(c, startOf(t, c, 3), Options{PALM: PALMOptions{Step: 1}}),
		"no coupling":    try(c, startOf(t, c, 3), Options{PALM: PALMOptions{Coupling: -1}}),
		"NaN in options": try(c, startOf(t, c, 3), Options{PALM: PALMOptions{Coupling: math.NaN()}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, inertia := range []float64{-0.1, 1, math.NaN()} {
		if _, err := IPALM(ctx, startOf(t, c, 3), through(Dense(c, 1), Options{PALM: PALMOptions{Inertia: inertia}})); err == nil {
			t.Errorf("inertia %v: no error", inertia)
		}
	}
	y := startOf(t, c, 3)
	y.Row(3)[1] = math.NaN()
	if try(c, y, Options{}) == nil {
		t.Error("no error for NaN in the factor")
	}
	y = startOf(t, c, 3)
	c.Row(3)[1] = math.NaN()
	if try(c, y, Options{Iterations: 1}) == nil {
		t.Error("no error for NaN in C")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	clean := plantedDense(t, 42, 30, 3, 0.3)
	if _, err := PALM(cancelled, startOf(t, clean, 3), through(Dense(clean, 1), Options{})); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
