// This file opens the documents of a store as a corpus.

package store

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
)

// open opens the documents of the selected shards; options.Dir is the folder to which copies of an object store are
// fetched. It uses up the vocabulary.
func (w *Writer) open(ctx context.Context, selected []Shard, options corpus.Options) (*corpus.Corpus, error) {
	if err := w.loadVocabulary(ctx); err != nil {
		return nil, err
	}
	a := &assembly{writer: w, ids: w.vocabulary, dir: options.Dir}
	w.vocabulary = nil // its memory is needed for the fit
	stored, err := a.assemble(ctx, selected)
	if err != nil {
		return nil, err
	}
	return corpus.OpenStored(ctx, *stored, options)
}

// assembly puts shards together to one corpus.
type assembly struct {
	writer *Writer
	ids    *corpus.Vocabulary // of the store
	dir    string
	stored corpus.Stored
	copies []*corpus.Copy
}

// assemble numbers the items in order of appearance, adds up the counts, and opens the copies.
func (a *assembly) assemble(ctx context.Context, selected []Shard) (*corpus.Stored, error) {
	s := &a.stored
	s.Intake = &corpus.Intake{Vocabulary: corpus.NewVocabulary()}
	s.Numbers = slices.Repeat([]int32{-1}, a.ids.Len())
	for i, one := range selected {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.take(ctx, i, one); err != nil {
			return nil, err
		}
	}
	s.Intake.Vocabulary.Counted = true
	s.Intake.Bytes = 2*s.Intake.Vocabulary.Bytes() + a.ids.Bytes() + 4*int64(len(s.Numbers))
	s.Copy = corpus.Join(a.copies)
	return s, nil
}

// take adds a shard.
func (a *assembly) take(ctx context.Context, number int, one Shard) error {
	folder := a.writer.shardFolder(one.SHA256)
	c, _, err := readContent(ctx, folder, one.Record)
	if err != nil {
		return err
	}
	if c.SHA256 != one.SHA256 {
		return damaged(folder, "it is of the content %s", c.SHA256)
	}
	s := &a.stored
	entries := int64(0)
	err = c.eachItem(ctx, folder, func(item itemCount) error {
		entries += item.df
		return a.count(folder, item)
	})
	if err != nil {
		return err
	}
	if entries != c.Entries {
		return damaged(folder, "its items are in %d entries, and %s says %d", entries, recordFile, c.Entries)
	}
	in := s.Intake
	in.Documents += c.Documents
	in.Entries += c.Entries
	in.Tokens += c.Tokens
	in.LeftOut.Add(leftOut(c, one.Path))
	in.Inputs = append(in.Inputs, corpus.Input{Path: one.Path, Size: c.Size, SHA256: c.SHA256, Documents: c.Documents})
	s.Tally.Merge(c.Tally)
	path := objects.Join(folder, copyFile)
	if objects.IsURL(path) {
		if path, err = a.fetch(ctx, number, path, c.file(copyFile).Size); err != nil {
			return err
		}
	}
	opened, err := c.copyOf(path)
	if err != nil {
		return err
	}
	if opened.Items() > a.ids.Len() {
		return damaged(path, "it has item %d, which the vocabulary lacks", opened.Items()-1)
	}
	a.copies = append(a.copies, opened)
	return nil
}

// count numbers an item, if it is new, and adds its counts.
func (a *assembly) count(folder string, item itemCount) error {
	if item.number < 0 || int(item.number) >= a.ids.Len() {
		return damaged(folder, "it has item %d, which the vocabulary lacks", item.number)
	}
	v, at := a.stored.Intake.Vocabulary, &a.stored.Numbers[item.number]
	if *at < 0 {
		*at = v.InternKeyed([]byte(a.ids.ID(int(item.number))), a.ids.Key(int(item.number)))
	}
	v.DocumentFrequency[*at] += item.df
	v.TermFrequency[*at] += item.tf
	return nil
}

// leftOut returns what was left out of a shard, which names the path where the shard was read, with the path that it
// has now.
func leftOut(c *Content, path string) corpus.LeftOut {
	left := c.LeftOut
	if rest, ok := strings.CutPrefix(left.First, c.Path); ok {
		left.First = path + rest
	}
	return left
}

// fetch copies a file of an object store to this machine, once for all passes.
func (a *assembly) fetch(ctx context.Context, number int, path string, size int64) (string, error) {
	from, err := objects.OpenStream(ctx, path)
	if err != nil {
		return "", err
	}
	defer from.Close()
	local := filepath.Join(a.dir, fmt.Sprintf("shard-%06d", number))
	to, err := durable.CreateWork(local)
	if err != nil {
		return "", err
	}
	defer to.Close() // in case copying fails
	n, err := io.Copy(to, durable.ReadUntil(ctx, from))
	if err != nil {
		return "", err
	}
	if n != size {
		return "", damaged(path, "it has %d bytes, and had %d", n, size)
	}
	return local, to.Close()
}
