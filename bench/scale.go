// This file holds the command that measures how time and memory of a fit grow with the numbers of items and documents.

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/scale"
)

func (p *program) scaleCommand() *cobra.Command {
	var series scale.Series
	var output string
	cmd := &cobra.Command{
		Use:   "scale [flags] [-- FIT-FLAG...]",
		Short: "Measure how time and memory of a fit grow with items and documents",
		Long: `Scale draws corpora with Zipf item frequencies from known topics, writes them as Parquet shards, and fits a model to each, in
a process of its own. One series grows in items, with --documents-per-item documents for each. The other one grows in
documents, with --document-items items. Naming the sizes of one series leaves the other one out, unless its sizes are named
too. Scale records seconds, processor time and peak memory of every stage, and writes tables with their slopes in logarithms,
a chart, and what 10¹⁰ entries would take by these slopes. Then it compares the model with the topics that were drawn: errors
of B and A beside those of one who knows the topic of every token, and the share of anchors that were found.

Flags of the fits follow --: --min-df (1 by default, so that no item is pruned), --passes, --enn-iterations, --item-weights,
--refine and --paper. They mean what they mean for anchorage fit.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again unless it failed. An interrupted command
goes on where it was, and README.md and the charts show all runs of the folder.`,
		Example: `  go run ./bench scale -o results
  go run ./bench scale -o results --items 60000 -k 50 --shards corpora -- --passes 4 --enn-iterations 20
  go run ./bench scale -o results --items 10000 --documents 40000,80000 --document-items 10000
  go run ./bench scale -o results --items 10000 --compare`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return fmt.Errorf("%q is not a flag: flags of the fits follow --", args[0])
			}
			return nil
		},
		RunE: started(func(cmd *cobra.Command, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if items, documents := cmd.Flags().Changed("items"), cmd.Flags().Changed("documents"); items && !documents {
				series.Documents = nil
			} else if documents && !items {
				series.Items = nil
			}
			series.Flags = args
			if err := series.Check(); err != nil {
				return &usageError{err}
			}
			series.Command = commandLine(cmd)
			if len(args) > 0 {
				series.Command += " -- " + report.ShellWords(args)
			}
			series.Workers, series.Log, series.Stderr = p.workers, p.log, p.stderr
			if err := series.Write(cmd.Context(), output); err != nil {
				return &keptError{"the same command goes on from the runs in " + output, err}
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, seriesFolder)
	flags.IntSliceVar(&series.Items, "items", []int{10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000}, "numbers of items, N")
	flags.IntVar(&series.DocumentsPerItem, "documents-per-item", 2, "documents for every item, M/N")
	flags.IntVar(&series.Tokens, "tokens", 20, "mean length of documents")
	flags.IntSliceVar(&series.Documents, "documents", []int{1_000_000, 3_000_000, 10_000_000}, "numbers of documents of the other series, M")
	flags.IntVar(&series.DocumentItems, "document-items", 1_000_000, "items of the series along documents")
	flags.IntVar(&series.DocumentTokens, "document-tokens", 45, "mean length of documents of the series along documents")
	flags.IntVarP(&series.Topics, "topics", "k", 100, "topics of the corpora and of the fits, K")
	flags.Uint64Var(&series.Seed, "seed", 1, "of the corpora")
	flags.BoolVar(&series.Compare, "compare", false, "also make a run of N = 60,000, K = 200 and as many documents as "+
		"the NYTimes articles have, for which the authors' program has a published time")
	flags.StringVar(&series.Shards, "shards", "", "folder that keeps corpora for other runs; a temporary one "+
		"if not given")
	flags.BoolVar(&series.Again, "again", false, "make runs again although they have a row")
	return cmd
}
