// This file lets shells complete the values of flags that take a few words, and tells errors and help of them.

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bayes"
	"anchorage/bayes/infer"
	"anchorage/bayes/refine"
	"anchorage/internal/checkpoint"
	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/fit"
	"anchorage/model/transform"
	"anchorage/rectify"
	"anchorage/shard"
)

// choice is a value of a flag, with a line about it.
type choice struct{ value, help string }

// choices are the values of the flags that take one of a few words, by the name of the flag. A command whose flag of that name takes
// others comes before the name, after a blank.
var choices = map[string]func() []choice{
	"format":           formatChoices,
	"topics format":    func() []choice { return formChoices(topicFormats) },
	"compare format":   func() []choice { return formChoices(driftFormats) },
	"method":           methodChoices,
	"model":            modelChoices,
	"by":               representationChoices,
	"similar by":       similarChoices,
	"to":               exportChoices,
	"search by":        listed(choice{string(bayes.ByItems), "how likely the items are in a document"}, choice{string(bayes.ByTopics), "how alike the topics are"}),
	"on-bad-shard":     listed(choice{"fail", "end the run"}, choice{"skip", "leave the shard out, and end with code 3"}),
	"on-bad-row":       listed(choice{"fail", "end the run"}, choice{"skip", "leave the row out, and count it"}),
	"transform method": inferMethodChoices,
	"prior":            listed(choice{string(infer.Dirichlet), "the moments of the model's A"}, choice{string(infer.Uniform), "all mixtures alike"}, choice{string(infer.LogisticNormal), "correlated topics"}),
	"report by":        listed(choice{string(transform.Day), ""}, choice{string(transform.Week), "from Monday"}, choice{string(transform.Month), ""}),
	"examples": listed(choice{examplesNone, "none"}, choice{examplesPlaces, "the shard and the number of each"}, choice{examplesIDs, "their ids"},
		choice{examplesTexts, "their ids and how they begin"}),
	"trends by": listed(choice{string(transform.Day), ""}, choice{string(transform.Week), "from Monday"}, choice{string(transform.Month), ""}),
	"item-weights": listed(choice{string(fit.WeightsAuto), "idf, where items are counted before the first pass"},
		choice{string(fit.WeightsIDF), "by the logarithm of how rare items are"}, choice{string(fit.WeightsNone), "all alike"}),
	"normalization": listed(choice{string(fit.NormalizeMarginal), "in proportion to how frequent items are"},
		choice{string(fit.NormalizeUniform), "the same for every pair, as published"}),
	"sketch-method":  listed(choice{sketchKrylov, "keeps what all passes have found"}, choice{sketchPower, "keeps the last product alone, as published"}),
	"enn-eigenpairs": listed(choice{pairsCarried, "of one product"}, choice{pairsTruncated, "accurate ones, as published"}),
	"corrections": listed(choice{string(rectify.CorrectionsAuto), "as is fastest"}, choice{string(rectify.CorrectionsMemory), "in memory"},
		choice{string(rectify.CorrectionsSpill), "in a file"}, choice{string(rectify.CorrectionsRecompute), "nowhere"}),
	"for": listed(choice{string(refine.ForAuto), "reading for texts that repeat their words, else prediction"},
		choice{string(refine.ForReading), "an item counts once per document, and topics stay near those that were found"}, choice{string(refine.ForPrediction), "every token counts"}),
	"resume": listed(choice{string(checkpoint.Yes), "go on from the checkpoint"}, choice{string(checkpoint.Auto), "go on from it if there is one, else begin"},
		choice{string(checkpoint.No), "begin, unless there is one"}),
	"row-sums":   listed(choice{"factor", "those of the factor"}, choice{"exact", "counted with the documents"}),
	"polish":     listed(choice{"factor", "from the items that belong mostly to one topic"}, choice{"none", "as the anchors give them"}),
	"progress":   listed(choice{"auto", "on a terminal"}, choice{"off", "never"}),
	"log-format": listed(choice{logText, "for people"}, choice{logJSON, "a value of JSON per line"}),
	"log-level":  listed(choice{"auto", "info, or warn beside a progress bar"}, choice{"debug", ""}, choice{"info", ""}, choice{"warn", ""}, choice{"error", ""}),
}

// listed returns a function that returns a list.
func listed(list ...choice) func() []choice { return func() []choice { return list } }

func formatChoices() []choice {
	list := []choice{{"auto", "by content, then by name"}}
	for _, known := range shard.Formats() {
		list = append(list, choice{known.Name, known.Help})
	}
	return list
}

func methodChoices() (list []choice) {
	for _, m := range fit.Methods() {
		list = append(list, choice{string(m), m.Summary()})
	}
	return list
}

func inferMethodChoices() (list []choice) {
	for _, m := range infer.Methods() {
		list = append(list, choice{string(m), m.Summary()})
	}
	return list
}

func modelChoices() (list []choice) {
	help := map[bayes.Model]string{bayes.BNMF: "Bayesian NMF", bayes.CNMF: "correlated NMF", bayes.LDA: "latent Dirichlet allocation"}
	for _, m := range bayes.Models {
		list = append(list, choice{string(m), help[m]})
	}
	return list
}

func representationChoices() []choice { return representationList(model.Representations()) }

func similarChoices() []choice { return representationList(model.SimilarRepresentations()) }

func representationList(names []model.Representation, help []string) (list []choice) {
	for i, name := range names {
		list = append(list, choice{string(name), help[i]})
	}
	return list
}

func exportChoices() (list []choice) {
	names, help := export.Formats()
	for i, name := range names {
		list = append(list, choice{string(name), help[i]})
	}
	return list
}

// folders are the flags that take the path of a folder, and files those that take the path of a file. plain are those whose text nothing
// can complete.
var (
	folders = []string{"output", "init", "start", "spill-dir", "checkpoint-dir", "folder", "compare", "trends"}
	files   = []string{"vocab", "stopwords", "checksums", "docword-vocab", "cpu-profile", "topics", "labels", "base", "documents", "chart", "token-file", "learned-on", "metrics-file", "openlineage", "script", "steer"}
	plain   = []string{"levels", "label-columns", "task", "number", "items-column", "counts-column", "document-column", "vw-namespace", "counts", "separator", "items", "document", "passes", "enn-iterations",
		"relevance", "refine", "memory-limit", "bandwidth", "corrections-memory", "spill-limit", "shard-size", "time-column", "listen", "remove", "window", "half-life", "date", "date-pattern", "require", "job-name", "step", "address", "allow-host"}
)

// valuesAnnotation marks flags with the values that they take.
const valuesAnnotation = "anchorage_values"

// choicesOf returns the values of a flag of a command; nil if it takes more than a few words.
func choicesOf(command *cobra.Command, flag *pflag.Flag) []choice {
	list, known := choices[command.Name()+" "+flag.Name]
	if !known {
		list, known = choices[flag.Name]
	}
	if !known || flag.Value.Type() != "string" {
		return nil
	}
	return list()
}

// markValues marks the flags of a command, and of those below it, with the values that they take.
func markValues(command *cobra.Command) {
	mark := func(flag *pflag.Flag) {
		list := choicesOf(command, flag)
		if list == nil {
			return
		}
		values := make([]string, len(list))
		for i, c := range list {
			values[i] = c.value
		}
		if flag.Annotations == nil { // cobra keeps there which flags exclude each other
			flag.Annotations = map[string][]string{}
		}
		flag.Annotations[valuesAnnotation] = values
	}
	command.LocalNonPersistentFlags().VisitAll(mark)
	command.PersistentFlags().VisitAll(mark)
	for _, below := range command.Commands() {
		markValues(below)
	}
}

// completes reports whether a command line is a shell's question.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeFlags lets shells complete the flags of a command and of those below it. Cobra keeps every flag that is registered for good, with
// the commands that it belongs to, so only a program that a shell asks calls it.
func completeFlags(command *cobra.Command) {
	complete := func(flag *pflag.Flag) {
		function := cobra.NoFileCompletions
		if list := choicesOf(command, flag); list != nil {
			completions := make([]cobra.Completion, len(list))
			for i, c := range list {
				completions[i] = cobra.CompletionWithDesc(c.value, c.help)
			}
			function = cobra.FixedCompletions(completions, cobra.ShellCompDirectiveNoFileComp)
		} else if slices.Contains(folders, flag.Name) || slices.Contains(files, flag.Name) || flag.Value.Type() == "bool" {
			return // shells complete paths by themselves
		}
		if err := command.RegisterFlagCompletionFunc(flag.Name, function); err != nil {
			panic(err) // the flag exists, and is registered once
		}
	}
	command.LocalNonPersistentFlags().VisitAll(complete)
	command.PersistentFlags().VisitAll(complete)
	for _, below := range command.Commands() {
		completeFlags(below)
	}
}

// flagValues returns the values of a flag that takes a few words; nil for others.
func flagValues(flag *pflag.Flag) []string { return flag.Annotations[valuesAnnotation] }

// checkValues checks the flags that take one of a few words, before a command looks at anything else. Formats have other names too.
func checkValues(command *cobra.Command) (err error) {
	command.Flags().Visit(func(flag *pflag.Flag) {
		values := flagValues(flag)
		if err != nil || values == nil || flag.Value.String() == "" {
			return
		}
		if values[0] == "auto" && flag.Name == "format" {
			if _, wrong := shard.ParseFormat(flag.Value.String()); wrong != nil {
				err = &usageError{fmt.Errorf("--format: %w", wrong)}
			}
			return
		}
		err = oneOf("--"+flag.Name, flag.Value.String(), values...)
	})
	return err
}
