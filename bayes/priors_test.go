package bayes

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/internal/synth"
)

// dirichletTerm returns E ln p − E ln q of a Dirichlet variable with the prior Dirichlet(prior) and q = Dirichlet(prior
// + counts), and Σ counts·E ln of it: what the bound has of it for given responsibilities.
func dirichletTerm(prior float64, counts []float64) float64 {
	n := float64(len(counts))
	total := n * prior
	for _, c := range counts {
		total += c
	}
	term := lgamma(n*prior) - n*lgamma(prior) - lgamma(total)
	for _, c := range counts {
		mean := kernel.Digamma(prior+c) - kernel.Digamma(total)
		term += lgamma(prior+c) + (prior-1)*mean - (prior+c-1)*mean + c*mean
	}
	return term
}

// gammaBound returns the same of Gamma(shape, rate) variables with q = Gamma(shape + count, rate + weight).
func gammaBound(shape, rate float64, counts []float64, weight func(i int) float64) float64 {
	bound := 0.0
	for i, c := range counts {
		a, b := shape+c, rate+weight(i)
		bound += gammaTerm(shape, rate, a, b, math.Log(b)) + c*(kernel.Digamma(a)-math.Log(b)) - weight(i)*a/b
	}
	return bound
}

// greatest returns the number at which f is greatest between 1e-4 and 1e5, by golden sections of its logarithm.
func greatest(f func(x float64) float64) float64 {
	low, high := math.Log(1e-4), math.Log(1e5)
	golden := (math.Sqrt(5) - 1) / 2
	for range 70 {
		a, b := high-golden*(high-low), low+golden*(high-low)
		if f(math.Exp(a)) < f(math.Exp(b)) {
			low = a
		} else {
			high = b
		}
	}
	return math.Exp((low + high) / 2)
}

func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-4*want) {
		t.Errorf("%s is %v by fixed points, and the bound is greatest at %v", what, got, want)
	}
}

// prepared returns an engine with inferred documents, and the expected counts n_dk of its documents.
func prepared(t *testing.T, model Model) (*engine, [][]float64) {
	t.Helper()
	d := draw(synth.Model{Items: 60, Topics: 4, Documents: 80, Tokens: 25, Seed: 4})
	f := d.fitter(t, Options{Model: model, Topics: 5, Latent: map[Model]int{CNMF: 3}[model], BatchSize: 20, Seed: 2},
		Plan{InOrder: true, TestEvery: NoTests})
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	e := newEngine(f.State)
	e.b.Add(d.docs, 0, d.docs.Documents())
	if err := e.infer(context.Background()); err != nil {
		t.Fatal(err)
	}
	var counts [][]float64
	for m := range d.docs.Documents() {
		row := make([]float64, 5)
		for k, a := range e.local(m, 0, 0).a[:5] {
			row[k] = a - e.s.Options.A0
		}
		counts = append(counts, row)
	}
	return e, counts
}

// For fixed responsibilities, a₀ and b₀ reach the maximum of the bound that a search finds.
func TestDocumentPriorsAgainstSearch(t *testing.T) {
	for _, model := range long.Grid(1, BNMF, LDA) {
		e, counts := prepared(t, model)
		o := &e.s.Options
		for range 20_000 {
			e.learnDocumentPriors(1)
			for m, row := range counts {
				for k, n := range row {
					e.local(m, 0, 0).a[k] = o.A0 + n
				}
			}
		}
		bound := func(a0, b0 float64) float64 {
			sum := 0.0
			for _, row := range counts {
				if model == LDA {
					sum += dirichletTerm(a0, row)
				} else {
					sum += gammaBound(a0, b0, row, func(k int) float64 { return e.masses[k] })
				}
			}
			return sum
		}
		agree(t, string(model)+": a₀", o.A0, greatest(func(x float64) float64 { return bound(x, o.B0) }))
		if model == BNMF {
			agree(t, "b₀", o.B0, greatest(func(x float64) float64 { return bound(o.A0, x) }))
		}
	}
}

// The same of c₀, for which g and h change with it.
func TestTopicPriorAgainstSearch(t *testing.T) {
	for _, model := range Models {
		e, _ := prepared(t, model)
		s := e.s
		began := s.Options.C0
		columns, weights := make([][]float64, 5), make([]float64, 5)
		row := make([]float64, 5)
		for v := range s.Corpus.Items {
			s.Row(row, v)
			for k, g := range row {
				columns[k] = append(columns[k], g-s.prior())
			}
		}
		for k := range weights {
			if model != LDA {
				weights[k] = s.rates[k] - s.Options.C0
			}
		}
		for range 20_000 {
			s.learnTopicPrior(1)
		}
		agree(t, string(model)+": c₀", s.Options.C0, greatest(func(c0 float64) float64 {
			sum, prior := 0.0, c0/float64(s.Corpus.Items)
			for k, counts := range columns {
				if model == LDA {
					sum += dirichletTerm(prior, counts)
				} else {
					sum += gammaBound(prior, c0, counts, func(int) float64 { return weights[k] })
				}
			}
			return sum
		}))
		if math.Abs(s.Options.C0-began) < 0.01*began {
			t.Errorf("%s: c₀ has not moved from %v", model, began)
		}
		// g and h have the new c₀.
		for k, counts := range columns {
			sum := s.Options.C0
			for _, c := range counts {
				sum += c
			}
			if math.Abs(s.sums[k]-sum) > 1e-9*sum || model != LDA &&
				math.Abs(s.rates[k]-weights[k]-s.Options.C0) > 1e-9*s.rates[k] {
				t.Errorf("%s, topic %d: Σg is %v, want %v; h is %v", model, k, s.sums[k], sum, s.Rate(k))
			}
		}
	}
}

// What is learned from 0.02 and from 2 is the same within a factor of two at most, and nothing is learned unless it is
// asked for.
func TestLearnedPriors(t *testing.T) {
	d := draw(synth.Model{Items: 100, Topics: 4, Documents: 3000, Tokens: 40, Seed: 4})
	for _, model := range []Model{LDA, BNMF} {
		var found []float64
		for _, a0 := range []float64{0.02, 2} {
			o := Options{Model: model, Topics: 4, A0: a0, BatchSize: 50, Seed: 2, LearnPriors: true}
			f := d.fitter(t, o, Plan{TestEvery: NoTests, Epochs: 3})
			if err := f.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			found = append(found, f.State.Options.A0)
			o.LearnPriors = false
			f = d.fitter(t, o, Plan{TestEvery: NoTests})
			if err := f.Run(context.Background()); err != nil || f.State.Options.A0 != a0 || f.State.Options.C0 != 5 {
				t.Errorf("%s: a₀ is %v, c₀ is %v where they were not to be learned, error %v", model, f.State.Options.A0,
					f.State.Options.C0, err)
			}
		}
		if found[0] < 0.02 || found[1] > 2 || math.Abs(math.Log(found[0]/found[1])) > math.Ln2 {
			t.Errorf("%s: a₀ becomes %v from 0.02 and 2", model, found)
		}
	}
	if _, err := NewFitter(NewState(Options{Model: LDA, Topics: 4, LearnPriors: true}, d.corpus), Plan{Batch: true},
		Source{Pass: d.pass}); err == nil {
		t.Error("the batch algorithm takes it")
	}
}

// Learned hyperparameters are in checkpoints, and do not depend on the number of workers.
func TestResumeLearned(t *testing.T) {
	d := draw(synth.Model{Items: 5000, Topics: 4, Documents: 300, Tokens: 25, Seed: 5})
	for _, model := range Models {
		o := Options{Model: model, Topics: 5, BatchSize: 64, Seed: 9, LearnPriors: true}
		plan := Plan{Epochs: 2, TestEvery: 3}
		whole := d.fitter(t, o, plan)
		if err := whole.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := saved(t, whole)
		for stop := int64(1); stop < whole.State.Step; stop += 3 {
			o.Workers = int(stop)
			first := d.fitter(t, o, plan)
			first.Report = func(p Progress) error {
				if p.Step == stop {
					return errors.New("stop")
				}
				return nil
			}
			if err := first.Run(context.Background()); err == nil {
				t.Fatal("it did not stop")
			}
			second := d.fitter(t, o, plan)
			from, _ := kept(t, first)
			if err := second.Run(from); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(saved(t, second), want) || second.State.Options.C0 != whole.State.Options.C0 ||
				second.State.Options.A0 != whole.State.Options.A0 {
				t.Errorf("%s: another result after continuing from step %d", model, stop)
			}
		}
	}
}
