// This file says which flags would help against errors of reading.

package main

import (
	"errors"

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
	shard.SortMemory:       ": raise --memory-limit",
	shard.SortSpace:        ": choose another directory with --spill-dir",
}

// advice returns what to add to the message of an error; "" if no flag would help.
func advice(err error) string {
	if text := storeAdvice(err); text != "" {
		return text
	}
	var input *shard.Error
	if errors.As(err, &input) {
		return shardAdvice[input.Reason()]
	}
	return modelAdvice(err)
}
