package stream

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
)

// TestStopwords looks at every list: by code and by name, in lower case, without blanks, and with a word that must be
// there.
func TestStopwords(t *testing.T) {
	languages := stopwordLists()
	if len(languages) < 20 {
		t.Fatalf("%d languages", len(languages))
	}
	for _, l := range languages {
		words, known := Stopwords(l.Code)
		named, knownByName := Stopwords(strings.ToUpper(l.Name))
		if !known || !knownByName || len(words) < 40 || !maps.Equal(words, named) {
			t.Errorf("%s, %s: %d and %d words", l.Code, l.Name, len(words), len(named))
		}
		for word := range words {
			if word == "" || strings.ContainsAny(word, " \t\r#|") || word != strings.ToLower(word) {
				t.Errorf("%s: %q", l.Name, word)
			}
		}
	}
	for language, word := range map[string]string{"en": "the", "english": "don't", "de": "und", "fr": "les", "es": "los",
		"ru": "и", "zh": "的", "ar": "في", "hi": "और", "tr": "ve", "id": "yang"} {
		if words, _ := Stopwords(language); len(words) == 0 {
			t.Errorf("%s has no words", language)
		} else if _, found := words[word]; !found {
			t.Errorf("%s has no %q", language, word)
		}
	}
	for _, other := range []string{"", "klingon", "e"} {
		if _, known := Stopwords(other); known {
			t.Errorf("%q is known", other)
		}
	}
}

// TestStopwordsAreWords cuts the lists of languages with blanks into words: a stop word that is cut would never be left
// out.
func TestStopwordsAreWords(t *testing.T) {
	for _, l := range stopwordLists() {
		if slices.Contains([]string{"ja", "th", "zh"}, l.Code) {
			continue
		}
		words, _ := Stopwords(l.Code)
		list := slices.Sorted(maps.Keys(words))
		path := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(path, []byte(strings.Join(list, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{Format: shard.Text})
		if err != nil {
			t.Fatal(err)
		}
		vocabulary := corpus.NewVocabulary()
		_, err = Read(t.Context(), shards, ReadOptions{ReadingOptions: corpus.ReadingOptions{Growing: vocabulary}},
			func(*corpus.Documents) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range list {
			if _, found := vocabulary.Lookup([]byte(word)); !found {
				t.Errorf("%s: %q is not a word", l.Name, word)
			}
		}
	}
}
