package items

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"testing"

	"anchorage/internal/process"
	"anchorage/internal/random"
	"anchorage/matrix"
)

// sorted returns the items with a positive score, the best first.
func sorted(scores []float64) []int {
	var order []int
	for j, s := range scores {
		if s > 0 {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return order
}

// Suggest finds what sorting all scores finds, for recommenders with and without pairs and topics.
func TestSuggestAgainstSort(t *testing.T) {
	_, pairs, topics := withTopics(t, 400, 8)
	none := NoPairs(pairs.Counts, pairs.Documents)
	noTopics := DefaultWeights
	noTopics.Topics = 0
	popular := DefaultWeights
	popular.Peculiar = 0
	scores := make([]float64, 300)
	for name, r := range map[string]*Recommender{
		"both": NewRecommender(pairs, topics, DefaultWeights), "pairs": NewRecommender(pairs, nil, DefaultWeights),
		"no weight of topics": NewRecommender(pairs, topics, noTopics),
		"topics":              NewRecommender(none, topics, DefaultWeights),
		"popular":             NewRecommender(none, topics, DefaultWeights).With(popular),
		"frequencies":         NewRecommender(none, nil, DefaultWeights),
	} {
		for _, basket := range [][]int32{{7}, {2, 5, 40}, {11, 11, 3}, {}} {
			r.NewQuery().Scores(scores, distinct(basket))
			want := sorted(scores)
			for _, n := range []int{0, 1, 10, 300} {
				found := r.Suggest(basket, n)
				if len(found) != min(n, len(want)) {
					t.Fatalf("%s, %v: %d of %d items found, want %d", name, basket, len(found), n, min(n, len(want)))
				}
				for x, s := range found {
					if s.Item != want[x] && scores[s.Item] != scores[want[x]] || math.Abs(s.Score-scores[s.Item]) > 1e-12*s.Score {
						t.Fatalf("%s, %v, place %d: item %d with %v, want %d with %v", name, basket, x, s.Item, s.Score, want[x],
							scores[want[x]])
					}
					if slices.Contains(basket, int32(s.Item)) || !(s.Probability > 0 && s.Probability <= 1 && s.Lift > 0) {
						t.Fatalf("%s, %v: %+v", name, basket, s)
					}
				}
			}
		}
	}
}

// Of one item and no pairs, the probability is what the topics and frequencies expect of its companions.
func TestProbabilityWithoutPairs(t *testing.T) {
	docs, counted, topics := withTopics(t, 400, 8)
	p := NoPairs(counted.Counts, counted.Documents)
	r := NewRecommender(p, topics, DefaultWeights)
	w, companions := r.Weights(), float64(len(docs.Items))/400-1 // of an item in a document
	total := 0.0
	for _, c := range p.Counts {
		total += float64(c)
	}
	for _, s := range r.Suggest([]int32{9}, 20) {
		c, row := float64(p.Counts[9]), 0.0
		for k := range 6 {
			for l := range 6 {
				row += topics.mixtures.Row(9)[k] * topics.next[k*6+l] * topics.items.Row(s.Item)[l]
			}
		}
		q := w.Topics*row + (1-w.Topics)*float64(p.Counts[s.Item])/total
		want := (c + w.Prior + w.Blend*c) * companions * q / (c + w.Shrink)
		if math.Abs(s.Probability-want) > 0.01*want { // companions are whole numbers
			t.Errorf("item %d has the probability %v, want %v", s.Item, s.Probability, want)
		}
		if s.Pairs != 0 || s.Together != 0 {
			t.Errorf("%+v was counted", s)
		}
	}
	if counted.Documents != 400 || math.Abs(float64(p.Companions[9])-companions*float64(p.Counts[9])) > 0.5 {
		t.Errorf("item 9 has %d companions in %d documents", p.Companions[9], p.Counts[9])
	}
}

// A query leaves nothing behind for the next, and several goroutines may ask.
func TestQueriesDoNotMix(t *testing.T) {
	_, pairs, topics := withTopics(t, 400, 8)
	r := NewRecommender(pairs, topics, DefaultWeights)
	baskets := [][]int32{{7}, {2, 5, 40}, {11, 3}, {299, 7, 8}}
	var want [][]Suggestion
	for _, b := range baskets {
		want = append(want, r.NewQuery().Suggest(b, 10))
	}
	var group sync.WaitGroup
	for first := range 4 {
		group.Go(func() {
			for x := range 20 {
				at := (first + x) % len(baskets)
				if found := r.Suggest(baskets[at], 10); !slices.Equal(found, want[at]) {
					t.Errorf("basket %v: %v, want %v", baskets[at], found, want[at])
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkSuggest asks for what goes with three items of 10⁶, by 100 drawn topics and 50 drawn neighbours of every
// item. On a busy machine the processor time counts, not the time that passes.
func BenchmarkSuggest(b *testing.B) {
	const n, k, kept = 1_000_000, 100, 50
	fraction := func(bits uint64, y int) float64 { return float64(bits*uint64(2*y+1)>>40+1) / (1 << 24) }
	p := &Pairs{Documents: 10 * n, Counts: make([]int64, n), Companions: make([]int64, n), Weighted: make([]float64, n),
		Offsets: make([]int64, n+1)}
	mixtures, joint := matrix.NewTall(n, k), make([]float64, k*k)
	for i := range n {
		p.Counts[i], p.Companions[i] = 100+int64(1e5/float64(i+1)), 2000
		p.Weighted[i], p.Offsets[i+1] = float64(p.Counts[i])/3, int64(i+1)*kept
		row, bits := mixtures.Row(i), random.At(1, random.Test, uint64(i), 0)
		for j := range k {
			row[j] = fraction(bits, j) / k * 2
		}
		for x := range kept {
			p.Others = append(p.Others, int32((i+1+int(fraction(bits, k+x)*(n-2)))%n))
			p.Together, p.Weights = append(p.Together, 10), append(p.Weights, 3)
		}
	}
	for x := range joint {
		joint[x] = 1 / float64(k*k+x)
	}
	r := NewRecommender(p, NewTopics(mixtures, mixtures, joint), DefaultWeights)
	basket := []int32{5, 70_000, 900_000}
	r.Suggest(basket, 20) // makes the scratch
	b.ResetTimer()
	begin := process.CPUSeconds()
	for range b.N {
		r.Suggest(basket, 20)
	}
	b.ReportMetric((process.CPUSeconds()-begin)/float64(b.N)*1000, "cpu-ms/op")
}

// Cosines are those of the dense rows of pairs.
func TestCosines(t *testing.T) {
	_, pairs, _ := withTopics(t, 400, 8)
	r := NewRecommender(pairs, nil, DefaultWeights)
	dense := make([][]float64, 300)
	for i := range dense {
		dense[i] = make([]float64, 300)
		others, _, weights := r.Pairs().Row(i)
		for x, l := range others {
			dense[i][l] = float64(weights[x]) / math.Sqrt(pairs.Weighted[l]+1)
		}
	}
	product := func(i, j int) (sum float64) {
		for l, v := range dense[i] {
			sum += v * dense[j][l]
		}
		return sum
	}
	for _, i := range []int{0, 9, 299} {
		for j, cosine := range r.Cosines(i) {
			want := product(i, j)
			if want > 0 {
				want /= math.Sqrt(product(i, i) * product(j, j))
			}
			if math.Abs(cosine-want) > 1e-12 {
				t.Fatalf("items %d and %d have the cosine %v, want %v", i, j, cosine, want)
			}
		}
	}
	for j, cosine := range NewRecommender(NoPairs(pairs.Counts, 400), nil, DefaultWeights).Cosines(9) {
		if cosine != 0 {
			t.Fatalf("without pairs item %d has the cosine %v", j, cosine)
		}
	}
}
