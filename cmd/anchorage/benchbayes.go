// This file holds the command that measures variational inference.

package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench"
)

func (p *program) benchBayesCommand() *cobra.Command {
	var b bench.Bayes
	var output, peers string
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:   "bayes SHARD...",
		Short: "Measure variational inference as its chapter does",
		Long: `Bayes learns Bayesian NMF, correlated NMF and online LDA with every number of topics and size of batches, and charts the
held-out log-likelihood against the documents seen, the correlations of the most probable topics, and their items: figures
11.3 and 11.4 and tables 11.3 and 11.4 of Paisley, Blei & Jordan (2014). --init-topics adds a comparison with fits that begin
with topics found by anchors.

Every fit that is complete is kept in the folder of --cells, and a later run takes it from there: so an interrupted run goes on,
and a grid can be made in parts. --documents makes fits shorter.

With --peers DIR it instead writes a corpus in a common split to DIR, with its own scores and times, for
bench/peers/bayes.py to hold scikit-learn and gensim against.`,
		Example: `  anchorage bench bayes shards/ -o results --max-df-ratio 0.1
  anchorage bench bayes shards/ -o results --topics 50,100 --batch-sizes 1000 --documents 100000`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			b.Shards, b.Workers, b.Log = args, p.workers, p.log
			if peers != "" {
				if err := b.Check(); err != nil {
					return &usageError{err}
				}
				return b.WritePeers(ctx, peers)
			}
			if err := needOutput(output); err != nil {
				return err
			}
			if b.Cells == "" {
				b.Cells = output + ".cells"
			}
			if err := b.Check(); err != nil {
				return &usageError{err}
			}
			if err := os.MkdirAll(b.Cells, 0o777); err != nil {
				return err
			}
			dir, err := p.create(ctx, output)
			if err != nil {
				return err
			}
			defer dir.Abort()
			b.Command = strings.Replace(command(cmd), b.Cells, "CELLS", 1) + " SHARD..."
			if err := b.Write(ctx, dir); err != nil {
				return &keptError{"the same command goes on from the fits in " + b.Cells, err}
			}
			_, err = fmt.Fprintf(p.stdout, "Wrote tables and charts to %s; README.md there says what they are. %s can be deleted.\n", output, b.Cells)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the results, a directory")
	flags.StringSliceVar(&b.Models, "models", bench.BayesModels, "models")
	flags.IntSliceVar(&b.Topics, "topics", bench.BayesTopics, "numbers of topics, K")
	flags.IntSliceVar(&b.Sizes, "batch-sizes", bench.BayesSizes, "sizes of batches, |C|")
	flags.IntVar(&b.Items, "items", 8000, "items, V: those of greatest tf·idf")
	flags.Float64Var(&b.MaxDFRatio, "max-df-ratio", 0.5, "items in at most this share of the documents")
	flags.Int64Var(&b.Documents, "documents", 0, "documents of each fit, at least; 0 for all, once")
	flags.Float64Var(&b.Delay, "t0", 1, "of the step size (t0+t)^-½")
	flags.IntVar(&b.InitTopics, "init-topics", 0, "topics of the comparison with fits that begin with topics found by anchors; 0 for none")
	flags.StringSliceVar(&b.InitModels, "init-models", nil, "models of that comparison; those of --models if not given")
	flags.StringVar(&b.Cells, "cells", "", "folder that keeps fits; RESULTS.cells if not given")
	flags.Uint64Var(&b.Seed, "seed", 1, "of all random numbers")
	flags.StringVar(&peers, "peers", "", "write a corpus in a common split, and scores on it, to this folder instead")
	return cmd
}
