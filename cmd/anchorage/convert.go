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
	"anchorage/internal/durable"
	"anchorage/internal/output"
	"anchorage/shard"
)

// convertFlags say what to write.
type convertFlags struct {
	source    sourceFlags
	output    string
	size      string
	documents int64
}

// add adds the flags.
func (f *convertFlags) add(flags *pflag.FlagSet) {
	outputFlag(flags, &f.output, "the shards, a directory")
	flags.StringVar(&f.size, "shard-size", "128MiB", "a shard ends with the row group that brings it to this size")
	flags.Int64Var(&f.documents, "shard-documents", 0, "a shard ends with this many documents; 0 for any number")
	flags.StringVar(&f.source.stopwords, "stopwords", "", stopwordsUsage())
	f.source.addFormat(flags)
}

func (p *program) convertCommand() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert IN...",
		Short: "Turn documents of any format into Parquet shards",
		Long: `Convert reads shards of documents of any format and writes them, in the same order, as Parquet shards that are read
fast: a document per row with the columns doc_id, items and counts, items sorted by id within a document, zstd,
row groups of at most 32,768 documents or a million items. SHA256SUMS beside them lists their checksums.

The shards written give the same model as the shards read.`,
		Example: `  anchorage convert orders.csv.gz -o shards --group --document-column order --items-column sku
  anchorage convert articles.txt -o shards --tokenize --stopwords stop.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return f.convert(ctx, p, args) }),
	}
	return p.withFlags(cmd, func(flags *pflag.FlagSet) {
		f.add(flags)
		p.replaceFlag(flags)
	})
}

// convert writes the documents of args to the directory that -o names. It appears only once it is complete; otherwise nothing is left.
func (f *convertFlags) convert(ctx context.Context, p *program, args []string) error {
	if err := needOutput(f.output); err != nil {
		return err
	}
	create := func() (*durable.Dir, error) { return output.Create(ctx, f.output, p.warn) }
	if p.replace {
		create = func() (*durable.Dir, error) { return output.Replace(ctx, f.output) }
	}
	dir, err := create()
	if err != nil {
		return err
	}
	defer dir.Abort()
	c, err := f.conversion(ctx, p, args)
	if err != nil {
		return err
	}
	late := p.wrote(f.output, c.write(dir))
	if p.saved == "" {
		return late
	}
	return errors.Join(late, f.report(p, c))
}

// report prints what was converted.
func (f *convertFlags) report(p *program, c *conversion) error {
	return p.print(map[string]any{"output": f.output, "shards": c.written, "documents": c.documents, "nonzeros": c.entries, "bytes": c.bytes, "left_out": corpus.LeftOut(c.left)}, func(w io.Writer) {
		printf(w, "%d documents with %d nonzeros in %d shards in %s\n", c.documents, c.entries, c.written, f.output)
		if l := c.left; l != (shard.LeftOut{}) {
			printf(w, "left out: %d negative, %d zero, %d empty amounts, %d bad rows", l.Negative, l.Zero, l.Empty, l.Bad)
			if l.First != "" {
				printf(w, ", of which the first is %s", l.First)
			}
			fmt.Fprintln(w)
		}
	})
}

// conversion returns the conversion that the flags and arguments describe.
func (f *convertFlags) conversion(ctx context.Context, p *program, args []string) (*conversion, error) {
	size, err := parseSize(f.size)
	if err != nil {
		return nil, &usageError{fmt.Errorf("--shard-size: %w", err)}
	}
	if f.documents < 0 {
		return nil, &usageError{errors.New("--shard-documents cannot be negative")}
	}
	f.source.shard.Names = true
	stop, err := f.source.stopWords(ctx)
	if err != nil {
		return nil, err
	}
	shards, err := f.source.discover(ctx, p, args)
	if err != nil {
		return nil, err
	}
	return &conversion{ctx: ctx, p: p, shards: shards, stop: stop, size: size, most: f.documents, enough: f.source.enoughDocuments}, nil
}
