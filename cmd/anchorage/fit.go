// This file holds the fit command: all stages in one run.

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"anchorage/internal/durable"
	"anchorage/model"
)

// fitFlags are those of all stages.
type fitFlags struct {
	source   sourceFlags
	sketch   sketchFlags
	rectify  rectifyFlags
	anchor   anchorFlags
	method   string
	baseline bool
}

// add adds all flags but those about what is written.
func (f *fitFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.sketch.add(flags)
	f.source.addFormat(flags)
	f.source.addDocuments(flags)
	f.source.addPruning(flags)
	f.rectify.add(flags)
	f.anchor.add(flags)
	paperFlag(cmd)
	flags.StringVar(&f.method, "method", string(model.LRJSMF), "lrjsmf; palm or ipalm, which also work at any size; or, on a dense matrix: enn, raw, dykstra, diagonal, douglas-rachford, aw")
	flags.BoolVar(&f.baseline, "baseline", false, "no rectification")
}

// options returns what the flags say of the stages.
func (f *fitFlags) options(p *program) (o model.FitOptions, err error) {
	if o.Method, err = model.ParseMethod(f.method); err != nil {
		return o, &usageError{fmt.Errorf("--method: %w", err)}
	}
	o.Baseline = f.baseline
	if o.Sketch, err = f.sketch.options(p, f.source.noPrune); err != nil {
		return o, err
	}
	if o.Rectify, err = f.rectify.options(p); err != nil {
		return o, err
	}
	o.Anchor, err = f.anchor.options(p)
	return o, err
}

func (p *program) fitCommand() *cobra.Command {
	var f fitFlags
	var output string
	cmd := &cobra.Command{
		Use:   "fit SHARD...",
		Short: "Learn a model from shards of documents",
		Long: `Fit reads shards of documents and writes a model: topics, their anchor items, their correlations, and the
topic mixture of every item. A shard is a file, a directory of files or a pattern; its format is found by its content.

` + formatTable() + `
Text formats may be compressed by gzip or zstd. See anchorage inspect for what a file would be taken for.`,
		Example: `  anchorage fit shards/ -k 50 -o model
  anchorage fit docword.nips.txt.gz -k 25 --max-items 5000 --stopwords stop.txt -o nips
  anchorage fit retail.dat.gz -k 25 --min-df 2 -o retail`,
		Args: cobra.MinimumNArgs(1),
		RunE: writing(&output, func(ctx context.Context, dir *durable.Dir, args []string) error {
			options, err := f.options(p)
			if err != nil {
				return err
			}
			if options.Sketch.MemoryLimit, err = f.source.runLimit(); err != nil {
				return err
			}
			options.Rectify.SpillDir = f.source.scratch(dir.Path())
			passes := options.Method.Passes(options.Sketch.Passes)
			fit := func(corpus *model.Corpus, run *model.Run) (*model.State, error) {
				return model.Fit(ctx, corpus, options, run, p.log)
			}
			state, err := p.overCorpus(ctx, &f.source, args, dir.Path(), passes, fit)
			if err != nil {
				return err
			}
			if err := state.SaveModel(dir); err != nil {
				return err
			}
			return p.printModel(state, output)
		}),
	}
	cmd.Flags().SortFlags = false
	outputFlag(cmd.Flags(), &output, "the model, a directory")
	f.add(cmd)
	f.source.limitRun(cmd.Flags())
	p.addJSON(cmd.Flags())
	return cmd
}

// overCorpus begins a run, opens the documents of args for a number of passes, 0 for one yet unknown, which is the
// stage "read", and closes them after fn. What is kept on disk meanwhile goes to scratch, if no flag says where.
func (p *program) overCorpus(ctx context.Context, source *sourceFlags, args []string, scratch string, passes int,
	fn func(*model.Corpus, *model.Run) (*model.State, error)) (_ *model.State, err error) {
	run := p.newRun()
	end := run.Stage("read")
	defer end()
	from, err := source.source(ctx, p, args, scratch)
	if err != nil {
		return nil, err
	}
	corpus, err := from.Open(ctx, passes)
	if err != nil {
		return nil, err
	}
	end()
	defer func() {
		if closing := corpus.Close(); err == nil {
			err = closing
		}
	}()
	return fn(corpus, run)
}
