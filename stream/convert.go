// This file copies documents of any format to Parquet shards that are read fast.

package stream

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/output"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// ConvertedKind is the kind of a directory of converted shards in its manifest, _manifest.json.
const ConvertedKind = "anchorage/shards"

// ConvertOptions say what Convert writes.
type ConvertOptions struct {
	Stopwords map[string]struct{}         // items to leave out
	Bytes     int64                       // a shard ends with the row group that brings it to this size
	Documents int64                       // documents with which a shard ends; 0 for any number
	Check     func(documents int64) error // if not nil, may refuse the number of documents; then nothing is written
	Replace   bool                        // the output may take the place of an earlier one
	Progress  func(stage string, done, total int64)
	Warn      func(path string, attempt int, pause time.Duration, err error) // of a request that will be repeated
}

// Converted is what Convert wrote.
type Converted struct {
	Shards, Documents, Entries, Bytes int64
	Left                              shard.LeftOut
}

// Convert writes the documents of shards, in their order, to a new directory of Parquet shards, with their checksums in
// SHA256SUMS: a document per row, its items sorted by id. The shards must have been opened with names. A document
// without an id gets FILE:NUMBER. The directory appears only once it is complete. Convert holds a batch of what it
// reads and a row group of what it writes.
func Convert(ctx context.Context, shards []shard.Shard, path string, opts ConvertOptions) (done Converted, err error) {
	dir, err := output.Begin(ctx, path, ConvertedKind, opts.Replace, opts.Warn)
	if err != nil {
		return done, err
	}
	defer dir.Abort()
	c := &conversion{shards: shards, opts: opts}
	next, stop := iter.Pull2(c.documents(ctx))
	defer stop()
	doc, err, more := next()
	for first := true; err == nil && (more || first); first = false {
		failed := dir.WriteFile(fmt.Sprintf("part-%05d.parquet", c.Shards), func(w io.Writer) error {
			count := &counter{Writer: w}
			out, failed := tablefile.NewDocumentWriter(count)
			if failed != nil {
				return failed
			}
			// The first document goes in whatever the size: otherwise empty shards could follow each other without end.
			for n := int64(0); more && (n == 0 || count.n < opts.Bytes && (opts.Documents == 0 || n < opts.Documents)); n++ {
				if failed := out.Write(doc.name, doc.items, doc.counts); failed != nil {
					return failed
				}
				c.Documents++
				c.Entries += int64(len(doc.items))
				if doc, err, more = next(); err != nil {
					return err
				}
			}
			return out.Close()
		})
		if failed != nil {
			return c.Converted, failed
		}
		c.Shards++
	}
	if err != nil {
		return c.Converted, err
	}
	return c.Converted, c.finish(ctx, dir)
}

// conversion is the state of Convert.
type conversion struct {
	shards []shard.Shard
	opts   ConvertOptions
	Converted
}

// counter counts the bytes that pass through it.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// copied is a document that is copied, valid until the next.
type copied struct {
	name   string
	items  []string // sorted
	counts []int32
}

// documents yields all documents, and at most one error, after which it ends.
func (c *conversion) documents(ctx context.Context) iter.Seq2[*copied, error] {
	return func(yield func(*copied, error) bool) {
		var doc copied
		for s, from := range c.shards {
			for b, err := range batches(ctx, from) {
				if err == nil && b.Left.Any() {
					c.Left.Add(b.Left)
					err = from.CheckLeftOut(c.Left)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if c.opts.Progress != nil {
					c.opts.Progress("converting", int64(s+1), int64(len(c.shards)))
				}
				ids := make([]string, b.Dictionary.Len())
				for i := range ids {
					ids[i] = string(b.Dictionary.ID(i))
				}
				for d := range b.Documents() {
					doc.load(b, d, ids, c.opts.Stopwords, from.Path)
					if !yield(&doc, nil) {
						return
					}
				}
			}
		}
	}
}

// load sets the document to document d of a batch.
func (doc *copied) load(b *shard.Batch, d int, ids []string, leave map[string]struct{}, path string) {
	codes, counts := b.Items[b.Offsets[d]:b.Offsets[d+1]], b.Counts[b.Offsets[d]:b.Offsets[d+1]]
	var order []int
	for i, code := range codes {
		if _, stopped := leave[ids[code]]; !stopped {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(ids[codes[a]], ids[codes[b]]) })
	doc.items, doc.counts, doc.name = doc.items[:0], doc.counts[:0], ""
	for _, i := range order {
		doc.items, doc.counts = append(doc.items, ids[codes[i]]), append(doc.counts, counts[i])
	}
	if b.Names.Len() > d {
		doc.name = strings.ToValidUTF8(string(b.Names.ID(d)), "\uFFFD")
	}
	if doc.name == "" {
		doc.name = filepath.Base(path) + ":" + strconv.FormatInt(b.FirstRow+int64(d)+1, 10)
	}
}

// finish checks that all was read, lists the checksums as sha256sum does, and commits the directory.
func (c *conversion) finish(ctx context.Context, dir *durable.Dir) error {
	if c.opts.Check != nil {
		if err := c.opts.Check(c.Documents); err != nil {
			return err
		}
	}
	for _, s := range c.shards {
		if err := s.Unchanged(ctx); err != nil {
			return err
		}
	}
	files := dir.Files()
	err := dir.WriteFile(shard.ListName, func(w io.Writer) error {
		for _, file := range files {
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
		c.Bytes += file.Size
	}
	if err := output.List(dir, ConvertedKind); err != nil {
		return err
	}
	return dir.Commit()
}
