// This file holds the command that measures how long it takes to change topics by hand.

package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/steering"
)

func (p *program) steerCommand() *cobra.Command {
	var output string
	var items []int
	options := steering.Options{Seed: 1}
	cmd := &cobra.Command{
		Use:   "steer [MODEL...]",
		Short: "Measure steps that change topics by hand",
		Long: `Steer draws factors, finds their topics, and measures how long steps of every kind take on them and on models at hand, and how
far they move topics that they are not about.`,
		Example: `  go run ./bench steer -o results --items 100000
  go run ./bench steer model -o results --items 2000 -k 20`,
		Args: cobra.ArbitraryArgs,
		RunE: started(func(cmd *cobra.Command, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if options.Topics < 8 || options.Runs < 1 {
				return &usageError{fmt.Errorf("there must be at least 8 topics and 1 run, not %d and %d", options.Topics, options.Runs)}
			}
			folder, err := report.NewFolder(output)
			if err != nil {
				return err
			}
			options.Workers, options.Log = p.workers, p.log
			var records []steering.Record
			line := commandLine(cmd)
			for _, path := range args {
				name := filepath.Base(path)
				of, err := options.Model(cmd.Context(), path, name)
				if err != nil {
					return err
				}
				records, line = append(records, of...), line+" "+name
			}
			for _, n := range items {
				of, err := options.Drawn(cmd.Context(), n)
				if err != nil {
					return err
				}
				records = append(records, of...)
			}
			if err := steering.Write(folder, records, options, report.NewOrigin(line, p.workers), ""); err != nil {
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
	flags.IntSliceVar(&items, "items", nil, "items of each factor that is drawn")
	flags.IntVarP(&options.Topics, "topics", "k", 100, "topics of the drawn factors")
	flags.Float64Var(&options.PerItem, "documents-per-item", 2, "documents per item, which say how much noise there is")
	flags.IntVar(&options.Tokens, "tokens", 50, "tokens of a document, on average")
	flags.IntVar(&options.Runs, "runs", 5, "runs of every step")
	return cmd
}
