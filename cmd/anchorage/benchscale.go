// This file holds the command that measures how time and memory of a fit grow with the number of items.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench"
)

func (p *program) benchScaleCommand() *cobra.Command {
	var scale bench.Scale
	var output string
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:   "scale [flags] [-- FIT-FLAG...]",
		Short: "Measure how time and memory of a fit grow with the number of items",
		Long: `Scale draws corpora with Zipf item frequencies from known topics, writes them as Parquet shards, and runs fit on each,
in a process of its own. It records seconds, processor time and peak memory of every stage, and writes tables with their
slopes in logarithms and a chart (SVG).

What follows -- are flags of fit. Items are not pruned unless they say so: --min-df is 1.

-o names a folder that may be there already: runs.jsonl in it has a line per run, and a run with a line is not made again
unless it has failed. An interrupted command goes on where it was, and README.md and the chart are about all runs of the
folder.
The shards are made in a temporary folder beside it; --shards keeps them for other runs.`,
		Example: `  anchorage bench scale -o results
  anchorage bench scale -o results --items 60000 -k 50 --shards corpora -- --passes 4 --enn-iterations 20
  anchorage bench scale -o results --items 10000 --compare`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return fmt.Errorf("%q is no flag: flags of fit follow --", args[0])
			}
			return nil
		},
		RunE: started(func(ctx context.Context, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := scale.Check(); err != nil {
				return &usageError{err}
			}
			var err error
			if scale.Flags, err = scaleFitFlags(args, scale.Topics); err != nil {
				return &usageError{err}
			}
			scale.Command = strings.Join(append([]string{command(cmd)}, afterDash(args)...), " ")
			scale.Workers, scale.Log, scale.Stderr = p.workers, p.log, p.stderr
			if err := scale.Write(ctx, output); err != nil {
				return &keptError{"the same command goes on from the runs in " + output, err}
			}
			_, err = fmt.Fprintf(p.stdout, "The runs are in %s; README.md there says what they show.\n", output)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "", "the results, a folder that may be there already (required)")
	flags.IntSliceVar(&scale.Items, "items", []int{10_000, 30_000, 100_000, 300_000, 1_000_000}, "numbers of items, N")
	flags.IntVar(&scale.DocumentsPerItem, "documents-per-item", 2, "documents for every item, M/N")
	flags.IntVar(&scale.Tokens, "tokens", 20, "mean length of documents")
	flags.IntVarP(&scale.Topics, "topics", "k", 100, "topics of the corpora and of the fits, K")
	flags.Uint64Var(&scale.Seed, "seed", 1, "of the corpora")
	flags.BoolVar(&scale.Compare, "compare", false, "make a run besides of N = 60,000, K = 200 and as many documents as "+
		"the NYTimes articles have, for which the authors' program has a published time")
	flags.StringVar(&scale.Shards, "shards", "", "folder that corpora are kept in, and taken from where they are there; "+
		"a temporary one if not given")
	flags.BoolVar(&scale.Again, "again", false, "make runs again although there is a line of them")
	return cmd
}

// afterDash returns the end of a command line that passes arguments on.
func afterDash(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	return []string{"--", bench.ShellWords(args)}
}

// scaleFitFlags checks the arguments after -- and returns the flags of the fits, which have the given number of topics.
func scaleFitFlags(args []string, topics int) ([]string, error) {
	var fit fitFlags
	cmd := new(cobra.Command)
	fit.add(cmd)
	flags := cmd.Flags()
	if err := flags.Parse(args); err != nil {
		return nil, fmt.Errorf("after --: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("after --: %q is no flag of fit, whose shards are made here", flags.Arg(0))
	case flags.Changed("topics"):
		return nil, errors.New("after --: -k belongs before it, where it is that of the corpora too")
	}
	fit.sketch.topics = topics
	if err := cmd.PreRunE(cmd, nil); err != nil {
		return nil, err
	}
	if _, err := fit.options(new(program)); err != nil {
		return nil, err
	}
	for _, name := range []string{"min-df", "vocab", "no-prune"} {
		if flags.Changed(name) {
			return args, nil
		}
	}
	return append([]string{"--min-df", "1"}, args...), nil
}
