// This file names the formats and holds the options of reading.

package shard

import (
	"fmt"
	"time"
)

// Format is a layout of documents in a file.
type Format int

// The formats. Auto decides by the file's content and then by its name.
const (
	Auto    Format = iota
	Parquet        // one document per row: a list column of item ids and, optionally, one of counts
	Docword        // the UCI bag-of-words layout: "document word count" lines under a header of three numbers
	Baskets        // one document per line: item ids separated by white space, an id that comes twice counts twice
)

var formatNames = [...]string{Auto: "auto", Parquet: "parquet", Docword: "docword", Baskets: "baskets"}

// String returns the name that ParseFormat takes.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("format(%d)", int(f))
	}
	return formatNames[f]
}

// ParseFormat returns the format called name.
func ParseFormat(name string) (Format, error) {
	for format, known := range formatNames {
		if name == known {
			return Format(format), nil
		}
	}
	return Auto, fmt.Errorf("unknown format %q: use auto, parquet, docword or baskets", name)
}

// NoCounts, as Options.CountsColumn, says that a Parquet shard has no counts even where a column looks like it.
const NoCounts = "-"

// Options says how shards are read. The zero value finds out everything by itself.
type Options struct {
	Format Format

	// ItemsColumn and CountsColumn name Parquet columns; empty means that they are found by type and name. With the
	// CountsColumn NoCounts every occurrence of an item counts 1.
	ItemsColumn  string
	CountsColumn string

	// DocwordVocab is the word list of docword shards, one word per line. Where it is empty, vocab.NAME.txt beside
	// docword.NAME.txt is taken if it exists, else the items are the word numbers.
	DocwordVocab string

	// BatchEntries is the number of (document, item) pairs at which a batch is complete; 0 means 1<<17. A batch ends
	// between two documents, and earlier where it holds BatchEntries or 1<<16 documents, whichever is less, or 16 MiB
	// of item ids.
	BatchEntries int

	// Warn, where it is not nil, is told of a failure of an object store after which the same will be tried again once
	// the pause is over. Several goroutines may call it at once.
	Warn func(path string, attempt int, pause time.Duration, err error)
}

const (
	defaultBatchEntries = 1 << 17
	maxBatchDocuments   = 1 << 16
	batchIDBytes        = 16 << 20
)
