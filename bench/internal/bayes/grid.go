// This file says which fits there are, and makes those that a folder of results does not have yet.

package bayes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/bayes"
	"anchorage/bench/internal/report"
)

// The chapter's grid.
var (
	AllTopics = []int{50, 100, 150}
	AllSizes  = []int{500, 1000, 1500, 2000}
	AllModels = []string{string(bayes.BNMF), string(bayes.CNMF), string(bayes.LDA)}
)

// How a fit learns.
const (
	stochastic = "stochastic" // a step per mini-batch
	batch      = "batch"      // every iteration sees all documents
)

// The choices of hyperparameters.
const (
	chapter = "chapter" // c₀ = V/20, a₀ = b₀ = 1/K
	learned = "learned" // they begin there, and are learned as bayes.Options.LearnPriors says
	window  = "window"  // c₀ is multiplied by D over the documents that the last steps remember; see remembered
)

// The beginnings of a fit.
const (
	random  = "random"
	anchors = "anchors" // with topics found by anchors
)

// All choices of hyperparameters, algorithms and beginnings.
var (
	AllPriors     = []string{chapter, learned, window}
	AllAlgorithms = []string{stochastic, batch}
	AllBeginnings = []string{random, anchors}
)

// Grid says which fits to make: every combination of what its lists have.
type Grid struct {
	Corpora    []string // folders of shards; a corpus is named by the last part of its path
	Models     []string
	Topics     []int     // K
	Sizes      []int     // |C_t|
	Pieces     []int     // tokens of the pieces that documents are cut into; 0 for whole documents
	Documents  []int64   // D, of the pieces if documents are cut; 0 for all
	Epochs     []int     // of the stochastic algorithm, or iterations of the batch algorithm
	Delays     []float64 // t₀
	Priors     []string
	Algorithms []string
	Beginnings []string
	Seeds      int // for each, as many fits
	Seed       uint64
	Items      int // V, those of greatest tf·idf
	MaxDFRatio float64
	Workers    int
	Log        *slog.Logger
	Command    string // the command line, for the records
}

// Check returns an error where a setting is wrong.
func (g *Grid) Check() error {
	for _, list := range []struct {
		flag        string
		some, among []string
	}{{"--models", g.Models, AllModels}, {"--priors", g.Priors, AllPriors}, {"--algorithms", g.Algorithms, AllAlgorithms}, {"--beginnings", g.Beginnings, AllBeginnings}} {
		if len(list.some) == 0 {
			return errors.New(list.flag + " is empty")
		}
		for _, name := range list.some {
			if !slices.Contains(list.among, name) {
				return fmt.Errorf("%s has %q: there are %s", list.flag, name, strings.Join(list.among, ", "))
			}
		}
	}
	for _, list := range [][]int{g.Topics, g.Sizes} {
		if len(list) == 0 || slices.Min(list) < 2 {
			return errors.New("numbers of topics and sizes of batches must be 2 or more")
		}
	}
	switch {
	case len(g.Corpora) == 0:
		return errors.New("no shards to learn from")
	case len(g.Pieces) == 0 || slices.Min(g.Pieces) < 0 || slices.Contains(g.Pieces, 1) || slices.Contains(g.Pieces, 2):
		return errors.New("pieces of documents must have 3 tokens or more")
	case len(g.Documents) == 0 || slices.Min(g.Documents) < 0 || len(g.Epochs) == 0 || slices.Min(g.Epochs) < 1:
		return errors.New("numbers of documents must not be negative, and those of epochs must be positive")
	case g.Seeds < 1:
		return errors.New("there must be a seed at least")
	case g.Items < slices.Max(g.Topics):
		return errors.New("there must be more items than topics")
	case len(g.Delays) == 0 || !(slices.Min(g.Delays) > 0) || slices.Max(g.Delays) > bayes.MostParameter:
		return fmt.Errorf("t₀ must be positive, up to %g", bayes.MostParameter)
	case !(g.MaxDFRatio >= 0 && g.MaxDFRatio <= 1):
		return fmt.Errorf("the share of documents with an item must be from 0 to 1, not %v", g.MaxDFRatio)
	}
	names := make(map[string]bool)
	for _, path := range g.Corpora {
		if name := corpusName(path); names[name] {
			return fmt.Errorf("two corpora have the name %q", name)
		}
		names[corpusName(path)] = true
	}
	return nil
}

// corpusName is the name of a corpus: the last part of its path.
func corpusName(path string) string { return filepath.Base(filepath.Clean(path)) }

// runs returns the fits of a corpus in order: first those that share documents.
func (g *Grid) runs(corpus string) []Run {
	var runs []Run
	add := func(r Run) {
		if r.Algorithm == batch { // it has neither steps nor batches
			r.BatchSize, r.Delay = 0, 0
			if r.Priors != chapter {
				return // it cannot learn them, and it remembers all documents
			}
		}
		if !slices.Contains(runs, r) {
			runs = append(runs, r)
		}
	}
	of := Run{Corpus: corpus, Items: g.Items, MaxDFRatio: g.MaxDFRatio}
	for _, of.Piece = range g.Pieces {
		for _, of.Limit = range g.Documents {
			for seed := range g.Seeds {
				of.Seed = g.Seed + uint64(seed)
				g.eachFit(of, add)
			}
		}
	}
	return runs
}

// eachFit calls fn for every fit of the same documents in the same order.
func (g *Grid) eachFit(of Run, fn func(Run)) {
	for _, of.Algorithm = range g.Algorithms {
		for _, of.Delay = range g.Delays {
			for _, of.Priors = range g.Priors {
				for _, of.Beginning = range g.Beginnings {
					for _, of.Epochs = range g.Epochs {
						for _, of.BatchSize = range g.Sizes {
							for _, of.Topics = range g.Topics {
								for _, of.Model = range g.Models {
									fn(of)
								}
							}
						}
					}
				}
			}
		}
	}
}

// Write makes the fits that the folder results has no record of, and adds them one by one. Then it writes README.md and the charts of
// all fits there.
func (g *Grid) Write(ctx context.Context, results string) error {
	if err := g.Check(); err != nil {
		return err
	}
	for _, path := range g.Corpora {
		if err := g.corpus(ctx, path, results); err != nil {
			return fmt.Errorf("corpus %s: %w", corpusName(path), err)
		}
	}
	return writeResults(results)
}

// corpus makes the missing fits of a corpus.
func (g *Grid) corpus(ctx context.Context, path, results string) (err error) {
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(g.runs(corpusName(path)), func(run Run) bool {
		return slices.ContainsFunc(records, func(r Record) bool { return r.Run == run })
	})
	if len(missing) == 0 {
		return nil
	}
	spill, remove, err := report.Scratch("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	whole, err := g.open(ctx, []string{path}, spill)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, whole.close()) }()
	if err := os.MkdirAll(results, 0o755); err != nil { // not before the corpus is known to be one
		return err
	}
	for len(missing) > 0 {
		first := missing[0]
		n := slices.IndexFunc(missing, func(r Run) bool { return r.Piece != first.Piece || r.Limit != first.Limit || r.Seed != first.Seed })
		if n < 0 {
			n = len(missing)
		}
		if err := g.together(ctx, whole, missing[:n], spill, results); err != nil {
			return err
		}
		missing = missing[n:]
	}
	return nil
}

// together makes fits of the same documents in the same order.
func (g *Grid) together(ctx context.Context, whole *documents, runs []Run, spill, results string) (err error) {
	some, err := whole.divide(ctx, runs[0], spill)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, some.shuffled.Close()) }()
	for _, run := range runs {
		made, err := g.fit(ctx, some, run)
		if err != nil {
			return fmt.Errorf("%s, K = %d: %w", run.Model, run.Topics, err)
		}
		g.Log.Info("fitted", "corpus", run.Corpus, "piece", run.Piece, "documents", made.Documents, "model", run.Model, "topics", run.Topics,
			"batch_size", run.BatchSize, "t0", run.Delay, "epochs", run.Epochs, "algorithm", run.Algorithm, "priors", run.Priors,
			"beginning", run.Beginning, "seed", run.Seed, "held_out", made.Apart, "cpu_seconds", math.Round(made.CPU))
		if err := made.put(results); err != nil {
			return err
		}
	}
	return nil
}
