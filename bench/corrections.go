// This file holds the command that measures where corrections are kept best.

package main

import (
	"os"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/corrections"
	"anchorage/bench/internal/report"
)

func (p *program) correctionsCommand() *cobra.Command {
	var options corrections.Options
	var output string
	cmd := &cobra.Command{
		Use:   "corrections",
		Short: "Measure memory, a spill file and computing again for the corrections of ENN",
		Long: `Corrections makes an iteration of ENN with a truncated eigendecomposition, which applies the corrections several times, with
each place for them: memory, a spill file, and nowhere, and the better of the last two as --corrections auto sees it.

The defaults take some minutes and 1 GB of memory.`,
		Example: `  go run ./bench corrections -o results
  go run ./bench corrections -o results --items 200000 -k 100 --densities 0.1`,
		Args: cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			folder, err := resultsFolder(output, options.Check)
			if err != nil {
				return err
			}
			options.Log, options.Workers = p.log, p.workers
			if options.Dir == "" {
				options.Dir = os.TempDir()
			}
			records, err := options.Run(cmd.Context())
			if err != nil {
				return err
			}
			if err := corrections.Write(folder, records, &options, report.NewOrigin(commandLine(cmd), p.workers)); err != nil {
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
	flags.IntVar(&options.Items, "items", 16_000, "N, rows of the factor")
	flags.IntSliceVarP(&options.Topics, "topics", "k", []int{50, 200}, "K")
	flags.Float64SliceVar(&options.Densities, "densities", []float64{0.01, 0.1, 0.3}, "shares of the candidates that are corrected")
	flags.IntVar(&options.Runs, "runs", 3, "runs of which a figure is the median")
	flags.StringVar(&options.Dir, "spill-dir", "", "folder of the spill file; the system's folder for temporary files if not given")
	return cmd
}
