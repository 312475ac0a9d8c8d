// This file holds the command that measures the refinement of topics.

package main

import (
	"github.com/spf13/cobra"

	"anchorage/bench/internal/refining"
)

func (p *program) refineCommand() *cobra.Command {
	var grid refining.Grid
	var output string
	cmd := &cobra.Command{
		Use:   "refine",
		Short: "Measure refined topics by what they are refined for",
		Long: `Refine holds every tenth document out and learns topics from the others: without a refinement, refined for reading with each
hold, and refined for prediction. It measures how coherent the topics are and how likely the held-out documents. With --python
it does the same with LDA of scikit-learn and of gensim; bench/peers/README.md says how to install them.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again. An interrupted command goes on where it
was, and README.md and the charts show all runs of the folder.`,
		Example: `  go run ./bench refine --data DATA -o results --corpora nips,kos --hold 1,2 --python /usr/bin/python3`,
		Args:    cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := grid.Check(); err != nil {
				return &usageError{err}
			}
			grid.Workers, grid.Log, grid.Stderr = p.workers, p.log, p.stderr
			if err := grid.Write(cmd.Context(), output); err != nil {
				return &keptError{"the same command goes on from the runs in " + output, err}
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, seriesFolder)
	flags.StringVar(&grid.Data, "data", "", "folder with a folder of shards per corpus (required)")
	flags.StringSliceVar(&grid.Corpora, "corpora", []string{"wiki", "nips", "kos", "retail", "reddit"}, "names of folders in it")
	flags.IntVarP(&grid.Topics, "topics", "k", 50, "number of topics")
	flags.Float64SliceVar(&grid.Holds, "hold", []float64{0.5, 1, 2, 5}, "how much topics for reading are held to those before, a run each")
	flags.StringVar(&grid.Python, "python", "", "interpreter for other programs' methods; none of them is run without it")
	return cmd
}
