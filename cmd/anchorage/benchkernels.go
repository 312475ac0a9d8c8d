// This file holds the command that measures the kernels.

package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bench"
)

func (p *program) benchKernelsCommand() *cobra.Command {
	var kernels bench.Kernels
	var output string
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:   "kernels",
		Short: "Measure how near the kernels come to what the machine can do",
		Long: `Kernels measures the loops that take the time of a fit, each beside what limits it in the same moments:
dense products against multiply-adds in registers, passes over documents against bare changes of rows in memory, sparse
corrections against the product that they come from, small eigenproblems against gonum's; and the pivots and mixtures of
LAW. --workers is a list here.

With the flags as they are it takes about two minutes and 3 GB of memory, most of it for sketches of a million items.`,
		Example: `  anchorage bench kernels -o kernels.md
  anchorage bench kernels --only products,corrections --workers 1 --items 200000`,
		Args: cobra.NoArgs,
		RunE: started(func(ctx context.Context, _ []string) error {
			if err := kernels.Check(); err != nil {
				return &usageError{err}
			}
			kernels.Log = p.log
			records, err := kernels.Run(ctx)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error {
				return bench.WriteKernels(w, records, kernels.Runs, command(cmd), slices.Max(kernels.Workers))
			}
			if output == "" {
				return write(p.stdout)
			}
			return p.writeFile(ctx, output, write)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "", "file for the tables, in Markdown; standard output if not given")
	flags.StringSliceVar(&kernels.Parts, "only", nil, "parts to measure, of "+strings.Join(bench.KernelParts, ", ")+
		"; all if not given")
	flags.IntSliceVar(&kernels.Workers, "workers", []int{1, 2}, "numbers of workers to measure with")
	flags.IntVar(&kernels.Runs, "runs", 5, "runs of which a figure is the median")
	flags.DurationVar(&kernels.Least, "least", 100*time.Millisecond, "how long a run is measured at least")
	flags.IntVar(&kernels.Items, "items", 24_576, "N, rows of products and corrections")
	flags.IntVar(&kernels.Chosen, "chosen", 2000, "|I|, rows that corrections are sought in")
	flags.IntSliceVarP(&kernels.Topics, "topics", "k", []int{50, 100, 200}, "K of products")
	flags.Int64Var(&kernels.TableBytes, "table-bytes", 256<<20, "size of the matrix whose rows are read and changed; "+
		"it should be several times that of the caches")
	flags.IntSliceVar(&kernels.Columns, "columns", []int{64, 128}, "L of passes over documents")
	flags.IntVar(&kernels.SketchItems, "sketch-items", 1_000_000, "N of passes over documents")
	flags.IntVar(&kernels.Documents, "documents", 100_000, "documents of a pass")
	flags.IntVar(&kernels.Tokens, "tokens", 20, "mean length of documents")
	flags.IntSliceVar(&kernels.Orders, "orders", []int{110, 260, 520, 880}, "n of eigenproblems")
	flags.IntVar(&kernels.Problems, "problems", 10_000, "N of anchors and mixtures")
	flags.IntSliceVar(&kernels.AnchorTopics, "anchor-topics", []int{50, 100}, "K of anchors and mixtures")
	return cmd
}
