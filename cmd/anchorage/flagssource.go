// This file holds the flags that say which shards are read, how, and which of their documents and items count.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/shard"
	"anchorage/stream"
)

// sourceFlags say what is read.
type sourceFlags struct {
	flags *pflag.FlagSet // of the command

	shard      shard.Options
	corpus     corpus.Options // the rules for documents and items
	vocab      string
	noPrune    bool
	stopwords  string
	spillDir   string
	limit      memoryLimit
	noDisk     bool // leave out the check of the room on disks
	mixed      bool
	skipRows   bool
	maxBadRows int64
	skipShards bool

	checksums    string
	minShards    int
	minDocuments int64

	found   []shard.Shard // by discover, without bad ones
	dealing dealing       // of shards among tasks
	// earlier are shards that were read before, and how: those found must be read alike.
	earlier         []shard.Shard
	earlierMappings []shard.Mapping
}

// of notes the flags of the command, in which the rows will be.
func (f *sourceFlags) of(flags *pflag.FlagSet) *sourceFlags {
	f.flags = flags
	return f
}

// given reports whether the command line has one of the flags.
func (f *sourceFlags) given(name string) bool { return given(f.flags, name) }

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
		s.Counts, err = shard.ParseCountRule(text)
		return err
	}
	return []row{
		{name: "format", group: inputGroup, effect: reads, to: setFormat, usual: "auto", values: values{kind: plain,
			words: formatWords(), as: "WORD"},
			help: "format of the shards"},
		{name: "follow-links", group: inputGroup, layer: advanced, effect: none, to: &f.shard.FollowLinks, values: boolean,
			help: "also take links in folders of shards"},
		{name: "items-column", group: inputGroup, effect: reads, to: &s.ItemsColumn, values: anyText.named("COLUMN"),
			help: "column or field of item ids"},
		{name: "counts-column", group: inputGroup, effect: reads, to: &s.CountsColumn, values: anyText.named("COLUMN"),
			help: `column or field of counts; "-" counts every occurrence as 1`},
		{name: "document-column", group: inputGroup, effect: reads, to: &s.DocumentColumn, values: anyText.named("COLUMN"),
			help: "column of document ids, of a row per document and item"},
		{name: "tokenize", group: inputGroup, effect: reads, to: &s.Tokenize, values: boolean,
			help: "cut texts into words, at the word boundaries of Unicode"},
		{name: "separator", group: inputGroup, layer: advanced, effect: reads, to: f.setSeparator, values: anyText,
			help: `what separates items: a sign such as ",", tab or blank`},
		{name: "counts", group: inputGroup, layer: advanced, effect: reads, to: setCounts, usual: "exact",
			values: anyText.named("RULES"),
			help:   "what to do with amounts that are no counts: " + shard.CountRuleWords()},
		{name: "group", group: inputGroup, layer: advanced, effect: reads, to: &s.Group, values: boolean,
			help: "sort rows by document first, where they are scattered over a file"},
		{name: "docword-vocab", group: inputGroup, layer: advanced, effect: reads, to: &s.DocwordVocab, values: anyFile,
			help: "word list of " + formatsThat(func(i shard.FormatInfo) bool { return i.WordList })},
		{name: "min-word-length", layer: setting, effect: reads, to: &s.MinWordLength, usual: "1", values: wholes(0, 1000),
			help: "leave out words with fewer characters, where text is cut into words"},
		{name: "vw-namespace", layer: setting, effect: reads, to: &s.Namespace, values: anyText,
			help: "the one namespace of vw to read"},
		{name: "mtx-columns", layer: setting, effect: reads, to: &s.DocumentColumns, values: boolean,
			help: "the documents of mtx and npz are columns, not rows"},
		memoryRow(&f.limit),
		{name: "spill-dir", group: memoryGroup, effect: local, to: &f.spillDir, values: workFolder,
			help: "folder for temporary files; beside the output if not given"},
	}
}

// memoryRow is --memory-limit.
func memoryRow(to *memoryLimit) row {
	return row{name: "memory-limit", group: memoryGroup, to: to, usual: memoryAuto, values: sizes(1,
		word{memoryAuto, "80 % of the machine", memoryLimit(0)},
		word{memoryNone, "refuse nothing", anyMemory}), help: "memory to take; what would take more is refused with code 12"}
}

// trustRows say which shards to trust.
func (f *sourceFlags) trustRows() []row {
	skip := func(skips string) values {
		return choice(word{"fail", "end the run", false}, word{"skip", skips, true})
	}
	return []row{
		{name: "on-bad-shard", group: inputGroup, layer: advanced, effect: none, to: &f.skipShards, usual: "fail",
			values: skip("leave it out, and end with code 3"),
			help:   "what to do with a shard that cannot be read"},
		{name: "on-bad-row", group: inputGroup, layer: advanced, effect: once, to: &f.skipRows, usual: "fail",
			values: skip("leave it out, and count it"),
			help:   "what to do with a row that cannot be read"},
		{name: "max-bad-rows", layer: setting, effect: none, to: &f.maxBadRows, usual: "1000",
			values: wholes(1, mostDocuments), help: "bad rows at which a run with --on-bad-row skip ends"},
		{name: "mixed", group: inputGroup, layer: advanced, effect: once, to: &f.mixed, values: boolean,
			help: "let shards differ in their formats and columns"},
		{name: "checksums", group: inputGroup, layer: advanced, effect: none, to: &f.checksums, values: anyFile,
			help: "list of SHA-256 that the shards must match, as sha256sum writes it"},
		{name: "min-shards", group: inputGroup, layer: advanced, effect: none, to: &f.minShards,
			values: wholes(0, mostNumbered), help: "end with code 11 if there are fewer shards"},
		{name: "min-documents", group: inputGroup, layer: advanced, effect: none, to: &f.minDocuments, values: wholes(0,
			mostDocuments),
			help: "end with code 11 if there are fewer documents"},
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
	return []row{
		{name: "vocab", group: inputGroup, layer: advanced, to: &f.vocab, values: anyFile,
			help: "file that fixes the items and their order, a line each, or of anchorage vocab"},
		{name: "no-prune", group: inputGroup, layer: advanced, to: &f.noPrune, values: boolean,
			help: "keep every item; makes a single pass unless --passes says otherwise"},
		{name: "min-items", group: inputGroup, layer: advanced, to: &f.corpus.MinItems, usual: "auto", values: wholes(0,
			mostNumbered, byKind("3, or 2 with 2 tokens")),
			help: "keep documents with at least this many distinct items"},
		{name: "min-tokens", group: inputGroup, layer: advanced, to: &f.corpus.MinTokens, usual: "auto", values: wholes(0,
			mostDocuments, byKind("5, and for baskets 2 to 5")),
			help: "keep documents with at least this many tokens"},
	}
}

// pruningRows say which items count.
func (f *sourceFlags) pruningRows() []row {
	p := &f.corpus.Pruning
	return []row{
		f.stopwordsRow(),
		{name: "min-df", group: inputGroup, to: &p.MinDF, usual: "auto", values: wholes(0, mostDocuments,
			byKind("5 for texts, 2 for baskets")),
			help: "keep items in at least this many documents"},
		{name: "max-df-ratio", group: inputGroup, to: &p.MaxDFRatio, usual: "auto", values: reals(0, 1,
			byKind("0.2 for texts, 0.5 for baskets or few texts")),
			help: "keep items in at most this share of the documents"},
		{name: "max-items", group: inputGroup, to: &p.MaxItems, values: wholes(0, mostNumbered),
			help: "keep at most this many items, by tf·idf; 0 for all"},
		{name: "allow-single-items", layer: setting, to: &f.corpus.AllowSingles, values: boolean,
			help: "accept documents most of which have a single item, a sign of a misreading"},
	}
}

// stopwordsRow is --stopwords.
func (f *sourceFlags) stopwordsRow() row {
	return row{name: "stopwords", group: inputGroup, to: &f.stopwords, values: anyFile.named("WORDS"),
		help: "items to leave out: a file of them, or languages such as en,de"}
}

// diskRow is the setting that leaves out the check of the room on disks.
func (f *sourceFlags) diskRow() row {
	return row{name: "disk-check", layer: setting, effect: local, to: &f.noDisk, usual: "true",
		values: choice(word{"true", "refuse a run that cannot fit", false},
			word{"false", "begin all the same", true}), help: "compare what the run writes with the room on disks"}
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

// kind returns what the documents are like, as far as the flags say.
func (f *sourceFlags) kind() corpus.Kind {
	if f.shard.Tokenizes() {
		return corpus.Texts
	}
	return corpus.AnyKind
}

// layoutUse says to which formats a flag about layouts applies.
type layoutUse struct {
	flag    string
	applies func(shard.FormatInfo) bool
}

// layoutUses are the flags that apply to some formats only.
var layoutUses = []layoutUse{
	{"items-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"counts-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"document-column", func(i shard.FormatInfo) bool { return i.Columns }},
	{"docword-vocab", func(i shard.FormatInfo) bool { return i.WordList }},
	{"tokenize", func(i shard.FormatInfo) bool { return i.Tokenize }},
	{"separator", func(i shard.FormatInfo) bool { return i.Separator }},
	{"vw-namespace", func(i shard.FormatInfo) bool { return i.Format == shard.VW }},
	{"mtx-columns", func(i shard.FormatInfo) bool { return i.Format == shard.MatrixMarket || i.Format == shard.NPZ }},
	{"group", func(i shard.FormatInfo) bool { return i.Rows }},
	{"counts", func(i shard.FormatInfo) bool { return i.Counts }},
}

// ready checks the flags about reading shards, so that commands can do it before any work, and limits the memory of the
// process.
func (f *sourceFlags) ready(p *program) error {
	if f.flags == nil {
		return nil
	}
	for _, use := range layoutUses {
		if f.given(use.flag) && f.shard.Format != shard.Auto && !use.applies(f.shard.Format.Info()) {
			return &usageError{fmt.Errorf("%s applies to %s, not to %s", spelled(f.flags, use.flag), formatsThat(use.applies),
				f.shard.Format)}
		}
	}
	switch {
	case f.given("min-word-length") && !f.shard.Tokenizes():
		return &usageError{errors.New("--set min-word-length is about words: give --tokenize, --format text or --format " +
			"files too")}
	case f.shard.Counts != (shard.CountRule{}) && f.shard.CountsColumn == shard.NoCounts:
		return &usageError{errors.New("--counts says how counts are read, and --counts-column \"-\" that none are: leave " +
			"one of them out")}
	case f.given("max-bad-rows") && !f.skipRows:
		return &usageError{errors.New("--set max-bad-rows needs --on-bad-row skip")}
	}
	f.shard.MaxBadRows = 0
	if f.skipRows {
		f.shard.MaxBadRows = f.maxBadRows
	}
	f.shard.MemoryLimit = f.limit.sorting() / int64(kernel.Workers(p.workers))
	if f.shard.Group && f.shard.MemoryLimit < shard.MinSortMemory {
		return &usageError{fmt.Errorf("--memory-limit is %s: --group needs at least %d MiB for each of %d workers",
			lookup(f.flags, "memory-limit").Value,
			shard.MinSortMemory>>20, kernel.Workers(p.workers))}
	}
	if f.shard.SpillDir == "" {
		f.shard.SpillDir = f.spillDir
	}
	f.limit.apply()
	return process.Reserve(0) // the program itself may take more already
}

// applies returns an error if a flag was given that applies to none of the shards.
func (f *sourceFlags) applies(shards []shard.Shard) error {
	for _, use := range layoutUses {
		if !f.given(use.flag) {
			continue
		}
		some := slices.ContainsFunc(shards, func(s shard.Shard) bool {
			return s.Format == shard.Auto || use.applies(s.Format.Info())
		})
		if !some {
			return &usageError{fmt.Errorf("%s applies to %s, and the shards are %s: leave it out, or choose a --format",
				spelled(f.flags, use.flag),
				formatsThat(use.applies), shards[0].Format)}
		}
	}
	return nil
}

// check checks the flags about documents, and that they do not contradict those about items.
func (f *sourceFlags) check() error {
	if f.vocab == "" && !f.noPrune {
		return nil
	}
	if f.vocab != "" && f.noPrune {
		return &usageError{errors.New("--vocab fixes the items and --no-prune keeps them all: give one of them")}
	}
	for _, name := range []string{"min-df", "max-df-ratio", "max-items", "stopwords"} {
		if f.given(name) {
			return &usageError{fmt.Errorf("--%s prunes items, and --vocab and --no-prune forbid that: leave one of them out",
				name)}
		}
	}
	return nil
}

// modelItems checks the flags of a command that takes its items from a model.
func (f *sourceFlags) modelItems(remedy string) error {
	if f.vocab == "" && !f.noPrune {
		return nil
	}
	return &usageError{errors.New("the items are those of the model: " + remedy)}
}

// pruning returns the rules for items.
func (f *sourceFlags) pruning(ctx context.Context) (pruning corpus.Pruning, err error) {
	pruning = f.corpus.Pruning
	pruning.MinDF, pruning.MaxDFRatio = limitOf(pruning.MinDF), limitOf(pruning.MaxDFRatio)
	pruning.Stopwords, err = f.stopWords(ctx)
	return pruning, err
}

// stopWords returns the items of --stopwords, in lower case where text is cut into words; nil without the flag.
func (f *sourceFlags) stopWords(ctx context.Context) (map[string]struct{}, error) {
	if f.stopwords == "" {
		return nil, nil
	}
	if _, err := os.Stat(f.stopwords); err != nil {
		if words, known := stream.Stopwords(f.stopwords); known {
			return words, nil
		}
	}
	words, err := stream.ReadStopwords(ctx, f.stopwords)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; it is not a language with a list of stop words either: those are %s", err,
			strings.Join(stopwordCodes(), ", "))
	}
	if err != nil || !f.shard.Tokenizes() {
		return words, err
	}
	lower := make(map[string]struct{}, len(words))
	for word := range words {
		lower[strings.ToLower(word)] = struct{}{}
	}
	return lower, nil
}

// stopwordCodes returns the languages of --stopwords.
func stopwordCodes() (codes []string) {
	for _, l := range stream.StopwordLanguages() {
		codes = append(codes, l.Code)
	}
	return codes
}

// scratch returns the folder for temporary files: that of --spill-dir, or the given one without it.
func (f *sourceFlags) scratch(otherwise string) string {
	if f.spillDir != "" {
		return f.spillDir
	}
	return otherwise
}

// formatsThat lists the names of the formats that have a property.
func formatsThat(have func(shard.FormatInfo) bool) string {
	var names []string
	for _, known := range shard.Formats() {
		if have(known) {
			names = append(names, known.Name)
		}
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// formatTable describes all formats, one per line.
func formatTable() string {
	var table strings.Builder
	for _, known := range shard.Formats() {
		fmt.Fprintf(&table, "  %-8s %s\n", known.Name, known.Help)
	}
	return table.String()
}

// fewError reports that there are fewer shards or documents than the command line asks for.
type fewError struct {
	what, flag string
	got, least int64
}

// Error says how many there are.
func (e *fewError) Error() string {
	return fmt.Sprintf("there are only %d %s, and %s asks for %d: the input is not complete", e.got, e.what,
		e.flag, e.least)
}

// enoughShards returns a *fewError if fewer shards than --min-shards were found that can be read.
func (f *sourceFlags) enoughShards() error {
	if len(f.found) < f.minShards {
		return &fewError{"shards", "--min-shards", int64(len(f.found)), int64(f.minShards)}
	}
	return nil
}

// enoughDocuments returns a *fewError if fewer documents than --min-documents were read.
func (f *sourceFlags) enoughDocuments(read int64) error {
	if read < f.minDocuments {
		return &fewError{"documents", "--min-documents", read, f.minDocuments}
	}
	return nil
}
