package corpus

import (
	"fmt"
	"slices"
	"testing"
)

// Parts of a corpus have the documents that they keep, with their weights, and together all of them.
func TestPart(t *testing.T) {
	var documents []Document
	for d := range 40_000 { // several blocks
		documents = append(documents, Document{Items: []string{"a", fmt.Sprint("i", d%7), fmt.Sprint("j", d%11)}})
	}
	documents[9].Items = []string{"a"} // has no pair
	c, err := FromDocuments(t.Context(), documents, Options{Pruning: Pruning{MinDF: 1, MaxDFRatio: 1}, MinItems: 1,
		MinTokens: 2, Weight: func(d int64) float64 { return float64(d + 1) }})
	if err != nil {
		t.Fatal(err)
	}
	weights := func(of *Corpus) (all []float64) {
		err := of.Pass(t.Context(), func(docs *Documents) error {
			if len(docs.Weights) != docs.Documents() || int(docs.Offsets[docs.Documents()]) != len(docs.Items) {
				t.Fatal("lengths of documents do not fit")
			}
			for d := range docs.Documents() {
				items, _ := docs.Row(d)
				number := int(docs.Weight(d)) - 1
				var names []string
				for _, i := range items {
					names = append(names, c.Vocabulary.ID(int(i)))
				}
				want := slices.Clone(documents[number].Items)
				slices.Sort(want)
				slices.Sort(names)
				if !slices.Equal(names, want) {
					t.Fatalf("document %d has %v, want %v", number, names, want)
				}
			}
			all = append(all, docs.Weights...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	thirds := func(d int64) bool { return d%3 == 0 }
	part, rest := c.Part(thirds), c.Part(func(d int64) bool { return !thirds(d) })
	if part.Account.DocumentsRead != 13_334 || rest.Account.DocumentsRead != 26_666 {
		t.Errorf("the parts have %d and %d documents", part.Account.DocumentsRead, rest.Account.DocumentsRead)
	}
	both := append(weights(part), weights(rest)...)
	if part.Account.Documents != 13_333 || part.Account.Dropped.NoPair != 1 || rest.Account.Dropped.NoPair != 0 {
		t.Errorf("the account of a part is %+v", part.Account)
	}
	slices.Sort(both)
	if whole := weights(c); !slices.Equal(both, whole) {
		t.Errorf("the parts have %d documents, and the whole %d", len(both), len(whole))
	}
	half := part.Part(func(d int64) bool { return d%2 == 0 })
	if n := len(weights(half)); n != 6667 {
		t.Errorf("a part of a part has %d documents", n)
	}
	if err := part.Close(); err != nil || len(weights(rest)) != 26_666 {
		t.Error("closing a part closes the corpus")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
