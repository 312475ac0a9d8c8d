// This file holds the sketch command: the first stage of fit.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) sketchCommand() *cobra.Command {
	var source sourceFlags
	var sketch sketchFlags
	var output string
	cmd := &cobra.Command{
		Use:   "sketch SHARD...",
		Short: "Find the leading eigenpairs of the co-occurrences of shards",
		Long: `Sketch reads shards and writes the leading eigenpairs of their co-occurrence matrix, for rectify. With --passes 1 it
also writes the sketch itself, which merge can add to those of other shards made with the same --seed, --vocab and width. The width
follows from the number of items, -k and --memory-limit; --sketch-columns sets it.

With --task 3/8 it sketches the fourth of eight parts of the shards, for eight tasks on as many machines: a task whose output is there already
ends with code 0.`,
		Example: `  anchorage sketch shards/ -k 50 --vocab vocabulary.parquet -o sketch
  anchorage sketch monday/ -k 50 --passes 1 --vocab vocabulary.parquet -o monday.sketch
  anchorage sketch shards/ -k 50 --passes 1 --vocab vocabulary.parquet --sketch-columns 400 --task 3/8 -o part-3.sketch`,
		Args: cobra.MinimumNArgs(1),
	}
	make := stage(p, &output, func(ctx context.Context, run *fit.Run, out *model.Output, args []string) (*fit.Sketched, error) {
		var options fit.Options
		if err := sketch.into(&options, source.noPrune); err != nil {
			return nil, err
		}
		options.Run, options.Sketch.Mergeable = run, out
		if err := p.resume.open(ctx, p, run, output, args); err != nil {
			return nil, err
		}
		return overCorpus(ctx, p, run, out, &source, args, options.Sketch.Passes, func(docs *corpus.Corpus) (*fit.Sketched, error) {
			options.Sketch.Tasks = source.dealing.record
			return fit.Sketch(ctx, docs, options)
		})
	}, p.printSketch)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var options fit.Options
		if err := sketch.into(&options, source.noPrune); err != nil {
			return err
		}
		if err := source.dealing.check(options.Sketch.Passes, source.vocab); err != nil {
			return err
		}
		p.warnOfPaper()
		done := false
		err := started(func(ctx context.Context, args []string) (err error) {
			done, err = source.done(ctx, p, output, args, &options)
			return err
		})(cmd, args)
		if done || err != nil {
			return err
		}
		return make(cmd, args)
	}
	return p.withFlags(cmd, func(flags *pflag.FlagSet) {
		outputFlag(flags, &output, "the sketch, a directory")
		p.replaceFlag(flags)
		p.resume.add(cmd, "the checkpoint .OUTPUT.checkpoint")
		p.resume.addInterval(flags)
		sketch.add(flags)
		source.dealing.add(flags)
		paperFlag(cmd)
		source.addCorpus(flags)
		source.limitRun(flags)
		source.addSpace(flags)
	})
}

// printSketch prints how accurate the eigenpairs are.
func (p *program) printSketch(s *fit.Sketched, output string) error {
	m := &s.Manifest
	return p.print(map[string]any{"output": output, "manifest": m, "left_out": omissions(m.Corpus, m.Skipped)}, func(w io.Writer) {
		printAccount(w, m.Corpus, m.Skipped)
		r := s.Manifest.Sketch
		how := "measured"
		if r.ResidualEstimated {
			how = "estimated"
		}
		printf(w, "%d eigenpairs of %d items and %d documents after %d passes in %s; the largest residual is %.2g of the greatest eigenvalue, %s\n",
			r.Topics, s.Vocabulary.Len(), s.Marginals.Documents, r.Passes, output, r.LargestResidual, how)
		printWarnings(w, sketchWarnings(&r))
	})
}
