// This file holds the command that compares the topics of several methods.

package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/topics"
)

func (p *program) topicsCommand() *cobra.Command {
	var grid topics.Grid
	var output string
	cmd := &cobra.Command{
		Use:   "topics",
		Short: "Compare topics with those of other methods, over vocabularies and numbers of topics",
		Long: `Topics makes a run for every corpus, vocabulary (--min-df and --max-items, in all combinations), number of topics, method
and seed, each in a process of its own. It scores the words that people read topics by: NPMI, diversity, and the number of
documents with the rarest of them; and it measures seconds, processor time and memory.

Methods are settings of our own and those of other programs; bench/peers/README.md says how to install these. A method that is
not installed is passed over. All methods get the same documents and items, and the same ranking reads their topics.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again. An interrupted command goes on where it
was, and README.md and the charts show all runs of the folder.`,
		Example: `  go run ./bench topics --data DATA -o results --corpora wiki --min-df 2 -k 50 --methods default,nmf --seeds 3
  go run ./bench topics --data DATA -o results --corpora wiki --min-df 1 --max-items 1000,3000,10000,30000,100000,0 -k 50`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if grid.Data == "" {
				return &usageError{errors.New("--data must name the folder of the corpora")}
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
	outputFlag(cmd.Flags(), &output, seriesFolder)
	addTopicsFlags(cmd.Flags(), &grid)
	return cmd
}

func addTopicsFlags(flags *pflag.FlagSet, t *topics.Grid) {
	flags.StringVar(&t.Data, "data", "", "folder with a folder of shards per corpus (required)")
	flags.StringSliceVar(&t.Corpora, "corpora", []string{"wiki"}, "names of folders in it")
	flags.Int64SliceVar(&t.MinDF, "min-df", []int64{1, 2, 5, 20}, "vocabularies: items in at least so many documents")
	flags.Float64Var(&t.MaxDFRatio, "max-df-ratio", 0.3, "and in at most this share of them")
	flags.IntSliceVar(&t.MaxItems, "max-items", []int{0}, "vocabularies: at most so many of these items, those of greatest tf·idf; 0 for all")
	flags.IntSliceVarP(&t.Topics, "topics", "k", []int{25, 50, 100, 200}, "numbers of topics")
	flags.StringSliceVar(&t.Methods, "methods", topics.Methods(), "methods")
	flags.IntVar(&t.Seeds, "seeds", 3, "seeds, from 1 on")
	flags.StringVar((*string)(&t.Again), "again", string(report.AgainNone), "runs that are made again although they have a row: none, failed or all")
	flags.DurationVar(&t.Limit, "limit", 0, "how long a run may take, such as 30m; 0 for any time")
	flags.StringVar(&t.Python, "python", "python3", "interpreter for the methods of other programs")
	flags.StringVar(&t.Scratch, "spill-dir", "", "folder for copies of the documents; the system's folder for temporary files if not given")
}
