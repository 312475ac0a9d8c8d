// This file holds the eval command: how good topics are.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/corpus"
	"anchorage/internal/objects"
	out "anchorage/internal/output"
	"anchorage/internal/process"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/thinning"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// evalFlags say what to score, and how.
type evalFlags struct {
	source sourceFlags
	topics string
	labels string // file of the items' labels
	// labelColumns are the names of its columns.
	labelColumns string
	base         string
	output       string
	estimate     bool
	columns      int
	hulls        int
	seed         uint64
}

// rows are the flags.
func (f *evalFlags) rows(p *program, flags *pflag.FlagSet) []row {
	return slices.Concat([]row{
		{name: "topics", group: topicsGroup, to: &f.topics, values: anyFile,
			help: "file of another tool's topics, one per line"},
		{name: "labels", group: inputGroup, to: &f.labels, values: anyFile,
			help: "file of the items' labels: CSV, TSV, JSON lines, Parquet or Arrow"},
		{name: "label-columns", group: inputGroup, to: &f.labelColumns, usual: "item,label", values: anyText.named("COLUMNS"),
			help: "columns of items and of labels in that file"},
		{name: "base", layer: setting, to: &f.base, values: anyFile, help: "items, one per line, of base_recovery: a " +
			"smaller vocabulary"},
		{name: "estimate", layer: setting, to: &f.estimate, values: boolean,
			help: "estimate the figures, and never hold the co-occurrence matrix"},
		{name: "columns", layer: setting, to: &f.columns, values: wholes(0, 100_000),
			help: fmt.Sprintf("random columns of an estimate; 0 for %d", metric.DefaultColumns)},
		{name: "hulls", layer: setting, to: &f.hulls, values: wholes(0, 100_000),
			help: fmt.Sprintf("random hulls to compare with that of the anchors; 0 for %d", metric.DefaultHulls)},
		seedRow(&f.seed),
		{name: "output", short: "o", group: outputGroup, effect: none, to: &f.output, values: newFile,
			help: "file for the figures, as JSON; metrics.json in the model if not given"},
		p.replaceRow(),
	}, f.source.of(flags).formatRows(), f.source.documentRows())
}

// check checks the flags, before anything is read.
func (f *evalFlags) check(p *program) error {
	if f.output != "" {
		if err := needOutput(f.output); err != nil {
			return err
		}
	}
	if f.topics != "" {
		if _, err := os.Stat(f.topics); err != nil {
			return &shard.Error{Path: f.topics, Err: err}
		}
	}
	return f.source.ready(p)
}

func (p *program) evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval MODEL SHARD... | eval --topics FILE SHARD... | eval MODEL --labels FILE",
		Short: "Measure how good topics are",
		Long: `Eval computes the figures of merit of a model on shards of documents, those it was learned from or others,
and writes them to metrics.json in the model, or to the file that -o names. Some figures compare with the
co-occurrence matrix. Up to about 23,000 items these are exact. Beyond, where they do not fit into --memory-limit, and
with --set estimate=true, eval estimates them without ever forming the matrix, and gives their standard errors.

With --topics FILE it scores the topics of any other tool: a text file with one topic per line, its items separated by
white space, the best first. --vocab, --min-items and --min-tokens then say which items and documents count.

With --labels FILE and no shards, it says how far the topics of items agree with labels that people gave to them, such
as the departments of products: the normalized and the adjusted mutual information, over all items and by how many
documents contain them, at every level of the model.`,
		Example: `  anchorage eval model shards/
  anchorage eval model --labels departments.csv
  anchorage eval --topics topics.txt shards/`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := f.check(p); err != nil {
				return err
			}
			if f.labels != "" {
				if len(args) != 1 || f.topics != "" || f.base != "" || f.estimate {
					return errLabelsAlone
				}
				return p.evalLabels(ctx, &f, args[0])
			}
			if f.topics != "" {
				return p.evalTopics(ctx, &f, args)
			}
			if len(args) < 2 {
				return &usageError{errors.New("the shards are missing: give a model and the shards to score it on")}
			}
			return p.evalModel(ctx, &f, args[0], args[1:])
		}),
	}
	return p.with(cmd, f.rows(p, cmd.Flags()))
}

// evalModel scores a model.
func (p *program) evalModel(ctx context.Context, f *evalFlags, path string, shards []string) error {
	if err := f.source.modelItems("give --vocab and --no-prune only with --topics"); err != nil {
		return err
	}
	m, err := model.Load(ctx, path)
	if err != nil {
		return err
	}
	opening := f.source.options(p, "")
	opening.Vocabulary, opening.MinItems, opening.MinTokens = m.Vocabulary, max(m.Manifest.Corpus.MinItems, 1),
		max(m.Manifest.Corpus.MinTokens, 1)
	docs, err := f.source.open(ctx, p, shards, opening, 0)
	if err != nil {
		return err
	}
	defer p.closeDocuments(docs)
	options := metric.Options{Columns: f.columns, Hulls: f.hulls, Seed: f.seed, Key: m.Vocabulary.Key, Workers: p.workers}
	if f.estimate {
		options.DenseBytes = metric.NeverDense
	}
	if chosen := f.source.limit.chosen(); chosen > 0 && !f.estimate { // the machine's limit must not change a figure
		room := max(chosen-process.InUse(), 1)
		options.DenseBytes, options.ProjectionBytes = min(room*3/4, sketch.DefaultDenseBytes), min(room/2,
			metric.DefaultProjectionBytes)
	}
	if options.Base, err = baseItems(ctx, f.base, m.Vocabulary); err != nil {
		return err
	}
	thinning.Undo(m) // the figures compare with weighted co-occurrences
	report, err := metric.Score(ctx, p.watched(docs, "scoring"), &metric.Topics{Items: m.Items, Weights: m.Weights,
		Mixtures: m.Mixtures, Anchors: m.Anchors,
		TopicJoint: m.TopicJoint}, options)
	if err != nil {
		return err
	}
	if m.Manifest.Anchor != nil {
		report.AddFindings(&m.Manifest.Anchor.Findings)
	}
	output := f.output
	if output == "" {
		output = objects.Join(path, "metrics.json")
		if err := out.Kept(ctx, output, "{\n  \"documents\""); err != nil {
			return err
		}
		p.replace = true // it holds figures of an earlier time
	}
	return p.writeReport(ctx, report, output)
}

// baseItems reads a file of items, which must all be in the vocabulary; nil without a file.
func baseItems(ctx context.Context, path string, vocabulary *corpus.Vocabulary) ([]int, error) {
	if path == "" {
		return nil, nil
	}
	base, err := stream.ReadVocabulary(ctx, path)
	if err != nil {
		return nil, err
	}
	items := make([]int, base.Len())
	for i := range items {
		index, known := vocabulary.Lookup([]byte(base.ID(i)))
		if !known {
			return nil, &shard.Error{Path: path, Row: int64(i + 1), Err: fmt.Errorf("item %q is not in the model", base.ID(i))}
		}
		items[i] = int(index)
	}
	return items, nil
}

// writeReport writes the figures to a file, if one is named, and prints them.
func (p *program) writeReport(ctx context.Context, report *metric.Report, output string) error {
	p.bar.close()
	if output != "" {
		err := p.writeFile(ctx, output, func(w io.Writer) error { return encodeJSON(w, report) })
		if err := p.wrote(output, err); err != nil {
			return err
		}
	}
	return p.print(report, func(w io.Writer) {
		for _, figure := range report.Figures {
			printFigure(w, figure)
		}
		if output != "" {
			printf(w, "\nThe figures are in %s\n", output)
		}
	})
}

// betterWords say which values of a figure are better.
var betterWords = map[metric.Better]string{metric.High: "higher is better", metric.Low: "lower is better",
	metric.One: "best at 1"}

// printFigure prints a line with the name of a figure, its value, its standard error if it is estimated, and which
// values are better.
func printFigure(w io.Writer, figure metric.Figure) {
	line := fmt.Sprintf("%-28s %14.6g", figure.Name, figure.Value)
	if figure.StandardError > 0 {
		line += fmt.Sprintf(" ± %.2g", figure.StandardError)
	}
	printf(w, "%-60s %s\n", line, betterWords[figure.Better])
}

// evalTopics scores lists of items.
func (p *program) evalTopics(ctx context.Context, f *evalFlags, args []string) error {
	options := f.source.options(p, "")
	options.NoPrune, options.AllowSingles = f.source.vocab == "", true
	var err error
	if f.source.vocab != "" {
		if options.Vocabulary, err = stream.ReadVocabulary(ctx, f.source.vocab); err != nil {
			return err
		}
	}
	docs, err := f.source.open(ctx, p, args, options, 0)
	if err != nil {
		return err
	}
	defer p.closeDocuments(docs)
	lists, err := readTopicLists(f.topics, docs.Vocabulary)
	if err != nil {
		return err
	}
	report, err := metric.ScoreLists(ctx, p.watched(docs, "scoring"), docs.Vocabulary.Len(), lists, p.workers)
	if err != nil {
		return err
	}
	return p.writeReport(ctx, report, f.output)
}

// readTopicLists reads topics, one per line. Empty lines are skipped.
func readTopicLists(path string, vocabulary *corpus.Vocabulary) ([][]int, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &shard.Error{Path: path, Err: err}
	}
	defer file.Close()
	var lists [][]int
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	row := int64(0)
	for lines.Scan() {
		row++
		list, err := topicList(lines.Text(), vocabulary)
		if err != nil {
			return nil, &shard.Error{Path: path, Row: row, Err: err}
		}
		if len(list) > 0 {
			lists = append(lists, list)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, &shard.Error{Path: path, Row: row + 1, Err: err}
	}
	if len(lists) == 0 {
		return nil, &shard.Error{Path: path, Err: errors.New("the file has no topics")}
	}
	return lists, nil
}

// topicList returns the items of a line.
func topicList(line string, vocabulary *corpus.Vocabulary) (list []int, err error) {
	seen := map[string]bool{}
	for _, id := range strings.Fields(line) {
		index, known := vocabulary.Lookup([]byte(id))
		if !known {
			return nil, fmt.Errorf("item %q is in no document, or not in the vocabulary: leave it out, or give the documents "+
				"that the topics were made from", id)
		}
		if seen[id] {
			return nil, fmt.Errorf("item %q occurs twice in the topic", id)
		}
		seen[id] = true
		list = append(list, int(index))
	}
	return list, nil
}
