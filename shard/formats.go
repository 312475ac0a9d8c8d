// This file holds the table of formats. Names, detection, reading, descriptions, help texts and tests all range over
// it: a new format is a constant and an entry here, and a file with its reader.

package shard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"anchorage/internal/safetext"
	"anchorage/shard/documents"
	"anchorage/shard/internal/arrowipc"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/npz"
	"anchorage/shard/internal/parquet"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/text"
)

// Format is a layout of documents in a file.
type Format int

// The formats. Auto decides by the file's content and then by its name.
const (
	Auto         Format = iota
	Parquet             // a document per row in list, map or struct columns, or a long table
	Docword             // the UCI bag-of-words layout: "document word count" lines under a header of three numbers
	Baskets             // one document per line: item ids separated by white space; an id that comes twice counts twice
	Arrow               // Arrow IPC files and streams, Feather version 2: the layouts of Parquet
	CSV                 // a long table under a header: a line per document and item, separated by , ; | or tabs
	JSONL               // one JSON object per line: items as a list or as an object of counts
	Text                // one document per line, cut into words in lower case
	LibSVM              // SVMlight: "label index:count ..." lines
	MatrixMarket        // coordinate matrices, documents by items
	LDAC                // LDA-C: "n index:count ..." lines with n pairs
	NPZ                 // sparse matrices of SciPy, documents by items
	// one document per file, cut into words in lower case; its id is the path below the folder that was named
	Files
)

// FormatInfo is what help texts, completion and documents say of a format.
type FormatInfo struct {
	Format  Format
	Name    string   // as ParseFormat takes it
	Aliases []string // other names that ParseFormat takes
	Endings []string // of file names, in lower case, with the dot and without .gz or .zst
	Help    string   // one line: how documents are in a file

	Columns  bool // columns or fields have names, so Options.ItemsColumn and its like apply
	Lines    bool // every line is a document
	Rows     bool // a document may take several rows, so Options.Group applies
	WordList bool // items are numbers, which Options.DocwordVocab names
	Tokenize bool // Options.Tokenize applies
	// Separator says that Options.Separator applies.
	Separator bool
	Counts    bool // items have counts, to which Options.Counts applies
}

// format is an entry of the table.
type format struct {
	FormatInfo
	prefix  string // of names that promise the format; empty for none
	decides bool   // the name decides before the content of a text is looked at
	asked   bool   // only who names the format gets it: no content suggests it
	anyText bool   // the endings are those of any text: they make a file a shard, but do not decide its format

	// begins says what in the first 64 bytes of a file of the given size identifies a binary format; "" if nothing does.
	// nil for formats of text.
	begins func(head []byte, size int64) string
	// looks says what in the beginning of a text suggests the format; "" if nothing does. nil for binary formats, for
	// formats that are asked for, and for the format of all other texts.
	looks func(text *text.Sample) string
	// parts divides a shard.
	parts func(ctx context.Context, in reading.Shard) ([]reading.Part, error)
	// describe returns what a shard holds, as far as it is known when an error occurs. nil if Help says it all.
	describe func(ctx context.Context, in reading.Shard) (documents.Description, documents.Mapping, error)
}

// formats is the table, in the order in which formats are tried on a file's content.
var formats = []format{
	{FormatInfo: FormatInfo{Format: Parquet, Name: "parquet", Endings: []string{".parquet", ".parq", ".pq"},
		Help: "a document per row: a list of items and perhaps one of counts, a map, or a list of structs; or a row per " +
			"document and item",
		Columns: true, Rows: true, Counts: true, Tokenize: true},
		decides: true, begins: parquet.Begins, parts: columns.Parts(parquet.Load), describe: columns.Describe(parquet.Load)},
	{FormatInfo: FormatInfo{Format: Arrow, Name: "arrow", Aliases: []string{"ipc", "feather"},
		Endings: []string{".arrow", ".arrows", ".ipc", ".feather"},
		Help:    "the layouts of parquet in Arrow IPC files and streams and Feather version 2",
		Columns: true, Rows: true, Counts: true, Tokenize: true},
		decides: true, begins: arrowipc.Begins, parts: columns.Parts(arrowipc.Load),
		describe: columns.Describe(arrowipc.Load)},
	{FormatInfo: FormatInfo{Format: NPZ, Name: "npz", Aliases: []string{"scipy"}, Endings: []string{".npz"},
		Help:     "a document per row of a sparse matrix, as scipy.sparse.save_npz writes it, or per column if so asked",
		WordList: true, Counts: true},
		decides: true, begins: npz.Begins, parts: reading.Whole(npz.Open)},
	{FormatInfo: FormatInfo{Format: MatrixMarket, Name: "mtx", Aliases: []string{"matrixmarket"},
		Endings:  []string{".mtx"},
		Help:     "a document per row of a coordinate matrix, or per column if so asked, as Matrix Market has them",
		Rows:     true,
		WordList: true, Counts: true},
		looks: text.LooksLikeMatrixMarket, parts: reading.Whole(text.OpenMatrixMarket)},
	{FormatInfo: FormatInfo{Format: Docword, Name: "docword", Aliases: []string{"uci"},
		Help: "a document per number in the first column of lines \"document word count\", as UCI has them", Rows: true,
		WordList: true, Counts: true},
		prefix: "docword.", decides: true, looks: text.LooksLikeDocword, parts: reading.Whole(text.OpenDocword)},
	{FormatInfo: FormatInfo{Format: JSONL, Name: "jsonl", Aliases: []string{"ndjson"},
		Endings: []string{".jsonl", ".ndjson"},
		Help:    `a document per line: {"items": ["a", "b"], "counts": [1, 2]} or {"items": {"a": 1, "b": 2}}`,
		Columns: true, Lines: true, Tokenize: true, Separator: true, Counts: true},
		looks: text.LooksLikeJSON, parts: reading.Whole(text.OpenJSONL), describe: text.DescribeJSONL},
	{FormatInfo: FormatInfo{Format: Text, Name: "text", Help: "a document per line: its words, in lower case", Lines: true,
		Tokenize: true},
		looks: text.LooksLikeWords, parts: reading.Whole(text.OpenWords)},
	{FormatInfo: FormatInfo{Format: Files, Name: "files", Help: "a document per file: its words, in lower case; its id " +
		"is the path", Tokenize: true},
		asked: true, parts: reading.Whole(text.OpenFile)},
	{FormatInfo: FormatInfo{Format: CSV, Name: "csv", Aliases: []string{"tsv"}, Endings: []string{".csv", ".tsv"},
		Help: "a line per document and item, perhaps with a count, under a header; or a line per document, with its " +
			"items in one cell",
		Columns: true, Rows: true, Separator: true, Counts: true, Tokenize: true},
		looks: text.LooksLikeTable, parts: reading.Whole(text.OpenCSV), describe: text.DescribeCSV},
	{FormatInfo: FormatInfo{Format: LDAC, Name: "ldac", Aliases: []string{"lda-c"}, Endings: []string{".ldac", ".lda-c"},
		Help: "a document per line: index:count pairs after their number, as LDA-C has them", Lines: true,
		WordList: true, Counts: true},
		looks: text.LooksLikeLDAC, parts: reading.Whole(text.OpenLDAC)},
	{FormatInfo: FormatInfo{Format: LibSVM, Name: "libsvm", Aliases: []string{"svmlight"},
		Endings: []string{".svm", ".svmlight", ".libsvm"},
		Help:    "a document per line: index:count pairs after a label, as SVMlight has them", Lines: true,
		WordList: true, Counts: true},
		looks: text.LooksLikeLibSVM, parts: reading.Whole(text.OpenLibSVM)},
	{FormatInfo: FormatInfo{Format: Baskets, Name: "baskets", Endings: []string{".dat", ".txt", ".basket",
		".baskets", ".fimi"},
		Help: "a document per line: item ids separated by blanks, or by one of , ; | and tabs; an id that comes twice " +
			"counts twice",
		Lines: true, Tokenize: true, Separator: true},
		anyText: true, parts: reading.Whole(text.OpenBaskets), describe: text.DescribeBaskets},
}

// autoName is the name of Auto.
const autoName = "auto"

// entry returns the format's entry in the table; nil for Auto.
func (f Format) entry() *format {
	if i := slices.IndexFunc(formats, func(e format) bool { return e.Format == f }); i >= 0 {
		return &formats[i]
	}
	return nil
}

// Formats returns what is known of all formats but Auto.
func Formats() []FormatInfo {
	var all []FormatInfo
	for _, f := range formats {
		info := f.FormatInfo
		info.Aliases, info.Endings = slices.Clone(info.Aliases), slices.Clone(info.Endings)
		all = append(all, info)
	}
	return all
}

// Info returns what is known of the format; of Auto nothing but its name.
func (f Format) Info() FormatInfo {
	if entry := f.entry(); entry != nil {
		return entry.FormatInfo
	}
	return FormatInfo{Format: f, Name: f.String()}
}

// String returns the name that ParseFormat takes.
func (f Format) String() string {
	if f == Auto {
		return autoName
	}
	if entry := f.entry(); entry != nil {
		return entry.Name
	}
	return fmt.Sprintf("format(%d)", int(f))
}

// FormatNames lists the names of all formats, for help and messages.
func FormatNames() string {
	names := []string{autoName}
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return safetext.List(names, "or")
}

// ParseFormat returns the format called name.
func ParseFormat(name string) (Format, error) {
	if name == autoName {
		return Auto, nil
	}
	for _, f := range formats {
		if name == f.Name || slices.Contains(f.Aliases, name) {
			return f.Format, nil
		}
	}
	return Auto, fmt.Errorf("unknown format %q: use %s", name, FormatNames())
}

// formatOfName returns the format that the name of a file promises, in lower case and without .gz or .zst, and what in
// it does; nil for none.
func formatOfName(name string) (promised *format, by string) {
	for i, f := range formats {
		if f.prefix != "" && strings.HasPrefix(name, f.prefix) {
			return &formats[i], f.prefix
		}
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return nil, ""
	}
	for i, f := range formats {
		if slices.Contains(f.Endings, name[dot:]) {
			return &formats[i], name[dot:]
		}
	}
	return nil, ""
}

// namePatterns lists patterns of the names by which files are taken from a directory.
func namePatterns() string {
	var patterns []string
	for _, f := range formats {
		if f.prefix != "" {
			patterns = append(patterns, f.prefix+"*")
		}
		for _, ending := range f.Endings {
			patterns = append(patterns, "*"+ending)
		}
	}
	return strings.Join(patterns, ", ")
}
