// This file says which words are stop words: those of a list, and for NIPS those that the reference vocabulary shows.

package paper

import (
	"context"
	_ "embed"
	"math"
	"path/filepath"
	"strings"

	"anchorage/corpus"
	"anchorage/stream"
)

//go:embed stopwords.txt
var usualStopwords string

// stopWords returns the stop words of a corpus: those of the program and, for a corpus with a reference vocabulary,
// those that the authors' list has taken out of it.
func (r reader) stopWords(ctx context.Context, d source) (map[string]struct{}, error) {
	words := make(map[string]struct{})
	for line := range strings.Lines(usualStopwords) {
		if word := strings.TrimSpace(line); word != "" && !strings.HasPrefix(word, "#") {
			words[word] = struct{}{}
		}
	}
	if d.vocabulary == "" {
		return words, nil
	}
	reference, err := stream.ReadVocabulary(ctx, filepath.Join(r.folder, filepath.FromSlash(d.vocabulary)))
	if err != nil {
		return nil, err
	}
	docs, err := r.openWith(ctx, d, corpus.Options{Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}, Dir: r.spill,
		Workers: r.workers, MinItems: 1, MinTokens: 1})
	if err != nil {
		return nil, err
	}
	for _, word := range takenOut(docs.Vocabulary, reference, docs.Account.DocumentsRead) {
		words[word] = struct{}{}
	}
	return words, docs.Close()
}

// takenOut returns the words of greater tf·idf, idf = log(⌊M/df⌋), than a word of the reference vocabulary, which that
// does not hold: it has the words of greatest tf·idf except stop words, so these are stop words.
func takenOut(all, reference *corpus.Vocabulary, documents int64) []string {
	score := func(i int) float64 {
		return float64(all.TermFrequency[i]) * math.Log(float64(documents/max(all.DocumentFrequency[i], 1)))
	}
	least := math.Inf(1)
	for i := range reference.Len() {
		if at, ok := all.Lookup([]byte(reference.ID(i))); ok {
			least = min(least, score(int(at)))
		}
	}
	var words []string
	for i := range all.Len() {
		if _, kept := reference.Lookup([]byte(all.ID(i))); !kept && score(i) > least {
			words = append(words, all.ID(i))
		}
	}
	return words
}
