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

// plainPALM is PALM with N×N matrices, step 1/(divisor·L), and returns X, and J after every iteration.
func plainPALM(t *testing.T, c, start []float64, n, k, iterations int,
	s, divisor float64) (x []float64, objectives []float64) {
	t.Helper()
	x = each(start, func(_ int, v float64) float64 { return v })
	y := x
	step := func(x, y []float64) []float64 {
		gram := kernel.TransposedTimes(context.Background(), y, y, n, k, k)
		for i := range k {
			gram[i*k+i] += s
		}
		values, _, err := kernel.LeadingEigen(context.Background(), gram, k, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		gradient := kernel.Times(context.Background(), minus(kernel.TimesTransposed(context.Background(), x, y, n, n, k),
			c), y, n, n, k)
		return each(x, func(i int, at float64) float64 {
			return max(at-(gradient[i]+s*(at-y[i]))/(divisor*values[0]), 0)
		})
	}
	for range iterations {
		x = step(x, y)
		y = step(y, x)
		objectives = append(objectives, plainObjective(c, x, y, n, k, s))
	}
	return x, objectives
}

func plainObjective(c, x, y []float64, n, k int, s float64) (j float64) {
	for _, v := range minus(c, kernel.TimesTransposed(context.Background(), x, y, n, n, k)) {
		j += v * v / 2
	}
	for _, v := range minus(x, y) {
		j += s / 2 * v * v
	}
	return j
}

// plainIPALM is IPALM with N×N matrices: columns one after the other, and ρ from S − C itself. It returns X, and the
// course.
func plainIPALM(c, start []float64, n, k, iterations int, s, inertia float64,
	adapts bool) (x []float64, course []Iteration) {
	x = each(start, func(_ int, v float64) float64 { return max(v, 0) })
	y, beforeX, beforeY, since, objective := x, x, x, 0, 0.0
	ahead := func(x, before []float64, alpha float64) []float64 {
		return each(x, func(i int, now float64) float64 { return max(now+alpha*(now-before[i]), 0) })
	}
	step := func(x, y []float64) []float64 {
		v := each(x, func(_ int, at float64) float64 { return at })
		for range ipalmSweeps {
			for j := range k {
				off, length := minus(kernel.TimesTransposed(context.Background(), v, y, n, n, k), c), s
				for i := range n {
					length += y[i*k+j] * y[i*k+j]
				}
				for i := range n {
					gradient := s * (v[i*k+j] - y[i*k+j])
					for l := range n {
						gradient += off[i*n+l] * y[l*k+j]
					}
					v[i*k+j] = max(v[i*k+j]-gradient/length, 0)
				}
			}
		}
		return v
	}
	overfit := func(x, y []float64) float64 {
		d, product, squares := minus(x, y), kernel.TimesTransposed(context.Background(), x, y, n, n, k), 0.0
		for i := range n {
			for l := range n {
				along := 0.0
				for j := range k {
					along += d[i*k+j] * d[l*k+j]
				}
				squares += ((product[i*n+l]+product[l*n+i])/2 - c[i*n+l]) * along
			}
		}
		if length := norm(d); length > 0 {
			return squares / (length * length)
		}
		return 0
	}
	rounding := ipalmRounding * norm(c) * norm(c) / 2
	for at := range iterations {
		alpha, restarted := min(float64(since)/float64(since+3), inertia), false
		fromY := ahead(y, beforeY, alpha)
		nextX := step(ahead(x, beforeX, alpha), fromY)
		nextY := step(fromY, nextX)
		if alpha > 0 && plainObjective(c, nextX, nextY, n, k, s) > objective+rounding {
			since, restarted = 0, true
			fromY = y
			nextX = step(x, y)
			nextY = step(y, nextX)
		}
		rho := overfit(nextX, fromY)
		x, beforeX, y, beforeY, since = nextX, x, nextY, y, since+1
		objective = plainObjective(c, x, y, n, k, s)
		course = append(course, Iteration{Objective: objective, Coupling: s, Apart: norm(minus(x, y)) / norm(x),
			Restarted: restarted})
		if adapts && at+1 >= couplingAfter && rho > 1.8*s && course[at].Apart > couplingApart {
			s, since = rho, 0
			objective = plainObjective(c, x, y, n, k, s)
		}
	}
	return x, course
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
	}{{30, 2, 1, PALMOptions{}}, {45, 4, 30, PALMOptions{}}, {60, 6, 15, PALMOptions{Coupling: 0.01,
		KeepSigns: true}}} {
		c := plantedDense(t, 21, s.n, s.k, 0.5)
		y := startOf(t, c, s.k)
		start := y.Copy(s.k)
		if !s.opts.KeepSigns {
			turnColumns(t.Context(), start, 1)
		}
		coupling := s.opts.Coupling
		if coupling == 0 {
			coupling = 1e-4
		}
		// The authors take steps of 2/(2.01·L).
		want, objectives := plainPALM(t, flat(c), flat(start), s.n, s.k, s.iterations, coupling, 2.01/2)
		result, err := PALM(t.Context(), y, through(Dense(c, 2), Options{Iterations: s.iterations, Workers: 2, PALM: s.opts}))
		if err != nil {
			t.Fatal(err)
		}
		if off := distance(flat(result.Factor), want); off > 1e-10 || result.Factor != y || result.Matrix != nil ||
			result.Products != 2*s.iterations {
			t.Errorf("N %d: the factor differs from the plain form by %.2g", s.n, off)
		}
		for at, i := range result.Iterations {
			if got := i.Objective + halfSquare(c); math.Abs(got-objectives[at]) > 1e-12*halfSquare(c) {
				t.Errorf("N %d, iteration %d: J is %v, want %v", s.n, at, got, objectives[at])
			}
		}
	}
}

// hollow returns C without most of its diagonal: it has negative eigenvalues, which X·Yᵀ can follow and X·Xᵀ cannot.
func hollow(c *matrix.Tall) *matrix.Tall {
	c = c.Copy(c.Cols())
	for i := range c.Rows() {
		c.Row(i)[i] *= 0.05
	}
	return c
}

func TestIPALMAgainstPlainForm(t *testing.T) {
	raised, restarted := 0, 0
	for _, s := range []struct {
		n, k, iterations int
		opts             PALMOptions
		hollow           bool
	}{{30, 2, 1, PALMOptions{}, false}, {45, 4, 100, PALMOptions{}, false}, {40, 5, 60, PALMOptions{}, true}, {50, 6, 25,
		PALMOptions{Coupling: 0.01, KeepSigns: true}, true}} {
		c := plantedDense(t, 21, s.n, s.k, 0.5)
		if s.hollow {
			c = hollow(c)
		}
		y := startOf(t, c, s.k)
		start := y.Copy(s.k)
		if !s.opts.KeepSigns {
			turnColumns(t.Context(), start, 1)
		}
		coupling := s.opts.Coupling
		if coupling == 0 {
			values, _, err := kernel.LeadingEigen(t.Context(), kernel.Gram(t.Context(), start, start, 1), s.k, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			coupling = values[0] / 16
		}
		want, course := plainIPALM(flat(c), flat(start), s.n, s.k, s.iterations, coupling, 1, s.opts.Coupling == 0)
		result, err := IPALM(t.Context(), y, through(Dense(c, 2), Options{Iterations: s.iterations, Workers: 2,
			PALM: s.opts}))
		if err != nil {
			t.Fatal(err)
		}
		if off := distance(flat(result.Factor), want); off > 1e-8 || result.Factor != y {
			t.Errorf("N %d: the factor differs from the plain form by %.2g", s.n, off)
		}
		products := 2 * s.iterations
		for at, i := range result.Iterations {
			w := course[at]
			if got := i.Objective + halfSquare(c); math.Abs(got-w.Objective) > 1e-9*halfSquare(c) ||
				math.Abs(i.Coupling-w.Coupling) > 1e-6*w.Coupling ||
				math.Abs(i.Apart-w.Apart) > 1e-6 || i.Restarted != w.Restarted {
				t.Errorf("N %d, iteration %d: J is %v, want %v; %+v, want %+v", s.n, at, got, w.Objective, i, w)
			}
			if at > 0 && i.Coupling > course[at-1].Coupling {
				raised++
			}
			if i.Restarted {
				restarted++
				products += 2
			}
		}
		if result.Products != products {
			t.Errorf("%d products, want %d", result.Products, products)
		}
	}
	if raised == 0 || restarted == 0 {
		t.Errorf("the coupling was raised %d times, and %d iterations were repeated: the cases do not test that",
			raised, restarted)
	}
}

// An iteration that inertia leads uphill is repeated without it, from where it began.
func TestIPALMRestarts(t *testing.T) {
	const n, k = 40, 4
	c := plantedDense(t, 21, n, k, 0.5)
	after := func(inertia bool) (Iteration, *ipalm) {
		y := startOf(t, c, k)
		p := &ipalm{pair: pair{multiply: Dense(c, 1), workers: 1, coupling: 1e-4, product: matrix.Like(y),
			x: inertial{now: y}, y: inertial{now: y.Copy(k)}}}
		if err := p.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			if _, err := p.iterate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		p.since = 0
		if inertia {
			p.since = 1000
			for i := range n {
				for j := range k {
					p.x.before.Row(i)[j] -= math.Sin(float64(i + j)) // as if the last step had been long
				}
			}
		}
		before := p.objective
		now, err := p.iterate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if now.Objective > before || p.since != 1 {
			t.Errorf("J goes from %v to %v, %d iterations since", before, now.Objective, p.since)
		}
		return now, p
	}
	plain, straight := after(false)
	again, turned := after(true)
	if plain.Restarted || !again.Restarted {
		t.Errorf("repeated: %v and %v", plain.Restarted, again.Restarted)
	}
	again.Restarted = false
	if again != plain || distance(flat(turned.x.now), flat(straight.x.now)) != 0 || distance(flat(turned.y.now),
		flat(straight.y.now)) != 0 {
		t.Errorf("%+v\nis not\n%+v", again, plain)
	}
}

// From its first iteration on, J of IPALM does not rise, unless s does.
func TestIPALMDescends(t *testing.T) {
	for seed := range uint64(5) {
		const n, k = 60, 5
		for _, c := range []*matrix.Tall{plantedDense(t, 30+seed, n, k, 1), hollow(plantedDense(t, 30+seed, n, k, 1))} {
			result, err := IPALM(t.Context(), startOf(t, c, k), through(Dense(c, 1), Options{Iterations: 200}))
			if err != nil {
				t.Fatal(err)
			}
			for at, i := range result.Iterations[1:] {
				if before := result.Iterations[at]; i.Coupling == before.Coupling &&
					i.Objective > before.Objective+2*ipalmRounding*math.Abs(before.Objective) {
					t.Fatalf("seed %d: J rises from %v to %v in iteration %d", seed, before.Objective, i.Objective, i.Number)
				}
			}
		}
	}
}

// C without its diagonal: with the published s, X and Y part and X·Xᵀ is no approximation; with one that adapts they
// meet, and it is one.
func TestCouplingLetsFactorsMeet(t *testing.T) {
	const n, k = 60, 4
	c := plantedDense(t, 3, n, k, 0.2)
	for i := range n {
		c.Row(i)[0] *= 6 // a frequent item, which hardly occurs with itself
		c.Row(0)[i] *= 6
	}
	c = hollow(c)
	off := func(x *matrix.Tall) float64 {
		return distance(kernel.TimesTransposed(t.Context(), flat(x), flat(x), n, n, k), flat(c))
	}
	parted, err := PALM(t.Context(), startOf(t, c, k), through(Dense(c, 1), Options{PALM: PALMOptions{Coupling: 1e-6}}))
	if err != nil {
		t.Fatal(err)
	}
	met, err := IPALM(t.Context(), startOf(t, c, k), through(Dense(c, 1), Options{}))
	if err != nil {
		t.Fatal(err)
	}
	last := func(r *Result) Iteration { return r.Iterations[len(r.Iterations)-1] }
	if a := last(parted).Apart; a < 0.3 {
		t.Errorf("with a small s the factors part by %v only", a)
	}
	if a := last(met).Apart; a > 0.01 || !met.Converged {
		t.Errorf("with an s that adapts they end %v apart, converged %v", a, met.Converged)
	}
	if a, b := off(met.Factor), off(parted.Factor); a > 0.8*b {
		t.Errorf("X·Xᵀ is off by %v where they met, by %v where they parted", a, b)
	}
}

// Where C = W·Wᵀ with W ≥ 0 and rows of W in one topic each, W is the only minimum except for the order of columns, and
// J is 0 there.
func TestPALMFindsTheKnownMinimum(t *testing.T) {
	const n, k = 40, 3
	w := matrix.NewTall(n, k)
	for i := range n {
		for j := range k {
			if i >= 5*k || i%k == j {
				w.Row(i)[j] = math.Abs(math.Sin(float64(3*i*i+7*j))) / n
			}
		}
	}
	c := matrix.NewTall(n, n)
	for i, v := range kernel.TimesTransposed(t.Context(), flat(w), flat(w), n, n, k) {
		c.Row(i / n)[i%n] = v
	}
	for name, method := range map[string]FactorRectifier{"PALM": PALM, "IPALM": IPALM} {
		result, err := method(t.Context(), startOf(t, c, k), through(Dense(c, 1), Options{Tolerance: 1e-7,
			PALM: PALMOptions{Coupling: 1e-4}}))
		if err != nil {
			t.Fatal(err)
		}
		last := result.Iterations[len(result.Iterations)-1]
		t.Logf("%s: %d iterations, %d products", name, len(result.Iterations), result.Products)
		if j := last.Objective + halfSquare(c); !result.Converged || j > 1e-8*halfSquare(c) {
			t.Errorf("%s: converged %v after %d iterations, J is %.2g of ½‖C‖²", name, result.Converged, len(result.Iterations),
				j/halfSquare(c))
		}
		gram := kernel.Gram(t.Context(), w, result.Factor, 1) // of the right columns in some order
		norms := kernel.Gram(t.Context(), w, w, 1)
		for i := range k {
			best := 0.0
			for j := range k {
				best = max(best, gram[i*k+j])
			}
			if math.Abs(best-norms[i*k+i]) > 1e-3*norms[i*k+i] {
				t.Errorf("%s: no column is column %d of W", name, i)
			}
		}
	}
}

// A limit that is reached shows: in Converged, and in a change above the tolerance.
func TestPALMReachesItsLimit(t *testing.T) {
	const n, k = 12, 3
	c := plantedDense(t, 5, n, k, 1)
	for name, method := range map[string]FactorRectifier{"PALM": PALM, "IPALM": IPALM} {
		for _, iterations := range []int{0, 4} {
			result, err := method(t.Context(), startOf(t, c, k), through(Dense(c, 1), Options{Iterations: iterations,
				Tolerance: 1e-300}))
			if err != nil {
				t.Fatal(err)
			}
			want := iterations
			if want == 0 {
				want = DefaultPALMIterations
			}
			if got := len(result.Iterations); got != want || result.Converged || !(result.Iterations[got-1].Change > 1e-300) {
				t.Errorf("%s stops after %d iterations with a change of %v, converged %v", name, got,
					result.Iterations[got-1].Change, result.Converged)
			}
		}
	}
}

// From the first iteration, after which both factors are not negative, J never rises.
func TestPALMDescends(t *testing.T) {
	for seed := range uint64(5) {
		const n, k = 60, 5
		c := plantedDense(t, 30+seed, n, k, 1)
		result, err := PALM(context.Background(), startOf(t, c, k), through(Dense(c, 1), Options{Iterations: 200}))
		if err != nil {
			t.Fatal(err)
		}
		for at, i := range result.Iterations[1:] {
			if before := result.Iterations[at].Objective; i.Objective > before+1e-14*math.Abs(before) {
				t.Fatalf("seed %d: J rises from %v to %v in iteration %d", seed, before, i.Objective, i.Number)
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
	c, marginals, err := sketch.Dense(context.Background(), pass, n, nil, 0, 0, 1)
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
			result, err := method(context.Background(), b.Copy(4), through(lowRank(b, workers), Options{Iterations: 4,
				Workers: workers}))
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
		"no coupling":    try(c, startOf(t, c, 3), Options{PALM: PALMOptions{Coupling: -1}}),
		"NaN in options": try(c, startOf(t, c, 3), Options{PALM: PALMOptions{Coupling: math.NaN()}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
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
	if _, err := PALM(cancelled, startOf(t, clean, 3), through(Dense(clean, 1),
		Options{})); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
