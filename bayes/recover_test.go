package bayes

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/internal/synth"
)

// recovered compares a state's topics with the truth.
func recovered(s *State, truth *synth.Truth) synth.Recovery {
	return truth.Recover(synth.Estimate{Row: s.MeanRow, Correlations: s.Joint(), Anchors: make([]int, s.Options.Topics)})
}

// TestRecoversTruth learns topics that documents were drawn from, with every model, stochastic and batch.
func TestRecoversTruth(t *testing.T) {
	long.Unwatched(t)
	d := draw(synth.Model{Items: 150, Topics: 4, Documents: 2000, Tokens: 60, Concentration: 0.1, Seed: 8})
	for _, model := range Models {
		for name, plan := range map[string]Plan{"stochastic": {Epochs: 5, TestEvery: NoTests}, "batch": {Batch: true,
			Iterations: 40}} {
			// Unrelated topics are about 1.5 apart. The prior of u draws the shares of correlated NMF together.
			mostA := map[Model]float64{BNMF: 0.1, LDA: 0.1, CNMF: 0.35}[model]
			near := func(r synth.Recovery) bool { return r.ErrorB <= 0.2 && r.ErrorA <= mostA }
			best := synth.Recovery{ErrorB: 2}
			for seed := uint64(0); seed < 3 && !near(best); seed++ { // one beginning may end where two topics are one
				f := d.fitter(t, Options{Model: model, Topics: 4, BatchSize: 200, Delay: 10, Seed: seed}, plan)
				if err := f.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				if r := recovered(f.State, d.truth); r.ErrorB < best.ErrorB {
					best = r
				}
			}
			if !near(best) {
				t.Errorf("%s, %s: topics are %.3f from the truth, correlations %.3f", model, name, best.ErrorB, best.ErrorA)
			}
		}
	}
}

// stateOf returns global variables that begin with given topics: row(dst, v) sets dst, K values, to p(item v | topic),
// and shares are the K values p(topic). g_vk is the prior plus p(v | k)·p(k)·tokens: the counts to expect if the topics
// were true.
func stateOf(o Options, c Totals, row func(dst []float64, v int), shares []float64) *State {
	s := newState(o, c)
	for v := range c.Items {
		to := s.excess.Row(v)
		row(to, v)
		for j := range to {
			to[j] *= shares[j] * float64(c.Tokens)
		}
	}
	s.complete()
	for j := range s.rates {
		s.rates[j] = s.Options.C0 + shares[j]*float64(c.Tokens)
	}
	return s
}

// TestCorrelatedTopics learns the locations of topics that come in two blocks: those of a block must come to lie nearer
// to each other than to the others, from random locations and with topics that are known from the start.
func TestCorrelatedTopics(t *testing.T) {
	long.Test(t, "it is about five fits")
	d := draw(synth.Model{Items: 200, Topics: 6, Documents: 3000, Tokens: 100, Seed: 8,
		Logistic: &synth.LogisticNormal{Deviation: 2, Blocks: 2, Correlation: 0.7}})
	const beginnings = 5
	found := 0
	for seed := range uint64(beginnings) {
		o := Options{Model: CNMF, Topics: 6, Latent: 2, BatchSize: 250, Delay: 10, Seed: seed}
		f := d.fitter(t, o, Plan{Epochs: 6, TestEvery: NoTests})
		*f.State = *stateOf(o, d.corpus, d.truth.CopyRow, d.truth.Prior)
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		inside, outside := 0.0, 0.0
		for i := range 6 {
			for j := range 6 {
				switch {
				case i == j:
				case i/3 == j/3:
					inside += f.State.Correlation(i, j) / 12
				default:
					outside += f.State.Correlation(i, j) / 18
				}
			}
		}
		t.Logf("seed %d: correlations are %.3f within blocks and %.3f between", seed, inside, outside)
		if inside >= outside+0.4 {
			found++
		}
	}
	if found <= beginnings/2 { // one in six ends in another optimum
		t.Errorf("the blocks show after %d of %d beginnings", found, beginnings)
	}
}

// TestBeginningFromTruth wants a fit that begins with the true topics to predict better at once than one that does not.
func TestBeginningFromTruth(t *testing.T) {
	d := draw(synth.Model{Items: 150, Topics: 5, Documents: 500, Tokens: 60, Seed: 8})
	for _, model := range Models {
		o := Options{Model: model, Topics: 5}
		begun := stateOf(o, d.corpus, d.truth.CopyRow, d.truth.Prior)
		allFinite(t, begun)
		informed, err := Evaluate(context.Background(), begun, d.pass)
		if err != nil {
			t.Fatal(err)
		}
		random, err := Evaluate(context.Background(), NewState(o, d.corpus), d.pass)
		if err != nil {
			t.Fatal(err)
		}
		if informed.Tokens != random.Tokens || informed.Documents != 500 ||
			informed.LogLikelihood < random.LogLikelihood+0.3 {
			t.Errorf("%s: %+v with the truth, %+v at random", model, informed, random)
		}
		if tokens := d.corpus.Tokens; informed.Tokens != tokens {
			t.Errorf("%d tokens were predicted, want each of %d once", informed.Tokens, tokens)
		}
	}
}

// TestOneDistribution has topics that are all the same: then every token is predicted by its item's share, whatever the
// document.
func TestOneDistribution(t *testing.T) {
	d := draw(synth.Model{Items: 30, Topics: 2, Documents: 40, Tokens: 20, Seed: 8})
	weights, sum := make([]float64, 30), 0.0
	for v := range weights {
		weights[v] = float64(v + 1)
		sum += weights[v]
	}
	want := 0.0
	for i, item := range d.docs.Items {
		want += float64(d.docs.Counts[i]) * math.Log(weights[item]/sum)
	}
	want /= float64(d.corpus.Tokens)
	for _, model := range Models {
		s := RestoreState(Options{Model: model, Topics: 3}, d.corpus, func(dst []float64, v int) {
			for k := range dst {
				dst[k] = weights[v] * 1000
			}
		}, []float64{100, 200, 300}, make([]float64, 9), make([]float64, 9))
		score, err := Evaluate(context.Background(), s, d.pass)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(score.LogLikelihood-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", model, score.LogLikelihood, want)
		}
	}
}

// TestDeal wants three parts of the same size, and every token in one of them, for heavy entries too.
func TestDeal(t *testing.T) {
	for _, counts := range [][]float64{{1, 1}, {5}, {1, 2, 3, 4}, {2_000_000_001, 3}, {301}, {300}, {302, 1}} {
		var h heldScratch
		h.deal(counts, 1, 2, 3)
		rows := make([]int32, len(counts))
		least, most, total := math.Inf(1), 0.0, 0.0
		for fold := range int8(folds) {
			h.hold(rows, counts, fold)
			sum := 0.0
			for i, held := range h.held {
				if held < 0 || held > counts[i] || held != math.Trunc(held) {
					t.Fatalf("%v: %v of entry %d are held out", counts, held, i)
				}
				sum += held
			}
			if kept := floats.Sum(h.kept); kept+sum != floats.Sum(counts) {
				t.Errorf("%v: %v kept and %v held out", counts, kept, sum)
			}
			least, most, total = min(least, sum), max(most, sum), total+sum
		}
		if total != floats.Sum(counts) || most-least > 1 {
			t.Errorf("%v: parts of %v to %v, together %v", counts, least, most, total)
		}
	}
}

// TestSplit wants every token in one of the two parts, and a third of them in the second.
func TestSplit(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 200, Tokens: 30, Seed: 8})
	training, held := Split(d.docs, 1)
	for m := range 200 {
		items, counts := d.docs.Row(m)
		left := make(map[int32]int32)
		for i, item := range items {
			left[item] = counts[i]
		}
		for _, part := range []*corpus.Documents{training, held} {
			items, counts := part.Row(m)
			for i, item := range items {
				left[item] -= counts[i]
			}
		}
		for item, rest := range left {
			if rest != 0 {
				t.Fatalf("document %d: %d tokens of item %d are in neither part, or in both", m, rest, item)
			}
		}
	}
	sum := func(counts []int32) (total float64) {
		for _, c := range counts {
			total += float64(c)
		}
		return total
	}
	if share := sum(held.Counts) / sum(d.docs.Counts); math.Abs(share-1./3) > 0.02 {
		t.Errorf("%.3f of the tokens are held out", share)
	}
}

// TestRestoreState wants a state that was taken apart and put together to be the same.
func TestRestoreState(t *testing.T) {
	d := draw(synth.Model{Items: 60, Topics: 3, Documents: 150, Tokens: 30, Seed: 8})
	for _, model := range Models {
		f := d.fitter(t, Options{Model: model, Topics: 4, BatchSize: 40}, Plan{})
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		s := f.State
		var rates, locations []float64
		for k := range 4 {
			rates, locations = append(rates, s.Rate(k)), append(locations, s.Location(k)...)
		}
		other := RestoreState(s.Options, s.Corpus, s.Row, rates, locations, s.Joint())
		want, err := Evaluate(context.Background(), s, d.pass)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Evaluate(context.Background(), other, d.pass)
		if err != nil || math.Abs(got.LogLikelihood-want.LogLikelihood) > 1e-12 {
			t.Errorf("%s: %+v, want %+v, error %v", model, got, want, err)
		}
	}
}

func TestOptionsCheck(t *testing.T) {
	for want, o := range map[string]Options{
		"no model":              {Model: "nmf", Topics: 2},
		"from 2 to 100000":      {Model: LDA, Topics: 1},
		"dimension":             {Model: CNMF, Topics: 3, Latent: 4},
		"must be from 0.5 to 1": {Model: LDA, Topics: 2, Forgetting: 0.4},
		"c₀":                    {Model: LDA, Topics: 2, C0: -1},
		"t₀":                    {Model: LDA, Topics: 2, Delay: math.NaN()},
		"the batch size":        {Model: LDA, Topics: 2, BatchSize: -1},
		"to 1e+09":              {Model: LDA, Topics: 2, C0: 1e308},
		"batch size must":       {Model: LDA, Topics: 2, BatchSize: math.MaxInt},
		"a₀":                    {Model: LDA, Topics: 2, A0: 1e308},
		"the local iterations":  {Model: LDA, Topics: 2, LocalIterations: math.MaxInt},
		"workers":               {Model: LDA, Topics: 2, Workers: -1},
		"local toleranc":        {Model: LDA, Topics: 2, LocalTolerance: math.Inf(1)},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
	for want, p := range map[string]Plan{
		"the epochs":     {Epochs: math.MaxInt},
		"the iterations": {Iterations: -1},
		"the tolerance":  {Tolerance: math.Inf(1)},
		"between tests":  {TestEvery: -2},
	} {
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", p, err, want)
		}
	}
	o := Options{Model: CNMF, Topics: 100}.withDefaults(8000)
	if o.Latent != 50 || o.Variance != 0.02 || o.C0 != 400 || o.BatchSize != 1000 || o.Delay != 1 || o.Forgetting != 0.5 {
		t.Errorf("defaults %+v", o)
	}
	if o := (Options{Model: BNMF, Topics: 100}).withDefaults(8000); o.A0 != 0.01 || o.B0 != 0.01 {
		t.Errorf("defaults %+v", o)
	}
	if small, large := (Options{Model: LDA, Topics: 100}).Memory(8000, false, 50),
		(Options{Model: LDA, Topics: 100}).Memory(1_000_000, true, 50); small < 8*8000*100 || large < 2*8*1_000_000*100 {
		t.Errorf("memory %d and %d", small, large)
	}
}
