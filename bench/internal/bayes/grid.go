// This file measures variational inference as the chapter does: held-out likelihood against documents seen (Figure 11.3),
// correlations of topics (Figure 11.4) and tables of topics (11.3 and 11.4). It also compares fits that begin with topics found
// by anchors, which the chapter does not have.

package bayes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
	"anchorage/svi"
)

// The chapter's grid.
var (
	AllTopics = []int{50, 100, 150}
	AllSizes  = []int{500, 1000, 1500, 2000}
	AllModels = []string{string(svi.BNMF), string(svi.CNMF), string(svi.LDA)}
)

// Grid says what to measure. Zero values stand for the chapter's.
type Grid struct {
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
	Cells      string // folder that keeps every complete fit for later runs
	Workers    int
	Log        *slog.Logger
	Command    string // the command line, for README.md
}

// Check fills in what is zero. It returns an error where a setting is wrong.
func (b *Grid) Check() error {
	if len(b.Models) == 0 {
		b.Models = AllModels
	}
	if len(b.Topics) == 0 {
		b.Topics = AllTopics
	}
	if len(b.Sizes) == 0 {
		b.Sizes = AllSizes
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
		if !slices.Contains(AllModels, m) {
			return fmt.Errorf("there is no model %q: there are %s", m, strings.Join(AllModels, ", "))
		}
	}
	for _, list := range [][]int{b.Topics, b.Sizes} {
		if slices.Min(list) < 2 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) < len(list) {
			return errors.New("numbers of topics and sizes of batches must be increasing, from 2")
		}
	}
	switch {
	case len(b.Shards) == 0:
		return errors.New("no shards to learn from")
	case b.Items < b.Topics[len(b.Topics)-1] || b.Documents < 0 || b.InitTopics < 0 || b.InitTopics == 1:
		return errors.New("there must be more items than topics, at least two topics, and no negative number of documents")
	case !(b.Delay > 0):
		return fmt.Errorf("t₀ must be positive, not %v", b.Delay)
	case b.MaxDFRatio < 0 || b.MaxDFRatio > 1:
		return fmt.Errorf("the share of documents with an item must be from 0 to 1, not %v", b.MaxDFRatio)
	}
	return nil
}

// Documents count that have so many distinct items and tokens, as for `anchorage fit`.
const minItems, minTokens = 3, 5

// documents are the documents that all fits learn from, in their random order.
type documents struct {
	corpus   *corpus.Corpus
	facts    svi.Totals
	shuffled *svi.Shuffled
	anchors  *anchor.Topics // nil until a fit begins with them
}

// open reads the shards.
func (b *Grid) open(ctx context.Context, spill string) (*documents, error) {
	shards, err := shard.Discover(ctx, b.Shards, shard.Options{})
	if err != nil {
		return nil, err
	}
	source := corpus.Options{MinItems: minItems, MinTokens: minTokens, Dir: spill, Workers: b.Workers,
		Log: b.Log, Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: b.MaxDFRatio, MaxItems: b.Items}}
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
	if c.shuffled, err = svi.Shuffle(ctx, c.corpus.Pass, entries, spill, b.Seed); err != nil {
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

// Write makes the fits that are not in Cells yet, and writes tables, charts and a README.md into the folder results, which must
// not exist.
func (b *Grid) Write(ctx context.Context, results string) (err error) {
	folder, err := report.NewFolder(results)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.Cells, 0o755); err != nil {
		return err
	}
	spill, remove, err := report.Scratch(filepath.Dir(results))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	docs, err := b.open(ctx, spill)
	if err != nil {
		return err
	}
	defer docs.close()
	var grid []*cell
	for _, k := range b.Topics {
		for _, size := range b.Sizes {
			for _, name := range b.Models {
				made, err := b.cell(ctx, docs, key{Model: svi.Model(name), Topics: k, BatchSize: size, Delay: b.Delay})
				if err != nil {
					return err
				}
				grid = append(grid, made)
			}
		}
	}
	var begun []*cell
	if b.InitTopics > 0 {
		if begun, err = b.beginnings(ctx, docs); err != nil {
			return err
		}
	}
	facts := docs.facts
	if err := docs.close(); err != nil {
		return err
	}
	return b.report(folder, facts, grid, begun)
}

// beginnings makes the fits that begin with topics found by anchors, and those to compare them with.
func (b *Grid) beginnings(ctx context.Context, docs *documents) ([]*cell, error) {
	var cells []*cell
	for _, name := range b.InitModels {
		for _, anchors := range []bool{false, true} {
			for _, delay := range []float64{1, 64} {
				of := key{Model: svi.Model(name), Topics: b.InitTopics, BatchSize: 1000, Delay: delay, Anchors: anchors}
				made, err := b.cell(ctx, docs, of)
				if err != nil {
					return nil, err
				}
				cells = append(cells, made)
			}
		}
	}
	return cells, nil
}
