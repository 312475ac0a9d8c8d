// This file holds the command that measures variational inference.

package main

import (
	"github.com/spf13/cobra"

	"anchorage/bench/internal/bayes"
)

func (p *program) bayesCommand() *cobra.Command {
	var grid bayes.Grid
	var output, peers string
	cmd := &cobra.Command{
		Use:   "bayes SHARD...",
		Short: "Measure variational inference as its chapter does",
		Long: `Bayes learns Bayesian NMF, correlated NMF and online LDA with every number of topics and size of batches. It writes Figures
11.3 and 11.4 and Tables 11.3 and 11.4 of Paisley, Blei & Jordan (2014): held-out log-likelihood against documents seen, the
correlations of the most probable topics, and their items. --init-topics also compares fits that begin with topics found by
anchors.

The folder of --cells keeps every complete fit, and a later run takes it from there: an interrupted run goes on, and a grid can
be made in parts. --documents makes fits shorter.

--peers DIR instead writes a corpus in a common split to DIR, with our scores and times, for bench/peers/bayes.py to compare
with scikit-learn and gensim.`,
		Example: `  go run ./bench bayes shards/ -o results --max-df-ratio 0.1
  go run ./bench bayes shards/ -o results --topics 50,100 --batch-sizes 1000 --documents 100000`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			grid.Shards, grid.Workers, grid.Log = args, p.workers, p.log
			if err := grid.Check(); err != nil {
				return &usageError{err}
			}
			if peers != "" {
				return grid.WritePeers(cmd.Context(), peers)
			}
			if err := needOutput(output); err != nil {
				return err
			}
			if grid.Cells == "" {
				grid.Cells = output + ".cells"
			}
			grid.Command = commandLine(cmd) + " SHARD..."
			if err := grid.Write(cmd.Context(), output); err != nil {
				return &keptError{"the same command goes on from the fits in " + grid.Cells, err}
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, newFolder)
	flags.StringSliceVar(&grid.Models, "models", bayes.AllModels, "models")
	flags.IntSliceVar(&grid.Topics, "topics", bayes.AllTopics, "numbers of topics, K")
	flags.IntSliceVar(&grid.Sizes, "batch-sizes", bayes.AllSizes, "sizes of batches, |C|")
	flags.IntVar(&grid.Items, "items", 8000, "items, V: those of greatest tf·idf")
	flags.Float64Var(&grid.MaxDFRatio, "max-df-ratio", 0.5, "items in at most this share of the documents")
	flags.Int64Var(&grid.Documents, "documents", 0, "documents of each fit, at least; 0 for all, once")
	flags.Float64Var(&grid.Delay, "t0", 1, "of the step size (t0+t)^-½")
	flags.IntVar(&grid.InitTopics, "init-topics", 0, "topics of the comparison with fits that begin with topics found by anchors; 0 for none")
	flags.StringSliceVar(&grid.InitModels, "init-models", nil, "models of that comparison; those of --models if not given")
	flags.StringVar(&grid.Cells, "cells", "", "folder that keeps fits; the results' folder with .cells if not given")
	flags.Uint64Var(&grid.Seed, "seed", 1, "of all random numbers")
	flags.StringVar(&peers, "peers", "", "write a corpus in a common split, and our scores, to this folder instead")
	return cmd
}
