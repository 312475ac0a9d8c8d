// This file holds the table of the corpora, where they are, how they are read and what replaces those that are not
// there, and opens them: which documents and items count, which words are stop words, and the dense C of the small
// ones.

package paper

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/synth"
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

// source is a corpus by its place in the data folder.
type source struct {
	key        string
	shards     string
	vocabulary string // the items of Figure 3; empty where they are chosen by tf·idf
	items      int    // N of Figure 3 as published; 0 for that of the grid
	// maxDFRatio leaves out items in more than this share of the documents; 0 keeps all.
	maxDFRatio float64
	text       bool // items are words that can be read, and stop words are left out
	// drawn, if not nil, is the corpus that replaces the original where the folder has none; standsIn says that it does.
	drawn    *synth.Model
	standsIn bool
}

// The shapes of the drawn corpora are those of Lee, Bindel & Mimno (NIPS 2015, table 2), after the papers' choice of
// items: M, N and the mean length of a document.
var sources = []source{
	{key: "nips", shards: "data/nips/docword.nips.txt.gz", vocabulary: "reference/nips-n5000.dict", text: true},
	{key: "retail", shards: "data/retail/retail.dat.gz", vocabulary: "reference/retail-n5000.items"},
	{key: "wiki", shards: "data/wiki", maxDFRatio: 0.1, text: true},
	{key: "nytimes", shards: "data/nytimes/docword.nytimes.txt.gz", items: 15000, text: true,
		drawn: &synth.Model{Items: 15000, Topics: 100, Documents: 269325, Tokens: 205, Length: synth.LogNormal, Spread: 3,
			AnchorStrength: 0.9, Seed: 1}},
	{key: "movies", shards: "data/movies/ratings.csv", items: 10000,
		drawn: &synth.Model{Items: 10000, Topics: 50, Documents: 63041, Tokens: 143, Length: synth.LogNormal, Spread: 3,
			AnchorStrength: 0.9, Seed: 2}},
	{key: "songs", shards: "data/songs/train.dat", items: 10000,
		drawn: &synth.Model{Items: 10000, Topics: 50, Documents: 14653, Tokens: 119, Length: synth.LogNormal, Spread: 3,
			AnchorStrength: 0.9, Seed: 3}},
}

// findSource returns the corpus of that name. Where the data folder does not hold an original, it is the corpus that is
// drawn in its place.
func findSource(folder, name string) (source, error) {
	var names []string
	for _, d := range sources {
		if names = append(names, d.key); d.key != strings.TrimSuffix(name, "-drawn") {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(d.shards))); d.drawn != nil && os.IsNotExist(err) {
			d.items, d.text, d.standsIn = d.drawn.Items, false, true
		}
		return d, nil
	}
	return source{}, fmt.Errorf("there is no corpus %q: there are %s", name, strings.Join(names, ", "))
}

// name is what tables call the corpus: a stand-in is marked as such.
func (d source) name() string {
	if d.standsIn {
		return d.key + "-drawn"
	}
	return d.key
}

// rule says which items count and which documents do.
func (d source) rule(items int, fixed bool) string {
	text := fmt.Sprintf("the %d items of greatest tf·idf", items)
	if items == 0 {
		text = "all items"
	}
	switch {
	case d.standsIn:
		return fmt.Sprintf("%s; drawn from %d topics, since the original is not there", text, d.drawn.Topics)
	case fixed && d.vocabulary != "":
		return "the items of " + d.vocabulary
	}
	if d.maxDFRatio > 0 {
		text += fmt.Sprintf(" among those in at most %g %% of the documents", 100*d.maxDFRatio)
	}
	if d.text {
		text += ", without stop words"
	}
	return text
}

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
