// This file keeps the items that pruning left out, so that they can get a place in a model later.

package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"anchorage/internal/durable"
	"anchorage/internal/process"
)

// LeftItem is an item that pruning left out, with its counts in all documents read. ID is valid until the next one.
type LeftItem struct {
	ID                               []byte
	Name                             string // see Vocabulary.Names
	DocumentFrequency, TermFrequency int64
}

// leftBehind is how many items were left out and where they are listed, in their order: in a file or in memory.
type leftBehind struct {
	count int
	file  string
	text  bytes.Buffer
}

// keepLeft lists the items of v that pruning left out, those of most documents first and of equal ones in order of
// appearance, and numbers them: the view's Remap of the item of number j becomes −2−j.
func (c *Corpus) keepLeft(v *Vocabulary) (err error) {
	if !c.options.KeepLeft {
		return nil
	}
	left, remap := &c.left, c.view.Remap
	if err := process.Reserve(4 * int64(len(remap)-c.Vocabulary.Len())); err != nil {
		return err
	}
	order := make([]int32, 0, len(remap)-c.Vocabulary.Len())
	for i, to := range remap {
		if to < 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(v.DocumentFrequency[b], v.DocumentFrequency[a]), cmp.Compare(a, b))
	})
	left.count = len(order)
	write := func(to io.Writer) error {
		var line []byte
		for j, i := range order {
			remap[i] = -2 - int32(j)
			line = appendItem(line[:0], v, int(i))
			if _, err := to.Write(line); err != nil {
				return err
			}
		}
		return nil
	}
	if c.options.Dir == "" {
		return write(&left.text)
	}
	if c.scratch == nil {
		if c.scratch, err = durable.NewScratch(c.options.Dir, "left"); err != nil {
			return fmt.Errorf("making a folder for the items that are left out: %w", err)
		}
	}
	left.file = filepath.Join(c.scratch.Path(), "left")
	return durable.WriteFile(left.file, func(to io.Writer) error {
		buffered := bufio.NewWriterSize(to, 1<<18)
		return errors.Join(write(buffered), buffered.Flush())
	})
}

// NameItems gives the items the names that Naming reads: those of the vocabulary, and those that Left returns. It does
// so once; the vocabulary must be complete.
func (c *Corpus) NameItems(ctx context.Context) (err error) {
	if c.Naming == nil {
		return nil
	}
	c.named, err = c.Naming(ctx)
	if c.Naming = nil; err != nil || c.named == nil {
		return err
	}
	names, some := make([]string, c.Vocabulary.Len()), false
	for i := range names {
		names[i] = c.named(c.Vocabulary.id(i))
		some = some || names[i] != ""
	}
	if some {
		c.Vocabulary.Names = names
	}
	return nil
}

// NamesLeft reports whether the items that Left returns may have names.
func (c *Corpus) NamesLeft() bool { return c.named != nil }

// LeftItems returns the number of items that pruning left out; 0 unless Options.KeepLeft.
func (c *Corpus) LeftItems() int { return c.left.count }

// Left returns a function that returns the items that pruning left out one after the other, those of most documents
// first, and one that ends this.
func (c *Corpus) Left() (next func() (LeftItem, error), stop func()) {
	from, stop := io.Reader(bytes.NewReader(c.left.text.Bytes())), func() {}
	if c.left.file != "" {
		file, err := os.Open(c.left.file)
		if err != nil {
			return func() (LeftItem, error) { return LeftItem{}, err }, stop
		}
		from, stop = file, func() { file.Close() }
	}
	r := bufio.NewReaderSize(from, 1<<18)
	var item LeftItem
	return func() (LeftItem, error) {
		var values [3]uint64 // as appendItem writes them
		var err error
		for i := 0; i < len(values) && err == nil; i++ {
			values[i], err = binary.ReadUvarint(r)
		}
		if err == nil {
			item.ID = slices.Grow(item.ID[:0], int(values[2]))[:values[2]]
			_, err = io.ReadFull(r, item.ID)
		}
		if err != nil {
			err = fmt.Errorf("reading the items that are left out: %w", err)
		}
		item.DocumentFrequency, item.TermFrequency = int64(values[0]), int64(values[1])
		if c.named != nil {
			item.Name = c.named(item.ID)
		}
		return item, err
	}, stop
}

// PassWithLeft calls fn with all documents, in order, also those that do not count, with the items that pruning left
// out: the one of number j, from 0, has the number N + j, and so is behind all N that were kept.
func (c *Corpus) PassWithLeft(ctx context.Context, fn func(*Documents) error) error {
	all := View{Remap: slices.Clone(c.view.Remap)}
	for i, to := range all.Remap {
		if to < -1 {
			all.Remap[i] = int32(c.Vocabulary.Len()) - 2 - to
		}
	}
	_, err := c.copy.Pass(ctx, c.options.Workers, &all, fn)
	return c.lost(ctx, err)
}
