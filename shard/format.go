// This file names the formats and holds the options of reading.

package shard

import (
	"fmt"
	"strings"
	"time"
)

// Format is a layout of documents in a file.
type Format int

// The formats. Auto decides by the file's content and then by its name.
const (
	Auto         Format = iota
	Parquet             // a document per row in list, map or struct columns, or a long table
	Docword             // the UCI bag-of-words layout: "document word count" lines under a header of three numbers
	Baskets             // one document per line: item ids separated by white space, an id that comes twice counts twice
	Arrow               // Arrow IPC files and streams, Feather version 2: the layouts of Parquet
	CSV                 // a long table under a header: a line per document and item, separated by , ; | or tabs
	JSONL               // one JSON object per line: items as a list or as an object of counts
	Text                // one document per line, cut into words in lower case
	LibSVM              // SVMlight: "label index:count ..." lines
	MatrixMarket        // coordinate matrices, documents by items
	LDAC                // LDA-C: "n index:count ..." lines with n pairs
	VW                  // Vowpal Wabbit: "label |namespace item:count ..." lines
)

var formatNames = [...]string{Auto: "auto", Parquet: "parquet", Docword: "docword", Baskets: "baskets", Arrow: "arrow",
	CSV: "csv", JSONL: "jsonl", Text: "text", LibSVM: "libsvm", MatrixMarket: "mtx", LDAC: "ldac", VW: "vw"}

// formatAliases are further names that people know the formats by.
var formatAliases = map[string]Format{"ipc": Arrow, "feather": Arrow, "tsv": CSV, "ndjson": JSONL, "svmlight": LibSVM,
	"matrixmarket": MatrixMarket, "lda-c": LDAC, "uci": Docword}

// String returns the name that ParseFormat takes.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("format(%d)", int(f))
	}
	return formatNames[f]
}

// FormatNames lists the names of all formats, for help and messages.
func FormatNames() string {
	return strings.Join(formatNames[:len(formatNames)-1], ", ") + " or " + formatNames[VW]
}

// ParseFormat returns the format called name.
func ParseFormat(name string) (Format, error) {
	for format, known := range formatNames {
		if name == known {
			return Format(format), nil
		}
	}
	if format, known := formatAliases[name]; known {
		return format, nil
	}
	return Auto, fmt.Errorf("unknown format %q: use %s", name, FormatNames())
}

// NoCounts, as Options.CountsColumn, says that a shard has no counts even where a column looks like it.
const NoCounts = "-"

// Options says how shards are read. The zero value finds out everything by itself.
type Options struct {
	Format Format

	// DocumentColumn, ItemsColumn and CountsColumn name columns of Parquet, Arrow and CSV, and fields of JSONL; empty
	// means that they are found by type and name. A DocumentColumn of whole values says that the shard is a long table:
	// one row per document and item. With the CountsColumn NoCounts every occurrence of an item counts 1.
	DocumentColumn string
	ItemsColumn    string
	CountsColumn   string

	// DocwordVocab is the word list, one word per line, of shards whose items are numbers: docword, Matrix Market and
	// libsvm, which count from 1, and LDA-C, which counts from 0. Where it is empty, vocab.NAME.txt beside
	// docword.NAME.txt is taken if it exists, else the items are the numbers as they stand in the file.
	DocwordVocab string

	// Tokenize makes lines of text, and strings in the place of a list of items in JSONL, be cut into words. The format
	// Text implies it.
	Tokenize bool
	// Namespace is the only namespace that is read of Vowpal Wabbit lines; empty for all.
	Namespace string
	// DocumentColumns says that the documents of Matrix Market shards are the columns, not the rows.
	DocumentColumns bool

	// Group collects the rows of a document from all over a long table, docword or Matrix Market file by an external sort.
	// Documents then come in the order of their ids: whole numbers first, by value, others by bytes. Each reader sorts in
	// at most MemoryLimit bytes, 0 for 256 MiB, and beyond that in files in SpillDir, empty for the system's directory
	// for temporary files.
	Group       bool
	MemoryLimit int64
	SpillDir    string

	// Names makes readers fill Batch.Names.
	Names bool

	// BatchEntries is the number of (document, item) pairs at which a batch is complete; 0 means 1<<17. A batch ends
	// between two documents, and earlier where it holds BatchEntries or 1<<16 documents, whichever is less, or 16 MiB
	// of item ids.
	BatchEntries int

	// KeepBad lets Discover return a shard whose format cannot be found out, such as compressed data that are damaged at
	// the beginning. Its Format is Auto, and its Parts fail with the reason.
	KeepBad bool

	// Warn, where it is not nil, is told of a failure of an object store after which the same will be tried again once
	// the pause is over. Several goroutines may call it at once.
	Warn func(path string, attempt int, pause time.Duration, err error)
}

const (
	defaultBatchEntries = 1 << 17
	maxBatchDocuments   = 1 << 16
	batchIDBytes        = 16 << 20
	defaultSortMemory   = 256 << 20
)
