package model

import (
	"slices"
	"testing"

	"anchorage/corpus"
)

// TestThreshold holds the threshold against real topics: different topics of one model are further apart, the same topics under another seed
// and with a quarter more documents are nearer.
func TestThreshold(t *testing.T) {
	if testing.Short() {
		t.Skip("three fits of real documents take long with the race detector")
	}
	shards := []string{"../testdata/wiki/part-00000.parquet", "../testdata/wiki/part-00001.parquet", "../testdata/wiki/part-00002.parquet", "../testdata/wiki/part-00003.parquet"}
	learn := func(seed uint64, shards ...string) *Model {
		docs := openCorpus(t, 0, func(o *corpus.Options) { o.Pruning = corpus.Pruning{MinDF: 5, MaxDFRatio: 0.2} }, shards...)
		f, err := Fit(t.Context(), docs, Options{Topics: 20, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return f.Model()
	}
	m := learn(1, shards...)
	c, err := newComparison(t.Context(), m, m, CompareOptions{Threshold: DefaultThreshold})
	if err != nil {
		t.Fatal(err)
	}
	var apart []float64
	for a := range 20 {
		nearest := 1.0
		for b := range 20 {
			if a != b {
				nearest = min(nearest, c.distance[a*20+b])
			}
		}
		apart = append(apart, nearest)
	}
	slices.Sort(apart)
	t.Logf("the nearest other topic: least %.3f, median %.3f", apart[0], apart[10])
	if apart[0] <= DefaultThreshold {
		t.Errorf("different topics are %v apart", apart[0])
	}
	if d := compared(t, m, learn(2, shards...)); d.Summary.Kept != 20 || d.Summary.LargestDistance > 0.05 {
		t.Errorf("another seed: %v, %v at most", d.Summary, d.Summary.LargestDistance)
	}
	if d := compared(t, learn(1, shards[:3]...), m); d.Summary.Kept < 17 || d.Summary.MeanDistance > 0.25 {
		t.Errorf("a quarter more documents: %v", d.Summary)
	}
}
