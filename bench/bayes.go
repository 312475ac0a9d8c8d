// This file holds the command that measures variational inference.

package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/bayes"
)

func (p *program) bayesCommand() *cobra.Command {
	var grid bayes.Grid
	var output, peers string
	cmd := &cobra.Command{
		Use:   "bayes CORPUS...",
		Short: "Measure variational inference as its chapter does",
		Long: `Bayes learns Bayesian NMF, correlated NMF and online LDA from corpora, each a folder of shards or a file. It makes every
combination of what its flags list, and scores it by held-out log-likelihood: of batches before they are learned from, as Paisley,
Blei & Jordan (2014) do, and of documents that are set aside. README.md says of all fits what more topics are worth, and has
the chapter's Figures 11.3 and 11.4 and Tables 11.3 and 11.4 of the fits that are as there.

The folder of -o keeps a row per fit, in runs.csv. A fit with a row is not made again. An interrupted command goes on where it
was, and README.md and the charts show all fits of the folder.

--peers DIR instead writes a corpus in a common split to DIR, with our scores and times, for bench/peers/bayes.py to compare
with scikit-learn and gensim. All arguments are then shards of one corpus.`,
		Example: `  go run ./bench bayes DATA/reddit -o results --max-df-ratio 0.1
  go run ./bench bayes DATA/reddit DATA/wiki -o results --max-df-ratio 0.1 --topics 25,50,100 --t0 1,64 --priors chapter,learned --seeds 3`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			grid.Corpora, grid.Workers, grid.Log = args, p.workers, p.log
			if peers != "" {
				return grid.WritePeers(cmd.Context(), peers)
			}
			if err := needOutput(output); err != nil {
				return err
			}
			if err := grid.Check(); err != nil {
				return &usageError{err}
			}
			grid.Command = commandLine(cmd)
			for _, path := range args {
				grid.Command += " " + filepath.Base(path)
			}
			if err := grid.Write(cmd.Context(), output); err != nil {
				return &keptError{"the same command goes on from the fits in " + output, err}
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, seriesFolder)
	flags.StringSliceVar(&grid.Models, "models", bayes.AllModels, "models")
	flags.IntSliceVar(&grid.Topics, "topics", bayes.AllTopics, "numbers of topics, K")
	flags.IntSliceVar(&grid.Sizes, "batch-sizes", bayes.AllSizes, "sizes of batches, |C|")
	flags.IntVar(&grid.Items, "items", 8000, "items, V: those of greatest tf·idf")
	flags.Float64Var(&grid.MaxDFRatio, "max-df-ratio", 0.5, "items in at most this share of the documents")
	flags.Int64SliceVar(&grid.Documents, "documents", []int64{0}, "numbers of documents to learn from, D; 0 for all")
	flags.IntSliceVar(&grid.Pieces, "pieces", []int{0}, "tokens of the pieces that documents are cut into; 0 for whole documents")
	flags.IntSliceVar(&grid.Epochs, "epochs", []int{1}, "numbers of epochs, or of iterations of the batch algorithm")
	flags.Float64SliceVar(&grid.Delays, "t0", []float64{1}, "of the step size (t0+t)^-½")
	flags.StringSliceVar(&grid.Priors, "priors", []string{"chapter"}, "hyperparameters: chapter, learned, window (c0 grows with D over what the last steps remember)")
	flags.StringSliceVar(&grid.Algorithms, "algorithms", []string{"stochastic"}, "stochastic, batch")
	flags.StringSliceVar(&grid.Beginnings, "beginnings", []string{"random"}, "random, anchors")
	flags.IntVar(&grid.Seeds, "seeds", 1, "fits of each kind, with this and the following seeds")
	flags.Uint64Var(&grid.Seed, "seed", 1, "of all random numbers")
	flags.StringVar(&peers, "peers", "", "write a corpus in a common split, and our scores, to this folder instead")
	return cmd
}
