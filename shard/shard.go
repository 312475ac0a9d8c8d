// Package shard turns files into batches of documents, and tables into Parquet files. It knows formats and nothing of
// what is done with them.
//
// A document is a bag of items: distinct item ids, each with a count of at least 1. Discover finds shards, Shard.Parts
// divides them, and Open reads a part. Readers stream: their memory is bounded by the size of a batch and of the
// longest document, in Parquet also by the size of pages and in Arrow by windows of the buffers, never by the size of a
// file, a row group or a record batch. Options.Group sorts within Options.MemoryLimit, and on disk beyond it. A Reader
// belongs to one goroutine; different Readers may be used at the same time, also on the same shard. The package starts
// no goroutines.
//
// Input is not trusted. Whatever a file holds, reading it yields documents or an *Error that says where. Sizes and
// counts that a file states are checked before memory is allocated for them, and a panic of a decoder is recovered. The
// limits: item ids of 64 KiB, 16.7 million distinct items per document, lines of 256 MiB in baskets and 64 MiB in other
// formats, records of 1 MiB in CSV, Parquet pages of 256 MiB and 16.7 million values, dictionaries of 64 MiB in Parquet
// and 1 GiB in Arrow, windows of 128 MiB in zstd.
//
// The table of formats in formats.go is all that this package knows of single formats; the packages in shard/internal
// read them, and only they import Arrow. None of their types appears in the exported API.
//
// Tables hold the program's own results: NewTableWriter and ReadTable. DocumentWriter writes shards.
package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"time"

	"anchorage/internal/durable"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
)

// Shard is a file of documents. Discover makes it.
type Shard struct {
	Path   string // as given or found
	Format Format // Auto only of a bad shard; see Options.KeepBad
	Reason string // what decided the format: "content: ...", "name: ...", or "given"
	Size   int64  // bytes on disk

	options  Options
	object   access.Object
	document string       // id of the document, of a file that is one
	between  string       // what separates the items of baskets
	damage   error        // why the format is unknown; see Options.KeepBad
	expected *expectation // nil if any digest will do
}

// Modified returns when the file was modified last, as of when the shard was found; the zero time if that is unknown.
func (s Shard) Modified() time.Time { return s.object.Modified() }

// input returns the shard in the form that readers take.
func (s Shard) input() reading.Shard {
	in := s.options.in(s.object)
	in.Document = s.document
	if s.between != "" {
		in.Separator = s.between
	}
	return in
}

// Tokenized reports whether the options ask for words of texts, not for items.
func (s Shard) Tokenized() bool { return s.options.Tokenizes() }

// WithNames returns the shard with Options.Names set: readers say the documents' own ids. If column is not empty, they
// say the values of that column in place of the ids.
func (s Shard) WithNames(column string) Shard {
	s.options.Names = true
	if column != "" {
		s.options.DocumentColumn = column
	}
	return s
}

// WithBatches returns the shard with batches that are complete at the given number of entries; see
// Options.BatchEntries.
func (s Shard) WithBatches(entries int) Shard {
	s.options.BatchEntries = entries
	return s
}

// WithItems returns the shard with the values of a column in place of the items, without counts.
func (s Shard) WithItems(column string) Shard {
	s.options.ItemsColumn, s.options.CountsColumn, s.options.TextColumns = column, NoCounts, nil
	s.options.Tokenize = false
	return s
}

// NamesColumn returns Options.NamesColumn.
func (s Shard) NamesColumn() string { return s.options.NamesColumn }

// ItemNames returns the shard read as a list of items and their names, those of Mapping.ItemNames: a run of rows of an
// item is a document, which the item's id names, and its items are the names, with the number of rows of each. Rows
// without a name are left out.
func (s Shard) ItemNames(items, names string) Shard {
	s = s.WithNames(items).WithItems(names)
	s.options.NamesColumn, s.options.Group, s.options.scattered = NoNames, false, true
	s.options.Separator, s.options.MaxBadRows = "\x00", math.MaxInt64 // a name is no list
	return s
}

// Part is a unit of a shard that can be read on its own. Shard.Parts makes it. The documents of a shard are those of
// its parts, in order; row numbers are those of the shard.
type Part struct {
	Shard Shard
	Index int   // number within the shard, from 0
	Rows  int64 // number of documents; -1 if only reading finds it out
	Bytes int64 // compressed bytes to be read

	part reading.Part
}

// Parts returns the shard's parts: of a Parquet or Arrow file one per run of row groups or record batches, of a long
// table and of any other format the whole file. A shard without documents may have no part. An error is an *Error, or
// that of ctx.
func (s Shard) Parts(ctx context.Context) ([]Part, error) {
	if s.damage != nil {
		return nil, s.damage
	}
	entry := s.Format.entry()
	if entry == nil {
		panic("shard: shard that Discover did not return")
	}
	var found []reading.Part
	err := fault.Guard(func() (err error) {
		found, err = entry.parts(ctx, s.input())
		return err
	})
	if err != nil {
		return nil, fault.In(ctx, s.Path, err)
	}
	var parts []Part
	for i, p := range found {
		parts = append(parts, Part{Shard: s, Index: i, Rows: p.Rows, Bytes: p.Bytes, part: p})
	}
	return parts, nil
}

// Digest returns the SHA-256 of the file's bytes as a hexadecimal number. If another digest is expected, the error is
// an *Error.
func (s Shard) Digest(ctx context.Context) (string, error) {
	if s.object.IsInput() {
		sum, err := s.object.InputDigest(ctx)
		if err != nil {
			return "", err
		}
		return sum, s.check(sum)
	}
	file, err := s.object.Stream(ctx)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, durable.ReadUntil(ctx, file)); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fault.InFile(s.Path, err)
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	return sum, s.check(sum)
}

// CheckLeftOut returns an *Error if more bad rows have been left out of all shards, up to this one, than
// Options.MaxBadRows.
func (s Shard) CheckLeftOut(left LeftOut) error {
	if left.Bad <= s.options.MaxBadRows {
		return nil
	}
	return &Error{Path: s.Path, Err: fault.Because(fault.BadRows, "more than %d bad rows would be left out; the first "+
		"is %s", s.options.MaxBadRows, left.First)}
}

// Unchanged returns an *Error if the file has changed since Discover found it, by its size, its time and, in a store,
// its ETag, or if it is gone. Readers check the same whenever they open the file; whoever has read all of it asks once
// more.
func (s Shard) Unchanged(ctx context.Context) error {
	if s.damage != nil {
		return nil
	}
	return s.object.Unchanged(ctx)
}

// String returns the part's place: path and, where the shard has several parts, the number.
func (p Part) String() string {
	if p.Index == 0 {
		return p.Shard.Path
	}
	return fmt.Sprintf("%s, part %d", p.Shard.Path, p.Index+1)
}

// Reader yields the documents of one part of a shard, in order.
type Reader interface {
	// Next fills batch with the documents that follow, at least one unless rows were left out, and returns io.EOF when
	// nothing is left. After any other error, which is an *Error for bad input, the reader cannot be used further.
	Next(batch *Batch) error
	// Taken returns about how many bytes of the file the documents so far took, as they are on disk.
	Taken() int64
	// Close releases what the reader holds. It may be called more than once.
	Close() error
}

// Open returns a reader of the part. Once ctx is done, its Next returns ctx.Err(). Any other error is an *Error.
func Open(ctx context.Context, part Part) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if part.part.Open == nil {
		panic("shard: part that Parts did not return")
	}
	r := &partReader{watch: access.NewWatch(ctx), path: part.Shard.Path}
	err := fault.Guard(func() (err error) {
		r.reader, err = part.part.Open(r.watch)
		return err
	})
	if err != nil {
		return nil, fault.In(ctx, r.path, err)
	}
	return r, nil
}

// partReader is the Reader of a part, whatever its format.
type partReader struct {
	reader reading.Reader
	watch  *access.Watch
	path   string
}

func (r *partReader) Next(batch *Batch) error {
	r.watch.Begin()
	err := fault.Guard(func() error { return r.reader.Next(batch) })
	if err == io.EOF {
		return err
	}
	return fault.In(r.watch.Context(), r.path, err)
}

func (r *partReader) Taken() int64 {
	bytes := float64(r.watch.Bytes())
	if ahead, ok := r.reader.(reading.Ahead); ok {
		bytes *= 1 - ahead.Ahead()
	}
	return int64(bytes)
}

func (r *partReader) Close() error { return r.reader.Close() }
