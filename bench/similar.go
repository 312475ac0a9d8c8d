// This file holds the command that measures which vectors of items find substitutes.

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/report"
	"anchorage/bench/internal/similar"
)

func (p *program) similarCommand() *cobra.Command {
	var output string
	options := similar.Options{Seed: 1}
	cmd := &cobra.Command{
		Use:   "similar CORPUS...",
		Short: "Measure which vectors of items find substitutes",
		Long: `Similar splits items in two, of which every document has one in turn, learns a model, and asks each half for the items most like
it. It writes how often the other half is among them, for each kind of vectors.`,
		Example: `  go run ./bench similar DATA/retail DATA/nips/docword.nips.txt.gz -o results`,
		Args:    cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			folder, err := resultsFolder(output, nil)
			if err != nil {
				return err
			}
			options.Workers = p.workers
			var records []similar.Record
			names := make([]string, len(args))
			for i, corpus := range args {
				names[i] = similar.Name(corpus)
				of, err := options.Run(cmd.Context(), corpus)
				if err != nil {
					return err
				}
				records = append(records, of...)
			}
			line := commandLine(cmd) + " " + strings.Join(names, " ")
			if err := similar.Write(folder, records, options, report.NewOrigin(line, p.workers)); err != nil {
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
	flags.IntVarP(&options.Topics, "topics", "k", 100, "topics of the models")
	flags.IntVar(&options.Items, "items", 1500, "items to split, about")
	flags.Int64Var(&options.MinDF, "min-df", 5, "documents of an item, at least, before it is split")
	flags.Int64Var(&options.Least, "least", 10, "documents of a half, at least")
	flags.BoolVar(&options.Pairs, "pairs", false, "compare items by what they were counted with, too")
	return cmd
}
