package fit

import (
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/model"
	"anchorage/model/drift"
)

// TestThreshold holds the threshold against real topics: different topics of one model are further apart, the same
// topics under another seed and with a quarter more documents are nearer.
func TestThreshold(t *testing.T) {
	long.Test(t, "it fits 20 topics of real documents three times")
	shards := []string{"../../testdata/wiki/part-00000.parquet", "../../testdata/wiki/part-00001.parquet",
		"../../testdata/wiki/part-00002.parquet", "../../testdata/wiki/part-00003.parquet"}
	learn := func(seed uint64, shards ...string) *model.Model {
		docs := openCorpus(t, 0, func(o *corpus.Options) { o.Pruning = corpus.Pruning{MinDF: 5, MaxDFRatio: 0.2} }, shards...)
		f, err := Fit(t.Context(), docs, Options{Topics: 20, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return f.Loaded()
	}
	compared := func(then, now *model.Model) drift.Summary {
		d, err := now.Compare(t.Context(), then, drift.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Summary
	}
	m := learn(1, shards...)
	var apart []float64
	for a := range 20 {
		nearest := 1.0
		for b := range 20 {
			affinity := 0.0
			for i := range m.Vocabulary.Len() {
				affinity += math.Sqrt(m.Items.Row(i)[a] * m.Items.Row(i)[b])
			}
			if a != b {
				nearest = min(nearest, math.Sqrt(1-affinity))
			}
		}
		apart = append(apart, nearest)
	}
	slices.Sort(apart)
	t.Logf("the nearest other topic: least %.3f, median %.3f", apart[0], apart[10])
	if apart[0] <= drift.DefaultThreshold {
		t.Errorf("different topics are %v apart", apart[0])
	}
	if s := compared(m, learn(2, shards...)); s.Kept != 20 || s.LargestDistance > 0.05 {
		t.Errorf("another seed: %v, %v at most", s, s.LargestDistance)
	}
	if s := compared(learn(1, shards[:3]...), m); s.Kept < 17 || s.MeanDistance > 0.25 {
		t.Errorf("a quarter more documents: %v", s)
	}
}
