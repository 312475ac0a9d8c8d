// This file holds the command that measures plans against fits.

package main

import (
	"github.com/spf13/cobra"

	"anchorage/bench/internal/fitting"
	"anchorage/bench/internal/planning"
	"anchorage/bench/internal/report"
)

func (p *program) planCommand() *cobra.Command {
	var output, again string
	var series planning.Series
	cmd := &cobra.Command{
		Use:   "plan NAME:TOPICS:CORPUS...",
		Short: "Measure plans of fits against what the fits take",
		Long: `Plan plans a fit of each corpus, a file or folder, as anchorage plan does, then makes the fit in the same process, and holds the
forecast of documents, entries, items, memory, disk, passes and time against what they were.

The folder of -o keeps a row per run, in runs.csv. A run with a row is not made again unless --again says so.`,
		Example: `  go run ./bench plan -o results sample:20:testdata/wiki`,
		Args:    cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			series.Again = report.Again(again)
			if err := series.Again.Check(); err != nil {
				return &usageError{err}
			}
			series.Command = commandLine(cmd)
			for _, arg := range args {
				c, err := fitting.ParseCorpus(arg)
				if err != nil {
					return &usageError{err}
				}
				series.Corpora = append(series.Corpora, c)
				series.Command += " " + c.String()
			}
			series.Workers, series.Stderr = p.workers, p.stderr
			series.Report = func(r *planning.Record) {
				p.log.Info("planned", "corpus", r.Corpus, "topics", r.Topics, "seconds", r.Seconds, "cpu", r.CPU, "memory", r.Memory, "failure", r.Failure)
			}
			if err := series.Write(cmd.Context(), output); err != nil {
				return &keptError{"the same command goes on from the runs in " + output, err}
			}
			return p.wrote(output)
		}),
	}
	outputFlag(cmd.Flags(), &output, seriesFolder)
	cmd.Flags().StringVar(&again, "again", "none", "runs to make again although they have a row: none, failed or all")
	return cmd
}
