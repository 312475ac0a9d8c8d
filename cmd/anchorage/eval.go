// This file holds the eval command: how good topics are.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// evalFlags say what is scored, and how.
type evalFlags struct {
	source   sourceFlags
	topics   string
	base     string
	output   string
	estimate bool
	columns  int
	hulls    int
	seed     uint64
}

func (p *program) evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval MODEL SHARD... | eval --topics FILE SHARD...",
		Short: "Measure how good topics are",
		Long: `Eval computes the figures of merit of a model on shards of documents, those it was learned from or others, and writes
them to metrics.json in the model, or to the file that -o names. Up to about 23,000 items the figures that compare with
the co-occurrence matrix are exact; beyond, or with --estimate, they are estimated without ever forming it, and their
standard errors are given.

With --topics FILE it scores the topics of any other tool: a text file with one topic per line, its items separated by
white space, the best first. Items and documents count as --vocab, --min-items and --min-tokens say.`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			if f.topics != "" {
				return p.evalTopics(ctx, &f, args)
			}
			if len(args) < 2 {
				return &usageError{errors.New("eval needs a model and the shards to hold it against")}
			}
			return p.evalModel(ctx, &f, args[0], args[1:])
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&f.output, "output", "o", "", "file for the figures, as JSON; metrics.json in the model if not given")
	flags.StringVar(&f.topics, "topics", "", "file of topics of another tool, one per line")
	flags.StringVar(&f.base, "base", "", "file of items, one per line, that base_recovery is about: a smaller vocabulary that models of several are compared on")
	flags.BoolVar(&f.estimate, "estimate", false, "never hold the co-occurrence matrix")
	flags.IntVar(&f.columns, "columns", 0, fmt.Sprintf("random columns of an estimate; 0 for %d", metric.DefaultColumns))
	flags.IntVar(&f.hulls, "hulls", 0, fmt.Sprintf("random hulls that the anchors' is compared with; 0 for %d", metric.DefaultHulls))
	flags.Uint64Var(&f.seed, "seed", 1, "of all random numbers")
	f.source.addFormat(flags)
	f.source.addDocuments(flags)
	p.addJSON(flags)
	return cmd
}

// evalModel scores a model.
func (p *program) evalModel(ctx context.Context, f *evalFlags, path string, shards []string) error {
	if f.source.vocab != "" || f.source.noPrune {
		return &usageError{errors.New("a model brings its items: --vocab and --no-prune go with --topics")}
	}
	m, err := model.Load(ctx, path)
	if err != nil {
		return err
	}
	from := documents{Options: f.source.options(p, "")}
	from.Vocabulary, from.MinItems, from.MinTokens = m.Vocabulary, m.Manifest.Corpus.MinItems, m.Manifest.Corpus.MinTokens
	if from.shards, err = f.source.discover(ctx, p, shards); err != nil {
		return err
	}
	docs, err := from.open(ctx, 0)
	if err != nil {
		return err
	}
	defer docs.Close()
	options := metric.Options{Columns: f.columns, Hulls: f.hulls, Seed: f.seed, Key: m.Vocabulary.Key, Workers: p.workers}
	if f.estimate {
		options.DenseBytes = metric.NeverDense
	}
	if options.Base, err = baseItems(ctx, f.base, m.Vocabulary); err != nil {
		return err
	}
	report, err := metric.Score(ctx, docs.Pass, &metric.Topics{Items: m.Items, Weights: m.Weights, Mixtures: m.Mixtures, Anchors: m.Anchors,
		TopicJoint: m.TopicJoint, Characteristic: itemNumbers(m.Characteristic)}, options)
	if err != nil {
		return err
	}
	if m.Manifest.Anchor != nil {
		report.AddFindings(&m.Manifest.Anchor.Findings)
	}
	output := f.output
	if output == "" {
		output = objects.Join(path, "metrics.json")
	}
	return p.writeReport(ctx, report, output)
}

// itemNumbers returns the items of lists.
func itemNumbers(lists [][]anchor.Scored) [][]int {
	if lists == nil {
		return nil
	}
	numbers := make([][]int, len(lists))
	for k, list := range lists {
		for _, scored := range list {
			numbers[k] = append(numbers[k], scored.Item)
		}
	}
	return numbers
}

// baseItems reads the items of a file, all of which the model must have; without a file there are none.
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

// evalTopics scores lists of items.
func (p *program) evalTopics(ctx context.Context, f *evalFlags, args []string) error {
	from := documents{Options: f.source.options(p, "")}
	from.NoPrune = f.source.vocab == ""
	var err error
	if f.source.vocab != "" {
		if from.Vocabulary, err = stream.ReadVocabulary(ctx, f.source.vocab); err != nil {
			return err
		}
	}
	if from.shards, err = f.source.discover(ctx, p, args); err != nil {
		return err
	}
	docs, err := from.open(ctx, 0)
	if err != nil {
		return err
	}
	defer docs.Close()
	lists, err := readTopicLists(f.topics, docs.Vocabulary)
	if err != nil {
		return err
	}
	report, err := metric.ScoreLists(ctx, docs.Pass, docs.Vocabulary.Len(), lists, p.workers)
	if err != nil {
		return err
	}
	return p.writeReport(ctx, report, f.output)
}

// readTopicLists reads topics, one per line.
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
		var list []int
		seen := map[string]bool{}
		for _, id := range strings.Fields(lines.Text()) {
			index, known := vocabulary.Lookup([]byte(id))
			if !known {
				return nil, &shard.Error{Path: path, Row: row, Err: fmt.Errorf("item %q is in no document, or not in the vocabulary: leave it out, or give the documents that the topics were made from", id)}
			}
			if seen[id] {
				return nil, &shard.Error{Path: path, Row: row, Err: fmt.Errorf("item %q stands twice in a topic", id)}
			}
			seen[id] = true
			list = append(list, int(index))
		}
		if len(list) > 0 {
			lists = append(lists, list)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, &shard.Error{Path: path, Row: row + 1, Err: err}
	}
	if len(lists) == 0 {
		return nil, &shard.Error{Path: path, Err: errors.New("there are no topics in it")}
	}
	return lists, nil
}

// writeReport prints the figures and writes them, unless there is nowhere to.
func (p *program) writeReport(ctx context.Context, report *metric.Report, output string) error {
	p.bar.close()
	if output != "" {
		err := p.writeFile(ctx, output, func(w io.Writer) error { return encodeJSON(w, report) })
		if err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(report)
	}
	for _, figure := range report.Figures {
		line := fmt.Sprintf("%-28s %14.6g", figure.Name, figure.Value)
		if figure.StandardError > 0 {
			line += fmt.Sprintf(" ± %.2g", figure.StandardError)
		}
		how := map[metric.Better]string{metric.High: "higher is better", metric.Low: "lower is better", metric.One: "best at 1"}[figure.Better]
		fmt.Fprintf(p.stdout, "%-60s %s\n", line, how)
	}
	if output != "" {
		fmt.Fprintf(p.stdout, "\nThe figures are in %s\n", output)
	}
	return nil
}
