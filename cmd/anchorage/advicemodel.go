// This file says which flags would help against errors of the stages.

package main

import (
	"errors"
	"fmt"
	"syscall"

	"anchorage/anchor"
	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/fit"
	"anchorage/model/transform"
	"anchorage/rectify"
	"anchorage/sketch"
)

// optionFlags are the flags of options, by the names that a *model.OptionError gives.
var optionFlags = map[string]string{
	"Method":             "--method",
	"Topics":             "-k",
	"Sketch.Passes":      "--passes",
	"Sketch.Columns":     "--set sketch-columns",
	"Sketch.Power":       "--set sketch-method",
	"Sketch.ItemWeights": "--set item-weights",
	"Rectify.Iterations": "--set enn-iterations",
	"Rectify.Truncated":  "--set enn-eigenpairs",
	"Anchor.Relevance":   "--set relevance",
	"Refine.Passes":      "--refine",
	"Refine.For":         "--for",
	"Levels":             "--levels",
	"Start":              "--start",
	"Representation":     "--by",
	"Require":            "--require",
	"Choose.Range":       "--from",
	"Choose.Steps":       "--set steps",
	"Threshold":          "--set threshold",
}

// lackAdvice is what follows the message of a *corpus.DataError.
var lackAdvice = map[corpus.Lack]string{
	corpus.AllItemsPruned:    "; lower --min-df or raise --max-df-ratio",
	corpus.SingleItems:       "; tell with --separator what separates items, with --document-column which rows belong together, or with --format files that a document is a file; if the documents are like that, give --set allow-single-items=true",
	corpus.AllDocumentsShort: "; lower --min-items or --min-tokens",
	corpus.TooFewItems:       "; ask for fewer with -k",
	corpus.TooFewDocuments:   "; ask for fewer with -k",
	corpus.OtherTopics:       "; set -k to the number of topics of the model of --init",
	corpus.NoCommonItems:     "; choose a model of similar documents for --init",
}

// faultAdvice is what follows the message of a *model.InputError.
var faultAdvice = map[model.Fault]string{
	model.NotMergeable: ": sketch the shards with --passes 1",
	model.NotBayesian:  ": make such a model with anchorage bayes fit",
	fit.NoCheckpoint:   ": leave --resume out, or give --resume=auto",
	fit.BadCheckpoint:  ": begin anew with --restart",
	transform.NoTimes:  ": transform the documents with --time-column",
	model.Damaged:      "; make the directory again, or copy it again from where it is whole (anchorage verify shows all damage); --no-verify reads it as it is",
	model.Incomplete:   "; make the directory again, or copy it again from where it is whole (anchorage verify shows all damage)",
	model.NoFactor:     ": start from a model that fit made, by a method that passes over the documents",
	model.NoLevel:      ": name one of them with --level, or make others with fit --levels",
	model.NoPairs:      ": count them with anchorage items MODEL learn SHARD..., or fit with --neighbours",
}

// correctionsAdvice is what follows the message of a *rectify.CorrectionsError.
var correctionsAdvice = map[rectify.CorrectionsMode]string{
	rectify.CorrectionsMemory: ": raise --set corrections-memory, or choose --set corrections=spill or recompute",
	rectify.CorrectionsSpill:  ": raise --set spill-limit, or choose --set corrections=recompute",
}

// itemAdvice is what follows the message of an *anchor.ItemError.
var itemAdvice = map[anchor.Fault]string{
	anchor.TinyRowSum: ": prune the vocabulary harder with --min-df",
	anchor.NoCorner:   ": ask for fewer topics with -k, prune the vocabulary harder with --min-df, or raise --set anchor-min-df",
	anchor.EmptyTopic: ": ask for fewer topics with -k",
}

// mergeAdvice is what follows the message of a *sketch.MergeError.
var mergeAdvice = map[sketch.Difference]string{
	sketch.DifferentSeeds:        ": sketch all shards with the same --seed",
	sketch.DifferentColumns:      ": sketch all shards with the same --set sketch-columns, or with the same -k and --memory-limit",
	sketch.DifferentVocabularies: ": sketch all shards with the same --vocab",
	sketch.DifferentWeights:      ": sketch all shards with the same --vocab and --set item-weights",
	sketch.DifferentCounts:       ": sketch all shards with the same --vocab",
}

// documentsAdvice is what follows the message of an *export.OptionError, by whether the format needs documents.
var documentsAdvice = map[bool]string{
	true:  ": give their topics with --documents, as anchorage transform writes them",
	false: ": leave --documents out",
}

// modelAdvice returns what to add to an error of the stages; "" if no flag would help.
func modelAdvice(err error) string {
	var (
		data        *corpus.DataError
		input       *model.InputError
		memory      *fit.MemoryError
		rank        *sketch.RankError
		anchors     *anchor.RankError
		dense       *sketch.DenseError
		corrections *rectify.CorrectionsError
		item        *anchor.ItemError
		negative    *anchor.NegativeRowsError
		room        *bayes.RoomError
		spill       *rectify.SpillError
		merge       *sketch.MergeError
		form        *export.OptionError
		tasks       *model.MissingTasksError
	)
	if text := ranksAdvice(err); text != "" {
		return text
	}
	switch {
	case errors.As(err, new(*fit.UnfinishedError)):
		return ": go on from it with --resume, or remove it and begin anew with --restart"
	case errors.Is(err, fit.ErrChanged), errors.Is(err, checkpoint.ErrDamaged):
		return faultAdvice[fit.BadCheckpoint]
	case errors.As(err, &data):
		return lackAdvice[data.Lack]
	case errors.As(err, &merge):
		return mergeAdvice[merge.Difference]
	case errors.As(err, &tasks) && tasks.Path == "":
		return ": name the sketches of these tasks too, or merge what there is with --partial, to be merged with the others"
	case errors.As(err, &tasks):
		return ": merge it with those of the other tasks first"
	case errors.As(err, &input):
		return faultAdvice[input.Fault]
	case errors.As(err, &memory) && memory.Machine:
		return fmt.Sprintf(", which is %.0f %% of what the machine or container has: give a limit with --memory-limit, within which the run holds fewer Krylov blocks and finds slightly other topics, or none; or ask for fewer topics (-k), or prune the vocabulary (--min-df, --max-items)", 100*machineShare)
	case errors.As(err, &memory):
		return ": ask for fewer topics (-k), fewer --set sketch-columns or fewer --workers, prune the vocabulary (--min-df, --max-items), or raise --memory-limit"
	case errors.As(err, &rank) && rank.Columns > 0 && rank.Rank >= leastTopics:
		return rankAdvice(rank.Rank) + ", raise --set sketch-columns, or allow more --passes"
	case errors.As(err, &rank):
		return rankAdvice(rank.Rank)
	case errors.As(err, &anchors):
		return rankAdvice(anchors.Rank)
	case errors.As(err, &dense):
		return ": prune the vocabulary with --max-items, or choose --method lrjsmf"
	case errors.As(err, &corrections):
		return correctionsAdvice[corrections.Mode]
	case errors.As(err, &negative):
		return ": divide by the counted sums with --set row-sums=exact, use the evidence, make more --passes, leave out rare items with --min-df, or use --set normalization=marginal"
	case errors.As(err, &item):
		return itemAdvice[item.Fault]
	case errors.As(err, &room):
		return ": name another folder with --spill-dir"
	case errors.As(err, &spill):
		return ": name another folder with --spill-dir, or choose --set corrections=recompute, which needs none"
	case errors.As(err, &form) && form.Documents:
		return documentsAdvice[form.Format == export.PyLDAvis]
	case errors.As(err, new(*occupiedError)):
		return ": choose another name"
	case errors.Is(err, model.ErrNotReplaceable):
		return ": choose another name, or move away what is there"
	case errors.Is(err, model.ErrExists):
		return ": choose another -o, or let the new one take its place with --replace"
	case errors.Is(err, syscall.ENOMEM):
		return ": give more with --memory-limit, or a smaller input"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return ": raise the limit of open files (ulimit -n), or give fewer --workers"
	case errors.Is(err, fit.ErrUncounted):
		return ": give a --vocab made by anchorage vocab, make more --passes, or choose --set item-weights=none"
	}
	return ""
}

// rankAdvice is what follows the message of a *sketch.RankError or *anchor.RankError: how many topics to ask for, if there can be any.
func rankAdvice(most int) string {
	if most < leastTopics {
		return fmt.Sprintf("; a model needs at least %d topics: give more documents, or leave fewer out (--min-items, --min-tokens, --min-df)", leastTopics)
	}
	return fmt.Sprintf(": ask for at most %d with -k", most)
}

// message returns the text of an error for users: with the flags of options, and with advice.
func message(err error) string {
	if option := new(model.OptionError); errors.As(err, &option) && optionFlags[option.Option] != "" {
		return optionFlags[option.Option] + ": " + option.Reason
	}
	return err.Error() + advice(err)
}
