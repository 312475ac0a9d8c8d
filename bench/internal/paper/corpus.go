// This file opens corpora: which documents and items count, and the dense C of the small ones.

package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// minItems and minTokens are the distinct items and tokens that a document must have, as in the reference results.
const (
	minItems  = 3
	minTokens = 5
)

// opened is the corpus of some runs.
type opened struct {
	data   source
	reader reader
	corpus *corpus.Corpus
	base   []string     // of Figure 4, the items of the smallest vocabulary
	dense  *denseCorpus // of Figures 2 and 3
}

// open opens the corpus of a run.
func open(ctx context.Context, j *run.Job) (_ *opened, err error) {
	c := &opened{reader: reader{folder: j.Text("data"), spill: j.Shared, workers: j.Workers}}
	if c.data, err = findSource(c.reader.folder, j.Text("corpus")); err != nil {
		return nil, err
	}
	size, fixed := j.Int("size"), j.Text("figure") == Figure2 || j.Text("figure") == Figure3
	if fixed && c.data.items > 0 {
		size = c.data.items
	}
	if j.Text("figure") == Figure4 {
		smallest, err := c.reader.open(ctx, c.data, j.Ints("sizes")[0], false)
		if err != nil {
			return nil, err
		}
		for i := range smallest.Vocabulary.Len() {
			c.base = append(c.base, smallest.Vocabulary.ID(i))
		}
		if err := smallest.Close(); err != nil {
			return nil, err
		}
	}
	if c.corpus, err = c.reader.open(ctx, c.data, size, fixed); err != nil {
		return nil, err
	}
	if n := c.corpus.Vocabulary.Len(); j.Text("figure") == Figure4 && n < size {
		return nil, errors.Join(&run.Absent{Reason: fmt.Sprintf("there are only %d items", n)}, c.Close())
	}
	if fixed {
		counted, marginals, err := sketch.Dense(ctx, c.corpus.Pass, c.corpus.Vocabulary.Len(), nil, 0, 0, j.Workers)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.dense = &denseCorpus{corpus: c.corpus, c: counted, marginals: marginals, p: marginals.Probabilities(),
			exact: make(map[int]*exactStart)}
	}
	j.Log.Info("corpus opened", "corpus", c.data.name(), "documents", c.corpus.Account.DocumentsRead, "items",
		c.corpus.Vocabulary.Len())
	return c, nil
}

// Close implements io.Closer.
func (c *opened) Close() error { return c.corpus.Close() }

// describe reports what all runs do.
func (c *opened) describe(j *run.Job) {
	fixed := c.dense != nil
	j.Row("items", c.corpus.Vocabulary.Len(), "documents", c.corpus.Account.DocumentsRead, "chosen",
		c.data.rule(j.Int("size"), fixed))
}

// reader opens corpora of one data folder.
type reader struct {
	folder  string
	spill   string
	workers int
}

// open prepares the documents with the given number of items of greatest tf·idf, 0 for all there are. With fixed, the
// items are those of the corpus's vocabulary file, if it has one. Stop words are left out of what is chosen.
func (r reader) open(ctx context.Context, d source, items int, fixed bool) (*corpus.Corpus, error) {
	opts := corpus.Options{MinItems: minItems, MinTokens: minTokens, Dir: r.spill, Workers: r.workers,
		Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: cmp.Or(d.maxDFRatio, 1), MaxItems: items}}
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
	return r.openWith(ctx, d, opts)
}

// openWith opens the documents, wherever they come from.
func (r reader) openWith(ctx context.Context, d source, opts corpus.Options) (*corpus.Corpus, error) {
	if d.standsIn {
		from := *d.drawn
		from.Workers = r.workers
		drawn := from.Plant()
		return corpus.FromSeq(ctx, documents.Named(ctx, drawn.Pass, drawn.Vocabulary()), opts)
	}
	shards, err := shard.Discover(ctx, []string{filepath.Join(r.folder, filepath.FromSlash(d.shards))}, shard.Options{})
	if err != nil {
		return nil, err
	}
	return stream.Open(ctx, shards, opts)
}

// denseCorpus is a corpus with its C.
type denseCorpus struct {
	corpus    *corpus.Corpus
	c         *matrix.Tall
	marginals *sketch.Marginals
	p         []float64 // row sums of C
	exact     map[int]*exactStart
}
