package corpus

import (
	"fmt"
	"slices"
	"testing"
)

// TestLeft compares the items that pruning leaves out, and the documents with them, with what was read.
func TestLeft(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		var docs [][]string
		for i := range 40 {
			doc := []string{"all", fmt.Sprint("half", i%2), fmt.Sprint("third", i%3)}
			if i%10 == 7 {
				doc = append(doc, fmt.Sprint("once", i))
			}
			docs = append(docs, doc)
		}
		var all []Document
		for _, doc := range docs {
			all = append(all, Document{Items: doc})
		}
		c, err := FromDocuments(t.Context(), all, Options{Pruning: Pruning{MinDF: 2, MaxDFRatio: 0.9}, Dir: dir,
			MinItems: 2, MinTokens: 2, KeepLeft: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var left []string
		next, stop := c.Left()
		for range c.LeftItems() {
			item, err := next()
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, fmt.Sprint(string(item.ID), item.DocumentFrequency, item.TermFrequency))
		}
		stop()
		if want := []string{"all40 40", "once71 1", "once171 1", "once271 1", "once371 1"}; !slices.Equal(left, want) {
			t.Errorf("%v was left out, want %v", left, want)
		}
		at, n := 0, int32(c.Vocabulary.Len())
		err = c.PassWithLeft(t.Context(), func(run *Documents) error {
			for d := range run.Documents() {
				items, _ := run.Row(d)
				var names []string
				for _, i := range items {
					if i < n {
						names = append(names, c.Vocabulary.ID(int(i)))
					} else {
						names = append(names, []string{"all", "once7", "once17", "once27", "once37"}[i-n])
					}
				}
				slices.Sort(names)
				if want := slices.Sorted(slices.Values(docs[at])); !slices.Equal(names, want) {
					t.Errorf("document %d has %v, want %v", at, names, want)
				}
				at++
			}
			return nil
		})
		if err != nil || at != len(docs) {
			t.Errorf("%d documents, %v", at, err)
		}
	}
}
