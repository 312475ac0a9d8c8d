// Package reading holds what package shard and the readers of single formats exchange: how a shard is to be read,
// the parts it consists of, and what is known of it.
package reading

import (
	"context"

	"anchorage/internal/objects"
	"anchorage/shard/documents"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/roles"
	"anchorage/shard/internal/sorter"
)

// Options says how a shard is read, as package shard documents it.
type Options struct {
	Columns  roles.Names
	WordList string // path of the list that names item numbers; empty for none
	// FollowLinks lets the list that is found beside a shard be a link.
	FollowLinks bool
	Tokenize    bool // cut strings into words
	NoHeader    bool // the first line of a table holds values; columns are called by their numbers from 1
	// between the items of baskets, where empty is white space, and of cells, where it is to be found
	Separator       string
	MinWord         int    // characters of a word; 0 and 1 for any number
	DocumentColumns bool   // the documents of a matrix are its columns
	Document        string // id of the document that a file is
	Group           bool   // collect the rows of a document by sorting
	Sort            sorter.Options
	Names           bool // fill Batch.Names
	Texts           bool // fill Batch.Texts
	BatchEntries    int  // at which a batch is complete; 0 for the default
	Counts          documents.CountRule
	MaxBad          int64 // bad rows that may be left out
	Scattered       bool  // rows of a document need not be adjacent: each run of them is a document
	Warn            objects.Warn
}

// TextColumns returns the columns that are to be cut into words; none if that is not asked for by name.
func (o *Options) TextColumns() []string {
	if len(o.Columns.Texts) == 0 && o.Tokenize && o.Columns.Items != "" {
		return []string{o.Columns.Items}
	}
	return o.Columns.Texts
}

// Shard is a shard to be read.
type Shard struct {
	access.Object
	Options
}

// Builder returns a builder of the shard's batches.
func (in Shard) Builder() *bag.Builder {
	b := bag.NewBuilder(in.BatchEntries, in.Names)
	b.Rule, b.MaxBad, b.Texted = in.Counts, in.MaxBad, in.Texts
	return b
}

// Part is a unit of a shard that can be read on its own.
type Part struct {
	Rows  int64 // number of documents; -1 if only reading finds it out
	Bytes int64 // compressed bytes to be read

	// Open returns a reader of the documents.
	Open func(w *access.Watch) (Reader, error)
}

// A header may promise any number of documents without items. There may be FreeEmpty of them and EmptyPerLine more for
// each line, or byte, that is read, so that the time a shard takes remains in proportion to its length.
const (
	FreeEmpty    = 1_000_000
	EmptyPerLine = 1_000
)

// Ahead is a Reader that may have read more than it has delivered.
type Ahead interface {
	// Ahead returns the share of what was read that was not delivered yet.
	Ahead() float64
}

// Reader yields the documents of one part of a shard, in order.
type Reader interface {
	// Next fills batch with the documents that follow, at least one, and returns io.EOF when nothing is left. After
	// any other error, which is an *Error for bad input, the reader cannot be used further.
	Next(batch *documents.Batch) error
	// Close releases what the reader holds. It may be called more than once.
	Close() error
}

// Whole makes the whole of a file of text one part, which open opens.
func Whole(open func(*access.Watch, Shard) (Reader, error)) func(context.Context, Shard) ([]Part, error) {
	return func(_ context.Context, in Shard) ([]Part, error) {
		return []Part{{Rows: -1, Bytes: in.Size, Open: func(w *access.Watch) (Reader, error) { return open(w, in) }}}, nil
	}
}

// PartBytes is the size from which a run of groups is worth a separate part.
const PartBytes = 8 << 20
