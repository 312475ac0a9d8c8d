// This file holds the convert command: documents of any format to Parquet shards.

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anchorage/shard"
	"anchorage/stream"
)

func (p *program) convertCommand() *cobra.Command {
	var source sourceFlags
	var output string
	var o stream.ConvertOptions
	return p.command("convert", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) (err error) {
		source.shard.Names = true
		if o.Stopwords, err = source.stopWords(ctx); err != nil {
			return err
		}
		shards, err := source.discover(ctx, p, args)
		if err != nil {
			return err
		}
		o.Check, o.Replace, o.Progress, o.Warn = source.enoughDocuments, p.replace, p.advance, p.warn
		done, err := stream.Convert(ctx, shards, output, o)
		return p.finish(output, err, func() error { return p.printConverted(done, output) })
	}, []row{outputRow(&output, "the shards, a folder"), outputGroup.flag("shard-size", &o.Bytes, sizes(1),
		"a shard ends with the row group that brings it to this size").by("128MiB"),
		expert("shard-documents", &o.Documents, wholes(0, mostDocuments),
			"documents with which a shard ends; 0 for any number"),
		source.stopwordsRow()}, source.formatRows(), []row{p.replaceRow()})
}

// printConverted prints what was converted.
func (p *program) printConverted(c stream.Converted, output string) error {
	return p.print(map[string]any{"output": output, "shards": c.Shards, "documents": c.Documents, "nonzeros": c.Entries,
		"bytes": c.Bytes, "left_out": c.Left}, func(w io.Writer) {
		printf(w, "%d documents with %d nonzeros in %d shards in %s\n", c.Documents, c.Entries, c.Shards, output)
		if l := c.Left; l != (shard.LeftOut{}) {
			printf(w, "left out: %d negative, %d zero, %d empty amounts, %d rows of totals, %d bad rows", l.Negative, l.Zero,
				l.Empty, l.Totals, l.Bad)
			if l.First != "" {
				printf(w, ", of which the first is %s", l.First)
			}
			fmt.Fprintln(w)
		}
	})
}
