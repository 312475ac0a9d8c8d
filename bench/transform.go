// This file holds the command that measures the inference of documents.

package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/transform"
)

func (p *program) transformCommand() *cobra.Command {
	var options transform.Options
	var output string
	cmd := &cobra.Command{
		Use:   "transform MODEL SHARD...",
		Short: "Measure how fast and how well the topics of documents are inferred",
		Long: `Transform infers the topics of documents with a model, by every method. It measures how many documents are inferred in a
second, and how well two thirds of a document's tokens predict the other third. With --export the results hold the documents and
topics too, so that bench/peers/transform.py can do the same with scikit-learn and gensim. --workers is a list here.

MODEL is a folder, or NAME:TOPICS:CORPUS, which is fitted first.`,
		Example: `  go run ./bench transform model others/ -o results
  go run ./bench transform posts:100:DATA/posts/part-0000*.parquet DATA/posts/part-0001*.parquet -o results`,
		Args: cobra.MinimumNArgs(2),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			options.Shards, options.Log = args[1:], p.log
			folder, err := resultsFolder(output, options.Check)
			if err != nil {
				return err
			}
			err = p.overModels(cmd.Context(), output, args[:1], func(models, says []string) error {
				options.Model = models[0]
				return options.Write(cmd.Context(), folder, report.NewOrigin(commandLine(cmd)+" "+says[0]+" SHARD...", slices.Max(options.Workers)))
			})
			if err != nil {
				return err
			}
			if err := folder.Commit(); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, newFolder)
	flags.IntVar(&options.Documents, "documents", 20000, "documents to infer, the first of the shards that are long enough")
	flags.IntVar(&options.MinItems, "min-items", 3, "least distinct items of a document")
	flags.IntVar(&options.MaxItems, "max-items", 0, "greatest number of distinct items of a document; 0 for any number")
	flags.DurationVar(&options.Least, "least", 2*time.Second, "least time of each measurement of speed")
	flags.IntSliceVar(&options.Workers, "workers", []int{1, 2}, "numbers of workers to measure with")
	flags.Uint64Var(&options.Seed, "seed", 1, "of the thirds")
	flags.BoolVar(&options.Export, "export", false, "write the documents and topics too")
	return cmd
}
