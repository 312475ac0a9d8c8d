// This file says which flags would help against errors of reading.

package main

import (
	"errors"
	"syscall"

	"anchorage/shard"
)

// shardAdvice is what follows the message of a *shard.Error, by its reason, with the sign between them.
var shardAdvice = map[shard.Reason]string{
	shard.ItemsUnclear:     ": choose with --items-column",
	shard.ItemsUnfit:       ": choose another with --items-column",
	shard.ItemsMissing:     ": if the table has one row per document and item, give --document-column and --items-column",
	shard.CountsUnclear:    ": choose with --counts-column, where \"-\" stands for none",
	shard.CountsUnfit:      ": choose another with --counts-column, where \"-\" stands for none",
	shard.CountsWithin:     ": leave --counts-column out, or give \"-\" for none",
	shard.CountsMissing:    "; for items without counts give --counts-column \"-\"",
	shard.DocumentsUnclear: ": choose with --document-column",
	shard.DocumentsUnfit:   ": choose another with --document-column",
	shard.Scattered:        "; collect them with --group, or sort the file by document",
	shard.StringItems:      ": cut it into words with --tokenize",
	shard.CountNegative:    "; leave returns out with --counts drop-negative",
	shard.CountZero:        "; leave such items out with --counts drop-zero",
	shard.CountFraction:    "; make weights counts with --counts round or ceil, or choose another --counts-column",
	shard.CountEmpty:       "; leave such items out with --counts drop-empty",
	shard.BadRows:          "; raise --set max-bad-rows",
	shard.Drift:            "; if that is meant, allow it with --mixed",
	shard.NotDocuments:     ": leave it out, or say with --format how its documents stand in it",
	shard.SortMemory:       ": raise --memory-limit",
	shard.SortSpace:        ": choose another directory with --spill-dir",
}

// advice returns what to add to the message of an error; "" if no flag would help.
func advice(err error) string {
	if text := storeAdvice(err); text != "" {
		return text
	}
	if labels := new(labelsError); errors.As(err, &labels) {
		return labels.advice()
	}
	if unclear := new(shard.UnclearError); errors.As(err, &unclear) {
		return unclearAdvice(unclear)
	}
	var input *shard.Error
	if errors.As(err, &input) && !errors.Is(err, syscall.ENOMEM) && !errors.Is(err, syscall.EMFILE) {
		if text := shardAdvice[input.Reason()]; text != "" || !input.InRow() {
			return text
		}
		return "; leave such rows out with --on-bad-row skip"
	}
	return modelAdvice(err)
}

// unclearAdvice lists the ways to read texts.
func unclearAdvice(err *shard.UnclearError) string {
	if err.Files > 0 {
		return " Choose with --format files (a document per file) or --format text (a document per line); --format baskets takes the items of a line as they stand"
	}
	return " Choose with --format text (a document per line, cut into words) or --format files (a document per file); --format baskets takes the items of a line as they stand"
}
