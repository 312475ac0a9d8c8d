// This file measures variational inference as the chapter of Paisley, Blei & Jordan (2014) does: held-out likelihood against
// documents seen (Figure 11.3), correlations of topics (Figure 11.4) and tables of topics (11.3 and 11.4); and what it buys to
// begin with topics found by anchors, which the chapter does not have.

package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
	"anchorage/svi"
)

// The chapter's grid.
var (
	BayesTopics = []int{50, 100, 150}
	BayesSizes  = []int{500, 1000, 1500, 2000}
	BayesModels = []string{string(svi.BNMF), string(svi.CNMF), string(svi.LDA)}
)

// Bayes says what is measured. Zero values are the chapter's.
type Bayes struct {
	Shards     []string
	Models     []string
	Topics     []int // K
	Sizes      []int // |C_t|
	Items      int   // V, those of greatest tf·idf; 0 for 8000
	MaxDFRatio float64
	Documents  int64    // of each fit, as a whole number of batches; 0 for all
	InitTopics int      // K of the comparison with an anchor model; 0 leaves it out
	InitModels []string // the models of that comparison; those of Models if nil
	Delay      float64  // t₀ of the grid; 0 for 1
	Seed       uint64
	Cells      string // folder where every fit that is complete is kept, and taken from by later runs
	Workers    int
	Log        *slog.Logger
	Command    string // the command line, for README.md
}

// Check fills in what is zero and returns an error where something cannot be.
func (b *Bayes) Check() error {
	if len(b.Models) == 0 {
		b.Models = BayesModels
	}
	if len(b.Topics) == 0 {
		b.Topics = BayesTopics
	}
	if len(b.Sizes) == 0 {
		b.Sizes = BayesSizes
	}
	if b.Items == 0 {
		b.Items = 8000
	}
	if b.Delay == 0 {
		b.Delay = 1
	}
	if len(b.InitModels) == 0 {
		b.InitModels = b.Models
	}
	for _, m := range slices.Concat(b.Models, b.InitModels) {
		if !slices.Contains(BayesModels, m) {
			return fmt.Errorf("there is no model %q: there are %s", m, strings.Join(BayesModels, ", "))
		}
	}
	for _, list := range [][]int{b.Topics, b.Sizes} {
		if slices.Min(list) < 2 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) < len(list) {
			return errors.New("numbers of topics and sizes of batches must be increasing numbers from 2")
		}
	}
	switch {
	case len(b.Shards) == 0:
		return errors.New("there are no shards to learn from")
	case b.Items < b.Topics[len(b.Topics)-1] || b.Documents < 0 || b.InitTopics < 0 || b.InitTopics == 1:
		return errors.New("there must be more items than topics, documents cannot be negative, and there are two topics or more")
	case !(b.Delay > 0):
		return fmt.Errorf("t₀ is positive, not %v", b.Delay)
	case b.MaxDFRatio < 0 || b.MaxDFRatio > 1:
		return fmt.Errorf("the share of the documents that an item may be in is from 0 to 1, not %v", b.MaxDFRatio)
	}
	return nil
}

// bayesCorpus is the documents that all fits learn from, in their random order.
type bayesCorpus struct {
	docs     *corpus.Corpus
	facts    svi.Totals
	shuffled *svi.Shuffled
	anchors  *anchor.Topics // once they are asked for
}

// open reads the shards.
func (b *Bayes) open(ctx context.Context, spill string) (*bayesCorpus, error) {
	shards, err := shard.Discover(ctx, b.Shards, shard.Options{})
	if err != nil {
		return nil, err
	}
	source := corpus.Options{MinItems: paperMinItems, MinTokens: paperMinTokens, Dir: spill, Workers: b.Workers,
		Log: b.Log, Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: b.MaxDFRatio, MaxItems: b.Items}}
	c := &bayesCorpus{}
	if c.docs, err = stream.Open(ctx, shards, source); err != nil {
		return nil, err
	}
	marginals, facts, err := model.Count(ctx, c.docs)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.facts = facts
	if c.shuffled, err = svi.Shuffle(ctx, c.docs.Pass, marginals.Entries(), spill, b.Seed); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *bayesCorpus) close() error {
	if c.shuffled != nil {
		c.shuffled.Close()
	}
	return c.docs.Close()
}

// Write runs what is not in Cells yet and writes tables, charts and a README.md into dir, which it commits.
func (b *Bayes) Write(ctx context.Context, dir *durable.Dir) error {
	docs, err := b.open(ctx, dir.Path())
	if err != nil {
		return err
	}
	defer docs.close()
	var grid []*bayesCell
	for _, k := range b.Topics {
		for _, size := range b.Sizes {
			for _, name := range b.Models {
				cell, err := b.cell(ctx, docs, bayesKey{Model: svi.Model(name), Topics: k, BatchSize: size, Delay: b.Delay})
				if err != nil {
					return err
				}
				grid = append(grid, cell)
			}
		}
	}
	var begun []*bayesCell
	if b.InitTopics > 0 {
		if begun, err = b.beginnings(ctx, docs); err != nil {
			return err
		}
	}
	facts := docs.facts
	if err := docs.close(); err != nil {
		return err
	}
	return b.report(dir, facts, grid, begun)
}

// beginnings runs the fits that begin with topics found by anchors, and those to compare them with.
func (b *Bayes) beginnings(ctx context.Context, docs *bayesCorpus) ([]*bayesCell, error) {
	var cells []*bayesCell
	for _, name := range b.InitModels {
		for _, anchors := range []bool{false, true} {
			for _, delay := range []float64{1, 64} {
				key := bayesKey{Model: svi.Model(name), Topics: b.InitTopics, BatchSize: 1000, Delay: delay, Anchors: anchors}
				cell, err := b.cell(ctx, docs, key)
				if err != nil {
					return nil, err
				}
				cells = append(cells, cell)
			}
		}
	}
	return cells, nil
}
