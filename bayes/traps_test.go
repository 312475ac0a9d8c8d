package bayes

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/internal/synth"
)

// allFinite fails where anything of a state is no number, or a parameter of a gamma distribution not positive.
func allFinite(t *testing.T, s *State) {
	t.Helper()
	row := make([]float64, s.Options.Topics)
	for v := range s.Corpus.Items {
		s.Row(row, v)
		for k, g := range row {
			if !(g > 0) || math.IsInf(g, 0) {
				t.Fatalf("g of item %d and topic %d is %v", v, k, g)
			}
		}
	}
	for k, h := range s.rates {
		if !(h > 0) || math.IsInf(h, 0) {
			t.Fatalf("h of topic %d is %v", k, h)
		}
	}
	if !finite(s.locations) || !finite(s.joint) || !finite(s.sums) {
		t.Fatalf("no numbers: locations %v, joint %v, sums %v", s.locations, s.joint, s.sums)
	}
}

// TestLargeLocations lets ℓ·u reach thousands: exp{α + ℓ·u} must neither overflow nor lose the document's tokens, for
// α takes the scale.
func TestLargeLocations(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 50, Tokens: 25, Seed: 4})
	f := d.fitter(t, Options{Model: CNMF, Topics: 5, Latent: 3}, Plan{InOrder: true, TestEvery: 1})
	s := f.State
	for i := range s.locations {
		s.locations[i] *= 3000
	}
	s.transpose(s.across, s.locations)
	e := f.engine
	e.b.Add(d.docs, 0, 50)
	_ = e.infer(context.Background())
	for m := range 50 {
		l := e.local(m, 0, 0)
		_, counts, _ := e.b.Document(m)
		sum := 0.0
		for k := range 5 {
			sum += e.masses[k] * l.a[k]
		}
		if n := floats.Sum(counts); math.Abs(sum-n) > 1e-9*n {
			t.Fatalf("document %d is expected to have %v tokens, and has %v", m, sum, n)
		}
	}
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	allFinite(t, s)
	if score := f.Scores[0].LogLikelihood; math.IsNaN(score) || math.IsInf(score, 0) {
		t.Errorf("score %v", score)
	}
}

// TestTinyShapes holds rows of the table against logarithms taken all along, with c₀/V = 1e-4 and items that no topic
// has: exp(ψ(1e-4)) is no float64.
func TestTinyShapes(t *testing.T) {
	c := Totals{Items: 8, Documents: 10, Tokens: 100, Key: func(i int) uint64 { return uint64(i) }}
	for _, model := range Models {
		s := NewState(Options{Model: model, Topics: 3, C0: 8e-4}, c)
		for _, row := range [][]float64{{0, 0, 0}, {1e-5, 0, 0}, {0, 3, 50}, {1e6, 0, 1e-3}} {
			copy(s.excess.Row(2), row)
			s.complete()
			e := newEngine(s)
			e.b.Add(&corpus.Documents{Offsets: []int32{0, 1}, Items: []int32{2}, Counts: []int32{1}}, 0, 1)
			e.prepare()
			want := newNaive(s).logBeta[2]
			for k := range want {
				if model == BNMF {
					want[k] -= math.Log(s.localRate(k))
				}
			}
			for k, w := range want {
				got := math.Log(e.table[k]) + e.tableLog[0] + e.factorLog
				if w < want[floats.MaxIdx(want)]-600 { // less than the least number: next to nothing is enough
					if got > w+math.Abs(w) {
						t.Errorf("%s, excess %v: topic %d has %v, want at most about %v", model, row, k, got, w)
					}
					continue
				}
				if math.Abs(got-w) > 1e-11*(1+math.Abs(w)) {
					t.Errorf("%s, excess %v: topic %d has %v, want %v", model, row, k, got, w)
				}
			}
		}
	}
}

// TestRatesAreNotPerItem wants h to be one value per topic, which (11.26) and (11.27) make it: it does not depend on v.
func TestRatesAreNotPerItem(t *testing.T) {
	s := NewState(Options{Model: BNMF, Topics: 3}, Totals{Items: 1000, Documents: 10, Tokens: 100,
		Key: func(i int) uint64 { return uint64(i) }})
	if len(s.rates) != 3 {
		t.Errorf("%d rates for 3 topics", len(s.rates))
	}
}

// TestEmptyDocuments learns from documents of which some are empty or have one token.
func TestEmptyDocuments(t *testing.T) {
	d := draw(synth.Model{Items: 40, Topics: 3, Documents: 30, Tokens: 25, Seed: 4})
	mixed := &corpus.Documents{Offsets: []int32{0, 0}}
	for m := range d.docs.Documents() {
		items, counts := d.docs.Row(m)
		mixed.Items, mixed.Counts = append(mixed.Items, items...), append(mixed.Counts, counts...)
		mixed.Offsets = append(mixed.Offsets, int32(len(mixed.Items)), int32(len(mixed.Items)))
	}
	mixed.Items, mixed.Counts = append(mixed.Items, 7), append(mixed.Counts, 1)
	mixed.Offsets = append(mixed.Offsets, int32(len(mixed.Items)))
	d.docs, d.corpus.Documents = mixed, int64(mixed.Documents())
	for _, model := range Models {
		for _, batch := range []bool{false, true} {
			f := d.fitter(t, Options{Model: model, Topics: 4, BatchSize: 10}, Plan{TestEvery: 1, Batch: batch, Iterations: 3})
			if err := f.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			allFinite(t, f.State)
			for _, score := range f.Scores {
				if math.IsNaN(score.LogLikelihood) {
					t.Errorf("%s: score %+v", model, score)
				}
			}
		}
	}
	nothing := drawn{docs: &corpus.Documents{Offsets: []int32{0, 0, 0}}, corpus: Totals{Items: 5, Documents: 2,
		Key: func(i int) uint64 { return uint64(i) }}}
	for _, model := range Models {
		f := nothing.fitter(t, Options{Model: model, Topics: 3}, Plan{TestEvery: 1})
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		allFinite(t, f.State)
	}
}

// TestDirection wants an ascent direction of whatever Newton's matrix turns out to be.
func TestDirection(t *testing.T) {
	for _, test := range []struct {
		name      string
		precision []float64
		want      []float64
	}{
		{"definite", []float64{4, 0, 0, 2}, []float64{0.25, 1}},
		{"indefinite", []float64{1, 3, 3, 1}, []float64{1, 2}},
		{"singular", []float64{1, 1, 1, 1}, nil},
		{"infinite", []float64{math.Inf(1), 0, 0, 1}, []float64{0, 2}},
	} {
		gradient := []float64{1, 2}
		step := direction(test.precision, gradient)
		if !finite(step) || !(dot(step, gradient) > 0) {
			t.Errorf("%s: step %v", test.name, step)
		}
		for j, w := range test.want {
			if math.Abs(step[j]-w) > 1e-12 {
				t.Errorf("%s: step %v, want %v", test.name, step, test.want)
			}
		}
	}
}

// TestFirstStepKeepsBeginning wants every step size to be below 1, and something of the beginning to be left after the
// first step.
func TestFirstStepKeepsBeginning(t *testing.T) {
	d := draw(synth.Model{Items: 40, Topics: 3, Documents: 30, Tokens: 25, Seed: 4})
	for _, o := range []Options{{}, {Delay: 1e-9, Forgetting: 1}, {Delay: 64}} {
		o.Model, o.Topics, o.BatchSize = LDA, 3, 30
		f := d.fitter(t, o, Plan{InOrder: true})
		rho := f.State.Options.rate(1)
		if !(rho < 1) && o.Delay != 1e-9 {
			t.Errorf("t₀ = %v: the first step size is %v", o.Delay, rho)
		}
		if o.Delay == 0 && math.Abs(rho-math.Sqrt(0.5)) > 1e-15 {
			t.Errorf("the first step size is %v by default, want √½", rho)
		}
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		allFinite(t, f.State)
	}
	f := d.fitter(t, Options{Model: LDA, Topics: 3, BatchSize: 30}, Plan{InOrder: true})
	before := make([]float64, 3)
	f.State.Row(before, 1)
	f.engine.b.Add(&corpus.Documents{Offsets: []int32{0, 1}, Items: []int32{0}, Counts: []int32{3}}, 0, 1)
	_ = f.engine.step(context.Background(), &f.statistics, f.State.Options.rate(1))
	after := make([]float64, 3)
	f.State.Row(after, 1) // an item that the batch did not have
	for k := range after {
		prior := f.State.prior()
		if want := prior + (1-math.Sqrt(0.5))*(before[k]-prior); math.Abs(after[k]-want) > 1e-12*want {
			t.Errorf("topic %d: %v is left of %v, want %v", k, after[k], before[k], want)
		}
	}
}

// TestManySteps compares the scaled representation with one that is updated in full, over steps that leave next to
// nothing of the beginning, and through a step of size 1.
func TestManySteps(t *testing.T) {
	c := Totals{Items: 5, Documents: 4, Tokens: 40, Key: func(i int) uint64 { return uint64(i) }}
	s := NewState(Options{Model: LDA, Topics: 2}, c)
	want := make([][]float64, 5)
	for v := range want {
		want[v] = make([]float64, 2)
		s.Row(want[v], v)
	}
	rescaled := false
	for step := range 400 {
		rho := 0.5
		if step == 200 {
			rho = 1
		}
		v := step % 5
		total := []float64{float64(step % 3), 1}
		factor := s.blend(rho, 2, total)
		for k, x := range total {
			s.excess.Row(v)[k] += factor * x
		}
		rescaled = rescaled || s.scale == 1
		for i := range want {
			for k := range want[i] {
				add := s.prior()
				if i == v {
					add += 2 * total[k]
				}
				want[i][k] = (1-rho)*want[i][k] + rho*add
			}
		}
		row, sums := make([]float64, 2), make([]float64, 2)
		for i := range want {
			s.Row(row, i)
			for k := range row {
				sums[k] += row[k]
				if math.Abs(row[k]-want[i][k]) > 1e-12*want[i][k] {
					t.Fatalf("step %d: item %d, topic %d: %v, want %v", step, i, k, row[k], want[i][k])
				}
			}
		}
		for k := range sums {
			if math.Abs(sums[k]-s.sums[k]) > 1e-11*sums[k] {
				t.Fatalf("step %d: the sum of topic %d is kept as %v, and is %v", step, k, s.sums[k], sums[k])
			}
		}
	}
	if !rescaled {
		t.Error("the scale was never made 1 again")
	}
}

// TestReducedTopicsAgree wants the same from an ascent with topics set aside as from one with all of them.
func TestReducedTopicsAgree(t *testing.T) {
	d := draw(synth.Model{Items: 300, Topics: 20, Documents: 200, Tokens: 40, Seed: 4, Concentration: 0.05})
	o := Options{Model: BNMF, Topics: 40, BatchSize: 200, LocalTolerance: 1e-9, LocalIterations: 3000}
	f := d.fitter(t, o, Plan{InOrder: true})
	for range 20 {
		f.engine.b.Reset()
		f.engine.b.Add(d.docs, 0, 200)
		_ = f.engine.step(context.Background(), &f.statistics, 0.5)
	}
	f.engine.b.Reset()
	f.engine.b.Add(d.docs, 0, 200)
	_ = f.engine.infer(context.Background())
	for m := range 200 {
		rows, counts, first := f.engine.b.Document(m)
		l := f.engine.local(m, first, len(rows))
		a := make([]float64, f.State.stride)
		next := make([]float64, f.State.stride)
		for k := range 40 {
			a[k] = 1./40 + floats.Sum(counts)/40
		}
		for range 3000 {
			x := local{a: a, t: make([]float64, len(a)), resp: make([]float64, len(a)), norms: make([]float64, len(rows))}
			kernel.ExpDigamma(x.t, x.a)
			kernel.Mixture(rows, counts, f.engine.table, x.t, x.norms, x.resp)
			for k := range 40 {
				x.resp[k] *= x.t[k]
				next[k] = 1./40 + x.resp[k]
			}
			copy(a, next)
		}
		for k := range 40 {
			if math.Abs(a[k]-l.a[k]) > 1e-4*(1+a[k]) {
				t.Errorf("document %d, topic %d: %v, want %v", m, k, l.a[k], a[k])
			}
		}
	}
}

// TestNoAllocationPerDocument compares the memory that batches of different sizes take once there is room for them.
func TestNoAllocationPerDocument(t *testing.T) {
	long.Unwatched(t)
	d := draw(synth.Model{Items: 100, Topics: 10, Documents: 512, Tokens: 30, Seed: 4})
	for _, model := range Models {
		f := d.fitter(t, Options{Model: model, Topics: 20, BatchSize: 512, Workers: 1}, Plan{InOrder: true})
		e := f.engine
		allocations := func(documents int) float64 {
			return testing.AllocsPerRun(5, func() {
				e.b.Reset()
				e.b.Add(d.docs, 0, documents)
				_ = e.infer(context.Background())
				_, _ = e.test(context.Background(), 0)
			})
		}
		allocations(512)
		if few, many := allocations(64), allocations(512); many > few+16 { // a block of documents may cost something
			t.Errorf("%s: %v allocations for 64 documents, %v for 512", model, few, many)
		}
	}
}

// TestSteepUntilNowhereIsHigher ends an ascent whose gradient is not zero only for rounding.
func TestSteepUntilNowhereIsHigher(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 40, Tokens: 25, Seed: 4})
	e := inferred(t, d, Options{Model: CNMF, Topics: 5, Latent: 3, LocalTolerance: 1e-300, LocalIterations: 100_000})
	for m := range d.docs.Documents() {
		rows, counts, first := e.b.Document(m)
		l := e.local(m, first, len(rows))
		w := newAscent(e.s)
		copy(w.here.u, l.u)
		w.here.norms = make([]float64, len(rows))
		e.evaluate(&w.here, rows, counts, floats.Sum(counts))
		e.ascend(&w, floats.Sum(counts))
		if g := math.Sqrt(dot(w.gradient, w.gradient)); g > 1e-4 {
			t.Errorf("document %d: the gradient is %v where the ascent ended: %v", m, g, fmt.Sprint(w.gradient[:3]))
		}
	}
}

// TestNewtonAscends wants a step on all documents with their u as they are to raise the topics' objective.
func TestNewtonAscends(t *testing.T) {
	d := draw(synth.Model{Items: 80, Topics: 3, Documents: 60, Tokens: 25, Seed: 4})
	e := inferred(t, d, Options{Model: CNMF, Topics: 5, Latent: 3})
	before := fmt.Sprint(e.s.locations)
	alpha := make([]float64, d.docs.Documents())
	for m := range alpha {
		l := e.local(m, 0, 0)
		alpha[m] = math.Log(l.a[0]) - dot(e.s.Location(0), l.u)
	}
	value := func() float64 {
		sum := -dot(e.s.locations, e.s.locations) / (2 * e.s.Options.Variance)
		for m := range d.docs.Documents() {
			l := e.local(m, 0, 0)
			for k := range e.s.Options.Topics {
				y := dot(e.s.Location(k), l.u)
				sum += l.resp[k]*y - e.masses[k]*math.Exp(alpha[m]+y)
			}
		}
		return sum
	}
	start := value()
	e.newton(0.3, 1)
	if end := value(); !(end > start) || fmt.Sprint(e.s.locations) == before {
		t.Errorf("the objective went from %v to %v", start, end)
	}
}
