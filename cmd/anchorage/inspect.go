// This file holds the inspect command: what shards hold and how they would be read.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/shard"
)

func (p *program) inspectCommand() *cobra.Command {
	var source sourceFlags
	var full, checksums bool
	cmd := &cobra.Command{
		Use:   "inspect PATH...",
		Short: "Show what shards hold and how they would be read",
		Long: `Inspect shows for each shard its format, how that was decided, its columns, and which of them would be taken for documents,
items and counts. Over all shards it shows the numbers of documents, items and nonzeros, and the sizes of documents. It reads the
first million nonzeros of each shard, or with --full every value, which finds whatever is wrong with a shard.`,
		Example: `  anchorage inspect orders.csv.gz
  anchorage inspect --checksums shards/`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			shards, err := source.discover(ctx, p, args)
			if err != nil {
				return err
			}
			if checksums {
				return shard.WriteChecksums(ctx, p.stdout, ".", shards)
			}
			view, err := p.inspect(ctx, shards, full)
			if view != nil {
				err = errors.Join(p.printInspection(view), err)
			}
			return err
		}),
	}
	return p.withFlags(cmd, func(flags *pflag.FlagSet) {
		flags.BoolVar(&full, "full", false, "read every value")
		flags.BoolVar(&checksums, "checksums", false, "print only the SHA-256 of each shard, as sha256sum does, for --checksums of other commands; keep the list in the working directory")
		source.addLayout(flags)
	})
}

// printInspection prints what was found.
func (p *program) printInspection(v *inspection) error {
	return p.print(v, func(w io.Writer) {
		for _, s := range v.Shards {
			printShard(w, s)
		}
		read := "read in full"
		if !v.Full {
			read = "in the part that was read"
		}
		fmt.Fprintf(w, "%d documents, %d items, %d nonzeros, %d tokens, %s\n", v.Documents, v.Items, v.Nonzeros, v.Tokens, read)
		printSizes(w, v.Sizes)
	})
}

// printSizes prints a line about the sizes of documents.
func printSizes(w io.Writer, sizes []sizeView) {
	if len(sizes) == 0 {
		return
	}
	names := map[float64]string{0: "least", 50: "median", 100: "most"}
	places := make([]string, len(sizes))
	for i, size := range sizes {
		name := names[size.Percent]
		if name == "" {
			name = fmt.Sprintf("%g %%", size.Percent)
		}
		places[i] = fmt.Sprintf("%s %d", name, size.Items)
	}
	fmt.Fprintf(w, "distinct items of a document: %s\n", strings.Join(places, ", "))
}

// printShard prints a shard in a few lines.
func printShard(w io.Writer, s shardView) {
	fmt.Fprintf(w, "%s\n  %s (%s), %d bytes", s.Path, s.Format, s.DecidedBy, s.Bytes)
	if s.Groups > 0 {
		fmt.Fprintf(w, ", %d rows in %d groups", s.Rows, s.Groups)
	}
	if s.Writer != "" {
		fmt.Fprintf(w, ", written by %q", s.Writer)
	}
	fmt.Fprintln(w)
	const most = 40
	for _, column := range s.Columns[:min(len(s.Columns), most)] {
		fmt.Fprintf(w, "    %s\n", strings.TrimSpace(fmt.Sprintf("%q %s", column.Name, column.Type)))
	}
	if more := len(s.Columns) - most; more > 0 {
		fmt.Fprintf(w, "    and %d more columns\n", more)
	}
	if s.Mapping != nil {
		fmt.Fprintf(w, "  read as %s\n", s.Mapping)
	}
	if s.Problem != "" {
		fmt.Fprintf(w, "  cannot be read: %s\n", s.Problem)
	}
	if s.Documents > 0 {
		more := ""
		if !s.Whole {
			more = ", and there is more"
		}
		fmt.Fprintf(w, "  %d documents with %d nonzeros%s\n", s.Documents, s.Nonzeros, more)
	}
}
