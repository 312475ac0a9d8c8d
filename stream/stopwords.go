// This file holds the lists of stop words of languages.

package stream

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

//go:embed stopwords/*.txt
var stopwordFiles embed.FS

// stopwordLanguage is a language with a list of stop words.
type stopwordLanguage struct {
	Code string // of two letters, as in ISO 639-1
	Name string // in English
	list string
}

// stopwordLists reads the lists, in the order of their codes. The first line of each has the language, then who made
// it.
var stopwordLists = sync.OnceValue(func() (languages []stopwordLanguage) {
	files, _ := stopwordFiles.ReadDir("stopwords") // which are in the program
	for _, file := range files {
		text, _ := stopwordFiles.ReadFile("stopwords/" + file.Name())
		head, list, _ := strings.Cut(string(text), "\n")
		name, _, _ := strings.Cut(strings.TrimPrefix(head, "# "), ";")
		languages = append(languages, stopwordLanguage{strings.TrimSuffix(file.Name(), ".txt"), name, list})
	}
	return languages
})

// IsStopword reports whether an item is a stop word of some language.
func IsStopword(id string) bool { _, known := allStopwords()[id]; return known }

var allStopwords = sync.OnceValue(func() map[string]struct{} {
	words, _ := Stopwords(stopwordCodes())
	return words
})

// stopwordCodes returns the codes of all languages.
func stopwordCodes() string {
	var codes []string
	for _, l := range stopwordLists() {
		codes = append(codes, l.Code)
	}
	return strings.Join(codes, ", ")
}

// FindStopwords returns the stop words of the file at a path or, if there is none, of the languages that text names.
// With lower they are in lower case, as words are that texts are cut into. The error is a *shard.Error.
func FindStopwords(ctx context.Context, text string, lower bool) (map[string]struct{}, error) {
	if _, err := os.Stat(text); err != nil {
		if words, known := Stopwords(text); known {
			return words, nil
		}
	}
	words, err := ReadStopwords(ctx, text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; it is not a language with a list of stop words either: those are %s", err,
			stopwordCodes())
	}
	if err != nil || !lower {
		return words, err
	}
	small := make(map[string]struct{}, len(words))
	for word := range words {
		small[strings.ToLower(word)] = struct{}{}
	}
	return small, nil
}

// Stopwords returns the stop words of a language, or of several with commas between them, in lower case; known is false
// if there is no list of one of them. A language is called by its code or by its English name, in any case. Lists of
// languages that are written without blanks hold words that cutting text at Unicode's word boundaries never yields,
// beside some that it does.
func Stopwords(languages string) (words map[string]struct{}, known bool) {
	words = make(map[string]struct{})
	for language := range strings.SplitSeq(languages, ",") {
		language = strings.TrimSpace(language)
		at := slices.IndexFunc(stopwordLists(), func(l stopwordLanguage) bool {
			return strings.EqualFold(language, l.Code) || strings.EqualFold(language, l.Name)
		})
		if at < 0 {
			return nil, false
		}
		for word := range strings.Lines(stopwordLists()[at].list) {
			words[strings.TrimSuffix(word, "\n")] = struct{}{}
		}
	}
	return words, true
}
