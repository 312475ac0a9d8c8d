// This file holds the eval command: how good topics are.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"anchorage/internal/objects"
	out "anchorage/internal/output"
	"anchorage/internal/process"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/thinning"
	"anchorage/sketch"
	"anchorage/stream"
)

// evalFlags say what to score, and how.
type evalFlags struct {
	source               sourceFlags
	topics, output       string
	labels, labelColumns string // the file of the items' labels, and the names of its columns
	estimate             bool
	options              metric.Options
}

func (f *evalFlags) rows(p *program) []row {
	return slices.Concat([]row{
		topicsGroup.flag("topics", &f.topics, anyFile, "file of another tool's topics, one per line"),
		inputGroup.flag("labels", &f.labels, anyFile, "table of labels of items, or with shards of documents"),
		inputGroup.flag("label-columns", &f.labelColumns, anyText.named("COLUMNS"),
			"columns of items, or documents, and of labels in that file").by("item,label"),
		expert("estimate", &f.estimate, boolean, "estimate the figures, and never hold the co-occurrence matrix"),
		seedRow(&f.options.Seed),
		outputGroup.flag("output", &f.output, newFile,
			"file for the figures, as JSON; metrics.json in the model if not given").letter("o").does(none),
		p.replaceRow(),
	}, f.source.formatRows(), f.source.documentRows())
}

func (p *program) evalCommand() *cobra.Command {
	var f evalFlags
	return p.command("eval", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if err := f.source.ready(p); err != nil {
			return err
		}
		switch {
		case f.labels != "" && (f.topics != "" || f.estimate):
			return &usageError{errors.New("--labels takes a model, and the shards if the labels are those of documents: leave " +
				"--topics and --set estimate out")}
		case f.labels != "":
			return p.evalLabels(ctx, &f, args[0], args[1:])
		case f.topics != "":
			return p.evalTopics(ctx, &f, args)
		case len(args) < 2:
			return &usageError{errors.New("the shards are missing: give a model and the shards to score it on")}
		}
		return p.evalModel(ctx, &f, args[0], args[1:])
	}, f.rows(p))
}

// evalModel scores a model.
func (p *program) evalModel(ctx context.Context, f *evalFlags, path string, shards []string) error {
	if f.source.vocab != "" || f.source.noPrune {
		return &usageError{errors.New("the items are those of the model: give --vocab and --no-prune only with --topics")}
	}
	if err := f.source.limit.holdsModel(); err != nil {
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
	options := f.options
	options.Key, options.Workers = m.Vocabulary.Key, p.workers
	if f.estimate {
		options.DenseBytes = metric.NeverDense
	}
	if chosen := f.source.limit.chosen(); chosen > 0 && !f.estimate { // the machine's limit must not change a figure
		room := max(chosen-process.InUse(), 1)
		options.DenseBytes, options.ProjectionBytes = min(room*3/4, sketch.DefaultDenseBytes), min(room/2,
			metric.DefaultProjectionBytes)
	}
	mean, deviation, err := choose.Predict(ctx, m, docs, p.watched(docs, "predicting"), options.Seed, p.workers)
	if err != nil {
		return err
	}
	thinning.Undo(m) // the figures compare with weighted co-occurrences
	report, err := metric.Score(ctx, p.watched(docs, "scoring"), &metric.Topics{Items: m.Items, Weights: m.Weights,
		Mixtures: m.Mixtures, Anchors: m.Anchors, TopicJoint: m.TopicJoint}, options)
	if err != nil {
		return err
	}
	report.AddLikelihood(mean, deviation)
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
	return p.writeReport(ctx, report, output, m)
}

// writeReport writes the figures to a file, if one is named, and prints them after the verdict on m; nil for none.
func (p *program) writeReport(ctx context.Context, report *metric.Report, output string, m *model.Model) error {
	return p.writeFigures(ctx, report, output, func(w io.Writer) {
		if m != nil {
			printVerdict(w, m)
		}
		for _, figure := range report.Figures {
			printFigure(w, figure)
		}
	})
}

// writeFigures writes a report to a file as JSON, if one is named, and prints it.
func (p *program) writeFigures(ctx context.Context, report any, output string, write func(io.Writer)) error {
	p.bar.close()
	if output != "" {
		err := p.writeFile(ctx, output, func(w io.Writer) error { return encodeJSON(w, report, "  ") })
		if err := p.wrote(output, err); err != nil {
			return err
		}
	}
	return p.print(report, func(w io.Writer) {
		write(w)
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
	value := fmt.Sprintf("%14.6g", figure.Value)
	if math.IsInf(figure.Value, 0) {
		value = fmt.Sprintf("%14s", "–") // such as the log volume of a flat hull
	}
	line := fmt.Sprintf("%-28s %s", figure.Name, value)
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
	lists, err := stream.ReadLists(ctx, f.topics, docs.Vocabulary)
	if err != nil {
		return err
	}
	report, err := metric.ScoreLists(ctx, p.watched(docs, "scoring"), docs.Vocabulary.Len(), lists, p.workers)
	if err != nil {
		return err
	}
	return p.writeReport(ctx, report, f.output, nil)
}
