// This file holds the flags that several commands share, by what they are about.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// sourceFlags say what is read.
type sourceFlags struct {
	format       string
	shard        shard.Options
	vocab        string
	noPrune      bool
	minDF        int64
	maxDFRatio   float64
	maxItems     int
	stopwords    string
	minItems     int
	minTokens    int
	spillDir     string
	checksums    string
	onBadShard   string
	layout       layoutFlags
	pruningFlags *pflag.FlagSet
	limited      *pflag.FlagSet // of a command whose --memory-limit is that of the run
}

// addFormat adds the flags about reading shards.
func (f *sourceFlags) addFormat(flags *pflag.FlagSet) {
	f.addLayout(flags)
	f.addTrust(flags)
}

// addTrust adds the flags about what is done with shards that cannot be trusted.
func (f *sourceFlags) addTrust(flags *pflag.FlagSet) {
	flags.StringVar(&f.onBadShard, "on-bad-shard", "fail", "what a shard that cannot be read does: fail ends the run; skip leaves it out, for which all shards are read once more beforehand, and ends with code 3")
	flags.StringVar(&f.checksums, "checksums", "", "list of SHA-256 as sha256sum writes it, names relative to its folder, that the shards must agree with")
}

// addPruning adds the flags about which items count.
func (f *sourceFlags) addPruning(flags *pflag.FlagSet) {
	flags.Int64Var(&f.minDF, "min-df", 5, "keep items in at least this many documents")
	flags.Float64Var(&f.maxDFRatio, "max-df-ratio", 0.5, "keep items in at most this share of the documents")
	flags.IntVar(&f.maxItems, "max-items", 0, "keep at most this many items, those of greatest tf·idf; 0 for all")
	flags.StringVar(&f.stopwords, "stopwords", "", "file of items to leave out, one per line")
	f.pruningFlags = flags
}

// addDocuments adds the flags about which documents count, and how items are fixed.
func (f *sourceFlags) addDocuments(flags *pflag.FlagSet) {
	flags.StringVar(&f.vocab, "vocab", "", "file that fixes the items and their order: text with one item per line, or vocabulary.parquet")
	flags.BoolVar(&f.noPrune, "no-prune", false, "keep every item, numbered in order of appearance: a single pass unless --passes says otherwise")
	flags.IntVar(&f.minItems, "min-items", 3, "keep documents with at least this many distinct items")
	flags.IntVar(&f.minTokens, "min-tokens", 5, "keep documents with at least this many tokens")
}

// discover finds the shards and, where bad ones are to be skipped, tells them apart.
func (f *sourceFlags) discover(ctx context.Context, p *program, args []string) ([]shard.Shard, error) {
	if err := f.layouts(p); err != nil {
		return nil, err
	}
	if f.onBadShard == "" { // a command without the flag
		f.onBadShard = "fail"
	}
	if f.onBadShard != "fail" && f.onBadShard != "skip" {
		return nil, &usageError{fmt.Errorf("--on-bad-shard is %q: use fail or skip", f.onBadShard)}
	}
	f.shard.KeepBad = f.onBadShard == "skip"
	f.shard.Warn = p.warn
	shards, err := shard.Discover(ctx, args, f.shard)
	if err != nil {
		return nil, err
	}
	p.logFormats(shards)
	if f.checksums != "" {
		sums, err := shard.ReadChecksums(ctx, f.checksums)
		if err != nil {
			return nil, err
		}
		if shards, err = sums.Expect(shards); err != nil {
			return nil, err
		}
	}
	if f.onBadShard == "fail" {
		return shards, nil
	}
	good, skipped, err := stream.Sift(ctx, shards, p.workers, nil)
	for _, s := range skipped {
		p.log.Warn("shard skipped", "reason", s.Reason)
	}
	p.skipped = append(p.skipped, skipped...)
	return good, err
}

// pruning returns the rules for items.
func (f *sourceFlags) pruning(ctx context.Context) (corpus.Pruning, error) {
	pruning := corpus.Pruning{MinDF: f.minDF, MaxDFRatio: f.maxDFRatio, MaxItems: f.maxItems}
	switch {
	case f.maxDFRatio < 0 || f.maxDFRatio > 1 || f.maxDFRatio != f.maxDFRatio:
		return pruning, &usageError{fmt.Errorf("--max-df-ratio is %v: it is a share, from 0 to 1", f.maxDFRatio)}
	case f.minDF < 0 || f.maxItems < 0:
		return pruning, &usageError{errors.New("--min-df and --max-items cannot be negative")}
	case f.stopwords == "":
		return pruning, nil
	}
	var err error
	if pruning.Stopwords, err = stream.ReadStopwords(ctx, f.stopwords); f.tokenizes() {
		pruning.Stopwords = lowered(pruning.Stopwords)
	}
	return pruning, err
}

// scratch returns the folder for what is kept on disk meanwhile: beside, if no flag says where.
func (f *sourceFlags) scratch(beside string) string {
	if f.spillDir != "" {
		return f.spillDir
	}
	return beside
}

// documents is what a command reads: shards, and which of their documents and items count.
type documents struct {
	shards []shard.Shard
	corpus.Options
}

// open opens the documents for a number of passes, 0 for one yet unknown.
func (d documents) open(ctx context.Context, passes int) (*corpus.Corpus, error) {
	d.Passes = passes
	return stream.Open(ctx, d.shards, d.Options)
}

// options returns what all commands that open documents share. The copy of the documents goes to scratch if no flag says where.
func (f *sourceFlags) options(p *program, scratch string) corpus.Options {
	return corpus.Options{MinItems: f.minItems, MinTokens: f.minTokens, Dir: f.scratch(scratch), Workers: p.workers, Log: p.log, Progress: p.bar.update}
}

// source returns the documents that the flags and arguments name.
func (f *sourceFlags) source(ctx context.Context, p *program, args []string, scratch string) (documents, error) {
	s := documents{Options: f.options(p, scratch)}
	s.NoPrune = f.noPrune
	if f.minItems < 0 || f.minTokens < 0 {
		return s, &usageError{errors.New("--min-items and --min-tokens cannot be negative")}
	}
	if f.vocab != "" && f.noPrune {
		return s, &usageError{errors.New("--vocab fixes the items and --no-prune takes all there are: give one of them")}
	}
	if f.vocab != "" || f.noPrune {
		for _, name := range []string{"min-df", "max-df-ratio", "max-items", "stopwords"} {
			if f.pruningFlags.Changed(name) {
				return s, &usageError{fmt.Errorf("--%s prunes items, which --vocab and --no-prune forbid", name)}
			}
		}
	}
	var err error
	if s.Pruning, err = f.pruning(ctx); err != nil {
		return s, err
	}
	if f.vocab != "" {
		if s.Vocabulary, err = stream.ReadVocabulary(ctx, f.vocab); err != nil {
			return s, err
		}
	}
	f.shard.SpillDir = s.Dir
	s.shards, err = f.discover(ctx, p, args)
	s.Skipped = p.skipped
	return s, err
}

// sketchFlags say how eigenpairs are found.
type sketchFlags struct {
	topics   int
	passes   string
	columns  int
	seed     uint64
	weights  string
	evidence bool
}

func (f *sketchFlags) add(flags *pflag.FlagSet) {
	flags.IntVarP(&f.topics, "topics", "k", 0, "number of topics (required)")
	flags.StringVar(&f.passes, "passes", "auto", "passes over the documents: auto for as many as accuracy asks for, 1 for a strict single pass, or a number")
	flags.IntVar(&f.columns, "sketch-columns", 0, "columns of the random matrix; 0 for K+30, or 4K with a single pass")
	flags.Uint64Var(&f.seed, "seed", 1, "of all random numbers")
	flags.StringVar(&f.weights, "item-weights", "auto", "how items weigh in documents: idf, by the logarithm of how rare they are; none, all alike; auto for idf where items are counted before the first pass")
	flags.BoolVar(&f.evidence, "evidence", true, "make a pass that tells how far each item's row can be trusted (but not with a single pass)")
}

// into sets the options of the sketch, and checks them; noPrune makes a single pass the default.
func (f *sketchFlags) into(o *model.Options, noPrune bool) error {
	o.Topics, o.Seed = f.topics, f.seed
	o.Sketch = model.SketchOptions{Columns: f.columns, ItemWeights: model.ItemWeights(f.weights), NoEvidence: !f.evidence}
	if !slices.Contains([]model.ItemWeights{model.WeightsAuto, model.WeightsIDF, model.WeightsNone}, o.Sketch.ItemWeights) {
		return &usageError{fmt.Errorf("--item-weights is %q: use auto, idf or none", f.weights)}
	}
	if f.topics == 0 {
		return &usageError{errors.New("the number of topics is missing: give it with -k")}
	}
	switch {
	case f.passes == "auto" && noPrune:
		o.Sketch.Passes = 1
	case f.passes == "auto":
	default:
		if _, err := fmt.Sscanf(f.passes+"\n", "%d\n", &o.Sketch.Passes); err != nil || o.Sketch.Passes < 1 {
			return &usageError{fmt.Errorf("--passes is %q: use auto or a number from 1", f.passes)}
		}
	}
	return o.Check()
}

// anchorFlags say how topics are found.
type anchorFlags struct {
	rowSums   string
	minDF     int64
	relevance string
	polish    string
	evidence  bool
}

func (f *anchorFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.rowSums, "row-sums", "factor", "row sums that co-occurrences are divided by: factor, those of the factor, or exact, counted with the documents")
	flags.Int64Var(&f.minDF, "anchor-min-df", 1, "anchors are sought among items in at least this many documents")
	flags.StringVar(&f.polish, "polish", "factor", "factor finds mixtures a second time, from the mean rows of the items that are mostly a topic's; none leaves them as the anchors give them")
	if flags.Lookup("evidence") == nil {
		flags.BoolVar(&f.evidence, "evidence", true, "take account of how far each item's row can be trusted")
	} else {
		f.evidence = true // fit: without the pass there is none
	}
	flags.StringVar(&f.relevance, "relevance", "auto", "order of a topic's prominent items, from 1, the most probable first, towards 0, the most peculiar to the topic; auto is 1 with weights and 0.6 without")
}

// into sets the options of the anchors.
func (f *anchorFlags) into(options *model.Options) error {
	o := &options.Anchor
	o.MinDF, o.NoEvidence = f.minDF, !f.evidence
	switch f.rowSums {
	case "factor":
	case "exact":
		o.RowSums = anchor.RowSumsExact
	default:
		return &usageError{fmt.Errorf("--row-sums is %q: use exact or factor", f.rowSums)}
	}
	if f.minDF < 0 {
		return &usageError{errors.New("--anchor-min-df cannot be negative")}
	}
	switch f.polish {
	case "factor":
	case "none":
		o.NoPolish = true
	default:
		return &usageError{fmt.Errorf("--polish is %q: use factor or none", f.polish)}
	}
	if f.relevance != "auto" {
		var err error
		if o.Relevance, err = strconv.ParseFloat(f.relevance, 64); err != nil || !(o.Relevance > 0 && o.Relevance <= 1) {
			return &usageError{fmt.Errorf("--relevance is %q: use auto or a number above 0 and up to 1", f.relevance)}
		}
	}
	return nil
}

// outputFlag adds -o, which every command that writes a directory needs.
func outputFlag(flags *pflag.FlagSet, output *string, what string) {
	flags.StringVarP(output, "output", "o", "", what+" (required)")
}

// needOutput checks that -o was given, and that there is a folder for it to lie in.
func needOutput(output string) error {
	if output == "" {
		return &usageError{errors.New("the output is missing: give it with -o")}
	}
	if objects.IsURL(output) {
		return nil // a bucket has no folders
	}
	output, err := objects.Local(output)
	if err != nil {
		return &usageError{err}
	}
	folder := filepath.Dir(output)
	if _, err := os.Stat(folder); err != nil {
		return &usageError{fmt.Errorf("-o %s: there is no folder %s to write it into", output, folder)}
	}
	return nil
}
