package items

import (
	"math/rand/v2"
	"slices"
	"testing"

	"anchorage/corpus"
	"anchorage/matrix"
)

// frequent returns pairs of 3,000 items, the first of which are in many documents, and topics of four kinds of items.
func frequent(t *testing.T) (*Pairs, *Topics) {
	t.Helper()
	const n = 3000
	draw := rand.New(rand.NewPCG(5, 6))
	documents := &corpus.Documents{Offsets: []int32{0}}
	for m := range 6000 {
		var basket []int32
		for range 4 {
			basket = append(basket, int32(min(draw.ExpFloat64()*20, n-1)), int32(4*draw.IntN(n/4)+m%4))
		}
		slices.Sort(basket)
		basket = slices.Compact(basket)
		documents.Append(basket, slices.Repeat([]int32{1}, len(basket)))
	}
	pairs, err := Count(t.Context(), passOf(documents, 500), n, Options{Neighbours: 50})
	if err != nil {
		t.Fatal(err)
	}
	if err := pairs.Invert(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	b := matrix.NewTall(n, 4)
	for i := range n {
		b.Row(i)[i%4] = 4.0 / n
	}
	return pairs, NewTopics(b, b, []float64{0.25, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 0.25})
}

// A prepared recommender suggests exactly what another does, and reads heads only for nearly all baskets.
func TestPreparedSuggestsTheSame(t *testing.T) {
	pairs, topics := frequent(t)
	for name, r := range map[string]*Recommender{
		"pairs":       NewRecommender(pairs, nil, Setting{Pairs: 1}),
		"peculiar":    NewRecommender(pairs, nil, Setting{Pairs: 1, Peculiar: 0.45}),
		"inverse":     NewRecommender(pairs, nil, Setting{Inverse: 1, Peculiar: 0.15}),
		"all":         NewRecommender(pairs, topics, Setting{Pairs: 0.5, Inverse: 0.25, Topics: 0.25, Peculiar: 0.3}),
		"topics last": NewRecommender(pairs, topics, DefaultSetting),
	} {
		prepared := r.With(r.Setting())
		if err := prepared.Prepare(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		q, fast := r.NewQuery(), prepared.NewQuery()
		draw, long, ruled := rand.New(rand.NewPCG(7, 8)), 0, 0
		for x := range 300 {
			var basket []int32
			for range 1 + draw.IntN(8) {
				basket = append(basket, int32(min(draw.ExpFloat64()*50, 2999)))
			}
			n, keep := 1+x%20, x%3 == 0
			if x%10 == 9 {
				n = 2000 // more than the heads reach
			}
			want := q.Suggest(nil, basket, n, keep)
			if found := fast.Suggest(nil, basket, n, keep); !slices.Equal(found, want) {
				t.Fatalf("%s, basket %v, %d items: %+v, want %+v", name, basket, n, found, want)
			}
			if _, sure := fast.fromHeads(basket, n, keep); fast.rest() > 0 {
				long++
				if sure {
					ruled++
				}
			}
		}
		t.Logf("%s: %d baskets have long rows, heads do for %d", name, long, ruled)
		if long < 100 || ruled < long/2 {
			t.Errorf("%s: of 300 baskets %d have long rows, and heads do for %d", name, long, ruled)
		}
	}
}
