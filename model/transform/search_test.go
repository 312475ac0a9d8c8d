package transform

import (
	"reflect"
	"strings"
	"testing"

	"anchorage/bayes"
	"anchorage/corpus"
)

// vocabularyOf returns a vocabulary of items, numbered from 0.
func vocabularyOf(items ...string) *corpus.Vocabulary {
	vocabulary := corpus.NewVocabulary()
	for _, item := range items {
		vocabulary.Intern([]byte(item))
	}
	return vocabulary
}

// TestFoundDocuments wants the most frequent items of a document first, and not all of many.
func TestFoundDocuments(t *testing.T) {
	names := strings.Fields("a b c d e f g h i j k l m n")
	many := bayes.Hit{Document: 8, Cosine: 0.5}
	for i := range names {
		many.Items, many.Counts = append(many.Items, int32(i)), append(many.Counts, 1)
	}
	hits := []bayes.Hit{{Document: 0, Cosine: 1, Items: []int32{2, 0, 1},
		Counts: []int32{1, 3, 1}}, many}
	found := foundDocuments(hits, []string{"x", "y\x1b[0m"}, vocabularyOf(names...))
	want := []FoundDocument{{"x", 1, []string{"a", "c", "b"}}, {"y\x1b[0m", 0.5, names[:searchItems]}}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("%v, want %v", found, want)
	}
}
