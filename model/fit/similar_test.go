// This file holds what a model says of its items against plain computations.

package fit_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
)

// cookbook fits a model of recipes, with an item of a single document, and saves it.
func cookbook(t *testing.T) (*fit.Fitted, string) {
	t.Helper()
	documents := append(recipes(), corpus.Document{Items: []string{"Saffron", "tomato", "basil", "pasta"}})
	docs, err := corpus.FromDocuments(context.Background(), documents, corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(context.Background(), docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cookbook")
	if err := fitted.Save(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	return fitted, path
}

// cosines returns the cosines of row i of x·middle·xᵀ with all others, from the whole N×N matrix. A nil middle is the
// identity.
func cosines(x *matrix.Tall, middle []float64, i int) []float64 {
	n, k := x.Dims()
	entry := func(a, b int) (sum float64) {
		for r, u := range x.Row(a) {
			for s, v := range x.Row(b) {
				if middle != nil {
					sum += u * middle[r*k+s] * v
				} else if r == s {
					sum += u * v
				}
			}
		}
		return sum
	}
	row := func(a int) []float64 {
		all := make([]float64, n)
		for b := range all {
			all[b] = entry(a, b)
		}
		return all
	}
	product := func(u, v []float64) (sum float64) {
		for j := range u {
			sum += u[j] * v[j]
		}
		return sum
	}
	own, result := row(i), make([]float64, n)
	for b := range result {
		other := row(b)
		result[b] = product(own, other) / math.Sqrt(product(own, own)*product(other, other))
	}
	return result
}

// checkSimilar checks that Similar gives all items with a positive cosine, in order, uncertain ones behind the others.
func checkSimilar(t *testing.T, what string, found []model.Neighbour, m *model.Model, i int, want []float64) {
	t.Helper()
	positive := 0
	for b, c := range want {
		if b != i && c > 1e-6 {
			positive++
		}
	}
	if len(found) < positive {
		t.Errorf("%s: %d items, want %d", what, len(found), positive)
	}
	last, behind := math.Inf(1), false
	for _, n := range found {
		if n.Uncertain != behind && !m.Uncertain(i) {
			if behind {
				t.Errorf("%s: %s is behind uncertain items", what, n.ID)
			}
			last, behind = math.Inf(1), true
		}
		at, _ := m.Vocabulary.Lookup([]byte(n.ID))
		counts := n.Similarity
		if !m.Uncertain(i) && !n.Uncertain {
			counts *= math.Sqrt(min(m.ReliabilityOf(int(at))/m.ReliabilityOf(i), 1))
		}
		if math.Abs(n.Similarity-want[at]) > 1e-5 || counts > last+1e-7 || int(at) == i {
			t.Errorf("%s: %s has %v, want %v, and counts %v after %v", what, n.ID, n.Similarity, want[at], counts, last)
		}
		if n.Documents != m.DocumentFrequency[at] || n.Uncertain != m.Uncertain(int(at)) {
			t.Errorf("%s: %+v", what, n)
		}
		last = counts
	}
}

// TestReliableItemsComeFirst wants items of which less is known than of the item itself to come later, and the similarity
// to stay what it is.
func TestReliableItemsComeFirst(t *testing.T) {
	fitted, _ := cookbook(t)
	m := fitted.Loaded()
	moved := 0
	for i := range m.Vocabulary.Len() {
		before, err := m.Similar(t.Context(), m.Vocabulary.ID(i), 100)
		if err != nil {
			t.Fatal(err)
		}
		if m.Uncertain(i) || len(before) < 2 || before[0].Uncertain {
			continue
		}
		at, _ := m.Vocabulary.Lookup([]byte(before[0].ID))
		was := m.Reliability[at]
		m.Reliability[at] = 0.55 * m.Reliability[i]
		after, err := m.Similar(t.Context(), m.Vocabulary.ID(i), 100)
		if err != nil {
			t.Fatal(err)
		}
		checkSimilar(t, "less reliable", after, m, i, cosines(fitted.Factor, nil, i))
		if after[0].ID != before[0].ID {
			moved++
		}
		m.Reliability[at] = was
	}
	if moved == 0 {
		t.Error("no item moved")
	}
}

// TestSimilarAgainstWholeMatrix holds similarities against cosines of rows of the whole co-occurrences, for models in
// memory, opened and loaded.
func TestSimilarAgainstWholeMatrix(t *testing.T) {
	fitted, path := cookbook(t)
	opened, err := model.Load(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := model.Load(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*model.Model{"fitted": fitted.Loaded(), "opened": opened, "loaded": loaded} {
		for i := range m.Vocabulary.Len() {
			want := cosines(fitted.Factor, nil, i)
			found, err := m.Similar(t.Context(), m.Vocabulary.ID(i), 100)
			if err != nil {
				t.Fatal(err)
			}
			checkSimilar(t, name, found, m, i, want)
			few, err := m.Similar(t.Context(), m.Vocabulary.ID(i), 3)
			if err != nil || !slices.Equal(few, found[:3]) {
				t.Errorf("%s: the first of %d are %v, of 3 %v, %v", name, len(found), found[:3], few, err)
			}
		}
	}
}

// TestSimilarWithoutFactor does the same with a model of variational inference, which has B·A·Bᵀ.
func TestSimilarWithoutFactor(t *testing.T) {
	ctx := context.Background()
	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Options{Passes: 3, Pruning: corpus.Pruning{MinDF: 1,
		MaxDFRatio: 1}, MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Bayes(ctx, docs, fit.BayesOptions{Options: bayes.Options{Model: bayes.LDA, Topics: 3, Seed: 1},
		Plan: bayes.Plan{Epochs: 2}})
	if err != nil {
		t.Fatal(err)
	}
	m := fitted.Loaded()
	i, _ := m.Vocabulary.Lookup([]byte("tomato"))
	found, err := m.Similar(t.Context(), "tomato", 100)
	if err != nil {
		t.Fatal(err)
	}
	checkSimilar(t, "bayes", found, m, int(i), cosines(m.Items, m.TopicJoint, int(i)))
}

// TestSimilarTogether asks a loaded model from several goroutines, the first of which makes the index.
func TestSimilarTogether(t *testing.T) {
	_, path := cookbook(t)
	m, err := model.Load(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	var found [8][]model.Neighbour
	var group sync.WaitGroup
	for g := range found {
		group.Go(func() {
			var err error
			if found[g], err = m.Similar(t.Context(), "flour", 4); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, other := range found {
		if len(other) != 4 || !slices.Equal(other, found[0]) {
			t.Errorf("found %v and %v", found[0], other)
		}
	}
}

func TestUncertainItems(t *testing.T) {
	fitted, _ := cookbook(t)
	m := fitted.Loaded()
	item, err := m.Item(t.Context(), "Saffron")
	if err != nil {
		t.Fatal(err)
	}
	if !item.Uncertain || item.Documents != 1 || item.Tokens != 1 {
		t.Errorf("an item of one document is %+v", item)
	}
	if item, err := m.Item(t.Context(), "tomato"); err != nil || item.Uncertain || item.Documents < 100 {
		t.Errorf("a frequent item is %+v, %v", item, err)
	}
}

func TestItemTopics(t *testing.T) {
	fitted, _ := cookbook(t)
	m := fitted.Loaded()
	for k, anchor := range m.Anchors {
		item, err := m.Item(t.Context(), m.Vocabulary.ID(anchor))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(item.AnchorOf, []int{k}) || item.Index != anchor {
			t.Errorf("the anchor of topic %d is %+v", k, item)
		}
		sum, last := 0.0, math.Inf(1)
		for _, topic := range item.Topics {
			sum += topic.Share
			if topic.Share > last || topic.Share != m.Mixtures.Row(anchor)[topic.Topic] ||
				topic.Probability != m.Items.Row(anchor)[topic.Topic] ||
				math.Abs(topic.Lift*m.Shares[topic.Topic]-topic.Share) > 1e-12 {
				t.Errorf("topic %+v", topic)
			}
			last = topic.Share
		}
		if math.Abs(sum-1) > 1e-9 || len(item.Topics) != 3 {
			t.Errorf("the shares of %d topics sum to %v", len(item.Topics), sum)
		}
	}
}

func TestUnknownItems(t *testing.T) {
	fitted, _ := cookbook(t)
	m := fitted.Loaded()
	for id, want := range map[string]string{
		"tomatto":                 `the model has no item "tomatto": did you mean "tomato"?`,
		"TOMATO":                  `the model has no item "TOMATO": did you mean "tomato"?`,
		"saffron":                 `the model has no item "saffron": did you mean "Saffron"?`,
		"tomaot":                  `the model has no item "tomaot": did you mean "tomato"?`,
		"omat":                    `the model has no item "omat": did you mean "tomato"?`,
		"xxxxxxx":                 `the model has no item "xxxxxxx"`,
		"":                        `the model has no item ""`,
		strings.Repeat("ä", 1000): `the model has no item "` + strings.Repeat("ä", 80) + `"`,
	} {
		_, similar := m.Similar(t.Context(), id, 3)
		_, item := m.Item(t.Context(), id)
		unknown := new(model.UnknownItemError)
		if !errors.As(similar, &unknown) || unknown.ID != id || similar.Error() != want || item.Error() != want {
			t.Errorf("%q: %v, %v, want %s", id, similar, item, want)
		}
	}
}

func TestSearch(t *testing.T) {
	fitted, _ := cookbook(t)
	m := fitted.Loaded()
	search := func(text string, n int) []model.Found {
		found, err := m.Search(t.Context(), text, n)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	names := func(text string, n int) string {
		var ids []string
		for _, found := range search(text, n) {
			ids = append(ids, found.ID)
		}
		return strings.Join(ids, " ")
	}
	for text, want := range map[string]string{"onion": "onion", "SAFF": "Saffron", "egg": "egg", "zzz": ""} {
		if got := names(text, 5); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	if got := names("o", 2); !strings.HasPrefix(got, "o") || len(strings.Fields(got)) != 2 {
		t.Errorf("items that begin with o come first, not %q", got)
	}
	if got := search("", 1000); len(got) != m.Vocabulary.Len() || !slices.IsSortedFunc(got, func(a,
		b model.Found) int {
		return int(b.Documents - a.Documents)
	}) {
		t.Errorf("an empty text finds %v", got)
	}
	if got := search("o", 0); len(got) != 0 {
		t.Errorf("no items wanted, %v found", got)
	}
}
