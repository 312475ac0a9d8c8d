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
		documents = append(documents, Document{Items: []string{"a", fmt.Sprint("i", d%7), fmt.Sprint("j", d%11), fmt.Sprint("d", d)}})
	}
	documents[9].Items = []string{"a"} // has no pair
	c, err := FromDocuments(t.Context(), documents, Options{Pruning: Pruning{MinDF: 1, MaxDFRatio: 1}, MinItems: 1,
		MinTokens: 2})
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(of *Corpus) (all []int) {
		err := of.Pass(t.Context(), func(docs *Documents) error {
			if int(docs.Offsets[docs.Documents()]) != len(docs.Items) {
				t.Fatal("lengths of documents do not fit")
			}
			for d := range docs.Documents() {
				items, _ := docs.Row(d)
				var names []string
				number := -1
				for _, i := range items {
					names = append(names, c.Vocabulary.ID(int(i)))
					fmt.Sscanf(c.Vocabulary.ID(int(i)), "d%d", &number)
				}
				all = append(all, number)
				want := slices.Clone(documents[number].Items)
				slices.Sort(want)
				slices.Sort(names)
				if !slices.Equal(names, want) {
					t.Fatalf("document %d has %v, want %v", number, names, want)
				}
			}
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
	both := append(numbers(part), numbers(rest)...)
	if part.Account.Documents != 13_333 || part.Account.Dropped.NoPair != 1 || rest.Account.Dropped.NoPair != 0 {
		t.Errorf("the account of a part is %+v", part.Account)
	}
	slices.Sort(both)
	if whole := numbers(c); !slices.Equal(both, whole) {
		t.Errorf("the parts have %d documents, and the whole %d", len(both), len(whole))
	}
	half := part.Part(func(d int64) bool { return d%2 == 0 })
	if n := len(numbers(half)); n != 6667 {
		t.Errorf("a part of a part has %d documents", n)
	}
	if err := part.Close(); err != nil || len(numbers(rest)) != 26_666 {
		t.Error("closing a part closes the corpus")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
