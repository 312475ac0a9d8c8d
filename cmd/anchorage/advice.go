// This file says which flags would help against errors of reading.

package main

import (
	"errors"
	"syscall"

	"anchorage/shard"
	"anchorage/shard/fault"
)

// shardAdvice is what follows the message of a *shard.Error, by its reason, with the sign between them.
var shardAdvice = map[fault.Reason]string{
	fault.ItemsUnclear:     ": choose with --items-column",
	fault.ItemsUnfit:       ": choose another with --items-column",
	fault.ItemsMissing:     ": if the table has one row per document and item, give --document-column and --items-column",
	fault.CountsUnclear:    ": choose with --counts-column, where \"-\" stands for none",
	fault.CountsUnfit:      ": choose another with --counts-column, where \"-\" stands for none",
	fault.CountsWithin:     ": leave --counts-column out, or give \"-\" for none",
	fault.CountsMissing:    "; for items without counts give --counts-column \"-\"",
	fault.DocumentsUnclear: ": choose with --document-column",
	fault.DocumentsUnfit:   ": choose another with --document-column",
	fault.Scattered:        "; collect them with --group, or sort the file by document",
	fault.StringItems:      ": cut it into words with --tokenize",
	fault.CountNegative:    "; leave returns out with --counts drop-negative",
	fault.CountZero:        "; leave such items out with --counts drop-zero",
	fault.CountFraction:    "; make weights counts with --counts round or ceil, or choose another --counts-column",
	fault.CountEmpty:       "; leave such items out with --counts drop-empty",
	fault.BadRows:          "; raise --set max-bad-rows",
	fault.Drift:            "; if that is meant, allow it with --mixed",
	fault.NotDocuments:     ": leave it out, or say with --format how its documents stand in it",
	fault.SortMemory:       ": raise --memory-limit",
	fault.SortSpace:        ": choose another directory with --spill-dir",
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
