package corpus

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// Every document that a pass shows has the weight of its number, whatever is left out before it, from the compact copy
// and from the origin.
func TestWeights(t *testing.T) {
	d := manyRows() // in several blocks
	weight := func(document int64) float64 { return 1 + float64(document%1009) }
	want := []float64{}
	view := View{Remap: randomRemap(1, 3000), MinItems: 3, MinTokens: 5}
	for m := range d.Documents() {
		one := &Documents{}
		one.Append(d.Row(m))
		var shown Documents
		if view.Apply(&shown, one); shown.Documents() == 1 {
			want = append(want, weight(int64(m)))
		}
	}
	view.Weight = weight
	c := openCopy(t, writeCopy(t, d, 1000))
	for _, workers := range []int{1, 3} {
		var got []float64
		_, err := c.Pass(t.Context(), workers, &view, func(docs *Documents) error {
			for m := range docs.Documents() {
				got = append(got, docs.Weight(m))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: other weights", workers)
		}
	}
}

// weighedCorpus opens some documents, read once or copied, with weights.
func weighedCorpus(t *testing.T, passes int, weight func(int64) float64) *Corpus {
	t.Helper()
	documents := []Document{{Items: []string{"a", "b"}}, {Items: []string{"a"}}, {Items: []string{"a", "c"}},
		{Items: []string{"b", "c"}}}
	c, err := FromDocuments(t.Context(), documents, Options{NoPrune: true, Passes: passes, Weight: weight,
		MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestWeightsOfCorpora(t *testing.T) {
	for _, passes := range []int{1, 3} {
		c := weighedCorpus(t, passes, func(document int64) float64 { return 1 / float64(1+document) })
		var got []float64
		err := c.Pass(context.Background(), func(docs *Documents) error {
			got = append(got, docs.Weights...)
			return nil
		})
		if err != nil || !slices.Equal(got, []float64{1, 1. / 3, 1. / 4}) {
			t.Errorf("%d passes: weights %v, error %v", passes, got, err)
		}
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			c := weighedCorpus(t, passes, func(document int64) float64 {
				if document == 2 {
					return bad
				}
				return 1
			})
			err := c.Pass(context.Background(), func(*Documents) error { return nil })
			if err == nil || !strings.Contains(err.Error(), "document 3 has the weight") {
				t.Errorf("%d passes, weight %v: error %v", passes, bad, err)
			}
		}
	}
}
