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
		o.Estimate().Row(row, i)
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

// The estimates of a topic without tokens are 0, and all figures are numbers.
func TestTopicWithoutTokens(t *testing.T) {
	c := Model{Items: 100, Topics: 3, Documents: 20, Alpha: []float64{0.1, 1e-12, 0.1}, Seed: 1}.Plant()
	o, err := c.Oracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e, row := o.Estimate(), make([]float64, 3)
	for i := range 100 {
		if e.Row(row, i); row[1] != 0 {
			t.Fatalf("item %d has %v", i, row)
		}
	}
	if r := c.Truth.Recover(e); o.totals[1] != 0 || !(r.ErrorB < 2) || math.IsNaN(r.ErrorA) || !math.IsNaN(r.Anchors) {
		t.Errorf("%v tokens: %+v", o.totals, r)
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
