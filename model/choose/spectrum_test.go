package choose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/sketch"
)

// drawn opens documents drawn from a model.
func drawn(t *testing.T, of synth.Model) *corpus.Corpus {
	t.Helper()
	plan := of.Plant()
	documents := make([]corpus.Document, 0, of.Documents)
	vocabulary := plan.Vocabulary()
	err := plan.Pass(t.Context(), func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			document := corpus.Document{Counts: append([]int32(nil), counts...)}
			for _, i := range items {
				document.Items = append(document.Items, vocabulary.ID(int(i)))
			}
			documents = append(documents, document)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := corpus.FromDocuments(t.Context(), documents, corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { docs.Close() })
	return docs
}

// some are documents of 6 topics.
var some = synth.Model{Items: 300, Topics: 6, Documents: 6000, Tokens: 40, Concentration: 0.1, Seed: 3}

func TestSpectrumFindsTheTopics(t *testing.T) {
	var first *Count
	for _, workers := range []int{1, 3} {
		count, err := Spectrum(t.Context(), drawn(t, some), Options{From: 2, To: 40, Model: fit.Options{Seed: 1,
			Run: &fit.Run{Workers: workers}}})
		if err != nil {
			t.Fatal(err)
		}
		if count.Topics != 6 || count.Low > 6 || count.High < 6 || count.Open || count.Basis != ByGap {
			t.Errorf("chosen %+v", count.ChoiceRecord)
		}
		if first == nil {
			first = count
		}
		if first.ChoiceRecord != count.ChoiceRecord {
			t.Errorf("%d workers choose %+v, and one %+v", workers, count.ChoiceRecord, first.ChoiceRecord)
		}
	}
}

// The topics of a range that ends too early are more than it has.
func TestSpectrumBeyondTheRange(t *testing.T) {
	count, err := Spectrum(t.Context(), drawn(t, some), Options{From: 2, To: 4})
	if err != nil {
		t.Fatal(err)
	}
	if count.Topics != 4 || !count.Open || count.Basis != ByRange || !strings.Contains(count.Sentence(),
		"the range ends with 4") {
		t.Errorf("chosen %+v: %s", count.ChoiceRecord, count.Sentence())
	}
}

// Few documents end the range: their co-occurrences have no more dimensions.
func TestSpectrumOfFewDocuments(t *testing.T) {
	few := some
	few.Documents = 30
	for _, from := range []int{2, 31} {
		c, err := Topics(t.Context(), drawn(t, few), Options{From: from, Steps: 3})
		if from > 30 {
			if option := new(model.OptionError); !errors.As(err, &option) || option.Option != "Choose.Range" {
				t.Errorf("from %d: %v", from, err)
			}
		} else if err != nil || c.To != 30 || c.High > 30 || len(c.Candidates) == 0 {
			t.Errorf("chosen %+v: %v", c, err)
		}
	}
}

func TestJudge(t *testing.T) {
	values := func(topics int, last float64, noise ...float64) []float64 {
		var v []float64
		for k := range topics {
			v = append(v, last*math.Pow(1.1, float64(topics-1-k)))
		}
		return append(v, noise...)
	}
	for name, test := range map[string]struct {
		values           []float64
		from, to         int
		ranked           bool
		topics, low, hig int
		basis            string
		open             bool
	}{
		"a gap":                        {values(5, 4, 0.9, 0.8, 0.7), 2, 7, false, 5, 5, 5, ByGap, false},
		"an outlier of noise":          {values(5, 4, 1.5, 1.1, 0.7), 2, 7, false, 5, 5, 7, ByGap, false},
		"topics that run into noise":   {values(12, 1.05, 0.88, 0.85, 0.8, 0.7, 0.6), 2, 16, false, 12, 10, 15, ByEdge, false},
		"more than the range":          {values(9, 2), 2, 8, false, 8, 8, 8, ByRange, true},
		"all there are":                {values(6, 2), 2, 20, true, 6, 6, 6, ByRank, false},
		"fewer than the range":         {values(3, 4, 0.5, 0.4), 4, 4, false, 4, 4, 4, ByRange, false},
		"noise alone":                  {values(0, 0, 0.8, 0.7, 0.6), 2, 2, false, 2, 2, 2, ByRange, false},
		"a gap that is not yet topics": {values(4, 1.6, 1.2, 0.9), 2, 5, false, 4, 4, 5, ByGap, false},
	} {
		c := judge(test.values, 1, test.from, test.to, test.ranked)
		if c.Topics != test.topics || c.Low != test.low || c.High != test.hig || c.Basis != test.basis ||
			c.Open != test.open || c.Reason == "" {
			t.Errorf("%s: %+v", name, c.ChoiceRecord)
		}
		// A unit of the eigenvalues changes nothing.
		scaled := make([]float64, len(test.values))
		for i, v := range test.values {
			scaled[i] = v / 1024
		}
		if other := judge(scaled, 1.0/1024, test.from, test.to, test.ranked); other.Topics != c.Topics ||
			other.Low != c.Low || other.High != c.High {
			t.Errorf("%s: another unit gives %+v", name, other.ChoiceRecord)
		}
	}
}

// The edge is measured outside of as many eigenvectors as are above it, or of fewer after edgeRounds.
func TestSettledEdge(t *testing.T) {
	values := []float64{8, 4, 2, 1, 0.5, 0.25, 0.1}
	var asked []int
	e, err := settledEdge(values, func(k int) (float64, error) {
		asked = append(asked, k)
		return 0.3 + 0.9/float64(k), nil // more where less is left out
	})
	if err != nil || fmt.Sprint(asked) != "[6 5]" || e != 0.3+0.9/5 {
		t.Errorf("edge %v of %v: %v", e, asked, err)
	}
	failure := errors.New("no documents today")
	if _, err := settledEdge(values, func(int) (float64, error) { return 0, failure }); err != failure {
		t.Error(err)
	}
}

// denseEdge is the definition of noise.edge.
func denseEdge(t *testing.T, docs *corpus.Corpus, weights []float64, v *matrix.Tall, k int, seed uint64) float64 {
	n := docs.Vocabulary.Len()
	d := make([]float64, n*n)
	number, total := uint64(0), 0.0
	err := docs.Pass(t.Context(), func(of *corpus.Documents) error {
		for m := range of.Documents() {
			items, counts := of.Row(m)
			_, w := sketch.PairWeight(items, counts, weights, 0)
			by := 1.618033988749895
			if random.Uniform(seed, random.ChooseMultiplier, number, 0) < 0.7236067977499790 {
				by = -0.6180339887498949
			}
			number++
			if w == 0 {
				continue
			}
			total++
			for a, i := range items {
				for b, j := range items {
					h := float64(counts[b])
					if a == b {
						h--
					}
					d[int(i)*n+int(j)] += by * w * float64(counts[a]) * h
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	project := make([]float64, n*n) // I − V·Vᵀ
	for i := range n {
		for j := range n {
			for c := range k {
				project[i*n+j] -= v.At(i, c) * v.At(j, c)
			}
		}
		project[i*n+i]++
	}
	outside := kernel.Times(t.Context(), project, kernel.Times(t.Context(), d, project, n, n, n), n, n, n)
	values, _, err := kernel.SymmetricEigen(t.Context(), outside, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	return values[0] / total
}

func TestEdgeAgainstDefinition(t *testing.T) {
	docs := drawn(t, synth.Model{Items: 90, Topics: 4, Documents: 900, Tokens: 20, Concentration: 0.1, Seed: 8})
	options := sketch.Options{Columns: 30, Seed: 1}
	s, err := sketch.Accumulate(t.Context(), docs.Pass, docs.Vocabulary, options)
	if err != nil {
		t.Fatal(err)
	}
	marginals := s.Marginals
	eigen, err := s.Krylov(t.Context(), docs.Pass, 12, options)
	if err != nil {
		t.Fatal(err)
	}
	var first float64
	for _, workers := range []int{1, 3} {
		of, err := newNoise(t.Context(), docs.Pass, &marginals, eigen, 5, docs.Vocabulary.Key, workers)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{12, 4, 1} {
			got, err := of.edge(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if want := denseEdge(t, docs, nil, eigen.Vectors, k, 5); math.Abs(got-want) > 0.02*want {
				t.Errorf("outside of %d: edge %v, want %v", k, got, want)
			}
			if k == 12 && workers == 1 {
				first = got
			} else if k == 12 && got != first {
				t.Errorf("%d workers find the edge %v, and one %v", workers, got, first)
			}
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newNoise(cancelled, docs.Pass, &marginals, eigen, 5, docs.Vocabulary.Key,
		1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The moments of the multipliers are 0, 1 and 1.
func TestMultipliers(t *testing.T) {
	for power, want := range map[float64]float64{1: 0, 2: 1, 3: 1} {
		got := shortOnes*math.Pow(shortMultiplier, power) + (1-shortOnes)*math.Pow(longMultiplier, power)
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("moment %g is %v", power, got)
		}
	}
}
