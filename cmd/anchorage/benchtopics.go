// This file holds the command that compares the topics of several methods, and the one that makes its single runs.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bench"
)

func (p *program) benchTopicsCommand() *cobra.Command {
	var topics bench.Topics
	var output string
	cmd := &cobra.Command{
		Use:   "topics",
		Short: "Compare topics with those of other methods, over vocabularies and numbers of topics",
		Long: `Topics makes a run for every corpus, vocabulary (--min-df and --max-items, in all combinations), number of topics, method
and seed, each in a process of its own, and scores the words that its topics are read by: NPMI, diversity, and in how many
documents the rarest of them occurs, with the seconds, the processor time and the memory that it took.

Methods are settings of our own and those of other programs, which bench/peers/README.md says how to install; one that is
not installed is passed over. All get the same documents and items and are read by the same ranking.

-o names a folder that may be there already: runs.jsonl in it has a line per run, and a run with a line is not made again. An
interrupted command goes on where it was, and README.md and the charts are about all runs of the folder.`,
		Example: `  anchorage bench topics --data DATA -o results --corpora wiki --min-df 2 -k 50 --methods default,nmf --seeds 3
  anchorage bench topics --data DATA -o results --corpora wiki --min-df 1 --max-items 1000,3000,10000,30000,100000,0 -k 50`,
		Args: cobra.NoArgs,
		RunE: started(func(ctx context.Context, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if topics.Data == "" {
				return &usageError{errors.New("where is the data? say so with --data")}
			}
			if err := topics.Check(); err != nil {
				return &usageError{err}
			}
			topics.Workers, topics.Log, topics.Stderr = p.workers, p.log, p.stderr
			if err := topics.Write(ctx, output); err != nil {
				return &keptError{"the same command goes on from the runs in " + output, err}
			}
			_, err := fmt.Fprintf(p.stdout, "The runs are in %s; README.md there says what they show.\n", output)
			return err
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "", "the results, a folder that may be there already (required)")
	addTopicsFlags(flags, &topics)
	return cmd
}

func addTopicsFlags(flags *pflag.FlagSet, t *bench.Topics) {
	flags.StringVar(&t.Data, "data", "", "folder with a folder of shards per corpus (required)")
	flags.StringSliceVar(&t.Corpora, "corpora", []string{"wiki"}, "names of folders in it")
	flags.Int64SliceVar(&t.MinDF, "min-df", []int64{1, 2, 5, 20}, "vocabularies: items in at least so many documents")
	flags.Float64Var(&t.MaxDFRatio, "max-df-ratio", 0.3, "and in at most this share of them")
	flags.IntSliceVar(&t.MaxItems, "max-items", []int{0}, "vocabularies: at most so many of these items, those of greatest tf·idf; 0 for all")
	flags.IntSliceVarP(&t.Topics, "topics", "k", []int{25, 50, 100, 200}, "numbers of topics")
	flags.StringSliceVar(&t.Methods, "methods", bench.TopicsMethods(), "methods")
	flags.IntVar(&t.Seeds, "seeds", 3, "seeds, from 1 on")
	flags.StringVar((*string)(&t.Again), "again", string(bench.AgainNone), "runs that are made again although there is a line of them: none, failed or all")
	flags.DurationVar(&t.Limit, "limit", 0, "how long a run may take, such as 30m; 0 for any time")
	flags.StringVar(&t.Python, "python", "python3", "interpreter for the methods of other programs")
	flags.StringVar(&t.Scratch, "spill-dir", "", "folder for copies of the documents; the system's folder for temporary files if not given")
}

// benchTopicsRunCommand makes one run; it is how benchTopicsCommand starts itself.
func (p *program) benchTopicsRunCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "topics-run",
		Short:  "Make one run of bench topics, which starts this command",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := bench.TopicsChild(cmd.Context(), cmd.InOrStdin(), p.stdout, p.stderr); err != nil {
				return &runError{err}
			}
			return nil
		},
	}
}
