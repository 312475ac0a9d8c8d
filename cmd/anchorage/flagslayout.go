// This file holds the flags about the layouts of shards, and the memory for sorting them.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/shard"
)

// addLayout adds the flags about the layouts of shards.
func (f *sourceFlags) addLayout(flags *pflag.FlagSet) {
	f.layoutFlags = flags
	flags.StringVar(&f.format, "format", "auto", "format of the shards: "+shard.FormatNames())
	flags.StringVar(&f.shard.ItemsColumn, "items-column", "", "column or field of item ids; found by type and name if not given")
	flags.StringVar(&f.shard.CountsColumn, "counts-column", "", `column or field of counts; "-" counts every occurrence as 1`)
	flags.StringVar(&f.counts, "counts", "exact", "what becomes of amounts that are no counts, as words between commas: "+shard.CountRuleWords()+"; exact refuses them, and the words with drop leave them out and say how many")
	flags.StringVar(&f.shard.DocumentColumn, "document-column", "", "column of document ids, in a table with one row per document and item; found by name if not given")
	flags.StringVar(&f.shard.DocwordVocab, "docword-vocab", "", "word list that names the numbers of "+formatsThat(func(i shard.FormatInfo) bool { return i.WordList })+"; vocab.NAME.txt beside docword.NAME.txt if not given")
	f.addTexts(flags)
	flags.StringVar(&f.shard.Namespace, "vw-namespace", "", "the one namespace of vw to read; all if not given")
	flags.BoolVar(&f.shard.DocumentColumns, "mtx-columns", false, "the documents of mtx are its columns, not its rows")
	flags.BoolVar(&f.shard.Group, "group", false, "collect the rows of each document from all over a file with one row per document and item, by sorting it on disk")
	flags.StringVar(&f.memory, "memory-limit", memoryAuto, "memory that the command may take, half of it for --group; what would take more is refused with code 12; "+memoryDefault)
	flags.StringVar(&f.spillDir, "spill-dir", "", "directory for temporary files: sorted rows, the copy of the documents for further passes, corrections; beside the output if not given")
}

// layouts checks the flags and sets the options of reading.
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
	if err := f.texts(); err != nil {
		return err
	}
	if f.shard.Counts, err = shard.ParseCountRule(f.counts); err != nil {
		return &usageError{fmt.Errorf("--counts: %w", err)}
	}
	if f.shard.Counts != (shard.CountRule{}) && f.shard.CountsColumn == shard.NoCounts {
		return &usageError{errors.New("--counts says how counts are read, and --counts-column \"-\" that none are: leave one of them out")}
	}
	limit, err := parseMemory(f.memory)
	if err != nil {
		return err
	}
	f.shard.MemoryLimit = limit.sorting() / int64(kernel.Workers(p.workers))
	if f.shard.Group && f.shard.MemoryLimit < shard.MinSortMemory {
		return &usageError{fmt.Errorf("--memory-limit is %s: --group needs at least %d MiB for each of %d workers", f.memory,
			shard.MinSortMemory>>20, kernel.Workers(p.workers))}
	}
	if f.shard.SpillDir == "" {
		f.shard.SpillDir = f.spillDir
	}
	limit.apply()
	return process.Reserve(0) // the program itself may take more already
}

// limitRun tells what --memory-limit means for commands whose runs have a model of their memory.
func (f *sourceFlags) limitRun(flags *pflag.FlagSet) {
	flags.Lookup("memory-limit").Usage = "memory that the run may take: it holds fewer Krylov blocks, on which the result depends, and fewer corrections, and refuses what still does not fit with code 12; --group sorts within half of it; " + memoryDefault
}

// runLimit returns how much memory the run may take, in bytes; 0 if nobody chose a limit.
func (f *sourceFlags) runLimit() (int64, error) {
	limit, err := parseMemory(f.memory)
	return limit.chosen, err
}
