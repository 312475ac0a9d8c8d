// This file holds the command that measures how fast shards are read.

package main

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/read"
	"anchorage/bench/internal/report"
	"anchorage/shard"
)

func (p *program) readCommand() *cobra.Command {
	var output string
	options := read.Options{Workers: []int{1, 2}}
	cmd := &cobra.Command{
		Use:   "read CORPUS...",
		Short: "Measure how fast shards are read, against reading and decompressing alone",
		Long: `Read measures, for each file or folder, the nonzeros and MB read per second with one and with two workers, and beside it the
floor: reading and decompressing the same bytes without decoding them.`,
		Example: `  go run ./testdata/make read -o corpora
  go run ./bench read corpora/* -o results`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			folder, err := resultsFolder(output, nil)
			if err != nil {
				return err
			}
			records, err := options.Run(cmd.Context(), args, shard.Options{})
			if err != nil {
				return err
			}
			names := make([]string, len(args))
			for i, corpus := range args {
				names[i] = filepath.Base(corpus)
			}
			line := commandLine(cmd) + " " + strings.Join(names, " ")
			if err := read.Write(folder, records, report.NewOrigin(line, 2)); err != nil {
				return err
			}
			if err := folder.Commit(); err != nil {
				return err
			}
			return p.wrote(output)
		}),
	}
	outputFlag(cmd.Flags(), &output, newFolder)
	cmd.Flags().DurationVar(&options.Least, "least", 2*time.Second, "how long each figure is measured at least")
	return cmd
}
