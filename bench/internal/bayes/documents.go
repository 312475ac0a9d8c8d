// This file reads corpora, sets documents aside, and cuts the others into pieces.

package bayes

import (
	"context"
	"errors"

	"anchorage/bayes"
	lines "anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// Documents count that have so many distinct items and tokens, as for `anchorage fit`.
const minItems, minTokens = 3, 5

// setAside is how many documents no fit learns from. Where that is more than a tenth of all documents, it is a tenth.
const setAside = 2000

// documents are those of a corpus in random order.
type documents struct {
	corpus   *corpus.Corpus
	facts    bayes.Totals
	shuffled *bayes.Shuffled
}

// open reads shards.
func (g *Grid) open(ctx context.Context, paths []string, spill string) (*documents, error) {
	shards, err := shard.Discover(ctx, paths, shard.Options{})
	if err != nil {
		return nil, err
	}
	source := corpus.Options{MinItems: minItems, MinTokens: minTokens, Dir: spill, Workers: g.Workers,
		Log: g.Log, Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: g.MaxDFRatio, MaxItems: g.Items}}
	c := &documents{}
	if c.corpus, err = stream.Open(ctx, shards, source); err != nil {
		return nil, err
	}
	marginals, facts, err := model.Count(ctx, c.corpus)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.facts = facts
	entries := int64(0)
	for _, df := range marginals.DocumentFrequency {
		entries += df
	}
	if c.shuffled, err = bayes.Shuffle(ctx, c.corpus.Pass, entries, spill, g.Seed); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *documents) close() error {
	if c.shuffled != nil {
		c.shuffled.Close()
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

// passOf is the pass over documents in memory.
func passOf(docs *corpus.Documents) corpus.Pass {
	return func(_ context.Context, fn func(*corpus.Documents) error) error { return fn(docs) }
}

// divide sets documents aside, the same whatever the run, and takes as many of the others as the run says.
func (c *documents) divide(ctx context.Context, of Run, spill string) (*divided, error) {
	aside := min(setAside, c.facts.Documents/10)
	if aside < 1 {
		return nil, errors.New("there must be at least 10 documents")
	}
	apart, rest, err := c.take(ctx, int(aside), int(c.facts.Documents-aside))
	if err != nil {
		return nil, err
	}
	if of.Piece > 0 {
		apart, rest = cut(apart, of.Piece), cut(rest, of.Piece)
	}
	if of.Limit > 0 && of.Limit < int64(rest.Documents()) {
		// Pieces of a document stand together: a limit takes whole documents.
		end := rest.Offsets[of.Limit]
		rest = &corpus.Documents{Offsets: rest.Offsets[:of.Limit+1], Items: rest.Items[:end], Counts: rest.Counts[:end]}
	}
	d := &divided{vocabulary: c.corpus.Vocabulary, learning: rest, apart: apart, facts: c.facts}
	d.facts.Documents, d.facts.Tokens = int64(rest.Documents()), 0
	for _, count := range rest.Counts {
		d.facts.Tokens += int64(count)
	}
	d.shuffled, err = bayes.Shuffle(ctx, passOf(rest), int64(rest.Entries()), spill, of.Seed)
	return d, err
}

// cut deals the tokens of every document in turn to as many pieces as it takes for at most so many tokens each. So the pieces of a document
// have the same number of tokens, but for one, and the tokens of an item are spread over them.
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

// anchored returns the documents as a corpus, which the anchors are found in.
func (d *divided) anchored(ctx context.Context, workers int) (*corpus.Corpus, error) {
	return corpus.FromSeq(ctx, lines.Named(ctx, passOf(d.learning), d.vocabulary), corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 2, Workers: workers})
}
