// This file holds the command that measures whether certificates are right.

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/certificate"
	"anchorage/bench/internal/report"
)

func (p *program) certificateCommand() *cobra.Command {
	var output string
	var options certificate.Options
	cmd := &cobra.Command{
		Use:   "certificate",
		Short: "Measure whether the certificates of fits are right",
		Long: `Certificate draws corpora of many kinds from topics that it knows, fits them, and holds the error of the topics against that of an
oracle who knows the topic of every token: how often the error is near it where the certificate of the fit says good, and where it
says worry.`,
		Example: `  go run ./bench certificate -o results`,
		Args:    cobra.NoArgs,
		RunE: started(func(cmd *cobra.Command, _ []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			if options.Corpora < 1 {
				return &usageError{errors.New("--corpora must be positive")}
			}
			folder, err := report.NewFolder(output)
			if err != nil {
				return err
			}
			options.Workers = p.workers
			options.Report = func(r certificate.Record) {
				p.log.Info("certified", "items", r.Model.Items, "topics", r.Model.Topics, "documents", r.Model.Documents, "tokens", r.Model.Tokens,
					"verdict", r.Certificate.Verdict, "floor", r.Floor, "error", r.Error, "refined", r.Refined)
			}
			records, err := certificate.Run(cmd.Context(), options)
			if err != nil {
				return err
			}
			if err := certificate.Write(folder, records, report.NewOrigin(commandLine(cmd), p.workers)); err != nil {
				return err
			}
			if err := folder.Commit(); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	outputFlag(cmd.Flags(), &output, newFolder)
	cmd.Flags().IntVar(&options.Corpora, "corpora", 81, "corpora to draw")
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "seed of the first corpus; the others follow it")
	return cmd
}
