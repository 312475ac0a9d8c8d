package items

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"testing"

	"anchorage/corpus"
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
	if err := pairs.Invert(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	all := Setting{Pairs: 0.5, Inverse: 0.25, Topics: 0.25, Peculiar: 0.3}
	scores := make([]float64, 300)
	for name, r := range map[string]*Recommender{
		"all": NewRecommender(pairs, topics, all), "pairs": NewRecommender(pairs, nil, DefaultSetting),
		"inverse": NewRecommender(pairs, topics, Setting{Inverse: 1, Peculiar: 0.15}),
		"topics":  NewRecommender(none, topics, TopicsOnly),
		"nothing": NewRecommender(none, nil, all),
		"popular": NewRecommender(none, topics, Setting{Topics: 1}),
	} {
		for _, basket := range [][]int32{{7}, {2, 5, 40}, {11, 11, 3}, {}} {
			r.NewQuery().Scores(scores, basket)
			for _, i := range basket {
				scores[i] = 0
			}
			want := sorted(scores)
			reached, cold := len(want), make([]float64, 300)
			if name == "inverse" { // the topics say the rest
				r.With(TopicsOnly).NewQuery().Scores(cold, basket)
				for _, i := range basket {
					cold[i] = 0
				}
				for _, j := range sorted(cold) {
					if scores[j] <= 0 {
						want = append(want, j)
					}
				}
			}
			for _, n := range []int{0, 1, 10, 300} {
				found := r.Suggest(basket, nil, n)
				if len(found) != min(n, len(want)) {
					t.Fatalf("%s, %v: %d of %d items found, want %d", name, basket, len(found), n, min(n, len(want)))
				}
				for x, s := range found {
					scores := scores
					if x >= reached {
						scores = cold
					}
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

// A suggestion says which items of the basket and which topic speak most for it; what was bought again is kept if asked.
func TestSuggestSaysWhy(t *testing.T) {
	documents := &corpus.Documents{Offsets: []int32{0}}
	for m := range 40 {
		documents.Append([][]int32{{0, 1, 2}, {0, 1}, {2, 3}, {3, 4}}[m%4], []int32{1, 1, 1}[:[]int{3, 2, 2, 2}[m%4]])
	}
	p, err := Count(t.Context(), passOf(documents, 10), 5, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := matrix.NewTall(5, 2)
	for i := range 5 {
		b.Row(i)[i/3] = 0.25
	}
	r := NewRecommender(p, NewTopics(b, b, []float64{0.5, 0, 0, 0.5}), Setting{Pairs: 1})
	found := r.Suggest([]int32{3, 0}, nil, 1)
	// c_i: 20, 20, 20, 20, 10; items 0 and 1 share 20 documents, 0 and 2 ten, 3 and 2 ten, 3 and 4 ten.
	if len(found) != 1 || found[0].Item != 1 || found[0].Because != [2]int32{0, -1} || found[0].Topic != 0 ||
		found[0].Pairs != 1 || found[0].Together != 20 {
		t.Errorf("%+v", found)
	}
	want := p.Weighted[0]
	others, _, weights := r.Pairs().Row(0)
	for x, j := range others {
		if j == 1 {
			want = float64(weights[x]) / (p.Weighted[0] + 5) / 2
		}
	}
	if math.Abs(found[0].Probability-want) > 1e-6 || math.Abs(found[0].Lift-want*2) > 1e-6 {
		t.Errorf("probability %v, lift %v, want %v", found[0].Probability, found[0].Lift, want)
	}
	two := r.Suggest([]int32{0, 3}, nil, 9)
	if len(two) != 3 || two[1].Item != 2 && two[2].Item != 2 {
		t.Fatalf("%+v", two)
	}
	for _, s := range two {
		if s.Item == 2 && (s.Because != [2]int32{0, 3} && s.Because != [2]int32{3, 0} || s.Pairs != 2) {
			t.Errorf("%+v", s)
		}
	}
	kept := r.NewQuery().Suggest(nil, []int32{0, 1}, 9, true)
	if !slices.ContainsFunc(kept, func(s Suggestion) bool { return s.Item == 1 }) {
		t.Errorf("the basket's own items are not kept: %+v", kept)
	}
}

// A query leaves nothing behind for the next, and several goroutines may ask.
func TestQueriesDoNotMix(t *testing.T) {
	_, pairs, topics := withTopics(t, 400, 8)
	r := NewRecommender(pairs, topics, DefaultSetting)
	baskets := [][]int32{{7}, {2, 5, 40}, {11, 3}, {299, 7, 8}}
	var want [][]Suggestion
	for _, b := range baskets {
		want = append(want, r.NewQuery().Suggest(nil, b, 10, false))
	}
	var group sync.WaitGroup
	for first := range 4 {
		group.Go(func() {
			for x := range 20 {
				at := (first + x) % len(baskets)
				if found := r.Suggest(baskets[at], nil, 10); !slices.Equal(found, want[at]) {
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
	r := NewRecommender(p, NewTopics(mixtures, mixtures, joint), DefaultSetting)
	basket := []int32{5, 70_000, 900_000}
	r.Suggest(basket, nil, 20) // makes the scratch
	b.ResetTimer()
	begin := process.CPUSeconds()
	for range b.N {
		r.Suggest(basket, nil, 20)
	}
	b.ReportMetric((process.CPUSeconds()-begin)/float64(b.N)*1000, "cpu-ms/op")
}

// Cosines are those of the dense rows of pairs.
func TestCosines(t *testing.T) {
	_, pairs, _ := withTopics(t, 400, 8)
	r := NewRecommender(pairs, nil, DefaultSetting)
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
	for j, cosine := range NewRecommender(NoPairs(pairs.Counts, 400), nil, DefaultSetting).Cosines(9) {
		if cosine != 0 {
			t.Fatalf("without pairs item %d has the cosine %v", j, cosine)
		}
	}
}
