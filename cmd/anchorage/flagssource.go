// This file holds the flags that say which shards are read, how, and which of their documents and items count.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/internal/safetext"
	"anchorage/shard"
	"anchorage/stream"
)

// sourceFlags say what is read.
type sourceFlags struct {
	shard      shard.Options
	corpus     corpus.Options // the rules for documents and items
	vocab      string
	namesFile  string // of codes and names
	noPrune    bool
	stopwords  string
	spillDir   string
	limit      memoryLimit
	noDisk     bool // leave out the check of the room on disks
	mixed      bool
	skipRows   bool
	maxBadRows int64
	skipShards bool

	minShards    int
	minDocuments int64

	found   []shard.Shard // by discover, without bad ones
	dealing dealing       // of shards among tasks
	// hasOthers says that with --on-bad-shard skip all that are found may be bad: a store has others.
	hasOthers bool
	// earlier are shards that were read before, and how: those found must be read alike.
	earlier         []shard.Shard
	earlierMappings []shard.Mapping
}

// corpusRows are those of commands that read shards, choose among their documents and choose among their items.
func (f *sourceFlags) corpusRows() []row {
	return slices.Concat(f.formatRows(), f.documentRows(), f.pruningRows())
}

// formatRows are about reading shards.
func (f *sourceFlags) formatRows() []row { return append(f.layoutRows(), f.trustRows()...) }

// formatWords are the values of --format.
func formatWords() []word {
	list := []word{{"auto", "by content, then by name", nil}}
	for _, known := range shard.Formats() {
		list = append(list, word{known.Name, known.Help, nil})
	}
	return list
}

// layoutRows are about the layouts of shards, and the memory for sorting them.
func (f *sourceFlags) layoutRows() []row {
	s := &f.shard
	setFormat := func(text string) (err error) {
		s.Format, err = shard.ParseFormat(text)
		return err
	}
	setCounts := func(text string) (err error) {
		decimal := s.Counts.Decimal
		s.Counts, err = shard.ParseCountRule(text)
		s.Counts.Decimal = max(s.Counts.Decimal, decimal)
		return err
	}
	setTexts := func(text string) error {
		s.TextColumns = strings.Split(text, ",")
		return nil
	}
	setEncoding := func(text string) error {
		s.Encoding = text
		return shard.CheckEncoding(text)
	}
	return []row{
		inputGroup.flag("format", setFormat, values{kind: plain, words: formatWords(), as: "WORD"},
			"format of the shards").by("auto").does(reads),
		inputGroup.more("follow-links", &f.shard.FollowLinks, boolean, "also take links in folders of shards").does(none),
		inputGroup.flag("items-column", &s.ItemsColumn, anyText.named("COLUMN"), "column or field of item ids").does(reads),
		inputGroup.flag("counts-column", &s.CountsColumn, anyText.named("COLUMN"),
			`column or field of counts; "-" counts every occurrence as 1`).does(reads),
		inputGroup.flag("document-column", &s.DocumentColumn, anyText.named("COLUMN"),
			"column of document ids, where every row has one item of a document").does(reads),
		inputGroup.flag("tokenize", &s.Tokenize, boolean,
			"cut texts into words, at the word boundaries of Unicode").does(reads),
		inputGroup.more("text-column", setTexts, anyText.named("COLUMNS"),
			"columns or fields of texts, to be cut into words: title,body joins two").does(reads),
		inputGroup.more("names-column", f.setNames, anyText.named("COLUMN"),
			"column of names beside codes of items, a file of codes and names, or none").does(reads),
		inputGroup.more("encoding", setEncoding, anyText.named("NAME"),
			"encoding of texts that are not UTF-8, such as windows-1252").does(reads),
		inputGroup.more("decimal", &s.Counts.Decimal, choice(word{",", "", shard.DecimalComma}, word{".", "",
			shard.DecimalPoint}).named("SIGN"),
			`"," or ".", in front of decimals; the other one is between thousands`).does(reads),
		inputGroup.more("no-header", &s.NoHeader, boolean,
			"the first line of csv holds values; its columns are called 1, 2 and so on").does(reads),
		inputGroup.more("separator", f.setSeparator, anyText,
			`what separates items: a sign such as ",", tab or blank`).does(reads),
		inputGroup.more("counts", setCounts, anyText.named("RULES"),
			"what to do with amounts that are no counts: "+shard.CountRuleWords()).by("exact").does(reads),
		inputGroup.more("group", &s.Group, boolean,
			"sort rows by document first, where they are scattered over a file").does(reads),
		inputGroup.more("docword-vocab", &s.DocwordVocab, anyFile,
			"word list of "+formatsThat(func(i shard.FormatInfo) bool { return i.WordList })).does(reads),
		expert("min-word-length", &s.MinWordLength, wholes(0, 1000),
			"leave out words with fewer characters, where text is cut into words").by("1").does(reads),
		expert("mtx-columns", &s.DocumentColumns, boolean, "the documents of mtx and npz are columns, not rows").does(reads),
		memoryRow(&f.limit),
		memoryGroup.flag("spill-dir", &f.spillDir, workFolder,
			"folder for temporary files; beside the output if not given").does(local),
	}
}

func memoryRow(to *memoryLimit) row {
	return memoryGroup.flag("memory-limit", to, sizes(1, word{memoryAuto, "80 % of the machine", memoryLimit(0)},
		word{memoryNone, "refuse nothing", anyMemory}),
		"memory to take; what would take more is refused with code 12").by(memoryAuto)
}

// trustRows say which shards to trust.
func (f *sourceFlags) trustRows() []row {
	return append([]row{
		inputGroup.more("on-bad-shard", &f.skipShards, skipped("leave it out, and end with code 3"),
			"what to do with a shard that cannot be read").by("fail").does(none),
		inputGroup.more("mixed", &f.mixed, boolean, "let shards differ in their formats and columns").does(once),
		inputGroup.more("min-shards", &f.minShards, wholes(0, mostNumbered),
			"end with code 11 if there are fewer shards").does(none),
		inputGroup.more("min-documents", &f.minDocuments, wholes(0, mostDocuments),
			"end with code 11 if there are fewer documents").does(none),
	}, f.badRowRows()...)
}

// skipped are the values of a flag that leaves out what cannot be read.
func skipped(skips string) values {
	return choice(word{"fail", "end the run", false}, word{"skip", skips, true})
}

// badRowRows say what to do with rows that cannot be read.
func (f *sourceFlags) badRowRows() []row {
	return []row{
		inputGroup.more("on-bad-row", &f.skipRows, skipped("leave it out, and count it"),
			"what to do with a row that cannot be read").by("fail").does(once),
		expert("max-bad-rows", &f.maxBadRows, wholes(1, mostDocuments),
			"bad rows at which a run with --on-bad-row skip ends").by("1000").does(none),
	}
}

// openLimit is the value of a flag for a limit that the kind of the documents decides.
const openLimit = -1

// byKind is the word for it.
func byKind(help string) word { return word{"auto", help, openLimit} }

// limitOf returns the limit for corpus.Options that a flag asks for: there 0 is open, and 1 is no limit.
func limitOf[N int | int64 | float64](flag N) N {
	switch flag {
	case openLimit:
		return 0
	case 0:
		return 1
	}
	return flag
}

// documentRows say which documents count, and which fix the items.
func (f *sourceFlags) documentRows() []row {
	return append([]row{
		inputGroup.more("vocab", &f.vocab, anyFile,
			"file that fixes the items and their order, a line each, or of anchorage vocab"),
		inputGroup.more("no-prune", &f.noPrune, boolean,
			"keep every item; makes a single pass unless --passes says otherwise"),
	}, f.lengthRows()...)
}

// lengthRows say how long the documents are that count.
func (f *sourceFlags) lengthRows() []row {
	return []row{
		inputGroup.more("min-items", &f.corpus.MinItems, wholes(0, mostNumbered, byKind("3, or 2 with 2 tokens")),
			"keep documents with at least this many distinct items").by("auto"),
		inputGroup.more("min-tokens", &f.corpus.MinTokens, wholes(0, mostDocuments, byKind("5, and for baskets 2 to 5")),
			"keep documents with at least this many tokens").by("auto"),
	}
}

// pruningRows say which items count.
func (f *sourceFlags) pruningRows() []row {
	p := &f.corpus.Pruning
	return []row{
		f.stopwordsRow(),
		inputGroup.flag("min-df", &p.MinDF, wholes(0, mostDocuments, byKind("5 for texts, 2 for baskets")),
			"keep items in at least this many documents").by("auto"),
		inputGroup.flag("max-df-ratio", &p.MaxDFRatio, reals(0, 1, byKind("0.2 for texts, 0.5 for few texts, 1 for baskets")),
			"keep items in at most this share of the documents").by("auto"),
		inputGroup.flag("max-items", &p.MaxItems, wholes(0, mostNumbered),
			"keep at most this many items, by tf·idf; 0 for all"),
		expert("allow-single-items", &f.corpus.AllowSingles, boolean,
			"accept documents of which most have a single item, a sign of misreading"),
	}
}

func (f *sourceFlags) stopwordsRow() row {
	return inputGroup.flag("stopwords", &f.stopwords, anyFile.named("WORDS"),
		"items to leave out: a file of them, or languages such as en,de")
}

// diskRow is the setting that leaves out the check of the room on disks.
func (f *sourceFlags) diskRow() row {
	return expert("disk-check", &f.noDisk, choice(word{"true", "refuse a run that cannot fit", false}, word{"false",
		"begin all the same", true}), "compare what the run writes with the room on disks").by("true").does(local)
}

// setSeparator reads --separator.
func (f *sourceFlags) setSeparator(text string) error {
	switch text {
	case "":
		return errors.New("it is empty: give a sign, tab or blank")
	case "blank", " ":
		f.shard.Separator = shard.Blanks
	case "tab", `\t`:
		f.shard.Separator = "\t"
	default:
		f.shard.Separator = text
	}
	return nil
}

// setNames reads --names-column. Names in a file are those of documents in any format.
func (f *sourceFlags) setNames(text string) error {
	f.shard.NamesColumn, f.namesFile = text, ""
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() && text != shard.NoNames {
		f.shard.NamesColumn, f.namesFile = shard.NoNames, text
	}
	return nil
}

// itemNames returns the names that the items of shards have beside their ids; nil without any.
func (f *sourceFlags) itemNames(ctx context.Context, shards []shard.Shard) (*stream.ItemNames, error) {
	if f.namesFile != "" {
		return stream.ReadItemNamesFile(ctx, f.namesFile, f.shard.Encoding)
	}
	return stream.ReadItemNames(ctx, shards, f.shard.NamesColumn)
}

// layoutUses are the flags about layouts that apply to some formats only.
var layoutUses = []struct {
	flag    string
	applies func(shard.FormatInfo) bool
}{
	{"items-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"counts-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"document-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"text-column", func(i shard.FormatInfo) bool { return i.Columns && i.Tokenize }},
	{"no-header", func(i shard.FormatInfo) bool { return i.Format == shard.CSV }},
	{"decimal", func(i shard.FormatInfo) bool { return i.Counts }},
	{"docword-vocab", func(i shard.FormatInfo) bool { return i.WordList }},
	{"tokenize", func(i shard.FormatInfo) bool { return i.Tokenize }},
	{"separator", func(i shard.FormatInfo) bool { return i.Separator }},
	{"mtx-columns", func(i shard.FormatInfo) bool { return i.Format == shard.MatrixMarket || i.Format == shard.NPZ }},
	{"group", func(i shard.FormatInfo) bool { return i.Rows }},
	{"counts", func(i shard.FormatInfo) bool { return i.Counts }},
}

// ready checks the flags about reading shards, so that commands can do it before any work, and limits the memory of the
// process.
func (f *sourceFlags) ready(p *program) error {
	if p.flags == nil { // a command without flags about shards
		return nil
	}
	for _, use := range layoutUses {
		if given(p.flags, use.flag) && f.shard.Format != shard.Auto && !use.applies(f.shard.Format.Info()) {
			return &usageError{fmt.Errorf("%s applies to %s, not to %s", spelled(p.flags, use.flag), formatsThat(use.applies),
				f.shard.Format)}
		}
	}
	switch {
	case given(p.flags, "min-word-length") && !f.shard.Tokenizes():
		return &usageError{errors.New("--set min-word-length is about words: give --tokenize, --format text or --format " +
			"files too")}
	case f.shard.Counts != (shard.CountRule{}) && f.shard.CountsColumn == shard.NoCounts:
		return &usageError{errors.New("--counts says how counts are read, and --counts-column \"-\" that none are: leave " +
			"one of them out")}
	case given(p.flags, "max-bad-rows") && !f.skipRows:
		return &usageError{errors.New("--set max-bad-rows needs --on-bad-row skip")}
	}
	f.shard.MaxBadRows = 0
	if f.skipRows {
		f.shard.MaxBadRows = f.maxBadRows
	}
	f.shard.MemoryLimit = f.limit.sorting() / int64(kernel.Workers(p.workers))
	if f.shard.Group && f.shard.MemoryLimit < shard.MinSortMemory {
		return &usageError{fmt.Errorf("--memory-limit is %s: --group needs at least %d MiB for each of %d workers",
			lookup(p.flags, "memory-limit").Value, shard.MinSortMemory>>20, kernel.Workers(p.workers))}
	}
	if f.shard.SpillDir == "" {
		f.shard.SpillDir = f.spillDir
	}
	f.limit.apply()
	return process.Reserve(0) // the program itself may take more already
}

// applies returns an error if a flag was given that applies to none of the shards.
func (f *sourceFlags) applies(p *program, shards []shard.Shard) error {
	for _, use := range layoutUses {
		if !given(p.flags, use.flag) {
			continue
		}
		some := slices.ContainsFunc(shards, func(s shard.Shard) bool {
			return s.Format == shard.Auto || use.applies(s.Format.Info())
		})
		if !some {
			return &usageError{fmt.Errorf("%s applies to %s, and the shards are %s: leave it out, or choose a --format",
				spelled(p.flags, use.flag), formatsThat(use.applies), shards[0].Format)}
		}
	}
	return nil
}

// check checks the flags about documents, and that they do not contradict those about items.
func (f *sourceFlags) check(p *program) error {
	if f.vocab == "" && !f.noPrune {
		return nil
	}
	if f.vocab != "" && f.noPrune {
		return &usageError{errors.New("--vocab fixes the items and --no-prune keeps them all: give one of them")}
	}
	for _, name := range []string{"min-df", "max-df-ratio", "max-items", "stopwords"} {
		if given(p.flags, name) {
			return &usageError{fmt.Errorf("--%s prunes items, and --vocab and --no-prune forbid that: leave one of them out",
				name)}
		}
	}
	return nil
}

// pruning returns the rules for items.
func (f *sourceFlags) pruning(ctx context.Context) (pruning corpus.Pruning, err error) {
	pruning = f.corpus.Pruning
	pruning.MinDF, pruning.MaxDFRatio = limitOf(pruning.MinDF), limitOf(pruning.MaxDFRatio)
	pruning.Stopwords, err = f.stopWords(ctx)
	return pruning, err
}

// stopWords returns the items of --stopwords; nil without the flag.
func (f *sourceFlags) stopWords(ctx context.Context) (map[string]struct{}, error) {
	if f.stopwords == "" {
		return nil, nil
	}
	return stream.FindStopwords(ctx, f.stopwords, f.shard.Tokenizes())
}

// formatsThat lists the names of the formats that have a property.
func formatsThat(have func(shard.FormatInfo) bool) string {
	var names []string
	for _, known := range shard.Formats() {
		if have(known) {
			names = append(names, known.Name)
		}
	}
	return safetext.List(names, "and")
}

// formatTable describes all formats, one per line.
func formatTable() string {
	var table strings.Builder
	for _, known := range shard.Formats() {
		fmt.Fprintf(&table, "  %-8s %s\n", known.Name, known.Help)
	}
	return table.String()
}

// enoughShards returns an error if fewer shards than --min-shards were found that can be read.
func (f *sourceFlags) enoughShards() error {
	return enough(int64(len(f.found)), int64(f.minShards), "shards", "--min-shards")
}

// enoughDocuments returns an error if fewer documents than --min-documents were read.
func (f *sourceFlags) enoughDocuments(read int64) error {
	return enough(read, f.minDocuments, "documents", "--min-documents")
}

// enough returns an error if there are fewer shards or documents than a flag asks for.
func enough(got, least int64, what, flag string) error {
	if got >= least {
		return nil
	}
	return &codedError{exitInput, fmt.Errorf("there are only %d %s, and %s asks for %d: the input is not complete", got,
		what, flag, least)}
}
