package refine

import (
	"math"
	"slices"
	"testing"
)

// TestCarried holds what is carried of documents against the counts that it was made of.
func TestCarried(t *testing.T) {
	const k = 20
	alpha := make([]float32, k)
	for j := range alpha {
		alpha[j] = 0.1 + 0.01*float32(j)
	}
	c := newCarried(mostCarried-25, 40) // of 25 there is room
	for document := range 25 {
		counts, tokens := make([]float32, k), 0.0
		for j := range 1 + document%15 { // more topics than are carried, for some
			counts[(7*j+document)%k] = float32(1 + (j*j+document)%23)
			tokens += float64(counts[(7*j+document)%k])
		}
		a := slices.Clone(alpha)
		for j := range a {
			a[j] += counts[j]
		}
		c.keep(a, alpha, int64(document), tokens)
		begin := make([]float32, k)
		c.begin(begin, alpha, int64(document), tokens)
		greatest := slices.Sorted(slices.Values(counts))[k-carriedTopics]
		for j, v := range begin {
			want := counts[j]
			switch {
			case want < greatest:
				want = 0
			case want == greatest && v == alpha[j]: // one of equal ones need not be carried
				continue
			}
			if math.Abs(float64(v-alpha[j]-want)) > tokens/(1<<carriedBits)+1e-4 {
				t.Errorf("document %d begins with %v of topic %d, want %v of %v", document, v-alpha[j], j, want, counts)
			}
		}
	}
	a := make([]float32, k)
	if c.begin(a, alpha, 25, 10); !slices.Equal(a, alpha) {
		t.Errorf("a document of which nothing is carried begins with %v, not the prior", a)
	}
}
