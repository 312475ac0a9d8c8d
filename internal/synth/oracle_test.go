package synth

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

// naiveOracle estimates B and A from the tokens of all documents, one after the other, in dense arrays.
func naiveOracle(c *Drawn) (b, joint []float64) {
	k := c.Model.Topics
	b, joint = make([]float64, c.Model.Items*k), make([]float64, k*k)
	totals := make([]float64, k)
	m := c.newMaker()
	for d := range c.Model.Documents {
		m.draw(d)
		for t, topic := range m.topics {
			b[int(m.items[t])*k+int(topic)]++
			totals[topic]++
		}
		n := float64(len(m.topics))
		for s, x := range m.topics {
			for t, y := range m.topics {
				if s != t {
					joint[int(x)*k+int(y)] += 1 / (n * (n - 1) * float64(c.Model.Documents))
				}
			}
		}
	}
	for i := range b {
		b[i] /= totals[i%k]
	}
	return b, joint
}

// The oracle's estimates are those of a naive count, whatever the number of workers.
func TestOracleAgainstNaive(t *testing.T) {
	model := Model{Items: 150, Topics: 4, Documents: 5000, Tokens: 12, Seed: 3, Workers: 2}
	c := model.Plant()
	o, err := c.Oracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, joint := naiveOracle(c)
	row := make([]float64, 4)
	for i := range 150 {
		o.Estimate(0).Row(row, i)
		for k, v := range row {
			if math.Abs(v-b[i*4+k]) > 1e-15 {
				t.Fatalf("B of item %d, topic %d is %v, want %v", i, k, v, b[i*4+k])
			}
		}
	}
	sum := 0.0
	for i, v := range o.TopicJoint {
		if sum += v; math.Abs(v-joint[i]) > 1e-12 {
			t.Errorf("A[%d] is %v, want %v", i, v, joint[i])
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("A sums to %v", sum)
	}
	model.Workers = 1
	alone, err := model.Plant().Oracle(t.Context())
	if err != nil || !slices.Equal(alone.TopicJoint, o.TopicJoint) || !slices.Equal(alone.counts, o.counts) {
		t.Errorf("one worker counts otherwise: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Oracle(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// errorB is the error that Recover finds unless matching otherwise is better, and the best weight is that of a dense
// search. Few documents of many rare items profit from shrinking, where all topics are nearly alike.
func TestOracleShrunk(t *testing.T) {
	for name, test := range map[string]struct {
		model  Model
		shrink bool
	}{
		"few tokens": {Model{Items: 400, Topics: 4, Documents: 60, Tokens: 10, Seed: 1, Spread: 40,
			AnchorStrength: 0.4}, true},
		"many": {Model{Items: 400, Topics: 4, Documents: 20_000, Tokens: 30, Seed: 1}, false},
	} {
		c := test.model.Plant()
		o, err := c.Oracle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, weight := range []float64{0, 0.3, 1} {
			if got, want := o.errorB(weight), c.Truth.Recover(o.Estimate(weight)).ErrorB; got < want-1e-12 || !test.shrink &&
				weight < 1 && got > want+1e-12 {
				t.Errorf("%s: the error at %v is %v, want %v", name, weight, got, want)
			}
		}
		best, least := o.BestWeight(), o.errorB(0)
		for w := range 1001 {
			least = min(least, o.errorB(float64(w)/1000))
		}
		if o.errorB(best) > least+1e-4 || (best > 0) != test.shrink {
			t.Errorf("%s: the weight %v has the error %v, and %v is possible", name, best, o.errorB(best), least)
		}
	}
}

// The expected error is that of many tokens.
func TestOracleExpected(t *testing.T) {
	c := Model{Items: 200, Topics: 4, Documents: 20_000, Tokens: 50, Seed: 2}.Plant()
	o, err := c.Oracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A sum of about 800 independent deviations scatters by some 3 %.
	if got, want := o.errorB(0), o.ExpectedErrorB(); math.Abs(got/want-1) > 0.1 {
		t.Errorf("the error is %v, and %v is expected", got, want)
	}
	r := c.Truth.Recover(o.Estimate(0))
	if !math.IsNaN(r.Anchors) || r.DistanceA < r.ErrorA/10 || r.DistanceA > 0.1 {
		t.Errorf("%+v", r)
	}
}

// The estimates of a topic without tokens are 0, and all figures are numbers.
func TestTopicWithoutTokens(t *testing.T) {
	c := Model{Items: 100, Topics: 3, Documents: 20, Alpha: []float64{0.1, 1e-12, 0.1}, Seed: 1}.Plant()
	o, err := c.Oracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, found := o.ExpectedErrorB(), o.errorB(0); o.totals[1] != 0 || !(got > 1./3) || math.Abs(got/found-1) > 0.25 {
		t.Errorf("%v tokens; the error is %v, and %v is expected", o.totals, found, got)
	}
	e, _, err := c.Posterior(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 3)
	for i := range 100 {
		if e.Row(row, i); row[1] != 0 {
			t.Fatalf("item %d has %v", i, row)
		}
	}
	if r := c.Truth.Recover(e); !(r.ErrorB < 2) || math.IsNaN(r.ErrorA) {
		t.Errorf("%+v", r)
	}
}

// Rows of a file are compared as those of a function are.
func TestRecoverRows(t *testing.T) {
	truth := Model{Items: 100, Topics: 3, Documents: 1, Seed: 1}.Plant().Truth
	e := estimateOf(truth, []int{1, 2, 0})
	row := e.Row
	e.Row = func(dst []float64, i int) {
		row(dst, i)
		dst[1] *= 0.9
	}
	want := truth.Recover(e)
	one := e.Row
	e.Row, e.Rows = nil, func(fn func(r int, row []float64)) {
		row := make([]float64, 3)
		for i := range 100 {
			one(row, i)
			fn(i, row)
		}
	}
	if got := truth.Recover(e); got.ErrorB != want.ErrorB || got.Class != want.Class || !slices.Equal(got.Matched,
		want.Matched) || got.ErrorB == 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The distance of A is the sum of its entries' differences.
func TestDistanceA(t *testing.T) {
	truth := Model{Items: 100, Topics: 3, Documents: 1, Seed: 1}.Plant().Truth
	e := estimateOf(truth, []int{1, 2, 0})
	e.Correlations[0] += 0.25
	e.Correlations[4] -= 0.125
	if r := truth.Recover(e); math.Abs(r.DistanceA-0.375) > 1e-12 {
		t.Errorf("%v", r.DistanceA)
	}
}

// What the documents tell is worse than what the topics of tokens tell, and far better than nothing; counts stay those
// of the tokens.
func TestPosterior(t *testing.T) {
	c := Model{Items: 100, Topics: 4, Documents: 3000, Tokens: 40, Seed: 5}.Plant()
	o, err := c.Oracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e, sweeps, err := c.Posterior(t.Context())
	if err != nil || sweeps != posteriorSweeps {
		t.Fatal(sweeps, err)
	}
	floor, found := c.Truth.Recover(o.Estimate(0)), c.Truth.Recover(e)
	if found.ErrorB < floor.ErrorB || found.ErrorB > 3*floor.ErrorB || found.ErrorA > 0.2 || !slices.Equal(found.Matched,
		[]int{0, 1, 2, 3}) {
		t.Errorf("%+v, and the floor is %+v", found, floor)
	}
	sum, row := make([]float64, 4), make([]float64, 4)
	for i := range 100 {
		e.Row(row, i)
		for k, v := range row {
			sum[k] += v
		}
	}
	for k, v := range sum {
		if math.Abs(v-1) > 1e-6 {
			t.Errorf("topic %d sums to %v", k, v)
		}
	}
	again, _, err := c.Posterior(t.Context())
	if err != nil || !slices.Equal(again.Correlations, e.Correlations) {
		t.Errorf("another run gives another A: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Posterior(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, _, err := (Model{Items: 100, Topics: 4, Documents: 10,
		Logistic: &LogisticNormal{Deviation: 1}}).Plant().Posterior(t.Context()); err == nil {
		t.Error("a logistic-normal prior is taken for a Dirichlet one")
	}
}
