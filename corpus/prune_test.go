package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// counted returns a vocabulary with random counts over the given number of documents, with many ties.
func counted(seed uint64, items int, documents int64) *Vocabulary {
	random := rand.New(rand.NewPCG(seed, 2))
	v := NewVocabulary()
	for _, i := range random.Perm(items) {
		index := v.Intern(fmt.Appendf(nil, "%d", i))
		v.DocumentFrequency[index] = 1 + int64(float64(documents)*math.Pow(random.Float64(), 4))
		v.TermFrequency[index] = v.DocumentFrequency[index] + random.Int64N(3)
	}
	v.Counted = true
	return v
}

// naivePrune follows the documentation of Prune literally, one item at a time.
func naivePrune(v *Vocabulary, p Pruning, documents, highest int64) (ids []string, pruned Pruned) {
	type item struct {
		id     string
		df, tf int64
		score  float64
	}
	var items []item
	for i := range v.Len() {
		it := item{id: v.ID(i), df: v.DocumentFrequency[i], tf: v.TermFrequency[i]}
		it.score = float64(it.tf) * math.Log(math.Floor(float64(documents)/float64(it.df)))
		var loss *Loss
		if it.df < p.MinDF {
			loss = &pruned.MinDF
		} else if it.df > highest {
			loss = &pruned.MaxDFRatio
		} else if _, ok := p.Stopwords[it.id]; ok {
			loss = &pruned.Stopwords
		} else {
			items = append(items, it)
			continue
		}
		loss.Items++
		loss.Tokens += it.tf
	}
	frequent := func(a, b item) bool { return a.df > b.df || a.df == b.df && a.id < b.id }
	if p.MaxItems > 0 && len(items) > p.MaxItems {
		sort.Slice(items, func(a, b int) bool {
			if items[a].score != items[b].score {
				return items[a].score > items[b].score
			}
			return frequent(items[a], items[b])
		})
		for _, it := range items[p.MaxItems:] {
			pruned.MaxItems.Items++
			pruned.MaxItems.Tokens += it.tf
		}
		items = items[:p.MaxItems]
	}
	sort.Slice(items, func(a, b int) bool { return frequent(items[a], items[b]) })
	for _, it := range items {
		ids = append(ids, it.id)
	}
	return ids, pruned
}

func TestPruneAgainstTwin(t *testing.T) {
	const documents = 1000
	stop := map[string]struct{}{"17": {}, "18": {}, "no item": {}}
	for seed := range uint64(5) {
		v := counted(seed, 500, documents)
		for _, p := range []Pruning{
			{},
			{MinDF: 5},
			{MaxDFRatio: 0.5},
			{MaxDFRatio: 1},
			{Stopwords: stop},
			{MaxItems: 100},
			{MinDF: 3, MaxDFRatio: 0.25, Stopwords: stop, MaxItems: 150},
			{MinDF: documents + 2},
		} {
			highest := int64(math.MaxInt64)
			if p.MaxDFRatio > 0 {
				highest = int64(p.MaxDFRatio * documents) // these products are exact
			}
			want, wantPruned := naivePrune(v, p, documents, highest)
			kept, remap, pruned := v.Prune(p, documents)
			var got []string
			for i := range kept.Len() {
				got = append(got, kept.ID(i))
			}
			if !slices.Equal(got, want) || pruned != wantPruned {
				t.Fatalf("%+v: %d items and %+v, want %d and %+v", p, len(got), pruned, len(want), wantPruned)
			}
			checkRemap(t, v, kept, remap, pruned)
		}
	}
}

// checkRemap checks that remap keeps every item with its counts, or counts it as lost.
func checkRemap(t *testing.T, v, kept *Vocabulary, remap []int32, pruned Pruned) {
	t.Helper()
	var lost Loss
	for i, to := range remap {
		if to < 0 {
			lost.Items++
			lost.Tokens += v.TermFrequency[i]
			continue
		}
		if kept.ID(int(to)) != v.ID(i) || kept.DocumentFrequency[to] != v.DocumentFrequency[i] ||
			kept.TermFrequency[to] != v.TermFrequency[i] || kept.Key(int(to)) != v.Key(i) {
			t.Fatalf("item %d became %d, another one", i, to)
		}
	}
	if len(remap) != v.Len() || lost != pruned.Total() || int(lost.Items)+kept.Len() != v.Len() || !kept.Counted {
		t.Fatalf("remap loses %+v, and %+v are reported", lost, pruned.Total())
	}
}

// TestPruneOrder checks that the original numbering of the items has no influence.
func TestPruneOrder(t *testing.T) {
	v := counted(9, 300, 100)
	mirror := NewVocabulary()
	for i := v.Len() - 1; i >= 0; i-- {
		index := mirror.Intern(v.id(i))
		mirror.DocumentFrequency[index], mirror.TermFrequency[index] = v.DocumentFrequency[i], v.TermFrequency[i]
	}
	mirror.Counted = true
	a, _, _ := v.Prune(Pruning{MaxItems: 120}, 100)
	b, _, _ := mirror.Prune(Pruning{MaxItems: 120}, 100)
	if !sameCounts(a, b) {
		t.Error("the same counts give other vocabularies")
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct {
		ratio     float64
		documents int64
		want      int64
	}{
		{0.5, 7, 3}, {0.29, 100, 29}, {0.07, 100, 7}, {0.3, 10, 3}, {0.1, 30, 3}, {1e-9, 1e9, 1}, {1e-300, 1e9, 0},
		{0.9999999999999999, 1 << 62, 4611686018427387442}, {1, 10, math.MaxInt64}, {2, 10, math.MaxInt64},
		{math.Inf(1), 10, math.MaxInt64},
	} {
		if got := share(test.ratio, test.documents); got != test.want {
			t.Errorf("share(%v, %d) = %d, want %d", test.ratio, test.documents, got, test.want)
		}
	}
}

func TestPruneWithoutCounts(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a vocabulary without counts was pruned by them")
		}
	}()
	NewVocabulary().Prune(Pruning{}, 1)
}

// The pruned vocabulary has separate memory and takes no more than it needs.
func TestPruneTakesNoMoreThanItNeeds(t *testing.T) {
	for _, items := range []int{1, 48, 49, 1000} {
		v := counted(3, items, 100)
		kept, _, _ := v.Prune(Pruning{}, 100)
		slots, text := 64, 0
		for 4*items > 3*slots {
			slots *= 2
		}
		for i := range items {
			text += len(kept.ID(i))
		}
		if want := int64(text + 4*slots + 32*items); kept.Bytes() != want {
			t.Errorf("%d items: %d bytes instead of %d", items, kept.Bytes(), want)
		}
		next := kept.Intern([]byte("one more"))
		if index, ok := kept.Lookup([]byte("one more")); !ok || index != next || int(next) != items {
			t.Errorf("%d items: one more has the number %d", items, index)
		}
	}
}
