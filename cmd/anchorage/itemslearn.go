// This file holds the learn verb of items, and the flags that say how pairs are counted.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/items"
)

// pairFlags say how pairs are counted.
type pairFlags struct {
	neighbours int
	maxItems   int
}

// add adds the flags. without is the default number of neighbours and what help says of it.
func (f *pairFlags) add(flags *pflag.FlagSet, neighbours int, help string) {
	flags.IntVar(&f.neighbours, "neighbours", neighbours, help)
	flags.IntVar(&f.maxItems, "pair-items", items.DefaultMaxItems, "leave documents with more distinct items than this out of the pairs")
}

// options returns the options of counting.
func (f *pairFlags) options() (items.Options, error) {
	if f.neighbours < 0 {
		return items.Options{}, &usageError{fmt.Errorf("--neighbours is %d: it cannot be negative", f.neighbours)}
	}
	if f.maxItems < 2 {
		return items.Options{}, &usageError{fmt.Errorf("--pair-items is %d: a pair has 2", f.maxItems)}
	}
	return items.Options{Neighbours: f.neighbours, MaxItems: f.maxItems}, nil
}

// limited bounds the memory of rows by a quarter of the limit of the run.
func limited(o items.Options, run *fit.Run) items.Options {
	if run.MemoryLimit > 0 {
		o.Bytes = max(run.MemoryLimit/4, 1)
	}
	return o
}

func (p *program) itemsLearnCommand() *cobra.Command {
	var source sourceFlags
	var pairs pairFlags
	var seed uint64
	var baskets int
	var rarer float64
	cmd := &cobra.Command{
		Use:   "learn SHARD...",
		Short: "Count which items occur together, and learn how to recommend",
		Long: `Learn counts the pairs of items in documents, those that the model was fitted on or others, and keeps the strongest of every item
in the model. Then it learns how much pairs, topics and frequencies should weigh: it holds half of each of some baskets out, as if
they had not been counted, and moves the weights as long as more of what was held out is found.`,
		Example: `  anchorage items model learn shards/`,
		Args:    modelThen(1, -1, "a shard"),
		RunE: started(func(ctx context.Context, args []string) error {
			counting, err := pairs.options()
			switch {
			case err != nil:
				return err
			case counting.Neighbours == 0:
				return &usageError{errors.New("--neighbours must be at least 1")}
			case baskets < 0 || !(rarer >= 0):
				return &usageError{errors.New("--baskets and --rarer-share cannot be negative")}
			}
			run := p.newRun()
			if run.MemoryLimit, err = source.runLimit(); err != nil {
				return err
			}
			m, docs, err := p.openFor(ctx, &source, args)
			if err != nil {
				return err
			}
			defer p.closeDocuments(docs)
			r, err := fit.Learn(ctx, m, docs, fit.RecommendOptions{Count: limited(counting, run), Baskets: baskets, Seed: seed, RarerShare: rarer, Run: run})
			if err != nil {
				return err
			}
			if err := p.wrote(args[0], model.SaveRecommendation(ctx, args[0], r)); err != nil {
				return err
			}
			return p.print(r.Record, func(w io.Writer) { printRecommendation(w, &r.Record) })
		}),
	}
	return p.withFlags(cmd, func(flags *pflag.FlagSet) {
		pairs.add(flags, items.DefaultNeighbours, "neighbours to keep of each item")
		flags.IntVar(&baskets, "baskets", fit.DefaultLearnBaskets, "baskets to learn the weights on; 0 keeps the default weights")
		flags.Float64Var(&rarer, "rarer-share", items.DefaultRarerShare, "how much finding the rarer half of sales counts beside finding all")
		seedFlag(flags, &seed)
		source.addFormat(flags)
		source.addDocuments(flags)
		source.limitRun(flags)
	})
}

// openFor loads a model and opens documents of its items; args are the model and the shards.
func (p *program) openFor(ctx context.Context, source *sourceFlags, args []string) (*model.Model, *corpus.Corpus, error) {
	if err := source.modelItems("leave --vocab and --no-prune out"); err != nil {
		return nil, nil, err
	}
	m, err := model.Load(ctx, args[0])
	if err != nil {
		return nil, nil, err
	}
	opening := source.options(p, "")
	opening.Vocabulary, opening.MinItems, opening.MinTokens = m.Vocabulary, 2, 2
	docs, err := source.open(ctx, p, args[1:], opening, 0)
	return m, docs, err
}

// printRecommendation says what was counted and learned.
func printRecommendation(w io.Writer, r *model.RecommendRecord) {
	printf(w, "%d neighbours of items, counted in %d documents, are in the model\n", r.Rows, r.Documents)
	if r.Long.Documents > 0 {
		printf(w, "%d documents of more than %d items were not counted: %d entries, %d pairs\n", r.Long.Documents, r.MaxItems, r.Long.Entries, r.Long.Pairs)
	}
	if r.Learned != nil {
		printf(w, "The weights were learned on %d baskets: peculiar %.3g, topics %.3g, shrink %.3g, certainty %.3g, rarity %.3g, prior %.3g, blend %.3g\n",
			r.Learned.Baskets, r.Weights.Peculiar, r.Weights.Topics, r.Weights.Shrink, r.Weights.Certainty, r.Weights.Rarity, r.Weights.Prior, r.Weights.Blend)
	}
}
