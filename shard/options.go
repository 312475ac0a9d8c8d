// This file holds the options of reading, and gives types and functions of other packages the names that they have
// here.

package shard

import (
	"io"
	"time"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
	"anchorage/shard/internal/sorter"
	"anchorage/shard/internal/text"
)

// Options says how shards are read. With the zero value everything is found out from the files.
type Options struct {
	Format Format

	// DocumentColumn, ItemsColumn and CountsColumn name columns of Parquet, Arrow and CSV, and fields of JSONL; empty
	// means that they are found by type and name. If the ItemsColumn holds one value per row, the shard is a long table:
	// one row per document and item. With the CountsColumn NoCounts every occurrence of an item counts 1.
	DocumentColumn string
	ItemsColumn    string
	CountsColumn   string

	// NamesColumn is the column of a long table with the names of items whose ItemsColumn has codes; NoNames for none. If
	// it is empty, the only column that looks like one beside codes is taken. Readers leave it out; see Shard.ItemNames.
	NamesColumn string

	// TextColumns name the columns or fields of texts, which are cut into words, together those of a row or an object. If
	// they are empty and no column looks like one of items, strings of many words are texts.
	TextColumns []string
	// Encoding is that of texts which are not UTF-8, by a name such as "windows-1252" (see CheckEncoding). A byte order
	// mark counts for more.
	Encoding string
	// NoHeader says that CSV has no header: its columns are called "1", "2" and so on.
	NoHeader bool

	// Separator is between the items of baskets, and between those that a cell of CSV or a string of JSONL holds; Blanks
	// means any white space. If it is empty, the first lines of baskets and CSV show it, and strings of JSONL hold no
	// items.
	Separator string

	// DocwordVocab is the word list, one word per line, of shards whose items are numbers: docword, Matrix Market and
	// libsvm, which count from 1, and LDA-C, which counts from 0. Where it is empty, vocab.NAME.txt beside
	// docword.NAME.txt is used if it exists; otherwise the numbers themselves are the items.
	DocwordVocab string

	// Tokenize cuts lines of text, the strings of a table's ItemsColumn, and strings in JSONL where a list of items is
	// expected, into words. The format Text implies it.
	Tokenize bool
	// MinWordLength is the number of characters of the shortest word that Tokenize keeps; 0 and 1 keep all.
	MinWordLength int
	// DocumentColumns says that the documents of Matrix Market shards are the columns, not the rows.
	DocumentColumns bool

	// Group collects the rows of a document from all over a long table, docword or Matrix Market file by an external sort.
	// Documents then come in the order of their ids: whole numbers first, by value, others by bytes. Each reader sorts in
	// at most MemoryLimit bytes, 0 for 256 MiB, and beyond that in files in SpillDir, empty for the system's directory
	// for temporary files.
	Group       bool
	MemoryLimit int64
	SpillDir    string

	// Counts says which counts follow from the amounts: of the CountsColumn, of maps and structs, and of text formats.
	Counts CountRule
	// MaxBadRows is how many bad rows each reader leaves out, in Batch.Left; with 0 the first is an error. A row that
	// holds a document then is an empty document, a row of a long table or a matrix is as if it were not there. Bad is a
	// row whose items or counts are missing or malformed; data whose next row cannot be found are always an error.
	MaxBadRows int64

	// Names makes readers fill Batch.Names, and Texts Batch.Texts.
	Names, Texts bool

	// BatchEntries is the number of (document, item) pairs at which a batch is complete; 0 means 1<<17. A batch ends
	// between two documents, and earlier where it holds BatchEntries or 1<<16 documents, whichever is less, or 16 MiB
	// of item ids.
	BatchEntries int

	// KeepBad lets Discover return a shard whose format cannot be found out, for example because its compressed data are
	// damaged. Its Format is Auto, and Parts returns the reason as an error.
	KeepBad bool

	// Input is standard input, which Discover takes for the argument "-"; nil for that of the process. It can be read
	// once, and so holds a text format.
	Input io.Reader

	// FollowLinks lets Discover take the links in folders, and those that a pattern matches. Otherwise it leaves them
	// out: whoever may write into such a folder could have any file of the machine read. Arguments may be links.
	FollowLinks bool

	// PassedOver, if not nil, is called for every file of a folder or a pattern that Discover leaves out: because it is
	// a link, or because nothing shows its format. Format makes it take the latter.
	PassedOver func(path string, link bool)

	// Warn, if not nil, is called when a request to an object store fails and will be repeated after the pause. Several
	// goroutines may call it at once.
	Warn func(path string, attempt int, pause time.Duration, err error)

	scattered bool // of a long table, every run of rows of a document is one
}

// Tokenizes reports whether the options ask for words of texts, not for items.
func (opts Options) Tokenizes() bool {
	return opts.Tokenize || len(opts.TextColumns) > 0 || opts.Format == Text || opts.Format == Files
}

// in returns the object and the options in the form in which readers take them.
func (opts Options) in(o access.Object) reading.Shard {
	o.Encoding = opts.Encoding
	return reading.Shard{Object: o, Options: reading.Options{
		Columns: roles.Names{Document: opts.DocumentColumn, Items: opts.ItemsColumn, Counts: opts.CountsColumn,
			Texts: opts.TextColumns, ItemNames: opts.NamesColumn},
		Scattered:       opts.scattered,
		NoHeader:        opts.NoHeader,
		WordList:        opts.DocwordVocab,
		FollowLinks:     opts.FollowLinks,
		Tokenize:        opts.Tokenize,
		MinWord:         opts.MinWordLength,
		Separator:       opts.Separator,
		DocumentColumns: opts.DocumentColumns,
		Group:           opts.Group,
		Sort:            sorter.Options{Memory: opts.MemoryLimit, Dir: opts.SpillDir},
		Names:           opts.Names,
		Texts:           opts.Texts,
		BatchEntries:    opts.BatchEntries,
		Counts:          opts.Counts,
		MaxBad:          opts.MaxBadRows,
		Warn:            opts.Warn,
	}}
}

// CheckEncoding returns an error if Options.Encoding cannot have this name, which is one of the WHATWG's standard of
// encodings, in any case.
func CheckEncoding(name string) error { return access.CheckEncoding(name) }

// NoCounts, as Options.CountsColumn, says that a shard has no counts even where a column looks like it.
const NoCounts = roles.NoCounts

// NoNames, as Options.NamesColumn, says that items have no names beside their ids.
const NoNames = roles.NoNames

// Blanks, as Options.Separator, means any white space.
const Blanks = text.Blanks

// MinSortMemory is the least Options.MemoryLimit, other than 0, in bytes. It leaves room for the buffers of a merge and
// for records of any size.
const MinSortMemory = sorter.MinMemory

type (
	// Batch is a run of consecutive documents, which Reader.Next fills.
	Batch = documents.Batch
	// Dictionary is a list of ids.
	Dictionary = documents.Dictionary
	// CountRule says which counts follow from the amounts in shards.
	CountRule = documents.CountRule
	// LeftOut counts what readers left out: items by Options.Counts, rows by Options.MaxBadRows.
	LeftOut = documents.LeftOut
	// Column is a column of a table.
	Column = documents.Column
	// Error is bad input: a shard that cannot be read, or holds what no document may hold.
	Error = fault.Error
)

// The signs in front of decimals, as CountRule.Decimal has them.
const (
	DecimalPoint = documents.DecimalPoint
	DecimalComma = documents.DecimalComma
)

// MaxCount is the greatest count of an item in a document.
const MaxCount = documents.MaxCount

// ParseCountRule returns the rule of a list of words, which commas separate: "round,drop-negative" for example.
func ParseCountRule(text string) (CountRule, error) { return documents.ParseCountRule(text) }

// CountRuleWords lists the words that ParseCountRule takes, for help and messages.
func CountRuleWords() string { return documents.CountRuleWords() }

// ReadWords reads a word list, as Options.DocwordVocab names one: one word per line, none empty and none twice, or what
// gensim's Dictionary.save_as_text writes, in the order of its numbers. An error is an *Error about path.
func ReadWords(path string, from io.Reader) (*Dictionary, error) { return text.ReadWords(path, from) }
