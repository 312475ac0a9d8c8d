// This file holds the fit command: all stages in one run.

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"anchorage/internal/durable"
	"anchorage/model"
)

func (p *program) fitCommand() *cobra.Command {
	var (
		source  sourceFlags
		sketch  sketchFlags
		rectify rectifyFlags
		anchor  anchorFlags
		output  string
		method  string

		baseline bool
	)
	cmd := &cobra.Command{
		Use:   "fit SHARD...",
		Short: "Learn a model from shards of documents",
		Long: `Fit reads shards of documents and writes a model: topics, their anchor items, their correlations, and the
topic mixture of every item. A shard is a file, a directory of files or a pattern; its format is found by its content.

  parquet   one document per row: a list column of item ids, and optionally a list column of counts
  docword   the UCI bag-of-words format, with its word list
  baskets   one line per basket, ids separated by white space

Text formats may be compressed by gzip or zstd.`,
		Example: `  anchorage fit shards/ -k 50 -o model
  anchorage fit docword.nips.txt.gz -k 25 --max-items 5000 --stopwords stop.txt -o nips
  anchorage fit retail.dat.gz -k 25 --min-df 2 -o retail`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			chosen, err := model.ParseMethod(method)
			if err != nil {
				return &usageError{fmt.Errorf("--method: %w", err)}
			}
			sketchOptions, err := sketch.options(p, source.noPrune)
			if err != nil {
				return err
			}
			rectifyOptions, err := rectify.options(p)
			if err != nil {
				return err
			}
			anchorOptions, err := anchor.options(p)
			if err != nil {
				return err
			}
			dir, err := durable.Create(output)
			if err != nil {
				return err
			}
			defer dir.Abort()
			from, err := source.source(p, args, dir.Path())
			if err != nil {
				return err
			}
			options := model.FitOptions{Method: chosen, Baseline: baseline, Sketch: sketchOptions, Rectify: rectifyOptions, Anchor: anchorOptions}
			state, err := p.overCorpus(ctx, from, chosen.Passes(sketchOptions.Passes), func(corpus *model.Corpus) (*model.State, error) {
				return model.Fit(ctx, corpus, options, p.newRun(), p.log)
			})
			if err != nil {
				return err
			}
			if err := state.SaveModel(dir); err != nil {
				return err
			}
			return p.printModel(state, output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the model, a directory")
	sketch.add(flags)
	source.addFormat(flags)
	source.addDocuments(flags)
	source.addPruning(flags)
	rectify.add(flags)
	anchor.add(flags)
	flags.StringVar(&method, "method", string(model.LRJSMF), "lrjsmf; palm or ipalm, which also work at any size; or, on a dense matrix: enn, raw, dykstra, diagonal, douglas-rachford, aw")
	flags.BoolVar(&baseline, "baseline", false, "no rectification")
	p.addJSON(flags)
	return cmd
}

// overCorpus opens the source for a number of passes, 0 for one yet unknown, and closes it after fn.
func (p *program) overCorpus(ctx context.Context, from model.Source, passes int, fn func(*model.Corpus) (*model.State, error)) (_ *model.State, err error) {
	corpus, err := from.Open(ctx, passes)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := corpus.Close(); err == nil {
			err = closing
		}
	}()
	return fn(corpus)
}
