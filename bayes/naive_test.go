package bayes

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/kernel"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// naive is a step by the formulas of the chapter, one by one, with logarithms throughout and dense matrices.
type naive struct {
	s             *State
	g, logBeta    [][]float64 // V×K
	rates, masses []float64
	statistics    [][]float64 // V×K: Σ_d X p
	omega         []float64   // Σ_d E ω
	prior         float64
}

func newNaive(s *State) *naive {
	k := s.Options.Topics
	n := &naive{s: s, rates: make([]float64, k), masses: make([]float64, k), omega: make([]float64, k),
		prior: s.Options.C0 / float64(s.Corpus.Items)}
	sums := make([]float64, k)
	for v := range s.Corpus.Items {
		row := make([]float64, k)
		s.Row(row, v)
		n.g = append(n.g, row)
		n.statistics = append(n.statistics, make([]float64, k))
		for j, x := range row {
			sums[j] += x
		}
	}
	for j := range sums {
		n.rates[j] = s.Rate(j)
		if s.Options.Model == LDA {
			n.rates[j] = sums[j]
		}
		n.masses[j] = sums[j] / n.rates[j]
	}
	for _, row := range n.g {
		logs := make([]float64, k)
		for j, x := range row {
			logs[j] = kernel.Digamma(x) - math.Log(n.rates[j])
			if s.Options.Model == LDA {
				logs[j] = kernel.Digamma(x) - kernel.Digamma(n.rates[j])
			}
		}
		n.logBeta = append(n.logBeta, logs)
	}
	return n
}

// responsibilities returns p of an entry with the given E ln ω.
func (n *naive) responsibilities(v int32, logOmega []float64) []float64 {
	p := make([]float64, len(logOmega))
	highest := math.Inf(-1)
	for j := range p {
		p[j] = n.logBeta[v][j] + logOmega[j]
		highest = math.Max(highest, p[j])
	}
	sum := 0.0
	for j := range p {
		p[j] = math.Exp(p[j] - highest)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

// mixture runs (11.24), (11.28) and (11.29) for a document and adds its statistics.
func (n *naive) mixture(items, counts []int32, rounds int) {
	o := n.s.Options
	a, b, logs := make([]float64, o.Topics), make([]float64, o.Topics), make([]float64, o.Topics)
	total := 0.0
	for _, c := range counts {
		total += float64(c)
	}
	for j := range a {
		a[j], b[j] = o.A0+total/float64(o.Topics), 1
		if o.Model == BNMF {
			b[j] = o.B0 + n.masses[j]
		}
	}
	for round := 0; ; round++ {
		next := make([]float64, o.Topics)
		for j := range logs {
			logs[j], next[j] = kernel.Digamma(a[j])-math.Log(b[j]), o.A0
		}
		for i, v := range items {
			for j, p := range n.responsibilities(v, logs) {
				next[j] += float64(counts[i]) * p
				if round == rounds {
					n.statistics[v][j] += float64(counts[i]) * p
				}
			}
		}
		if round == rounds {
			break
		}
		a = next
	}
	for j := range a {
		n.omega[j] += a[j] / b[j]
	}
}

// TestStepAgainstNaive compares a step of Bayesian NMF and LDA with the formulas written out.
func TestStepAgainstNaive(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 40, Tokens: 25, Seed: 4})
	for _, model := range []Model{BNMF, LDA} {
		f := d.fitter(t, Options{Model: model, Topics: 4, BatchSize: 40, LocalTolerance: 1e-14, LocalIterations: 3000},
			Plan{InOrder: true, TestEvery: NoTests})
		s := f.State
		want := newNaive(s)
		for m := range d.docs.Documents() {
			items, counts := d.docs.Row(m)
			want.mixture(items, counts, 3000)
		}
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		rho := math.Sqrt(0.5)
		row := make([]float64, 4)
		for v := range 60 {
			s.Row(row, v)
			for k, got := range row {
				w := (1-rho)*want.g[v][k] + rho*(want.prior+want.statistics[v][k])
				if math.Abs(got-w) > 1e-7*w {
					t.Fatalf("%s: g of item %d and topic %d is %v, want %v", model, v, k, got, w)
				}
			}
		}
		for k := range 4 {
			if w := (1-rho)*want.rates[k] + rho*(s.Options.C0+want.omega[k]); model == BNMF && math.Abs(s.Rate(k)-w) > 1e-7*w {
				t.Errorf("h of topic %d is %v, want %v", k, s.Rate(k), w)
			}
		}
	}
}

// TestWholeBatchIsBatchStep wants the stochastic step on all documents with ρ = 1 to be a step of the batch algorithm.
func TestWholeBatchIsBatchStep(t *testing.T) {
	d := draw(synth.Model{Items: 80, Topics: 3, Documents: 90, Tokens: 25, Seed: 4})
	for _, model := range Models {
		o := Options{Model: model, Topics: 4, BatchSize: 90, Seed: 3}
		stochastic := d.fitter(t, o, Plan{InOrder: true, TestEvery: NoTests})
		err := stochastic.batches(context.Background(), 0, 0, func() error {
			_ = stochastic.engine.step(context.Background(), &stochastic.statistics, 1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{90, 17} { // of the runs in which the batch algorithm reads the documents
			o.BatchSize = size
			batch := d.fitter(t, o, Plan{Batch: true, Iterations: 1})
			if err := batch.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			a, b := make([]float64, 4), make([]float64, 4)
			for v := range 80 {
				stochastic.State.Row(a, v)
				batch.State.Row(b, v)
				for k := range a {
					if math.Abs(a[k]-b[k]) > 1e-12*a[k] {
						t.Fatalf("%s, size %d: g of item %d and topic %d: %v by the step, %v by the iteration", model, size,
							v, k, a[k], b[k])
					}
				}
			}
			for k := range 4 {
				if x, y := stochastic.State.mass(k), batch.State.mass(k); math.Abs(x-y) > 1e-12*x {
					t.Errorf("%s, size %d: mass of topic %d: %v by the step, %v by the iteration", model, size, k, x, y)
				}
			}
			for i, x := range stochastic.State.Joint() {
				if y := batch.State.Joint()[i]; math.Abs(x-y) > 1e-12 {
					t.Errorf("%s, size %d: joint probability %d: %v by the step, %v by the iteration", model, size, i, x, y)
				}
			}
		}
	}
}

// inferred returns an engine that has inferred the documents under a state of correlated NMF.
func inferred(t *testing.T, d drawn, o Options) *engine {
	t.Helper()
	e := newEngine(NewState(o, d.corpus))
	e.b.Add(d.docs, 0, d.docs.Documents())
	_ = e.infer(context.Background())
	return e
}

// written is the bound of correlated NMF written out, for differences of it: of documents whose local variables have
// not converged, so that gradients are not zero.
type written struct {
	d     drawn
	e     *engine
	n     *naive
	o     Options
	alpha []float64
}

// difference is the step of central differences.
const difference = 1e-6

func newWritten(t *testing.T) *written {
	t.Helper()
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 12, Tokens: 25, Seed: 4})
	e := inferred(t, d, Options{Model: CNMF, Topics: 5, Latent: 3, Variance: 0.7, LocalIterations: 2})
	w := &written{d: d, e: e, n: newNaive(e.s), o: e.s.Options, alpha: make([]float64, d.docs.Documents())}
	for m := range w.alpha {
		l := e.local(m, int(e.b.Offsets[m]), 0)
		w.alpha[m] = math.Log(l.a[0]) - dot(e.s.Location(0), l.u)
	}
	return w
}

// document returns the part of the bound that belongs to document m, at the best p.
func (w *written) document(m int, u []float64, location func(k int) []float64) float64 {
	items, counts := w.d.docs.Row(m)
	bound := -dot(u, u) / 2
	for i, v := range items {
		sum := 0.0
		for k := range w.o.Topics {
			sum += math.Exp(w.n.logBeta[v][k] + w.alpha[m] + dot(location(k), u))
		}
		bound += float64(counts[i]) * math.Log(sum)
	}
	for k := range w.o.Topics {
		bound -= w.n.masses[k] * math.Exp(w.alpha[m]+dot(location(k), u))
	}
	return bound
}

// topic returns the part of the bound that moves with ℓ_k, whose entry j is changed by some amount, for a batch that
// represents factor times as many documents.
func (w *written) topic(k, j int, by, factor float64) float64 {
	location := func(i int) []float64 {
		l := slices.Clone(w.e.s.Location(i))
		if i == k {
			l[j] += by
		}
		return l
	}
	sum := -dot(location(k), location(k)) / (2 * w.o.Variance)
	for m := range w.alpha {
		sum += factor * w.document(m, w.e.u[m*w.e.s.latent:][:w.o.Latent], location)
	}
	return sum
}

// TestAlpha compares α with (11.32).
func TestAlpha(t *testing.T) {
	w := newWritten(t)
	for m, alpha := range w.alpha {
		l := w.e.local(m, int(w.e.b.Offsets[m]), 0)
		_, counts := w.d.docs.Row(m)
		total, sum := 0.0, 0.0
		for _, c := range counts {
			total += float64(c)
		}
		for k := range w.o.Topics {
			sum += w.n.masses[k] * math.Exp(dot(w.e.s.Location(k), l.u))
		}
		if want := math.Log(total) - math.Log(sum); math.Abs(alpha-want) > 1e-12 {
			t.Errorf("α of document %d is %v, want %v (11.32)", m, alpha, want)
		}
	}
}

// TestDocumentGradientAgainstDifferences compares (11.31) with differences of the bound.
func TestDocumentGradientAgainstDifferences(t *testing.T) {
	w := newWritten(t)
	e := w.e
	for m := range w.alpha {
		rows, counts, first := e.b.Document(m)
		l := e.local(m, first, len(rows))
		work := newAscent(e.s)
		copy(work.here.u, l.u)
		work.here.norms = make([]float64, len(rows))
		total := floats.Sum(counts)
		e.evaluate(&work.here, rows, counts, total)
		e.ascend(&work, total)
		for j := range w.o.Latent {
			up, down := slices.Clone(l.u[:w.o.Latent]), slices.Clone(l.u[:w.o.Latent])
			up[j] += difference
			down[j] -= difference
			want := (w.document(m, up, e.s.Location) - w.document(m, down, e.s.Location)) / (2 * difference)
			if math.Abs(work.gradient[j]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("document %d, direction %d: %v, want %v", m, j, work.gradient[j], want)
			}
		}
	}
}

// TestTopicGradientAgainstDifferences compares (11.30) with differences of the bound, and G⁻¹ with its definition.
func TestTopicGradientAgainstDifferences(t *testing.T) {
	w := newWritten(t)
	e, o := w.e, w.o
	const factor = 7
	places := matrix.NewTall(len(w.alpha), o.Latent)
	for m := range w.alpha {
		copy(places.Row(m), e.u[m*e.s.latent:])
	}
	for k := range o.Topics {
		gradient, precision := e.locationGradient(places, k, factor), e.locationPrecision(places, k, factor)
		for j := range o.Latent {
			want := (w.topic(k, j, difference, factor) - w.topic(k, j, -difference, factor)) / (2 * difference)
			if math.Abs(gradient[j]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("topic %d, direction %d: %v, want %v", k, j, gradient[j], want)
			}
			for i := range o.Latent {
				want := 0.0
				if i == j {
					want = 1 / o.Variance
				}
				for m := range w.alpha {
					u := places.Row(m)
					want += factor * w.n.masses[k] * e.a[m*e.s.stride+k] * u[i] * u[j]
				}
				if math.Abs(precision[i*o.Latent+j]-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("topic %d: precision %d,%d is %v, want %v", k, i, j, precision[i*o.Latent+j], want)
				}
			}
		}
	}
}

// TestLocationAscentAgainstDifferences compares the gradient of the batch algorithm's ascent with differences of its
// objective, which sums over documents in a file.
func TestLocationAscentAgainstDifferences(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 300, Tokens: 15, Seed: 4})
	f := d.fitter(t, Options{Model: CNMF, Topics: 4, Latent: 2, BatchSize: 100}, Plan{Batch: true, Iterations: 1})
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.locals.turn() // moments are read from the present iteration
	s := f.State
	a := &locationAscent{s: s, linear: make([]float64, len(s.locations)), masses: []float64{1, 2, 0.5, 1}}
	for i := range a.linear {
		a.linear[i] = float64(i % 3)
	}
	at := func(by float64, k, j int) (value, gradient []float64) {
		l := append([]float64(nil), s.locations...)
		l[k*s.latent+j] += by
		sums, moments, err := f.locationMoments(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		return a.objective(l, sums, moments)
	}
	const h = 1e-5
	_, gradient := at(0, 0, 0)
	for k := range 4 {
		for j := range 2 {
			up, _ := at(h, k, j)
			down, _ := at(-h, k, j)
			if want := (up[k] - down[k]) / (2 * h); math.Abs(gradient[k*s.latent+j]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("topic %d, direction %d: %v, want %v", k, j, gradient[k*s.latent+j], want)
			}
		}
	}
}

// TestBoundAgainstNaive compares the bound of Bayesian NMF with all its terms summed one by one.
func TestBoundAgainstNaive(t *testing.T) {
	d := draw(synth.Model{Items: 30, Topics: 2, Documents: 9, Tokens: 12, Seed: 6})
	e := inferred(t, d, Options{Model: BNMF, Topics: 3})
	s := e.s
	o := s.Options
	n := newNaive(s)
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	term := func(shape, rate, a, b float64) float64 { // −KL(Gamma(a, b) ‖ Gamma(shape, rate)), as it is usually written
		return -((a-shape)*kernel.Digamma(a) - lg(a) + lg(shape) + shape*(math.Log(b)-math.Log(rate)) + a*(rate-b)/b)
	}
	want := 0.0
	for v := range n.g {
		for k, g := range n.g[v] {
			want += term(n.prior, o.C0, g, n.rates[k])
		}
	}
	for m := range d.docs.Documents() {
		l := e.local(m, 0, 0)
		items, counts := d.docs.Row(m)
		logs := make([]float64, o.Topics)
		for k := range logs {
			b := o.B0 + n.masses[k]
			logs[k] = kernel.Digamma(l.a[k]) - math.Log(b)
			want += term(o.A0, o.B0, l.a[k], b) - n.masses[k]*l.a[k]/b
		}
		for i, v := range items {
			c := float64(counts[i])
			for k, p := range n.responsibilities(v, logs) {
				want += c * p * (n.logBeta[v][k] + logs[k] - math.Log(p))
			}
			want -= lg(c + 1)
		}
	}
	if got := s.globalBound() + e.localBound(); math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("bound %v, want %v", got, want)
	}
}
