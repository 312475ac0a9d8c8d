// This file holds the flags and settings of the stages that learn topics: the options of a fit.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/fit"
	"anchorage/rectify"
	"anchorage/shard"
	"anchorage/sketch"
)

// The values of -k beside numbers: autoTopics lets a fit choose the number, as choose-k does.
const (
	topicsAuto  = "auto"
	autoTopics  = -1
	leastTopics = 2 // the least number that -k may give
)

func topicsRow(to *int, more ...word) row {
	return topicsGroup.flag("topics", to, wholes(leastTopics, fit.MostTopics, more...),
		"number of topics (required)").letter("k")
}

// fitTopicsRow is -k of a fit, which can choose the number.
func fitTopicsRow(to *int) row {
	r := topicsRow(to, word{topicsAuto, "the number that choose-k recommends", autoTopics})
	r.help = "number of topics, or auto for what choose-k recommends (required)"
	return r
}

func seedRow(to *uint64) row {
	return topicsGroup.flag("seed", to, values{kind: natural}, "seed of all random numbers").by("1")
}

// passesAuto is the word for as many passes or iterations as it takes.
func passesAuto(help string) word { return word{"auto", help, 0} }

// sketchRows say how eigenpairs are found.
func sketchRows(o *fit.Options) []row {
	s := &o.Sketch
	return []row{
		topicsGroup.flag("passes", &s.Passes, wholes(1, fit.MostPasses, passesAuto("as many as accuracy needs")),
			"passes over the documents; auto: as many as needed; 1: a wider sketch").by("auto"),
		seedRow(&o.Seed),
		expert("sketch-method", &s.Power, choice(word{"krylov", "keeps what all passes have found", false}, word{"power",
			"keeps only the last product, as published", true}), "how several passes find eigenpairs").by("krylov"),
		expert("sketch-columns", &s.Columns, wholes(0, fit.MostColumns),
			"columns of the random matrix; 0: K+30, 2K with power, or 16K in a single pass and fewer if memory is short"),
		formRow(&s.Form),
		weightsRow(&s.ItemWeights),
		expert("document-weights", &s.DocumentWeights, choice(word{"length",
			"short ones less: t(t-1)/(t(t-1)+100) with t tokens", fit.WeightsLength}, word{"equal", "all alike, as published",
			fit.WeightsEqual}), "how documents weigh in co-occurrences").by("length"),
		evidenceRow(&s.NoEvidence),
	}
}

func formRow(to *sketch.Form) row {
	return expert("single-pass", to, choice(word{"nystrom", "a Nyström approximation", sketch.Nystrom},
		word{"least-squares", "Halko's, Martinsson's and Tropp's form, with half of the basis", sketch.LeastSquares},
		word{"published", "the same with all of it", sketch.Published}), "how --passes 1 finds eigenpairs").by("nystrom")
}

func weightsRow(to *fit.ItemWeights) row {
	return expert("item-weights", to, choice(word{"auto", "idf, where items are counted before the first pass",
		fit.WeightsAuto}, word{"idf", "by the logarithm of how rare items are", fit.WeightsIDF}, word{"none", "all alike",
		fit.WeightsNone}), "how items weigh in documents").by("auto")
}

func evidenceRow(without *bool) row {
	return expert("evidence", without, choice(word{"true", "in one more pass, which a single pass estimates", false},
		word{"false", "take every row as certain", true}), "measure how far the row of each item can be trusted").by("true")
}

// rectifyRows say how the factor is rectified.
func rectifyRows(o *fit.RectifyOptions) []row {
	return []row{
		expert("enn-iterations", &o.Iterations, wholes(1, mostRounds, passesAuto("until the factor has settled")),
			"iterations of ENN; a number makes exactly that many published ones").by("auto"),
		expert("enn-eigenpairs", &o.Truncated, choice(word{"carried", "one product with the vectors carried along", false},
			word{"truncated", "a truncated eigendecomposition to residuals of 1e-6, as published", true}),
			"how an iteration finds the eigenpairs of the corrected matrix").by("carried"),
		expert("normalization", &o.Normalization, choice(word{"marginal", "in proportion to how frequent both items are",
			fit.NormalizeMarginal}, word{"uniform", "the same for every pair, as published", fit.NormalizeUniform}),
			"how co-occurrences are made to sum to 1").by("marginal"),
		expert("corrections", &o.Corrections.Mode, choice(word{"memory", "in memory while there is room",
			rectify.CorrectionsMemory}, word{"spill", "in a file", rectify.CorrectionsSpill}, word{"recompute", "nowhere",
			rectify.CorrectionsRecompute}), "where ENN keeps corrections; the result is the same").by("memory").does(none),
	}
}

// anchorRows say how topics are found, without the evidence.
func anchorRows(o *fit.AnchorOptions) []row {
	return []row{
		expert("row-sums", &o.RowSums, choice(word{"factor", "those of the factor", anchor.RowSumsFactor}, word{"exact",
			"counted with the documents", anchor.RowSumsExact}), "row sums that divide co-occurrences").by("factor"),
		expert("anchor-min-df", &o.MinDF, wholes(0, mostDocuments),
			"take anchors from items in at least this many documents").by("1"),
		expert("polish", &o.NoPolish, choice(word{"factor", "a second time, from items that belong mostly to one topic",
			false}, word{"none", "as the anchors give them", true}), "how the mixtures of items are found").by("factor"),
		expert("relevance", &o.Relevance, reals(1e-6, 1, word{"auto", "1 with weights, 0.6 without, 0.9 refined for reading",
			0.}), "order of prominent items: 1 by probability, towards 0 by how peculiar they are to the topic").by("auto"),
		expert("characteristic", &o.WholeRow, choice(word{"others", "without the anchor; of fewer than 3 documents last",
			false}, word{"published", "the greatest co-occurrences of the anchor", true}),
			"which items are characteristic").by("others"),
	}
}

// noRefinement is the value of --refine with which topics are not refined.
const noRefinement = "none"

// mostRefinements is the most passes that --refine takes.
const mostRefinements = 1000

// refineRows say how topics are refined.
func refineRows(o *fit.RefineOptions) []row {
	return []row{
		topicsGroup.flag("refine", &o.Passes, wholes(1, mostRefinements, passesAuto("until the likelihood settles"),
			word{noRefinement, "keep the spectral topics", fit.NoRefinement}),
			"passes that refine topics by the likelihood of documents, or none").by("auto"),
		topicsGroup.more("for", &o.For, choice(
			word{"auto", "reading for texts that repeat their words, prediction for baskets and others", refine.ForAuto},
			word{"reading", "an item counts once per document, and topics stay near those that were found", refine.ForReading},
			word{"prediction", "tokens count, repeated ones as bursts of a word", refine.ForPrediction}),
			"what the topics are refined for").by("auto"),
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
		topicsGroup.flag("levels", f.setLevels, anyText.named("N,N,..."),
			"topics of several levels, such as 20,100,500; the finest is the model")},
		sketchRows(o), rectifyRows(&o.Rectify), anchorRows(&o.Anchor), refineRows(&o.Refine), []row{
			paperRow(),
			topicsGroup.more("method", &o.Method, choice(methodWords()...), "how topics are found").by(string(fit.LRJSMF)),
			expert("baseline", &o.Baseline, boolean, "leave out the rectification"),
			topicsGroup.more("start", &f.start, anyFolder, "an earlier model of nearly the same documents, which saves passes")})
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
				"them agree", cmp.Or(map[int]string{autoTopics: topicsAuto}[o.Topics], strconv.Itoa(o.Topics)),
				strings.ReplaceAll(strings.Trim(fmt.Sprint(f.levels), "[]"), " ", ","), finest)}
		}
		o.Topics, o.Levels = f.levels[n-1], f.levels[:n-1]
	}
	o.Extras = f.extras.extras()
	if err := checkSketch(&o, f.source.noPrune); err != nil {
		return o, err
	}
	return o, checkRefine(&o)
}

// checkSketch completes and checks the options of the sketch; noPrune makes a single pass the default.
func checkSketch(o *fit.Options, noPrune bool) error {
	if err := needTopics(o.Topics, ", or with -k auto"); err != nil {
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
		o.Topics = choose.DefaultFrom // until it is chosen
	}
	return o.Check()
}

// needTopics checks that -k was given; or says what else will do.
func needTopics(topics int, or string) error {
	if topics == 0 {
		return &usageError{errors.New("the number of topics is missing: give it with -k" + or)}
	}
	return nil
}

func timeRow(to *string) row {
	return inputGroup.more("time-column", to, anyText.named("COLUMN"),
		"column or field with the time of each document, for anchorage trends")
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
