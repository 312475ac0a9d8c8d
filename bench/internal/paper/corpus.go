// This file opens the corpora of the papers' figures: which documents and items count, and the dense C of the small ones.

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

// reader opens corpora of one data folder.
type reader struct {
	folder    string
	spill     string
	stopwords string // file of the stop words; empty for those of the program
	workers   int
	log       *slog.Logger
}

// open prepares the documents with the given number of items of greatest tf·idf, 0 for all there are. With fixed, the items
// are those of the corpus's vocabulary file, if it has one. Stop words are left out of what is chosen.
func (r reader) open(ctx context.Context, d source, items int, fixed bool) (*corpus.Corpus, error) {
	opts := corpus.Options{MinItems: minItems, MinTokens: minTokens, Dir: r.spill, Workers: r.workers,
		Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: d.maxDFRatio, MaxItems: items}}
	var err error
	switch {
	case fixed && d.vocabulary != "":
		opts.Vocabulary, err = stream.ReadVocabulary(ctx, filepath.Join(r.folder, filepath.FromSlash(d.vocabulary)))
	case d.text:
		opts.Pruning.Stopwords, err = r.stopWords(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	docs, err := r.openWith(ctx, d, opts)
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %w", d.name(), err)
	}
	r.log.Info("corpus opened", "corpus", d.name(), "documents", docs.Account.DocumentsRead, "items", docs.Vocabulary.Len())
	return docs, nil
}

// openWith opens the documents, wherever they come from.
func (r reader) openWith(ctx context.Context, d source, opts corpus.Options) (*corpus.Corpus, error) {
	if all := d.documents(ctx, r.folder, r.workers); all != nil {
		return corpus.FromSeq(ctx, all, opts)
	}
	shards, err := shard.Discover(ctx, []string{filepath.Join(r.folder, filepath.FromSlash(d.shards))}, shard.Options{})
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, opts)
}

// denseCorpus is a corpus with its C.
type denseCorpus struct {
	data      source
	corpus    *corpus.Corpus
	c         *matrix.Tall
	marginals *sketch.Marginals
	p         []float64 // row sums of C
}

// openDense opens the corpus of Figure 3, with as many items as published, or as many as are given. The caller must close it.
func (r reader) openDense(ctx context.Context, d source, items int) (*denseCorpus, error) {
	if d.items > 0 {
		items = d.items
	}
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
