// This file holds the lists of stop words of languages.

package stream

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed stopwords/*.txt
var stopwordFiles embed.FS

// StopwordLanguage is a language with a list of stop words.
type StopwordLanguage struct {
	Code string // of two letters, as in ISO 639-1
	Name string // in English
	list string
}

// StopwordLanguages returns the languages that Stopwords knows, in the order of their codes.
func StopwordLanguages() []StopwordLanguage { return slices.Clone(stopwordLists()) }

// stopwordLists reads the lists. The first line of each has the language, then who made the list.
var stopwordLists = sync.OnceValue(func() (languages []StopwordLanguage) {
	paths, err := fs.Glob(stopwordFiles, "stopwords/*.txt")
	if err != nil {
		panic("stream: " + err.Error())
	}
	for _, path := range paths {
		text, err := stopwordFiles.ReadFile(path)
		if err != nil {
			panic("stream: " + err.Error())
		}
		head, list, _ := strings.Cut(string(text), "\n")
		name, _, _ := strings.Cut(strings.TrimPrefix(head, "# "), ";")
		code := strings.TrimSuffix(strings.TrimPrefix(path, "stopwords/"), ".txt")
		languages = append(languages, StopwordLanguage{code, name, list})
	}
	return languages
})

// IsStopword reports whether an item is a stop word of some language.
func IsStopword(id string) bool { _, known := allStopwords()[id]; return known }

var allStopwords = sync.OnceValue(func() map[string]struct{} {
	var codes []string
	for _, l := range stopwordLists() {
		codes = append(codes, l.Code)
	}
	words, _ := Stopwords(strings.Join(codes, ","))
	return words
})

// Stopwords returns the stop words of a language, or of several with commas between them, in lower case; known is false
// if there is no list of one of them. A language is called by its code or by its English name, in any case. Lists of
// languages that are written without blanks hold words that cutting text at Unicode's word boundaries never yields,
// beside some that it does.
func Stopwords(languages string) (words map[string]struct{}, known bool) {
	words = make(map[string]struct{})
	for language := range strings.SplitSeq(languages, ",") {
		language = strings.TrimSpace(language)
		at := slices.IndexFunc(stopwordLists(), func(l StopwordLanguage) bool {
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
