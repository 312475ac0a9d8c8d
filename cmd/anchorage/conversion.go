// This file copies documents from shards to shards.

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anchorage/internal/durable"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// conversion copies documents from shards to shards. It holds one batch of what it reads and one row group of what it writes.
type conversion struct {
	ctx    context.Context
	p      *program
	shards []shard.Shard
	stop   map[string]struct{}
	size   int64                  // bytes of a shard
	most   int64                  // documents of a shard; 0 for any number
	enough func(read int64) error // checks the number of documents

	parts  []shard.Part // parts of the current shard that are not open yet
	next   int          // the next shard
	reader shard.Reader // nil if none is open
	base   string       // name of the current shard
	batch  shard.Batch
	ids    []string // of the batch's dictionary
	at     int      // the next document of the batch
	items  []string
	counts []int32
	order  []int

	written, documents, entries, bytes int64
	left                               shard.LeftOut
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
	if err := c.enough(c.documents); err != nil {
		return err
	}
	for _, s := range c.shards {
		if err := s.Unchanged(c.ctx); err != nil {
			return err
		}
	}
	if err := dir.WriteFile("SHA256SUMS", func(w io.Writer) error { return writeSums(w, dir.Files()) }); err != nil {
		return err
	}
	for _, file := range dir.Files() {
		c.bytes += file.Size
	}
	return dir.Commit()
}

// writeSums lists the checksums of files as sha256sum does.
func writeSums(w io.Writer, files []durable.File) error {
	for _, file := range files {
		if _, err := printf(w, "%s  %s\n", file.SHA256, file.Name); err != nil {
			return err
		}
	}
	return nil
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

// writeShard writes documents until the shard is complete. more reports whether documents are left.
func (c *conversion) writeShard(w io.Writer) (more bool, err error) {
	count := &counter{Writer: w}
	out, err := tablefile.NewDocumentWriter(count)
	if err != nil {
		return false, err
	}
	more = c.at < c.batch.Documents()
	// The first document goes in whatever the size: otherwise empty shards could follow each other without end.
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

// load puts the current document into items and counts, sorted by id, and returns its name.
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

// advance moves to the next document that is not read yet. more is false at the end of all shards.
func (c *conversion) advance() (more bool, err error) {
	for c.at >= c.batch.Documents() {
		if c.reader == nil {
			if more, err := c.open(); err != nil || !more {
				return false, err
			}
		}
		err := c.read()
		if err == io.EOF {
			err = c.close()
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// read reads the next batch; io.EOF at the end of the part.
func (c *conversion) read() error {
	if err := c.reader.Next(&c.batch); err != nil {
		return err
	}
	if c.batch.Left != (shard.LeftOut{}) {
		c.left.Add(c.batch.Left)
		if err := c.shards[c.next-1].CheckLeftOut(c.left); err != nil {
			return err
		}
	}
	c.at = 0
	c.ids = c.ids[:0]
	for i := range c.batch.Dictionary.Len() {
		c.ids = append(c.ids, string(c.batch.Dictionary.ID(i)))
	}
	c.p.advance("converting", int64(c.next), int64(len(c.shards)))
	return nil
}

// open opens the next part. more is false if there is none.
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

// close closes the open reader, if there is one.
func (c *conversion) close() error {
	if c.reader == nil {
		return nil
	}
	err := c.reader.Close()
	c.reader = nil
	return err
}
