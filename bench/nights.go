// This file holds the command that rehearses a store over many nights.

package main

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/nights"
	"anchorage/bench/internal/report"
)

func (p *program) nightsCommand() *cobra.Command {
	var output string
	var series nights.Series
	cmd := &cobra.Command{
		Use:   "nights SHARD...",
		Short: "Rehearse a store over many nights",
		Long: `Nights makes a store of the first shards, and updates it night by night with one of the others, as anchorage update does. It
records what every update takes and what becomes of the topics. Every --compare nights it holds the update against a fit of the
same shards from scratch: time, figures, anchors; and an update from scratch must have the bytes of the fit. Shards of so many
documents are made by anchorage convert CORPUS -o SHARDS --shard-documents N.

The folder of -o keeps a row per night, in runs.csv. An interrupted command goes on where it was, with the store in --store.`,
		Example: `  go run ./bench nights shards -k 50 --store nights.store -o results`,
		Args:    cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) (err error) {
			if err := needOutput(output); err != nil {
				return err
			}
			if err := series.Check(); err != nil {
				return &usageError{err}
			}
			series.Shards, series.Workers, series.Log = args, p.workers, p.log
			series.Command = commandLine(cmd) + " " + report.ShellWords(bases(args))
			if series.Store == "" {
				var remove func() error
				if series.Store, remove, err = report.Scratch(filepath.Dir(output)); err != nil {
					return err
				}
				defer func() { err = errors.Join(err, remove()) }()
			}
			if err := series.Write(cmd.Context(), output); err != nil {
				return &keptError{"the same command goes on from the nights in " + output, err}
			}
			return p.wrote(output)
		}),
	}
	flags := cmd.Flags()
	outputFlag(flags, &output, seriesFolder)
	flags.IntVarP(&series.Topics, "topics", "k", 50, "topics, K")
	flags.IntVar(&series.Nights, "nights", 30, "nights after the first, with a shard each; all other shards are there on the first")
	flags.IntVar(&series.Compare, "compare", 10, "nights after which an update is held against a fit from scratch; 0 for never")
	flags.StringVar(&series.Store, "store", "", "folder of the store; one that is removed at the end if not given")
	return cmd
}

// bases returns the last elements of paths: where data lie is of no interest.
func bases(paths []string) []string {
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}
