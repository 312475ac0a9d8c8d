// This file holds the flags that say which documents and which items of shards count.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/model/fit"
	"anchorage/shard"
	"anchorage/stream"
)

// addPruning adds the flags that say which items count.
func (f *sourceFlags) addPruning(flags *pflag.FlagSet) {
	byKindVar(flags, &f.minDF, "min-df", "keep items in at least this many documents; auto is 5 for texts and 2 for baskets, which are documents of which nine in ten have fewer than 50 distinct items, unless they were cut into words")
	shareByKindVar(flags, &f.maxDFRatio, "max-df-ratio", "keep items in at most this share of the documents; auto is 0.2 for texts, and 0.5 for baskets and for fewer than 1,000 texts")
	flags.IntVar(&f.maxItems, "max-items", 0, "keep at most this many items, those with the greatest tf·idf; 0 for all")
	flags.StringVar(&f.stopwords, "stopwords", "", stopwordsUsage())
	flags.BoolVar(&f.singles, "allow-single-items", false, "go on although most documents have a single item, which is usually a sign that they were misread")
	f.pruningFlags = flags
}

// addDocuments adds the flags that say which documents count, and which fix the items.
func (f *sourceFlags) addDocuments(flags *pflag.FlagSet) {
	flags.StringVar(&f.vocab, "vocab", "", "file that fixes the items and their order: text with one item per line, or vocabulary.parquet")
	flags.BoolVar(&f.noPrune, "no-prune", false, "keep every item, numbered in order of appearance; makes a single pass unless --passes says otherwise")
	byKindVar(flags, &f.minItems, "min-items", "keep documents with at least this many distinct items; auto is 3, or 2 where --min-tokens is chosen as 2")
	byKindVar(flags, &f.minTokens, "min-tokens", "keep documents with at least this many tokens; auto is 5, and for baskets the greatest of 5, 4, 3 and 2 that keeps two thirds of them")
}

// pruning returns the rules for items.
func (f *sourceFlags) pruning(ctx context.Context) (corpus.Pruning, error) {
	pruning := corpus.Pruning{MinDF: f.minDF, MaxDFRatio: f.maxDFRatio, MaxItems: f.maxItems}
	if f.maxItems < 0 {
		return pruning, &usageError{errors.New("--max-items cannot be negative")}
	}
	var err error
	pruning.Stopwords, err = f.stopWords(ctx)
	return pruning, err
}

// documents is what a command reads: shards, and which of their documents and items count.
type documents struct {
	shards []shard.Shard
	corpus.Options
	enough func(read int64) error // checks the number of documents
	kept   *fit.Checkpoint
}

// open opens the documents for a number of passes, 0 if it is not known yet.
func (d documents) open(ctx context.Context, passes int) (*corpus.Corpus, error) {
	d.Passes = passes
	docs, err := stream.Open(d.kept.Reading(ctx), d.shards, d.Options)
	if err != nil || !docs.Copied() {
		return docs, err
	}
	if err := d.enough(docs.Account.DocumentsRead); err != nil {
		return nil, errors.Join(err, docs.Close())
	}
	return docs, nil
}

// options returns the options that all commands share which open documents. Without --spill-dir, the copy of the documents goes to
// scratch.
func (f *sourceFlags) options(p *program, scratch string) corpus.Options {
	return corpus.Options{MinItems: int(f.minItems), MinTokens: int(f.minTokens), Kind: f.kind(), RefuseSingles: !f.singles, Dir: f.scratch(scratch),
		Workers: p.workers, Log: p.log, Progress: p.advance}
}

// source returns the documents that the flags and arguments name.
func (f *sourceFlags) source(ctx context.Context, p *program, args []string, scratch string) (documents, error) {
	s := documents{Options: f.options(p, scratch), enough: f.enoughDocuments}
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

// modelItems checks the flags of a command that takes its items from a model.
func (f *sourceFlags) modelItems(remedy string) error {
	if f.vocab == "" && !f.noPrune {
		return nil
	}
	return &usageError{errors.New("the items are those of the model: " + remedy)}
}
