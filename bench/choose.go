// This file holds the command that measures how the number of topics is chosen.

package main

import (
	"github.com/spf13/cobra"

	"anchorage/bench/internal/choosing"
)

func (p *program) chooseCommand() *cobra.Command {
	var grid choosing.Grid
	var real choosing.Real
	var output string
	cmd := &cobra.Command{
		Use:   "choose",
		Short: "Measure how well the number of topics is chosen",
		Long: `Choose draws corpora from known numbers of topics and compares what is chosen with the truth. With --data it also chooses for real
corpora, and shows what is chosen beside the coherence and diversity of the topics at several numbers.

The folder of -o keeps a row per drawn corpus, in runs.csv, and a file per real one. What is there is not made again. An
interrupted command goes on where it was, and README.md shows all of the folder.`,
		Example: `  go run ./bench choose -o results
  go run ./bench choose -o results --seeds 0 --data DATA --corpora nips,kos,wiki`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			for _, check := range []func() error{grid.Check, real.Check} {
				if err := check(); err != nil {
					return &usageError{err}
				}
			}
			grid.Workers, grid.Log = p.workers, p.log
			real.Workers, real.Log = p.workers, p.log
			for _, write := range []func() error{
				func() error { return grid.Write(cmd.Context(), output) },
				func() error { return real.Write(cmd.Context(), output) },
				func() error { return choosing.WriteResults(output) },
			} {
				if err := write(); err != nil {
					return &keptError{"the same command goes on from the runs in " + output, err}
				}
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, seriesFolder)
	flags.IntSliceVarP(&grid.Topics, "topics", "k", []int{5, 10, 15, 20, 30, 40, 50, 60}, "true numbers of topics")
	flags.Float64SliceVar(&grid.Strengths, "strength", []float64{0.8, 1}, "share of an anchor's row in its own topic")
	flags.IntSliceVar(&grid.Items, "items", []int{2000}, "items")
	flags.IntSliceVar(&grid.Multiples, "multiples", []int{10, 30}, "documents per item")
	flags.IntSliceVar(&grid.Tokens, "tokens", []int{50}, "mean length of a document")
	flags.Float64Var(&grid.Concentration, "concentration", 0.1, "concentration of each topic in a document")
	flags.IntVar(&grid.Seeds, "seeds", 4, "corpora of every kind")
	flags.Uint64Var(&grid.First, "first-seed", 1, "seed of the first of them; the others follow it")
	flags.IntVar(&grid.To, "to", 100, "end of the range of numbers")
	flags.StringVar(&real.Data, "data", "", "folder with a folder of shards per real corpus; none is read without it")
	flags.StringSliceVar(&real.Corpora, "corpora", []string{"nips", "kos", "wiki"}, "names of folders in it")
	flags.IntVar(&real.From, "real-from", 5, "beginning of the range of real corpora")
	flags.IntVar(&real.To, "real-to", 200, "end of the range of real corpora")
	flags.IntVar(&real.Steps, "steps", 8, "numbers of topics of real corpora that are solved")
	return cmd
}
