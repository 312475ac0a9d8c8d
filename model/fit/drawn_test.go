package fit

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/synth"
)

// drawnCorpora draws corpora of m documents each, all of one truth, and opens them. Item i has the id i.
func drawnCorpora(t *testing.T, model synth.Model, count int, fn func(truth *synth.Truth, docs *corpus.Corpus)) {
	t.Helper()
	m := model.Documents
	model.Documents *= count
	all, truth := model.Draw()
	for at := range count {
		var documents []corpus.Document
		for d := at * m; d < (at+1)*m; d++ {
			items, counts := all.Row(d)
			one := corpus.Document{Counts: slices.Clone(counts)}
			for _, i := range items {
				one.Items = append(one.Items, strconv.Itoa(int(i)))
			}
			documents = append(documents, one)
		}
		docs, err := corpus.FromDocuments(context.Background(), documents, corpus.Everything())
		if err != nil {
			t.Fatal(err)
		}
		fn(truth, docs)
		if err := docs.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
