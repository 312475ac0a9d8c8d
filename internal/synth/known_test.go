package synth

import (
	"math"
	"slices"
	"testing"
)

// TestKnown holds the moments of known mixtures against those of the prior, and the items of long documents against B
// times the mixture.
func TestKnown(t *testing.T) {
	alpha := []float64{0.1, 0.5, 1.4}
	c := Model{Items: 60, Topics: 3, Documents: 1, Seed: 4, Alpha: alpha}.Plant()
	const documents = 20000
	moments := make([]float64, 9)
	for d := range documents {
		items, counts, mixture := c.Known(d, 3)
		for k, v := range mixture {
			for l, w := range mixture {
				moments[3*k+l] += v * w / documents
			}
		}
		if n := int(counts[0]); len(counts) != len(items) || len(items) == 3 && n != 1 || len(items) == 1 && n != 3 ||
			!slices.IsSorted(items) {
			t.Fatalf("document %d: items %v, counts %v", d, items, counts)
		}
	}
	for i, want := range c.Truth.Correlations {
		if math.Abs(moments[i]-want) > 0.01 {
			t.Errorf("E[θ_%d·θ_%d] is %v, want %v", i/3, i%3, moments[i], want)
		}
	}
	const tokens = 200000
	items, counts, mixture := c.Known(7, tokens)
	shares := make([]float64, c.Truth.Items)
	for j, i := range items {
		shares[i] = float64(counts[j]) / tokens
	}
	for i, share := range shares {
		want := 0.0
		topics, values := c.Truth.Row(i)
		for j, k := range topics {
			want += values[j] * mixture[k]
		}
		if math.Abs(share-want) > 6*math.Sqrt(want/tokens)+1e-5 {
			t.Errorf("item %d has the share %v, want %v", i, share, want)
		}
	}
	if again, _, same := c.Known(7, tokens); !slices.Equal(again, items) || !slices.Equal(same, mixture) {
		t.Error("a document is not the same again")
	}
	defer func() {
		if recover() == nil {
			t.Error("the mixture of a document over a tree is known")
		}
	}()
	Model{Items: 60, Topics: 4, Documents: 1, Tree: []int{2, 2}}.Plant().Known(0, 2)
}
