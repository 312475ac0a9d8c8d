package items

import (
	"math"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// withTopics returns documents, their pairs, and the topics that they were drawn from.
func withTopics(t *testing.T, documents, neighbours int) (*corpus.Documents, *Pairs, *Topics) {
	t.Helper()
	docs, truth := synth.Model{Items: 300, Topics: 6, Documents: documents, Seed: 3, Tokens: 12}.Draw()
	p, err := Count(t.Context(), passOf(docs, 200), 300, Options{Neighbours: neighbours})
	if err != nil {
		t.Fatal(err)
	}
	dense := make([]float64, 300*6)
	for i := range 300 {
		truth.CopyRow(dense[i*6:][:6], i)
	}
	b, mixtures := matrix.NewTall(300, 6), matrix.NewTall(300, 6)
	for i := range 300 {
		sum := 0.0
		for k := range 6 {
			b.Row(i)[k] = dense[i*6+k]
			for l := range 6 {
				mixtures.Row(i)[k] += truth.Correlations[k*6+l] * dense[i*6+k]
			}
			sum += mixtures.Row(i)[k]
		}
		for k := range 6 {
			mixtures.Row(i)[k] /= sum
		}
	}
	return docs, p, NewTopics(mixtures, b, truth.Correlations)
}

// TestScores computes scores as the formula of Weights says.
func TestScores(t *testing.T) {
	_, p, topics := withTopics(t, 400, 8)
	r := NewRecommender(p, topics, DefaultWeights)
	w, b := r.Weights(), r.Pairs()
	total, weighted := 0.0, 0.0
	for i, c := range p.Counts {
		total += float64(c)
		weighted += p.Weighted[i]
	}
	unit := total / weighted
	basket := []int32{2, 5, 40}
	scores := make([]float64, 300)
	r.NewQuery().Scores(scores, basket)
	for j := range int32(300) {
		if slices.Contains(basket, j) {
			if !math.IsInf(scores[j], -1) {
				t.Errorf("item %d of the basket has the score %v", j, scores[j])
			}
			continue
		}
		want := 0.0
		for _, i := range basket {
			others, together, weights := b.Row(int(i))
			kept, keptWeights, pair := 0.0, 0.0, 0.0
			for x, o := range others {
				kept += float64(together[x])
				keptWeights += float64(weights[x])
				if o == j {
					pair = float64(weights[x])
				}
			}
			left := max((float64(p.Companions[i])-kept)*keptWeights/kept*unit, 0)
			q := (1 - w.Topics) * float64(p.Counts[j]) / total
			for k := range 6 {
				row := 0.0
				for l := range 6 {
					row += max(topics.next[k*6+l], 0) * topics.items.Row(int(j))[l]
				}
				q += w.Topics * topics.mixtures.Row(int(i))[k] * row
			}
			mean := float64(p.Companions[i]) / float64(p.Counts[i])
			wi := unit * p.Weighted[i]
			idf := math.Log(1 + float64(p.Documents)/(1+float64(p.Counts[i])))
			want += math.Pow(idf, w.Rarity) / math.Pow(wi+w.Shrink,
				w.Certainty) * (unit*pair + (left+(w.Prior+w.Blend*wi)*mean)*q)
		}
		want /= math.Pow(unit*p.Weighted[j]+w.Shrink, w.Peculiar)
		if math.Abs(scores[j]-want) > 1e-12*want {
			t.Fatalf("item %d has the score %v, want %v", j, scores[j], want)
		}
	}
}

// TestSeenBasketsAreTakenOut scores a basket by pairs that were counted with it as if they had been counted without it.
func TestSeenBasketsAreTakenOut(t *testing.T) {
	docs, all, topics := withTopics(t, 300, All)
	sample, err := Draw(t.Context(), passOf(docs, 50), 1, 1000, 9)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := Count(t.Context(), sample.Without(passOf(docs, 50)), 300, Options{Neighbours: All})
	if err != nil {
		t.Fatal(err)
	}
	if rest.Documents != all.Documents-1 {
		t.Fatalf("%d documents without the sample, of %d", rest.Documents, all.Documents)
	}
	with, err := NewRecommender(all, nil, DefaultWeights).cases(t.Context(), sample, &LearnOptions{Seen: true})
	if err != nil {
		t.Fatal(err)
	}
	without := NewRecommender(rest, nil, DefaultWeights)
	unit := NewRecommender(all, nil, DefaultWeights).unit
	one := &with[0]
	g := len(one.given)
	for y, i := range one.given {
		if i.count != rest.Counts[i.item] || i.companions != rest.Companions[i.item] ||
			math.Abs(i.weighted-rest.Weighted[i.item]) > 1e-9 {
			t.Errorf("item %d has the counts %+v, want %d and %d", i.item, i, rest.Counts[i.item], rest.Companions[i.item])
		}
		for x, c := range one.candidates[:one.held] {
			_, want := without.pairs.count(i.item, c.item)
			if got := float64(one.pairs[x*g+y]) / unit; math.Abs(got-float64(want)) > 1e-5 || c.count != rest.Counts[c.item] {
				t.Errorf("items %d and %d: %v, want %v", i.item, c.item, got, want)
			}
		}
	}
	_ = topics
}

// TestLearn wants learned weights to be better on other baskets than the worst of the defaults, and the same for any
// workers.
func TestLearn(t *testing.T) {
	docs, p, topics := withTopics(t, 3000, 20)
	bad := DefaultWeights
	bad.Peculiar, bad.Certainty = 1, 0
	r := NewRecommender(p, topics, bad)
	var first *Learned
	for _, workers := range []int{1, 3} {
		sample, err := Draw(t.Context(), passOf(docs, 500), 200, 1000, 4)
		if err != nil {
			t.Fatal(err)
		}
		l, err := r.Learn(t.Context(), sample, LearnOptions{Seed: 1, Seen: true, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = l
		}
		if *l != *first {
			t.Errorf("%d workers: %+v, want %+v", workers, l, first)
		}
	}
	fresh, _ := synth.Model{Items: 300, Topics: 6, Documents: 3400, Seed: 3, Tokens: 12}.Draw()
	var last corpus.Documents
	for m := 3000; m < 3400; m++ {
		last.Append(fresh.Row(m))
	}
	sample, err := Draw(t.Context(), passOf(&last, 100), 400, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := Evaluate(t.Context(), []Method{r.Method("before"), r.With(first.Weights).Method("after"),
		Popularity(p)}, sample.Divide(HeldOutHalf, 2), p.Counts, p.Documents, 2)
	if err != nil {
		t.Fatal(err)
	}
	if before, after := scores[0], scores[1]; !(after.Recall20 > 1.1*before.Recall20) ||
		!(after.Recall20 > scores[2].Recall20) {
		t.Errorf("recall %v before, %v after, popularity %v", before.Recall20, after.Recall20, scores[2].Recall20)
	}
}

// TestJudge holds the figures against counting by hand: of three held-out items one is second and one is twenty-first.
func TestJudge(t *testing.T) {
	counts := make([]int64, 60)
	for i := range counts {
		counts[i] = int64(100 - i)
	}
	method := Method{"order", func() Scorer {
		return func(dst []float64, _ []int32) {
			for j := range dst {
				dst[j] = -float64(j)
			}
		}
	}}
	// Item 0 is given. So item 2 is second, item 21 is twenty-first, and 59 is last.
	scores, err := Evaluate(t.Context(), []Method{method}, []Basket{{Given: []int32{0}, Held: []int32{2, 21, 59}}}, counts,
		200, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := scores[0]
	ndcg := (1/math.Log2(3) + 1/math.Log2(22) + 1/math.Log2(60)) / (1 + 1/math.Log2(3) + 0.5)
	if s.Recall20 != 1.0/3 || math.Abs(s.Recall50-2.0/3) > 1e-12 || math.Abs(s.NDCG100-ndcg) > 1e-12 ||
		s.Coverage != 20.0/60 || s.Rarer20 != 0 {
		t.Errorf("%+v, want NDCG %v", s, ndcg)
	}
}

// TestBaselines holds EASE and PureSVD against what they must do: EASE with a great λ orders by c_ij, and PureSVD with
// as many dimensions as items gives the basket back.
func TestBaselines(t *testing.T) {
	docs := drawn(2000)
	p, err := Count(t.Context(), passOf(docs, 500), 300, Options{Neighbours: All})
	if err != nil || !p.Complete() {
		t.Fatal(err, p.Complete())
	}
	ease, err := EASE(p, 1e9, 300)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 300)
	ease.New()(dst, []int32{7})
	others, together, _ := p.Row(7)
	best := 0
	for x := range others {
		if together[x] > together[best] {
			best = x
		}
	}
	for j, v := range dst {
		if j != 7 && v > dst[others[best]] {
			t.Errorf("EASE puts item %d before item %d", j, others[best])
		}
	}
	whole, err := LowRank(t.Context(), p, 300, false, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	whole.New()(dst, []int32{7})
	for j, v := range dst {
		if want := map[bool]float64{true: 1}[j == 7]; p.Counts[j] > 0 && math.Abs(v-want) > 1e-6 {
			t.Errorf("PureSVD of full rank gives item %d the score %v, want %v", j, v, want)
		}
	}
}
