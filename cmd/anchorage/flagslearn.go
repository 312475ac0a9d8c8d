// This file holds the flags and settings of the stages that learn topics: the options of a fit, and those of inference.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anchorage/anchor"
	"anchorage/bayes/infer"
	"anchorage/bayes/refine"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/rectify"
	"anchorage/shard"
)

// The values of -k beside numbers: autoTopics lets a fit choose the number, from autoFrom on.
const (
	topicsAuto  = "auto"
	autoTopics  = -1
	leastTopics = 2 // the least number that -k may give
	autoFrom    = leastTopics
)

// topicsRow is -k.
func topicsRow(to *int, more ...word) row {
	return row{name: "topics", short: "k", group: topicsGroup, to: to,
		values: wholes(leastTopics, fit.MostTopics, more...), help: "number of topics (required)"}
}

// fitTopicsRow is -k of a fit, which can choose the number.
func fitTopicsRow(to *int) row {
	r := topicsRow(to, word{topicsAuto, "as many as the documents show", autoTopics})
	r.help = "number of topics, or auto for as many as the documents show (required)"
	return r
}

// seedRow is --seed.
func seedRow(to *uint64) row {
	return row{name: "seed", group: topicsGroup, to: to, usual: "1", values: values{kind: natural},
		help: "seed of all random numbers"}
}

// passesAuto is the word for as many passes or iterations as it takes.
func passesAuto(help string) word { return word{"auto", help, 0} }

// sketchRows say how eigenpairs are found.
func sketchRows(o *fit.Options) []row {
	s := &o.Sketch
	return []row{
		{name: "passes", group: topicsGroup, to: &s.Passes, usual: "auto", values: wholes(1, fit.MostPasses,
			passesAuto("as many as accuracy needs")),
			help: "passes over the documents; 1 is a strict single pass with a wide sketch"},
		seedRow(&o.Seed),
		{name: "sketch-method", layer: setting, to: &s.Power, usual: "krylov",
			values: choice(word{"krylov", "keeps what all passes have found", false},
				word{"power", "keeps only the last product, as published", true}), help: "how several passes find eigenpairs"},
		{name: "sketch-columns", layer: setting, to: &s.Columns, values: wholes(0, fit.MostColumns),
			help: "columns of the random matrix; 0: K+30, 2K with power, or 16K in a single pass and fewer if memory is short"},
		weightsRow(&s.ItemWeights),
		evidenceRow(&s.NoEvidence),
	}
}

// weightsRow is the setting item-weights.
func weightsRow(to *fit.ItemWeights) row {
	return row{name: "item-weights", layer: setting, to: to, usual: "auto",
		values: choice(word{"auto", "idf, where items are counted before the first pass", fit.WeightsAuto},
			word{"idf", "by the logarithm of how rare items are", fit.WeightsIDF}, word{"none", "all alike", fit.WeightsNone}),
		help: "how items weigh in documents"}
}

// evidenceRow is the setting evidence.
func evidenceRow(without *bool) row {
	return row{name: "evidence", layer: setting, to: without, usual: "true",
		values: choice(word{"true", "in one more pass, which a single pass estimates", false},
			word{"false", "take every row as certain", true}), help: "measure how far the row of each item can be trusted"}
}

// rectifyRows say how the factor is rectified.
func rectifyRows(o *fit.RectifyOptions) []row {
	c := &o.Corrections
	return []row{
		{name: "enn-iterations", layer: setting, to: &o.Iterations, usual: "auto", values: wholes(1, mostRounds,
			passesAuto("until the factor has settled")),
			help: "make exactly this many published iterations"},
		{name: "enn-eigenpairs", layer: setting, to: &o.Truncated, usual: "carried",
			values: choice(word{"carried", "one product with the vectors carried along", false},
				word{"truncated", "a truncated eigendecomposition to residuals of 1e-6, as published", true}),
			help: "what an iteration makes of the corrected matrix"},
		{name: "normalization", layer: setting, to: &o.Normalization, usual: "marginal",
			values: choice(word{"marginal", "in proportion to how frequent both items are", fit.NormalizeMarginal},
				word{"uniform", "the same for every pair, as published", fit.NormalizeUniform}),
			help: "how co-occurrences are made to sum to 1"},
		{name: "corrections", layer: setting, effect: none, to: &c.Mode, usual: "auto",
			values: choice(word{"auto", "as is fastest", rectify.CorrectionsAuto},
				word{"memory", "in memory", rectify.CorrectionsMemory}, word{"spill", "in a file", rectify.CorrectionsSpill},
				word{"recompute", "nowhere", rectify.CorrectionsRecompute}),
			help: "where corrections are kept; the result is the same"},
		{name: "corrections-memory", layer: setting, effect: none, to: &c.Bytes, usual: "1GiB", values: sizes(0),
			help: "memory that corrections may take"},
		{name: "spill-limit", layer: setting, effect: none, to: &c.SpillLimit, usual: "0", values: sizes(0),
			help: "bytes that spilled corrections may take; 0 for any number"},
	}
}

// anchorRows say how topics are found, without the evidence.
func anchorRows(o *fit.AnchorOptions) []row {
	return []row{
		{name: "row-sums", layer: setting, to: &o.RowSums, usual: "factor",
			values: choice(word{"factor", "those of the factor", anchor.RowSumsFactor},
				word{"exact", "counted with the documents", anchor.RowSumsExact}), help: "row sums that divide co-occurrences"},
		{name: "anchor-min-df", layer: setting, to: &o.MinDF, usual: "1", values: wholes(0, mostDocuments),
			help: "take anchors from items in at least this many documents"},
		{name: "polish", layer: setting, to: &o.NoPolish, usual: "factor",
			values: choice(word{"factor", "a second time, from items that belong mostly to one topic", false},
				word{"none", "as the anchors give them", true}), help: "how the mixtures of items are found"},
		{name: "relevance", layer: setting, to: &o.Relevance, usual: "auto", values: reals(1e-6, 1,
			word{"auto", "1 with weights, 0.6 without, 0.9 refined for reading", 0.}),
			help: "order of prominent items: 1 by probability, towards 0 by how peculiar they are"},
	}
}

// noRefinement is the value of --refine with which topics are not refined.
const noRefinement = "none"

// mostRefinements is the most passes that --refine takes.
const mostRefinements = 1000

// refineRows say how topics are refined.
func refineRows(o *fit.RefineOptions) []row {
	return []row{
		{name: "refine", group: topicsGroup, to: &o.Passes, usual: "auto", values: wholes(1, mostRefinements,
			passesAuto("until the likelihood settles"),
			word{noRefinement, "keep the spectral topics", fit.NoRefinement}),
			help: "passes that refine topics by the likelihood of documents, or none"},
		{name: "for", group: topicsGroup, layer: advanced, to: &o.For, usual: "auto",
			values: choice(word{"auto", "reading for texts that repeat their words", refine.ForAuto},
				word{"reading", "an item counts once per document, and topics stay near those that were found", refine.ForReading},
				word{"prediction", "every token counts", refine.ForPrediction}), help: "what the topics are refined for"},
	}
}

// checkRefine checks the flags of the refinement against those of the stages before.
func checkRefine(o *fit.Options) error {
	if o.Refine.For != refine.ForAuto && !o.Refines() {
		return &usageError{fmt.Errorf("--for %s has no effect: topics are not refined with --refine none, nor by itself "+
			"after a single pass, without rectification or by another --method; give --refine a number of passes", o.Refine.For)}
	}
	return nil
}

// methodWords are the values of --method.
func methodWords() (list []word) {
	for _, m := range fit.Methods() {
		list = append(list, word{string(m), m.Summary(), nil})
	}
	return list
}

// fitRows are the flags of a fit that are about topics, without -k.
func (f *fitFlags) fitRows() []row {
	o := &f.learning
	return slices.Concat([]row{
		{name: "levels", group: topicsGroup, to: f.setLevels, values: anyText.named("N,N,..."),
			help: "topics of several levels, such as 20,100,500; the finest is the model"}},
		sketchRows(o), rectifyRows(&o.Rectify), anchorRows(&o.Anchor), refineRows(&o.Refine),
		[]row{
			paperRow(),
			{name: "method", group: topicsGroup, layer: advanced, to: &o.Method, usual: string(fit.LRJSMF),
				values: choice(methodWords()...), help: "how topics are found"},
			{name: "baseline", layer: setting, to: &o.Baseline, values: boolean, help: "leave out the rectification"},
			{name: "start", group: topicsGroup, layer: advanced, to: &f.start, values: anyFolder,
				help: "an earlier model of nearly the same documents, which saves passes"}})
}

// setLevels reads --levels.
func (f *fitFlags) setLevels(text string) error {
	f.levels = nil
	for _, number := range strings.Split(text, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || k < leastTopics || k > fit.MostTopics {
			return fmt.Errorf("%q: give numbers of topics from %d to %d with commas between them, such as 20,100,500", text,
				leastTopics, fit.MostTopics)
		}
		f.levels = append(f.levels, k)
	}
	slices.Sort(f.levels)
	if len(slices.Compact(slices.Clone(f.levels))) < len(f.levels) {
		return fmt.Errorf("%q: a number comes twice", text)
	}
	return nil
}

// options returns the options of the stages: those that flags and settings set, checked against each other.
func (f *fitFlags) options() (fit.Options, error) {
	o := f.learning
	o.Anchor.NoEvidence = o.Sketch.NoEvidence
	if n := len(f.levels); n > 0 {
		if finest := f.levels[n-1]; o.Topics != 0 && o.Topics != finest {
			return o, &usageError{fmt.Errorf("-k is %s, but the finest of --levels %s has %d topics: leave -k out, or make "+
				"them agree", topicsText(o.Topics),
				strings.ReplaceAll(strings.Trim(fmt.Sprint(f.levels), "[]"), " ", ","), finest)}
		}
		o.Topics, o.Levels = f.levels[n-1], f.levels[:n-1]
	}
	o.Rectify.Corrections.NoMemory = o.Rectify.Corrections.Bytes == 0
	o.Extras = f.extras.extras()
	if err := checkSketch(&o, f.source.noPrune); err != nil {
		return o, err
	}
	return o, checkRefine(&o)
}

// topicsText is a value of -k.
func topicsText(topics int) string {
	if topics == autoTopics {
		return topicsAuto
	}
	return strconv.Itoa(topics)
}

// checkSketch completes and checks the options of the sketch; noPrune makes a single pass the default.
func checkSketch(o *fit.Options, noPrune bool) error {
	if err := needTopics(o.Topics); err != nil {
		return err
	}
	if o.Sketch.Passes == 0 && noPrune {
		o.Sketch.Passes = 1
	}
	if o.Topics == autoTopics {
		if o.Sketch.Passes == 1 {
			return &usageError{errors.New("-k auto needs several passes over the documents: give a number, or leave --passes " +
				"1 and --no-prune out")}
		}
		o.Topics = autoFrom // until it is chosen
	}
	return o.Check()
}

// needTopics checks that -k was given.
func needTopics(topics int) error {
	if topics == 0 {
		return &usageError{errors.New("the number of topics is missing: give it with -k")}
	}
	return nil
}

// inferRows say how the topics of documents are inferred.
func inferRows(o *infer.Options) []row {
	return []row{
		{name: "prior", group: topicsGroup, to: &o.Prior, values: choice(word{"dirichlet", "the moments of the model's A",
			infer.Dirichlet},
			word{"uniform", "all mixtures alike", infer.Uniform}),
			help: "distribution of documents' mixtures; dirichlet if not given"},
		{name: "method", group: topicsGroup, to: &o.Method, values: choice(word{"collapsed",
			"posterior means, each token given all others", infer.Collapsed},
			word{"projection", "one multiplication, the mean over tokens of p(topic | item)", infer.Projection}),
			help: "how documents are inferred; collapsed if not given"},
		{name: "tolerance", layer: setting, to: &o.Tolerance, values: reals(0, 1),
			help: "a document ends when it moves less than this share; 0 for 0.003"},
		{name: "iterations", layer: setting, to: &o.Iterations, values: wholes(0, mostRounds),
			help: "most iterations of a document; 0 for 100"},
	}
}

// timeRow is --time-column.
func timeRow(to *string) row {
	return row{name: "time-column", group: inputGroup, layer: advanced, to: to, values: anyText.named("COLUMN"),
		help: "column or field with the time of each document, for anchorage trends"}
}

// dealing is how shards are dealt among tasks.
type dealing struct {
	task   shard.Task
	record *model.TasksRecord // nil until shards were dealt, and without tasks
}

// set reads --task.
func (d *dealing) set(text string) (err error) {
	d.task, err = shard.ParseTask(text)
	return err
}

// deal returns the shards of the task, all without one.
func (d *dealing) deal(all []shard.Shard) ([]shard.Shard, error) {
	if d.task.Of == 0 {
		return all, nil
	}
	mine, err := d.task.Shards(all)
	if err != nil {
		return nil, &usageError{fmt.Errorf("--task %s: %w", d.task, err)}
	}
	d.record = &model.TasksRecord{Numbers: []int{d.task.Number}, Of: d.task.Of, Shards: len(all),
		SHA256: shard.Fingerprint(all)}
	return mine, nil
}
