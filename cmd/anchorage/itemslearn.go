// This file holds the learn verb of items, and the flags that say how pairs are counted.

package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

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

// rows are the flag and the setting. neighbours is the default, and least what may be given.
func (f *pairFlags) rows(layer layer, neighbours, least int, help string) []row {
	return []row{
		{name: "neighbours", group: topicsGroup, layer: layer, to: &f.neighbours, usual: strconv.Itoa(neighbours), values: wholes(float64(least), 10_000), help: help},
		{name: "pair-items", layer: setting, to: &f.maxItems, usual: strconv.Itoa(items.DefaultMaxItems), values: wholes(2, 1_000_000),
			help: "leave documents with more distinct items out of the pairs"},
	}
}

// options returns the options of counting.
func (f *pairFlags) options() items.Options {
	return items.Options{Neighbours: f.neighbours, MaxItems: f.maxItems}
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
			counting := pairs.options()
			run := p.newRun()
			run.MemoryLimit = source.limit.chosen()
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
	return p.with(cmd, pairs.rows(everyday, items.DefaultNeighbours, 1, "neighbours to keep of each item"), []row{
		{name: "baskets", layer: setting, to: &baskets, usual: strconv.Itoa(fit.DefaultLearnBaskets), values: wholes(0, 10_000_000),
			help: "baskets to learn the weights on; 0 keeps the default weights"},
		{name: "rarer-share", layer: setting, to: &rarer, usual: fmt.Sprint(items.DefaultRarerShare), values: reals(0, 1000),
			help: "how much finding the rarer half of sales counts beside finding all"},
		seedRow(&seed),
	}, source.of(cmd.Flags()).formatRows(), source.documentRows())
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
