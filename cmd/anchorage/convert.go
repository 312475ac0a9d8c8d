// This file holds the convert command: documents of any format to Parquet shards.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// convertFlags say what to write.
type convertFlags struct {
	source    sourceFlags
	output    string
	size      int64
	documents int64
}

// rows are the flags.
func (f *convertFlags) rows(flags *pflag.FlagSet) []row {
	return append([]row{
		outputRow(&f.output, "the shards, a folder"),
		{name: "shard-size", group: outputGroup, to: &f.size, usual: "128MiB", values: sizes(1),
			help: "a shard ends with the row group that brings it to this size"},
		{name: "shard-documents", layer: setting, to: &f.documents, values: wholes(0, mostDocuments),
			help: "documents with which a shard ends; 0 for any number"},
		f.source.stopwordsRow(),
	}, f.source.of(flags).formatRows()...)
}

func (p *program) convertCommand() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert IN...",
		Short: "Turn documents of any format into Parquet shards",
		Long: `Convert reads shards of documents of any format and writes them, in the same order, as Parquet shards that
are read fast: a document per row with the columns doc_id, items and counts, items sorted by id within a document,
zstd, row groups of at most 32,768 documents or a million items. SHA256SUMS beside them lists their checksums.

The shards written give the same model as the shards read.`,
		Example: `  anchorage convert orders.csv.gz -o shards --group --document-column order --items-column sku
  anchorage convert articles.txt -o shards --tokenize --stopwords stop.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return f.convert(ctx, p, args) }),
	}
	return p.with(cmd, f.rows(cmd.Flags()), []row{p.replaceRow()})
}

// convert writes the documents of args to the directory that -o names. It appears only once it is complete; otherwise
// nothing is left.
func (f *convertFlags) convert(ctx context.Context, p *program, args []string) error {
	if err := needOutput(f.output); err != nil {
		return err
	}
	f.source.shard.Names = true
	stop, err := f.source.stopWords(ctx)
	if err != nil {
		return err
	}
	shards, err := f.source.discover(ctx, p, args)
	if err != nil {
		return err
	}
	done, err := stream.Convert(ctx, shards, f.output, stream.ConvertOptions{Stopwords: stop, Bytes: f.size,
		Documents: f.documents, Check: f.source.enoughDocuments,
		Replace: p.replace, Progress: p.advance, Warn: p.warn})
	late := p.wrote(f.output, err)
	if p.saved == "" {
		return late
	}
	return errors.Join(late, f.report(p, done))
}

// report prints what was converted.
func (f *convertFlags) report(p *program, c stream.Converted) error {
	return p.print(map[string]any{"output": f.output, "shards": c.Shards, "documents": c.Documents, "nonzeros": c.Entries,
		"bytes": c.Bytes, "left_out": corpus.LeftOut(c.Left)}, func(w io.Writer) {
		printf(w, "%d documents with %d nonzeros in %d shards in %s\n", c.Documents, c.Entries, c.Shards, f.output)
		if l := c.Left; l != (shard.LeftOut{}) {
			printf(w, "left out: %d negative, %d zero, %d empty amounts, %d bad rows", l.Negative, l.Zero, l.Empty, l.Bad)
			if l.First != "" {
				printf(w, ", of which the first is %s", l.First)
			}
			fmt.Fprintln(w)
		}
	})
}
