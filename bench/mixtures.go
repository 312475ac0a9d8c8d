// This file holds the command that holds inferred mixtures against known ones.

package main

import (
	"github.com/spf13/cobra"

	"anchorage/bench/internal/mixtures"
	"anchorage/bench/internal/report"
)

func (p *program) mixturesCommand() *cobra.Command {
	var output string
	var options mixtures.Options
	cmd := &cobra.Command{
		Use:   "mixtures",
		Short: "Measure how near the inferred topics of documents are to known ones",
		Long: `Mixtures draws documents with topics that it knows, infers them by every method, and writes how far off they are, and how
often the stated intervals hold the truth, by the number of tokens.`,
		Example: `  go run ./bench mixtures -o results`,
		Args:    cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			folder, err := resultsFolder(output, options.Check)
			if err != nil {
				return err
			}
			options.Workers = p.workers
			options.Report = func(r mixtures.Record) {
				p.log.Info("inferred", "topics", r.Topics, "method", r.Method, "prior", r.Prior, "tokens", r.Tokens, "error", r.Error, "stated", r.Stated, "coverage", r.Coverage)
			}
			records, err := mixtures.Run(cmd.Context(), options)
			if err != nil {
				return err
			}
			if err := mixtures.Write(folder, records, report.NewOrigin(commandLine(cmd), p.workers)); err != nil {
				return err
			}
			if err := folder.Commit(); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	outputFlag(cmd.Flags(), &output, newFolder)
	cmd.Flags().IntVar(&options.Documents, "documents", 10000, "documents of each length; a tenth of them of 2,000 tokens")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "of the topics and documents")
	return cmd
}
