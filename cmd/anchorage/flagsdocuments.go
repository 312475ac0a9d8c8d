// This file holds the flags that say which documents and which items of shards count.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// addPruning adds the flags that say which items count.
func (f *sourceFlags) addPruning(flags *pflag.FlagSet) {
	flags.Int64Var(&f.minDF, "min-df", 5, "keep items in at least this many documents")
	flags.Float64Var(&f.maxDFRatio, "max-df-ratio", 0.5, "keep items in at most this share of the documents")
	flags.IntVar(&f.maxItems, "max-items", 0, "keep at most this many items, those with the greatest tf·idf; 0 for all")
	flags.StringVar(&f.stopwords, "stopwords", "", "file of items to leave out, one per line")
	f.pruningFlags = flags
}

// addDocuments adds the flags that say which documents count, and which fix the items.
func (f *sourceFlags) addDocuments(flags *pflag.FlagSet) {
	flags.StringVar(&f.vocab, "vocab", "", "file that fixes the items and their order: text with one item per line, or vocabulary.parquet")
	flags.BoolVar(&f.noPrune, "no-prune", false, "keep every item, numbered in order of appearance; makes a single pass unless --passes says otherwise")
	flags.IntVar(&f.minItems, "min-items", 3, "keep documents with at least this many distinct items")
	flags.IntVar(&f.minTokens, "min-tokens", 5, "keep documents with at least this many tokens")
}

// pruning returns the rules for items.
func (f *sourceFlags) pruning(ctx context.Context) (corpus.Pruning, error) {
	pruning := corpus.Pruning{MinDF: f.minDF, MaxDFRatio: f.maxDFRatio, MaxItems: f.maxItems}
	if !(f.maxDFRatio >= 0 && f.maxDFRatio <= 1) {
		return pruning, &usageError{fmt.Errorf("--max-df-ratio is %v: give a share from 0 to 1", f.maxDFRatio)}
	}
	if f.minDF < 0 || f.maxItems < 0 {
		return pruning, &usageError{errors.New("--min-df and --max-items cannot be negative")}
	}
	var err error
	pruning.Stopwords, err = f.stopWords(ctx)
	return pruning, err
}

// stopWords reads the items of --stopwords, in lower case where the shards are cut into words; nil without the flag.
func (f *sourceFlags) stopWords(ctx context.Context) (map[string]struct{}, error) {
	if f.stopwords == "" {
		return nil, nil
	}
	words, err := stream.ReadStopwords(ctx, f.stopwords)
	if err != nil || !f.tokenizes() {
		return words, err
	}
	lower := make(map[string]struct{}, len(words))
	for word := range words {
		lower[strings.ToLower(word)] = struct{}{}
	}
	return lower, nil
}

// documents is what a command reads: shards, and which of their documents and items count.
type documents struct {
	shards []shard.Shard
	corpus.Options
}

// open opens the documents for a number of passes, 0 if it is not known yet.
func (d documents) open(ctx context.Context, passes int) (*corpus.Corpus, error) {
	d.Passes = passes
	return stream.Open(ctx, d.shards, d.Options)
}

// options returns the options that all commands share which open documents. Without --spill-dir, the copy of the documents goes to
// scratch.
func (f *sourceFlags) options(p *program, scratch string) corpus.Options {
	return corpus.Options{MinItems: f.minItems, MinTokens: f.minTokens, Dir: f.scratch(scratch), Workers: p.workers, Log: p.log, Progress: p.bar.update}
}

// source returns the documents that the flags and arguments name.
func (f *sourceFlags) source(ctx context.Context, p *program, args []string, scratch string) (documents, error) {
	s := documents{Options: f.options(p, scratch)}
	s.NoPrune = f.noPrune
	err := f.check()
	if err != nil {
		return s, err
	}
	if s.Pruning, err = f.pruning(ctx); err != nil {
		return s, err
	}
	if f.vocab != "" {
		if s.Vocabulary, err = stream.ReadVocabulary(ctx, f.vocab); err != nil {
			return s, err
		}
	}
	f.shard.SpillDir = s.Dir
	s.shards, err = f.discover(ctx, p, args)
	s.Skipped = p.skipped
	return s, err
}

// check checks the flags about documents, and that they do not contradict those about items.
func (f *sourceFlags) check() error {
	if err := f.checkMinima(); err != nil {
		return err
	}
	if f.vocab == "" && !f.noPrune {
		return nil
	}
	if f.vocab != "" && f.noPrune {
		return &usageError{errors.New("--vocab fixes the items and --no-prune keeps them all: give one of them")}
	}
	for _, name := range []string{"min-df", "max-df-ratio", "max-items", "stopwords"} {
		if f.pruningFlags.Changed(name) {
			return &usageError{fmt.Errorf("--%s prunes items, and --vocab and --no-prune forbid that: leave one of them out", name)}
		}
	}
	return nil
}

// checkMinima checks the flags that say which documents are large enough.
func (f *sourceFlags) checkMinima() error {
	if f.minItems < 0 || f.minTokens < 0 {
		return &usageError{errors.New("--min-items and --min-tokens cannot be negative")}
	}
	return nil
}

// modelItems checks the flags of a command that takes its items from a model.
func (f *sourceFlags) modelItems(remedy string) error {
	if f.vocab == "" && !f.noPrune {
		return nil
	}
	return &usageError{errors.New("the items are those of the model: " + remedy)}
}
