// This file holds the fit command: all stages in one run.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/corpus"
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
	flags.StringVar(&f.method, "method", string(model.LRJSMF), methodHelp())
	flags.BoolVar(&f.baseline, "baseline", false, "no rectification")
}

// options returns what the flags say of the stages.
func (f *fitFlags) options() (o model.Options, err error) {
	if o.Method, err = model.ParseMethod(f.method); err != nil {
		return o, &usageError{fmt.Errorf("--method: %w", err)}
	}
	o.Baseline = f.baseline
	if err = f.sketch.into(&o, f.source.noPrune); err != nil {
		return o, err
	}
	if err = f.rectify.into(&o); err != nil {
		return o, err
	}
	return o, f.anchor.into(&o)
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
		RunE: p.writing(&output, func(ctx context.Context, run *model.Run, out *model.Output, args []string) error {
			options, err := f.options()
			if err != nil {
				return err
			}
			options.Run = run
			if run.MemoryLimit, err = f.source.runLimit(); err != nil {
				return err
			}
			run.SpillDir = f.source.scratch(out.Scratch())
			var fitted *model.Fitted
			err = p.overCorpus(ctx, run, &f.source, args, options.Method.Passes(options.Sketch.Passes), func(docs *corpus.Corpus) error {
				fitted, err = model.Fit(ctx, docs, options)
				return err
			})
			if err != nil {
				return err
			}
			if err := fitted.SaveTo(out); err != nil {
				return err
			}
			return p.printModel(fitted, output)
		}),
	}
	cmd.Flags().SortFlags = false
	outputFlag(cmd.Flags(), &output, "the model, a directory")
	f.add(cmd)
	f.source.limitRun(cmd.Flags())
	p.addJSON(cmd.Flags())
	return cmd
}

// overCorpus opens the documents of args for a number of passes, 0 for one yet unknown, which is the stage "read", and closes them
// after fn. Their copy goes to the run's folder.
func (p *program) overCorpus(ctx context.Context, run *model.Run, source *sourceFlags, args []string, passes int, fn func(*corpus.Corpus) error) (err error) {
	end := run.Stage("read")
	defer end()
	from, err := source.source(ctx, p, args, run.SpillDir)
	if err != nil {
		return err
	}
	docs, err := from.open(ctx, passes)
	if err != nil {
		return err
	}
	end()
	defer func() {
		if closing := docs.Close(); err == nil {
			err = closing
		}
	}()
	return fn(docs)
}

// methodHelp says what methods there are.
func methodHelp() string {
	var lines []string
	for _, m := range model.Methods() {
		lines = append(lines, string(m)+": "+m.Summary())
	}
	return strings.Join(lines, "; ")
}
