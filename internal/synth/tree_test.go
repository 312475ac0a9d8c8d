package synth

import (
	"context"
	"math"
	"testing"

	"anchorage/corpus"
)

// The joint probabilities of a tree are those of its documents, and items keep to their branch.
func TestTree(t *testing.T) {
	m := Model{Items: 400, Topics: 12, Documents: 60_000, Tree: []int{3, 2, 2}, TreeConcentration: []float64{0.3, 0.5,
		0.2}, Tokens: 2, Length: Fixed, Seed: 3}
	c := m.Plant()
	sum := 0.0
	for _, a := range c.Truth.Correlations {
		sum += a
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("A sums to %v", sum)
	}
	counted, maker := make([]float64, 12*12), c.newMaker()
	for d := range m.Documents {
		maker.draw(d)
		counted[maker.topics[0]*12+maker.topics[1]] += 1 / float64(m.Documents)
	}
	for at, a := range c.Truth.Correlations {
		if deviation := math.Sqrt(a / float64(m.Documents)); math.Abs(counted[at]-a) > 5*deviation {
			t.Errorf("topics %d and %d: %v of the documents, and A is %v", at/12, at%12, counted[at], a)
		}
	}
	near, all := 0.0, 0.0
	for i := range c.Truth.Items {
		topics, values := c.Truth.Row(i)
		home := c.Truth.Home(i)
		for j, k := range topics {
			all += values[j]
			if c.Model.Above(int(k), 1) == c.Model.Above(home, 1) {
				near += values[j]
			}
		}
	}
	if near < 0.8*all {
		t.Errorf("items have %v of their weight in their own branch", near/all)
	}
	documents := 0
	if err := c.Pass(context.Background(),
		func(docs *corpus.Documents) error { documents += docs.Documents(); return nil }); err != nil ||
		documents != m.Documents {
		t.Errorf("%d documents, %v", documents, err)
	}
}

func TestTreeChecks(t *testing.T) {
	for _, m := range []Model{
		{Items: 400, Topics: 12, Documents: 10, Tree: []int{3, 2}},
		{Items: 400, Topics: 6, Documents: 10, Tree: []int{3, 2}, Alpha: make([]float64, 6)},
	} {
		if m.Check() == nil {
			t.Errorf("%+v passes", m)
		}
	}
}
