// This file adds to errors which flag would help.

package main

import (
	"errors"

	"anchorage/shard"
)

// shardAdvice is what follows the message of a *shard.Error, by its reason: the sign between them, then the advice.
var shardAdvice = map[shard.Reason]string{
	shard.ItemsUnclear:     ": choose with --items-column",
	shard.ItemsUnfit:       ": choose another with --items-column",
	shard.ItemsMissing:     ": of a table with one row per document and item, give --document-column and --items-column",
	shard.CountsUnclear:    ": choose with --counts-column, which takes \"-\" for none",
	shard.CountsUnfit:      ": choose another with --counts-column, which takes \"-\" for none",
	shard.CountsWithin:     ": leave --counts-column out, or give \"-\" for none",
	shard.CountsMissing:    "; for items without counts give --counts-column \"-\"",
	shard.DocumentsUnclear: ": choose with --document-column",
	shard.DocumentsUnfit:   ": choose another with --document-column",
	shard.Scattered:        "; give --group to collect them, or sort the file by document",
	shard.StringItems:      ": give --tokenize to cut it into words",
	shard.SortMemory:       ": raise --memory-limit",
	shard.SortSpace:        ": choose another directory with --spill-dir",
}

// advice returns what to add to the message of an error; "" where no flag would help.
func advice(err error) string {
	var input *shard.Error
	if errors.As(err, &input) {
		return shardAdvice[input.Reason()]
	}
	return modelAdvice(err)
}
