// This file holds the command that measures how fast shards are read.

package main

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/bench"
)

func (p *program) benchReadCommand() *cobra.Command {
	var source sourceFlags
	var output string
	var least time.Duration
	cmd := &cobra.Command{
		Use:   "read CORPUS...",
		Short: "Measure how fast shards are read, against just reading and decompressing them",
		Long: `Read measures, for each of the files or folders, the nonzeros and MB that are read per second with one and with two
workers, and beside it the floor: reading and decompressing the same bytes without decoding them.`,
		Example: `  go run ./testdata/make read -o corpora
  anchorage bench read corpora/* -o read.md`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := source.layouts(p); err != nil {
				return err
			}
			records, err := bench.Read{Workers: []int{1, 2}, Least: least}.Run(ctx, args, source.shard)
			if err != nil {
				return err
			}
			command := "anchorage bench read " + strings.Join(args, " ") + " -o " + output
			write := func(w io.Writer) error { return bench.WriteRead(w, records, command, 2) }
			if output == "" {
				return write(p.stdout)
			}
			return p.writeFile(ctx, output, write)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&output, "output", "o", "", "file for the table, in Markdown; standard output if not given")
	flags.DurationVar(&least, "least", 2*time.Second, "how long each figure is measured at least")
	source.addLayout(flags)
	return cmd
}
