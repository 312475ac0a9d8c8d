// This file reads corpora, sets documents aside, and cuts the others into pieces.

package bayes

import (
	"context"
	"errors"
	"path/filepath"

	"anchorage/bayes"
	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/model/fit"
)

// minItems and minTokens are the distinct items and tokens that a document must have, as for `anchorage fit`.
const minItems, minTokens = 3, 5

// setAside is how many documents no fit learns from. Where that is more than a tenth of all documents, it is a tenth.
const setAside = 2000

// collection is the documents of a corpus in random order.
type collection struct {
	corpus   *corpus.Corpus
	facts    bayes.Totals
	shuffled *bayes.Shuffled
	folder   string // for temporary files
	divided  *divided
	of       string // the values that say how it is divided
}

// open reads the corpus of a run.
func open(ctx context.Context, j *run.Job) (_ *collection, err error) {
	c := &collection{folder: j.Shared}
	c.corpus, err = documents.Open(ctx, filepath.Join(j.Text("data"), j.Text("corpus")), corpus.Options{
		MinItems: minItems, MinTokens: minTokens, Dir: j.Shared, Workers: j.Workers, Log: j.Log,
		Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: j.Float("max_df_ratio"), MaxItems: j.Int("most_items")}})
	if err != nil {
		return nil, err
	}
	marginals, facts, err := fit.Count(ctx, c.corpus, c.corpus.Pass)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.facts = facts
	entries := int64(0)
	for _, df := range marginals.DocumentFrequency {
		entries += df
	}
	if c.shuffled, err = bayes.Shuffle(ctx, c.corpus.Pass, entries, j.Shared, 1); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close implements io.Closer.
func (c *collection) Close() error {
	if c.shuffled != nil {
		c.shuffled.Close()
	}
	if c.divided != nil {
		c.divided.shuffled.Close()
	}
	return c.corpus.Close()
}

// divided is what fits learn from, and what they are tested on.
type divided struct {
	vocabulary *corpus.Vocabulary
	facts      bayes.Totals
	learning   *corpus.Documents
	apart      *corpus.Documents
	shuffled   *bayes.Shuffled // learning, in the random order of a seed
}

// divide sets documents aside, the same whatever the run, and takes as many of the others as the run says.
func (c *collection) divide(ctx context.Context, j *run.Job) (*divided, error) {
	of := j.Text("piece") + " " + j.Text("limit") + " " + j.Text("seed")
	if c.divided != nil && c.of == of {
		return c.divided, nil
	}
	aside := int(min(setAside, c.facts.Documents/10))
	if aside < 1 {
		return nil, errors.New("there must be at least 10 documents")
	}
	apart, rest := &corpus.Documents{Offsets: []int32{0}}, &corpus.Documents{Offsets: []int32{0}}
	err := c.shuffled.Epoch(ctx, 0, 0, 0, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			to := apart
			if apart.Documents() == aside {
				to = rest
			}
			to.Append(docs.Row(d))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if piece := j.Int("piece"); piece > 0 {
		apart, rest = cut(apart, piece), cut(rest, piece)
	}
	if limit := j.Int("limit"); limit > 0 && limit < rest.Documents() {
		// Pieces of a document are one after the other: a limit takes whole documents.
		end := rest.Offsets[limit]
		rest = &corpus.Documents{Offsets: rest.Offsets[:limit+1], Items: rest.Items[:end], Counts: rest.Counts[:end]}
	}
	d := &divided{vocabulary: c.corpus.Vocabulary, learning: rest, apart: apart, facts: c.facts}
	d.facts.Documents, d.facts.Tokens = int64(rest.Documents()), 0
	for _, count := range rest.Counts {
		d.facts.Tokens += int64(count)
	}
	d.shuffled, err = bayes.Shuffle(ctx, documents.Pass(rest), int64(rest.Entries()), c.folder, j.Seed("seed"))
	if err != nil {
		return nil, err
	}
	if c.divided != nil {
		c.divided.shuffled.Close()
	}
	c.divided, c.of = d, of
	return d, nil
}

// cut deals the tokens of every document in turn to the pieces that it takes for at most that number of tokens each. So
// the pieces of a document have the same number of tokens, except one, and the tokens of an item are spread over them.
func cut(docs *corpus.Documents, tokens int) *corpus.Documents {
	out := &corpus.Documents{Offsets: []int32{0}}
	for d := range docs.Documents() {
		items, counts := docs.Row(d)
		n := 0
		for _, c := range counts {
			n += int(c)
		}
		pieces := max((n+tokens-1)/tokens, 1)
		pieceItems, pieceCounts := make([][]int32, pieces), make([][]int32, pieces)
		at := 0
		for i, item := range items {
			for range counts[i] {
				if own := pieceItems[at]; len(own) > 0 && own[len(own)-1] == item {
					pieceCounts[at][len(own)-1]++
				} else {
					pieceItems[at], pieceCounts[at] = append(own, item), append(pieceCounts[at], 1)
				}
				at = (at + 1) % pieces
			}
		}
		for p := range pieces {
			out.Append(pieceItems[p], pieceCounts[p])
		}
	}
	return out
}
