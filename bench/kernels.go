// This file holds the command that measures the kernels.

package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/kernels"
	"anchorage/bench/internal/report"
)

func (p *program) kernelsCommand() *cobra.Command {
	var options kernels.Options
	var output string
	cmd := &cobra.Command{
		Use:   "kernels",
		Short: "Measure how near the kernels come to what the machine can do",
		Long: `Kernels measures the loops that take the time of a fit, each beside what limits it in the same moments: dense products
against multiply-adds in registers, passes over documents against bare changes of rows in memory, sparse corrections against
the product that they come from, small eigenproblems against gonum's; and the pivots and mixtures of LAW. --workers is a list
here.

The defaults take about two minutes and 3 GB of memory, most of it for sketches of a million items.`,
		Example: `  go run ./bench kernels -o results
  go run ./bench kernels -o results --only products,corrections --workers 1 --items 200000`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			folder, err := resultsFolder(output, options.Check)
			if err != nil {
				return err
			}
			options.Log = p.log
			records, err := options.Run(cmd.Context())
			if err != nil {
				return err
			}
			if err := kernels.Write(folder, records, options.Runs, report.NewOrigin(commandLine(cmd), slices.Max(options.Workers))); err != nil {
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
	flags.StringSliceVar(&options.Parts, "only", nil, "parts to measure, of "+strings.Join(kernels.AllParts, ", ")+
		"; all if not given")
	flags.IntSliceVar(&options.Workers, "workers", []int{1, 2}, "numbers of workers to measure with")
	flags.IntVar(&options.Runs, "runs", 5, "runs of which a figure is the median")
	flags.DurationVar(&options.Least, "least", 100*time.Millisecond, "how long a run is measured at least")
	flags.IntVar(&options.Items, "items", 24_576, "N, rows of products and corrections")
	flags.IntVar(&options.Chosen, "chosen", 2000, "|I|, rows that corrections are sought in")
	flags.IntSliceVarP(&options.Topics, "topics", "k", []int{50, 100, 200}, "K of products")
	flags.Int64Var(&options.TableBytes, "table-bytes", 256<<20, "size of the matrix whose rows are read and changed; "+
		"it should be several times that of the caches")
	flags.IntSliceVar(&options.Columns, "columns", []int{64, 128}, "L of passes over documents")
	flags.IntVar(&options.SketchItems, "sketch-items", 1_000_000, "N of passes over documents")
	flags.IntVar(&options.Documents, "documents", 100_000, "documents of a pass")
	flags.IntVar(&options.Tokens, "tokens", 20, "mean length of documents")
	flags.IntSliceVar(&options.Orders, "orders", []int{110, 260, 520, 880}, "n of eigenproblems")
	flags.IntVar(&options.Problems, "problems", 10_000, "N of anchors and mixtures")
	flags.IntSliceVar(&options.AnchorTopics, "anchor-topics", []int{50, 100}, "K of anchors and mixtures")
	return cmd
}
