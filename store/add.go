// This file adds shards to a store.

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"anchorage/corpus"
	"anchorage/internal/output"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// AddOptions say how shards are read.
type AddOptions struct {
	// Reading identifies the options of reading, as far as they decide on the documents. A shard that an interrupted run
	// has read with other ones is read again.
	Reading string
	// BadRows identifies what becomes of rows that cannot be read; it matters only for shards that have such rows.
	BadRows string
}

// reading returns what identifies the options of reading a shard, given what was left out of it.
func (o *AddOptions) reading(left corpus.LeftOut) string {
	if left.Bad == 0 {
		return Digest([]byte(o.Reading))
	}
	return Digest([]byte(o.Reading + "\n" + o.BadRows))
}

// Added is what Add did.
type Added struct {
	Shards []Shard // those of the plan, in its order
	// Read is the number of shards that were read, and Adopted of those that an interrupted run, or an earlier state, had
	// left.
	Read, Adopted int
	Night         Night // what the shards hold
}

// Add reads the shards that a plan adds, each into a separate folder, which stays if a later one fails. It makes the
// store if there is none. Errors of reading are those of stream.Read; bad rows are counted over all shards that are
// read.
func (w *Writer) Add(ctx context.Context, p *Plan, opts AddOptions) (*Added, error) {
	if err := w.make(ctx); err != nil {
		return nil, err
	}
	if err := w.loadVocabulary(ctx); err != nil {
		return nil, err
	}
	a := &adding{writer: w, options: opts}
	if segments := w.State.Segments; len(segments) > 0 {
		a.known = segments[len(segments)-1].Items
	}
	for _, f := range p.Fresh {
		a.total += f.Shard.Size
	}
	for _, f := range p.Fresh {
		if err := a.add(ctx, f); err != nil {
			return nil, err
		}
		a.done += f.Shard.Size
	}
	w.compare(&a.added.Night, a.added.Shards)
	return &a.added, nil
}

// adding is the state of an Add.
type adding struct {
	writer      *Writer
	options     AddOptions
	added       Added
	left        corpus.LeftOut // of all shards that were read
	done, total int64          // bytes
	known       int            // items of the store before
}

// add adds a shard.
func (a *adding) add(ctx context.Context, f Fresh) error {
	w := a.writer
	if f.SHA256 == "" {
		var err error
		if f.SHA256, err = f.Shard.Digest(ctx); err != nil {
			return err
		}
	}
	folder := w.shardFolder(f.SHA256)
	content, record, err := a.adopt(ctx, folder)
	if err != nil {
		return err
	}
	if content != nil {
		a.added.Adopted++
	} else {
		if content, err = a.read(ctx, f, folder); err != nil {
			return err
		}
		if _, record, err = readContent(ctx, folder, ""); err != nil {
			return err
		}
		a.added.Read++
		w.options.Log.Info("shard added", "shard", f.Name, "documents", content.Documents, "entries", content.Entries,
			"items", content.Items,
			"vocabulary", w.vocabulary.Len())
	}
	if err := a.added.Night.note(ctx, folder, content, a.known); err != nil {
		return err
	}
	a.added.Shards = append(a.added.Shards, Shard{Name: f.Name, Path: f.Shard.Path, Size: f.Shard.Size,
		Modified: f.Shard.Modified(), SHA256: f.SHA256,
		Date: f.Date, DateGiven: f.DateGiven, Documents: content.Documents, Record: record})
	return nil
}

// adopt returns the content of a complete folder, with the hash of its record, if its items are numbered by the
// vocabulary and it was read with the same options. It removes any other folder: that of an interrupted run, or one
// that is damaged.
func (a *adding) adopt(ctx context.Context, folder string) (*Content, string, error) {
	w := a.writer
	content, record, err := readContent(ctx, folder, "")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		names, listing := namesIn(ctx, folder)
		if listing != nil || len(names) == 0 {
			return nil, "", listing
		}
	case err != nil && !errors.As(err, new(*Error)):
		return nil, "", err
	case err == nil:
		fits := content.Reading == a.options.reading(content.LeftOut) && content.Segments <= len(w.segments) &&
			content.Chain == lastChain(w.segments[:content.Segments])
		if fits && checkFolder(ctx, folder, content) == nil {
			return content, record, nil
		}
	}
	return nil, "", removeAll(ctx, folder, w.options.Warn)
}

// read reads a shard into a new folder.
func (a *adding) read(ctx context.Context, f Fresh, folder string) (*Content, error) {
	w := a.writer
	mapping, err := f.Shard.Mapping(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := output.Begin(ctx, folder, "", false, w.options.Warn)
	if err != nil {
		return nil, overtaken(w.Path, err)
	}
	defer dir.Abort()
	c := &Content{Layout: layoutVersion, Program: model.Version, Path: f.Shard.Path, Size: f.Shard.Size, SHA256: f.SHA256,
		Mapping: mapping}
	before := w.vocabulary.Len()
	items := &appearance{vocabulary: w.vocabulary, seen: make([]bool, before)}
	if err := dir.WriteFile(copyFile, func(out io.Writer) error { return a.copy(ctx, f, c, items, out) }); err != nil {
		return nil, err
	}
	counts := items.counts()
	c.Items = len(counts)
	if err := dir.WriteFile(itemsFile, func(out io.Writer) error { return writeItems(out, counts) }); err != nil {
		return nil, err
	}
	// The vocabulary comes first, so that no folder has items that nothing names.
	if err := w.writeSegment(ctx, before); err != nil {
		return nil, err
	}
	c.Segments, c.Chain, c.Reading = len(w.segments), lastChain(w.segments), a.options.reading(c.LeftOut)
	for _, file := range dir.Files() {
		c.Files = append(c.Files, model.OutputRecord(file))
	}
	known, err := w.recordOf(ctx, f.SHA256)
	if err != nil {
		return nil, err
	}
	record, err := w.sameRecord(c, known)
	if err != nil {
		return nil, err
	}
	if err := dir.WriteFile(recordFile, func(out io.Writer) error {
		_, err := out.Write(record)
		return err
	}); err != nil {
		return nil, err
	}
	return c, overtaken(w.Path, dir.Commit())
}

// copy writes the compact copy of a shard to out and fills the record.
func (a *adding) copy(ctx context.Context, f Fresh, c *Content, items *appearance, out io.Writer) error {
	writer, err := corpus.NewCopyWriter(out)
	if err != nil {
		return err
	}
	options := stream.ReadOptions{Interned: items.note}
	options.Workers, options.Growing = a.writer.options.Workers, items.vocabulary
	if progress := a.writer.options.Progress; progress != nil {
		options.Progress = func(done, _ int64) { progress("reading", a.done+done, a.total) }
	}
	intake, err := stream.Read(ctx, []shard.Shard{f.Shard}, options, func(docs *corpus.Documents) error {
		c.Tally.Add(docs)
		return writer.Append(docs)
	})
	if err != nil {
		return err
	}
	if intake.Documents == 0 && intake.LeftOut.Bad > 0 { // it would push a good shard out of the window
		return &shard.Error{Path: f.Shard.Path, Err: fmt.Errorf("no row of it can be read; the first is %s",
			intake.LeftOut.First)}
	}
	c.Documents, c.Entries, c.Tokens, c.LeftOut = intake.Documents, intake.Entries, intake.Tokens, intake.LeftOut
	a.left.Add(intake.LeftOut)
	if a.left.Bad > 0 {
		if err := f.Shard.CheckLeftOut(shard.LeftOut(a.left)); err != nil {
			return err
		}
	}
	return writer.Close()
}

// appearance lists the items of a shard in order of appearance.
type appearance struct {
	vocabulary *corpus.Vocabulary
	seen       []bool // by number
	order      []int32
}

// note adds the items of a batch.
func (a *appearance) note(items []int32) {
	for _, item := range items {
		for int(item) >= len(a.seen) {
			a.seen = append(a.seen, false)
		}
		if !a.seen[item] {
			a.seen[item] = true
			a.order = append(a.order, item)
		}
	}
}

// counts returns the items with their counts, and takes the counts out of the vocabulary, for the next shard.
func (a *appearance) counts() []itemCount {
	counts := make([]itemCount, len(a.order))
	for i, item := range a.order {
		df, tf := &a.vocabulary.DocumentFrequency[item], &a.vocabulary.TermFrequency[item]
		counts[i] = itemCount{item, *df, *tf}
		*df, *tf = 0, 0
	}
	return counts
}
