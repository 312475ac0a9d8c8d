// This file holds the fit command: all stages in one run.

package main

import (
	"context"

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
			run := p.newRun()
			state, err := p.sketch(ctx, from, sketchOptions, run)
			if err != nil {
				return err
			}
			if err := state.Rectify(ctx, rectifyOptions); err != nil {
				return err
			}
			if err := state.Anchor(ctx, anchorOptions); err != nil {
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
	p.addJSON(flags)
	return cmd
}

// sketch opens the source and makes the passes over it.
func (p *program) sketch(ctx context.Context, from model.Source, opts model.SketchOptions, run *model.Run) (_ *model.State, err error) {
	corpus, err := from.Open(ctx, opts.Passes)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := corpus.Close(); err == nil {
			err = closing
		}
	}()
	return model.Sketch(ctx, corpus, opts, run, p.log)
}
