// This file holds the convert command: documents of any format to Parquet shards.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/durable"
	"anchorage/internal/output"
	"anchorage/shard"
	"anchorage/stream"
)

// convertFlags say what is written.
type convertFlags struct {
	source    sourceFlags
	size      string
	documents int64
}

func (p *program) convertCommand() *cobra.Command {
	var f convertFlags
	var output string
	cmd := &cobra.Command{
		Use:   "convert IN...",
		Short: "Turn documents of any format into Parquet shards",
		Long: `Convert reads shards of documents of any format and writes them, in the same order, as Parquet shards that are read
fast: a document per row with the columns doc_id, items and counts, items sorted by id within a document, zstd,
row groups of at most 32,768 documents or a million items. SHA256SUMS beside them lists their checksums.

A model of the shards written is that of the shards read.`,
		Example: `  anchorage convert orders.csv.gz -o shards --group --document-column order --items-column sku
  anchorage convert articles.txt -o shards --tokenize --stopwords stop.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.writingShards(&output, func(ctx context.Context, dir *durable.Dir, args []string) error {
			size, err := parseSize(f.size)
			if err != nil {
				return &usageError{fmt.Errorf("--shard-size: %w", err)}
			}
			if f.documents < 0 {
				return &usageError{errors.New("--shard-documents cannot be negative")}
			}
			f.source.shard.Names = true
			var stop map[string]struct{}
			if f.source.stopwords != "" {
				if stop, err = stream.ReadStopwords(ctx, f.source.stopwords); err != nil {
					return err
				}
				if f.source.tokenizes() {
					stop = lowered(stop)
				}
			}
			shards, err := f.source.discover(ctx, p, args)
			if err != nil {
				return err
			}
			c := &conversion{ctx: ctx, p: p, shards: shards, stop: stop, size: size, most: f.documents}
			if err := c.write(dir); err != nil {
				return err
			}
			return c.print(output)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	outputFlag(flags, &output, "the shards, a directory")
	flags.StringVar(&f.size, "shard-size", "128MiB", "a shard is complete with the row group that brings it to this size")
	flags.Int64Var(&f.documents, "shard-documents", 0, "a shard is complete with so many documents; 0 for any number")
	flags.StringVar(&f.source.stopwords, "stopwords", "", "file of items to leave out, one per line")
	f.source.addFormat(flags)
	p.addJSON(flags)
	return cmd
}

// conversion copies documents from shards to shards. What it holds is a batch read and a row group to be written.
type conversion struct {
	ctx    context.Context
	p      *program
	shards []shard.Shard
	stop   map[string]struct{}
	size   int64 // bytes of a shard
	most   int64 // documents of a shard; 0 for any number

	parts  []shard.Part // those of the shard at hand that are not open yet
	next   int          // shard that comes next
	reader shard.Reader // nil where none is open
	base   string       // name of the shard at hand
	batch  shard.Batch
	ids    []string // of the batch's dictionary
	at     int      // document of the batch that comes next
	items  []string
	counts []int32
	order  []int

	written, documents, entries, bytes int64
}

// write writes all documents into the directory and commits it.
func (c *conversion) write(dir *durable.Dir) error {
	defer c.close()
	more, err := c.advance()
	if err != nil {
		return err
	}
	for first := true; more || first; first = false {
		name := fmt.Sprintf("part-%05d.parquet", c.written)
		err := dir.WriteFile(name, func(w io.Writer) (err error) {
			more, err = c.writeShard(w)
			return err
		})
		if err != nil {
			return err
		}
		c.written++
	}
	err = dir.WriteFile("SHA256SUMS", func(w io.Writer) error {
		for _, file := range dir.Files() {
			if _, err := fmt.Fprintf(w, "%s  %s\n", file.SHA256, file.Name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, file := range dir.Files() {
		c.bytes += file.Size
	}
	return dir.Commit()
}

// counter counts the bytes that pass through it.
type counter struct {
	io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// writeShard writes documents until the shard is complete. more says that there is a document left.
func (c *conversion) writeShard(w io.Writer) (more bool, err error) {
	count := &counter{Writer: w}
	out, err := shard.NewDocumentWriter(count)
	if err != nil {
		return false, err
	}
	more = c.at < c.batch.Documents()
	// The first document goes in whatever the size, or a shard could stay empty and there would be no end of them.
	for documents := int64(0); more && (documents == 0 || count.n < c.size && (c.most == 0 || documents < c.most)); documents++ {
		name := c.load()
		if err := out.Write(name, c.items, c.counts); err != nil {
			return false, err
		}
		c.documents++
		c.entries += int64(len(c.items))
		c.at++
		if more, err = c.advance(); err != nil {
			return false, err
		}
	}
	return more, out.Close()
}

// load puts the document at hand into items and counts, sorted by id, and returns its name.
func (c *conversion) load() (name string) {
	from, to := c.batch.Offsets[c.at], c.batch.Offsets[c.at+1]
	codes, counts := c.batch.Items[from:to], c.batch.Counts[from:to]
	c.order = c.order[:0]
	for i, code := range codes {
		if _, stopped := c.stop[c.ids[code]]; !stopped {
			c.order = append(c.order, i)
		}
	}
	slices.SortFunc(c.order, func(a, b int) int { return strings.Compare(c.ids[codes[a]], c.ids[codes[b]]) })
	c.items, c.counts = c.items[:0], c.counts[:0]
	for _, i := range c.order {
		c.items, c.counts = append(c.items, c.ids[codes[i]]), append(c.counts, counts[i])
	}
	if c.batch.Names.Len() > c.at {
		name = strings.ToValidUTF8(string(c.batch.Names.ID(c.at)), "\uFFFD")
	}
	if name == "" {
		name = c.base + ":" + strconv.FormatInt(c.batch.FirstRow+int64(c.at)+1, 10)
	}
	return name
}

// advance makes sure that there is a document at hand. more is false at the end of all shards.
func (c *conversion) advance() (more bool, err error) {
	for c.at >= c.batch.Documents() {
		if c.reader == nil {
			if more, err := c.open(); err != nil || !more {
				return false, err
			}
		}
		err := c.reader.Next(&c.batch)
		if err == io.EOF {
			if err := c.close(); err != nil {
				return false, err
			}
			continue
		}
		if err != nil {
			return false, err
		}
		c.at = 0
		c.ids = c.ids[:0]
		for i := range c.batch.Dictionary.Len() {
			c.ids = append(c.ids, string(c.batch.Dictionary.ID(i)))
		}
		c.p.bar.update("converting", int64(c.next), int64(len(c.shards)))
	}
	return true, nil
}

// open opens the next part. more is false where there is none.
func (c *conversion) open() (more bool, err error) {
	for len(c.parts) == 0 {
		if c.next == len(c.shards) {
			return false, nil
		}
		s := c.shards[c.next]
		c.next++
		c.base = filepath.Base(s.Path)
		if c.parts, err = s.Parts(c.ctx); err != nil {
			return false, err
		}
	}
	c.reader, err = shard.Open(c.ctx, c.parts[0])
	c.parts = c.parts[1:]
	return true, err
}

// close closes the open reader.
func (c *conversion) close() error {
	if c.reader == nil {
		return nil
	}
	err := c.reader.Close()
	c.reader = nil
	return err
}

// print prints what was written.
func (c *conversion) print(output string) error {
	c.p.bar.close()
	if c.p.json {
		return c.p.printJSON(map[string]any{"output": output, "shards": c.written, "documents": c.documents, "nonzeros": c.entries,
			"bytes": c.bytes})
	}
	_, err := fmt.Fprintf(c.p.stdout, "%d documents with %d nonzeros in %d shards in %s\n", c.documents, c.entries, c.written, output)
	return err
}

// writingShards runs fn with the directory of shards that -o names. It appears only if fn commits it; otherwise nothing is left.
func (p *program) writingShards(path *string, fn func(ctx context.Context, dir *durable.Dir, args []string) error) func(*cobra.Command, []string) error {
	return started(func(ctx context.Context, args []string) error {
		if err := needOutput(*path); err != nil {
			return err
		}
		dir, err := output.Create(ctx, *path, p.warn)
		if err != nil {
			return err
		}
		defer dir.Abort()
		return fn(ctx, dir, args)
	})
}
