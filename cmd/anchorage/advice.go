// This file says which flags would help against errors, by the reasons that they give.

package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/itemmap"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/shard/fault"
	"anchorage/sketch"
	"anchorage/store"
)

// shardAdvice is what follows the message of a *shard.Error, by its reason, with the sign between them.
var shardAdvice = map[fault.Reason]string{
	fault.ItemsUnclear:     ": choose with --items-column",
	fault.ItemsUnfit:       ": choose another with --items-column",
	fault.ItemsMissing:     ": if the table has one row per document and item, give --document-column and --items-column",
	fault.CountsUnclear:    ": choose with --counts-column, where \"-\" means none",
	fault.CountsUnfit:      ": choose another with --counts-column, where \"-\" means none",
	fault.CountsWithin:     ": leave --counts-column out, or give \"-\" for none",
	fault.CountsMissing:    "; for items without counts give --counts-column \"-\"",
	fault.DocumentsUnclear: ": choose with --document-column",
	fault.DocumentsUnfit:   ": choose another with --document-column",
	fault.TextsUnfit:       ": choose others with --text-column",
	fault.Encoding:         ": name it with --encoding",
	fault.CountComma:       ": say which with --decimal , or --decimal .",
	fault.NoHeader:         ": give --no-header, which calls the columns 1, 2 and so on",
	fault.Scattered:        "; collect them with --group, or sort the file by document",
	fault.StringItems:      ": cut it into words with --tokenize",
	fault.CountNegative:    "; leave returns out with --counts drop-negative",
	fault.CountZero:        "; leave such items out with --counts drop-zero",
	fault.CountFraction: "; of weights and prices count every row once, with --counts once, or choose another " +
		"--counts-column",
	fault.CountEmpty:   "; leave such items out with --counts drop-empty",
	fault.BadRows:      "; raise --set max-bad-rows",
	fault.Drift:        "; if that is meant, allow it with --mixed",
	fault.NotDocuments: ": leave it out, or say with --format how its documents are in it",
	fault.NamesMissing: ": choose another with --names-column, or give it a file of codes and names",
	fault.SortMemory:   ": raise --memory-limit",
	fault.SortSpace:    ": choose another directory with --spill-dir",
}

// choices returns the advice for all reasons of an error: ": choose with --document-column and --items-column".
func choices(e *shard.Error) string {
	text := ""
	for i, reason := range e.Reasons() {
		one := shardAdvice[reason]
		if i > 0 {
			one = strings.Replace(one, ": choose with", " and", 1)
		}
		text += one
	}
	return text
}

// firstRows returns lines with the columns and first rows of a table in which choices are missing; "" of other errors.
func firstRows(err error) (lines string) {
	e := new(shard.Error)
	if !errors.As(err, &e) || len(e.First) == 0 {
		return ""
	}
	for _, row := range append([][]string{e.Columns}, e.First...) {
		lines += "\n  " + clean(strings.Join(row, " | "))
	}
	return lines
}

// optionFlags are the flags of options, by the names that a *model.OptionError gives.
var optionFlags = map[string]string{
	"Method":                 "--method",
	"Topics":                 "-k",
	"Sketch.Passes":          "--passes",
	"Sketch.Columns":         "--set sketch-columns",
	"Sketch.Power":           "--set sketch-method",
	"Sketch.Form":            "--set single-pass",
	"Sketch.From":            "--start",
	"Sketch.Tasks":           "--task",
	"Sketch.ItemWeights":     "--set item-weights",
	"Sketch.DocumentWeights": "--set document-weights",
	"Rectify.Iterations":     "--set enn-iterations",
	"Rectify.Truncated":      "--set enn-eigenpairs",
	"Anchor.Relevance":       "--set relevance",
	"Refine.Passes":          "--refine",
	"Refine.For":             "--for",
	"Levels":                 "--levels",
	"Start":                  "--start",
	"Require":                "--require",
	"Script":                 "--steer",
	"Choose.Range":           "--from",
	"Choose.Steps":           "--set steps",
	"Threshold":              "--set threshold",
}

// lackAdvice is what follows the message of a *corpus.DataError.
var lackAdvice = map[corpus.Lack]string{
	corpus.AllItemsPruned: "; lower --min-df or raise --max-df-ratio",
	corpus.SingleItems: "; say with --separator what separates items, with --document-column which rows belong " +
		"together, or with --format files that a document is a file; if the documents are like that, give --set " +
		"allow-single-items=true",
	corpus.AllDocumentsShort: "; lower --min-items or --min-tokens",
	corpus.TooFewItems:       "; ask for fewer with -k",
	corpus.TooFewDocuments:   "; ask for fewer with -k",
	corpus.Miscounted:        "; count the vocabulary again with anchorage vocab",
}

// faultAdvice is what follows the message of a *model.InputError.
var faultAdvice = map[model.Fault]string{
	model.NotMergeable: ": sketch the shards with --passes 1",
	model.PartialSum: ": name the sketches of these tasks too, or merge what there is with --partial, to be merged with " +
		"the others",
	model.PartialSketch: ": merge it with those of the other tasks first",
	model.NotBayesian:   ": make such a model with anchorage bayes fit",
	fit.NoCheckpoint:    ": leave --resume out, or give --resume=auto",
	fit.BadCheckpoint:   ": begin again with --restart",
	transform.NoDocuments: ": give a folder that anchorage transform --time-column wrote, or a model of fit --documents " +
		"--time-column",
	transform.NoneKnown: ": give documents with items of the kind that the model was learned from, spelled as there",
	transform.NoTimes:   ": transform the documents with --time-column",
	model.Damaged: "; make the directory again, or copy it again from where it is whole (anchorage verify shows " +
		"all damage); --no-verify reads it as it is",
	model.Incomplete: "; make the directory again, or copy it again from where it is whole (anchorage verify shows " +
		"all damage)",
	model.NoFactor: ": start from a model that fit made, by a method that passes over the documents",
	model.NoLevel:  ": name one of them with --level, or make others with fit --levels",
	model.NoPairs:  ": count them with anchorage items MODEL learn SHARD..., or fit with --neighbours",
	itemmap.NoMap:  ": draw it with anchorage map MODEL",
}

// inputAdvice returns what follows the message of a *model.InputError.
func inputAdvice(e *model.InputError) string {
	path, _, within := strings.Cut(filepath.ToSlash(e.Path), "/generations/")
	if is, _ := store.Is(context.Background(), path); within && is &&
		(e.Fault == model.Damaged || e.Fault == model.Incomplete) {
		return "; anchorage store rollback " + path + " makes the nearest generation that is whole the current one; an " +
			"update learns a new one without it"
	}
	return faultAdvice[e.Fault]
}

// itemAdvice is what follows the message of an *anchor.ItemError.
var itemAdvice = map[anchor.Fault]string{
	anchor.TinyRowSum: ": prune the vocabulary harder with --min-df",
	anchor.NoCorner: ": ask for fewer topics with -k, prune the vocabulary harder with --min-df, or raise --set " +
		"anchor-min-df",
	anchor.EmptyTopic: ": ask for fewer topics with -k",
}

// mergeAdvice is what follows the message of a *sketch.MergeError.
var mergeAdvice = map[sketch.Difference]string{
	sketch.DifferentSeeds: ": sketch all shards with the same --seed",
	sketch.DifferentColumns: ": sketch all shards with the same --set sketch-columns, or with the same -k and " +
		"--memory-limit",
	sketch.DifferentVocabularies: ": sketch all shards with the same --vocab",
	sketch.DifferentWeights:      ": sketch all shards with the same --vocab, item-weights and document-weights",
	sketch.DifferentCounts:       ": sketch all shards with the same --vocab",
}

// documentsAdvice is what follows the message of an *export.OptionError, by whether the format needs documents.
var documentsAdvice = map[bool]string{
	true:  ": give their topics with --documents, as anchorage transform writes them",
	false: ": leave --documents out",
}

// driverAdvice is what follows the message of an *objects.DriverError, by the kind of URL.
var driverAdvice = map[string]string{
	"gs": ": build it with Google's driver, in the folder cmd/clouds of the source (docs/storage.md), or reach the " +
		"bucket as s3://BUCKET/KEY?endpoint=https://storage.googleapis.com with an HMAC key in AWS_ACCESS_KEY_ID and " +
		"AWS_SECRET_ACCESS_KEY",
	"azblob": ": build it with Azure's driver, in the folder cmd/clouds of the source (docs/storage.md)",
}

// keptAdvice is what follows the message of a *store.Error.
var keptAdvice = map[store.Fault]string{
	store.Damaged: ": anchorage verify lists all that is damaged; anchorage store rollback goes back to a " +
		"generation before; anchorage update with --set rehash=true reads those of the given shards again of which the " +
		"store has a damaged copy",
	store.Undated: ": say with --date-pattern where it is, or give the date of the shards with --date",
	store.Emptied: ": if the date is wrong, give the right one with --date or --date-pattern; if it is right, name " +
		"the others with --remove",
	store.NoMatch:      ": leave --remove out, or look names up with anchorage store list --shards",
	store.NoGeneration: ": anchorage store list shows those that there are",
	store.Outdated:     ": run the command again",
	store.Dangling:     ": make the folder first, or give another path",
}

// storeUsage are the faults of a *store.Error that lie in the command line.
var storeUsage = map[store.Fault]bool{store.NoMatch: true, store.NoGeneration: true, store.Unnamed: true,
	store.BadDate: true, store.Dangling: true}

// comparedAdvice is what follows the message of a *collective.DisagreementError, by what differs.
var comparedAdvice = map[string]string{
	comparedProgram: ": start the same program on machines with the same instructions",
	comparedOptions: ": give all ranks the same flags",
}

// unclearAdvice lists the ways to read texts.
func unclearAdvice(err *shard.UnclearError) string {
	if err.Files > 0 {
		return " Choose with --format files (a document per file) or --format text (a document per line); --format baskets " +
			"takes the items of a line as they are"
	}
	return " Choose with --format text (a document per line, cut into words) or --format files (a document per file); " +
		"--format csv reads a table, and --format baskets takes the items of a line as they are"
}
