package paper

import (
	"math"
	"testing"
)

// Without the originals drawn corpora of their published shapes are in their place, under other names.
func TestStandIns(t *testing.T) {
	folder := t.TempDir()
	for name, shape := range map[string]struct{ documents, items, tokens int }{"nytimes": {269325, 15000, 205},
		"movies": {63041, 10000, 143}, "songs": {14653, 10000, 119}} {
		d, err := findSource(folder, name)
		again, same := findSource(folder, d.name())
		if err != nil || same != nil || again.key != name || d.name() != name+"-drawn" || !d.standsIn || d.text ||
			d.drawn.Documents != shape.documents ||
			d.drawn.Items != shape.items || d.drawn.Tokens != shape.tokens || d.items != shape.items {
			t.Errorf("%s: %+v", d.key, d.drawn)
		}
	}
	d, _ := findSource(folder, "songs")
	docs, err := reader{folder: folder, spill: t.TempDir()}.open(t.Context(), d, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	tokens := 0.0
	for _, tf := range docs.Vocabulary.TermFrequency {
		tokens += float64(tf)
	}
	if mean := tokens / float64(docs.Account.DocumentsRead); math.Abs(mean-119) > 2 ||
		docs.Account.DocumentsRead != 14653 {
		t.Errorf("%d documents have %.1f tokens on average, want 14,653 with 119", docs.Account.DocumentsRead, mean)
	}
}

// Stop words come from the list, and from what the reference vocabulary does not hold of the words that come before its
// last.
func TestStopWords(t *testing.T) {
	from := reader{folder: writePaperData(t), spill: t.TempDir()}
	data, err := findSource(from.folder, "nips")
	if err != nil {
		t.Fatal(err)
	}
	words, err := from.stopWords(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"the": true, "word5": true, "word7": true, "word0": false, "word119": false,
		"neuron": false, "#": false} {
		if _, got := words[word]; got != want {
			t.Errorf("%s is a stop word: %v", word, got)
		}
	}
	docs, err := from.open(t.Context(), data, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	if _, kept := docs.Vocabulary.Lookup([]byte("word5")); kept || docs.Vocabulary.Len() != 118 {
		t.Errorf("%d items are kept, word5 among them: %v", docs.Vocabulary.Len(), kept)
	}
}
