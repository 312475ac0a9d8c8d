// This file holds the flags about the layouts of shards, and the memory that sorting them takes.

package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/internal/kernel"
	"anchorage/shard"
)

// layoutFlags say what reading needs to know beside the format and the columns.
type layoutFlags struct {
	memory string
}

// addLayout adds the flags about the layouts of shards.
func (f *sourceFlags) addLayout(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "auto", "format of the shards: "+shard.FormatNames())
	flags.StringVar(&f.shard.ItemsColumn, "items-column", "", "column or field of item ids; found by type and name if not given")
	flags.StringVar(&f.shard.CountsColumn, "counts-column", "", `column or field of counts; "-" counts every occurrence as 1`)
	flags.StringVar(&f.shard.DocumentColumn, "document-column", "", "column of document ids; of a table with one row per document and item, found by name if not given")
	flags.StringVar(&f.shard.DocwordVocab, "docword-vocab", "", "word list that names the numbers of "+formatsThat(func(i shard.FormatInfo) bool { return i.WordList })+"; vocab.NAME.txt beside docword.NAME.txt if not given")
	flags.BoolVar(&f.shard.Tokenize, "tokenize", false, "cut lines of text, and text fields of jsonl, into words in lower case")
	flags.StringVar(&f.shard.Namespace, "vw-namespace", "", "the one namespace to be read of vw; all if not given")
	flags.BoolVar(&f.shard.DocumentColumns, "mtx-columns", false, "the documents of mtx are the columns, not the rows")
	flags.BoolVar(&f.shard.Group, "group", false, "collect the rows of a document from all over a file of a row per document and item, by sorting it on disk")
	flags.StringVar(&f.layout.memory, "memory-limit", "1GiB", "memory that --group may use, all workers together")
	flags.StringVar(&f.spillDir, "spill-dir", "", "directory for what is kept on disk meanwhile: sorted rows, the copy of the documents that further passes read, and corrections; beside the output if not given")
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
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// formatTable describes all formats, a line each.
func formatTable() string {
	var table strings.Builder
	for _, known := range shard.Formats() {
		fmt.Fprintf(&table, "  %-8s %s\n", known.Name, known.Help)
	}
	return table.String()
}

// completeFormats makes shells complete the values of --format, of a command and those below it.
func completeFormats(command *cobra.Command) {
	if command.Flags().Lookup("format") != nil {
		values := []cobra.Completion{cobra.CompletionWithDesc("auto", "by content, then by name")}
		for _, known := range shard.Formats() {
			values = append(values, cobra.CompletionWithDesc(known.Name, known.Help))
		}
		if err := command.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is there, and is registered once
		}
	}
	for _, below := range command.Commands() {
		completeFormats(below)
	}
}

// limitRun makes --memory-limit one of the whole run, for commands whose runs have a model of their memory.
func (f *sourceFlags) limitRun(flags *pflag.FlagSet) {
	f.limited = flags
	flags.Lookup("memory-limit").Usage = "memory that the run may take: what cannot fit is refused, and fewer Krylov blocks, which the result depends on, and corrections are held; without it there is no limit, and --group may use 1GiB"
}

// runLimit returns what the run may take of memory, 0 where --memory-limit does not say.
func (f *sourceFlags) runLimit() (int64, error) {
	if !f.limited.Changed("memory-limit") {
		return 0, nil
	}
	limit, err := parseSize(f.layout.memory)
	if err != nil {
		return 0, &usageError{fmt.Errorf("--memory-limit: %w", err)}
	}
	return limit, nil
}

// layouts completes the options of reading by what the flags say.
func (f *sourceFlags) layouts(p *program) error {
	var err error
	if f.shard.Format, err = shard.ParseFormat(f.format); err != nil {
		return &usageError{err}
	}
	if f.shard.Tokenize {
		for _, known := range shard.Formats() {
			if known.Format == f.shard.Format && !known.Tokenize {
				return &usageError{fmt.Errorf("--tokenize cuts text and jsonl into words, not %s", known.Name)}
			}
		}
	}
	memory, err := parseSize(f.layout.memory)
	if err != nil {
		return &usageError{fmt.Errorf("--memory-limit: %w", err)}
	}
	if f.limited != nil && f.limited.Changed("memory-limit") {
		memory /= 2 // the items and the program itself are in the limit too
	}
	f.shard.MemoryLimit = memory / int64(kernel.Workers(p.workers))
	if f.shard.Group && f.shard.MemoryLimit < shard.MinSortMemory {
		return &usageError{fmt.Errorf("--memory-limit is %s: --group needs at least %d MiB for each of %d workers", f.layout.memory,
			shard.MinSortMemory>>20, kernel.Workers(p.workers))}
	}
	if f.shard.SpillDir == "" {
		f.shard.SpillDir = f.spillDir
	}
	return nil
}

// tokenizes reports whether text is cut into words.
func (f *sourceFlags) tokenizes() bool { return f.shard.Tokenize || f.format == shard.Text.String() }

// sizeUnits are the endings of sizes, longest first.
var sizeUnits = []struct {
	ending string
	bytes  float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1}}

// parseSize returns the bytes that a size such as 512MiB, 2GB or 4G stands for.
func parseSize(text string) (int64, error) {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(text, unit.ending)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || !(value*unit.bytes >= 1 && value*unit.bytes < math.MaxInt64) {
			break
		}
		return int64(value * unit.bytes), nil
	}
	return 0, fmt.Errorf("%q is no size: write it like 512MiB or 2GB", text)
}

// logFormats says which formats were found, and by what.
func (p *program) logFormats(shards []shard.Shard) {
	for _, found := range shardKinds(shards) {
		p.log.Info("format", "format", found.format, "shards", found.shards, "first", found.first, "decided_by", found.reason)
	}
}

// shardKind is a format, and what told it, of one or more shards.
type shardKind struct {
	format, reason, first string
	shards                int
}

// shardKinds returns the kinds of shards in the order in which they first come.
func shardKinds(shards []shard.Shard) (kinds []shardKind) {
	places := make(map[[2]string]int)
	for _, s := range shards {
		key := [2]string{s.Format.String(), s.Reason}
		at, known := places[key]
		if !known {
			at = len(kinds)
			places[key] = at
			kinds = append(kinds, shardKind{format: key[0], reason: key[1], first: s.Path})
		}
		kinds[at].shards++
	}
	return kinds
}

// lowered returns stop words as words of text are: in lower case.
func lowered(words map[string]struct{}) map[string]struct{} {
	result := make(map[string]struct{}, len(words))
	for word := range words {
		result[strings.ToLower(word)] = struct{}{}
	}
	return result
}
