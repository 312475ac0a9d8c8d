package shard

import (
	"context"
	"fmt"

	"anchorage/internal/objects"
)

// readOptions says how a shard is read. The zero value finds out everything by itself.
type readOptions struct {
	Columns         columnNames
	WordList        string // path of the list that names item numbers; empty for none
	Tokenize        bool   // cut strings into words
	Namespace       string // of Vowpal Wabbit lines; empty for all
	DocumentColumns bool   // the documents of a matrix are its columns
	Group           bool   // collect the rows of a document by sorting
	Sort            sortOptions
	Names           bool // fill Batch.Names
	BatchEntries    int  // at which a batch is complete; 0 for the default
	Warn            objects.Warn
}

// input is a shard to be read.
type input struct {
	object
	readOptions
}

// part is a unit of a shard that can be read on its own.
type part struct {
	Rows  int64 // number of documents; -1 where only reading tells
	Bytes int64 // compressed bytes to be read

	// Open returns a reader of the documents.
	Open func(w *watch) (Reader, error)
	// Floor reads and decompresses what a reader would, and returns the number of decompressed bytes.
	Floor func(ctx context.Context) (int64, error)
}

// description says what a shard holds and how it will be read.
type description struct {
	Columns []columnInfo
	Rows    int64 // -1 where only reading tells
	Groups  int
	Writer  string
	Reading string
}

// columnInfo is a column of a table.
type columnInfo struct {
	Name string
	Type string
}

// say describes in words what is read: the names of columns, counts and document being empty where there is none.
func (d *description) say(long bool, document, items, counts string) {
	if counts == "" {
		counts = "1 for each"
	} else {
		counts = fmt.Sprintf("%q", counts)
	}
	if long {
		d.Reading = fmt.Sprintf("a row per document and item: documents %q, items %q, counts %s", document, items, counts)
		return
	}
	d.Reading = fmt.Sprintf("a document per row: items %q, counts %s", items, counts)
	if document != "" {
		d.Reading += fmt.Sprintf(", ids %q", document)
	}
}
