// This file opens the corpora of the papers' figures: where they are, which items count, and the dense C of the small ones.

package paper

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// Documents need so many distinct items and tokens, as in the reference results.
const (
	minItems  = 3
	minTokens = 5
)

// source is a corpus by its place in the data folder.
type source struct {
	name, title string
	shards      string
	vocabulary  string // the items of Figure 3; empty where they are chosen by tf·idf
	// maxDFRatio leaves out items in more than this share of the documents, where stop words are in; 0 keeps all.
	maxDFRatio float64
	text       bool // items are words that can be read
}

var sources = []source{
	{name: "nips", title: "NIPS papers", shards: "data/nips/docword.nips.txt.gz", vocabulary: "reference/nips-n5000.dict", text: true},
	{name: "retail", title: "Retail baskets", shards: "data/retail/retail.dat.gz", vocabulary: "reference/retail-n5000.items"},
	{name: "wiki", title: "Wikipedia", shards: "data/wiki", maxDFRatio: 0.1, text: true},
}

// findSource returns the corpus of that name.
func findSource(name string) (source, error) {
	for _, d := range sources {
		if d.name == name {
			return d, nil
		}
	}
	return source{}, fmt.Errorf("there is no corpus %q: there are nips, retail and wiki", name)
}

// items says in words which items count.
func (d source) items() string {
	if d.maxDFRatio > 0 {
		return fmt.Sprintf("items by tf·idf among those in at most %g %% of the documents (--min-df 1 --max-df-ratio %g)", 100*d.maxDFRatio, d.maxDFRatio)
	}
	return "items by tf·idf among all (--min-df 1 --max-df-ratio 1)"
}

// reader opens corpora of one data folder.
type reader struct {
	folder  string
	spill   string
	workers int
	log     *slog.Logger
}

// open prepares the documents with the given number of items of greatest tf·idf, 0 for all there are. With fixed, the items
// are those of the corpus's vocabulary file, if it has one.
func (r reader) open(ctx context.Context, d source, items int, fixed bool) (*corpus.Corpus, error) {
	shards, err := shard.Discover(ctx, []string{filepath.Join(r.folder, filepath.FromSlash(d.shards))}, shard.Options{})
	if err != nil {
		return nil, err
	}
	source := corpus.Options{MinItems: minItems, MinTokens: minTokens, Dir: r.spill, Workers: r.workers,
		Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: d.maxDFRatio, MaxItems: items}}
	if fixed && d.vocabulary != "" {
		if source.Vocabulary, err = stream.ReadVocabulary(ctx, filepath.Join(r.folder, filepath.FromSlash(d.vocabulary))); err != nil {
			return nil, err
		}
	}
	docs, err := stream.Open(ctx, shards, source)
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %w", d.name, err)
	}
	r.log.Info("corpus opened", "corpus", d.name, "documents", docs.Account.DocumentsRead, "items", docs.Vocabulary.Len())
	return docs, nil
}

// denseCorpus is a corpus with its C.
type denseCorpus struct {
	data      source
	corpus    *corpus.Corpus
	c         *matrix.Tall
	marginals *sketch.Marginals
	p         []float64 // row sums of C
}

// openDense opens the corpus of Figure 3. The caller must close it.
func (r reader) openDense(ctx context.Context, d source, items int) (*denseCorpus, error) {
	docs, err := r.open(ctx, d, items, true)
	if err != nil {
		return nil, err
	}
	c, marginals, err := sketch.Dense(ctx, docs.Pass, docs.Vocabulary.Len(), nil, 0, r.workers)
	if err != nil {
		docs.Close()
		return nil, err
	}
	return &denseCorpus{data: d, corpus: docs, c: c, marginals: marginals, p: marginals.Probabilities()}, nil
}
