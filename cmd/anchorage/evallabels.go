// This file compares the topics of items with labels that people gave to them.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"anchorage/model"
	"anchorage/model/diagnose"
	"anchorage/shard"
	"anchorage/stream"
)

// labelsError marks the errors of a file of labels, to which other flags belong than to shards.
type labelsError struct{ error }

func (e *labelsError) Unwrap() error { return e.error }

// advice returns what to add to the message.
func (e *labelsError) advice() string {
	var bad *shard.Error
	if errors.As(e.error, new(*shard.UnclearError)) || errors.As(e.error, &bad) && shardAdvice[bad.Reason()] != "" {
		return ": labels are a table with a header; name its columns of items and labels with --label-columns"
	}
	return ""
}

// evalLabels compares the topics of items with the labels of a file.
func (p *program) evalLabels(ctx context.Context, f *evalFlags, path string) error {
	item, label, two := strings.Cut(f.labelColumns, ",")
	if !two || item == "" || label == "" || item == label {
		return &usageError{fmt.Errorf("--label-columns is %q: give the names of two columns with a comma between them, such "+
			"as item,label", f.labelColumns)}
	}
	m, err := model.Load(ctx, path)
	if err != nil {
		return err
	}
	labels, err := stream.ReadLabels(ctx, f.labels, stream.LabelColumns{Item: item, Label: label}, m.Vocabulary)
	if err != nil {
		return &labelsError{err}
	}
	report, err := diagnose.Labels(ctx, m, labels)
	if err != nil {
		return err
	}
	if report.Labelled == 0 {
		return &model.InputError{Path: f.labels, Reason: fmt.Sprintf("labels %d items, none of which the model has",
			labels.Listed)}
	}
	return p.writeFigures(ctx, report, f.output, func(w io.Writer) { printLabels(w, report) })
}

// printLabels prints a table for each level.
func printLabels(w io.Writer, r *diagnose.LabelReport) {
	printf(w, "%d of %d items have one of %d labels (%.1f%%). %d of the %d items in the file are not in the model.\n",
		r.Labelled, r.Items, r.Labels, 100*float64(r.Labelled)/float64(max(r.Items, 1)), r.Unknown, r.Listed)
	fmt.Fprint(w, "NMI is the mutual information of items' most probable topics with their labels, divided by the mean "+
		"of the two entropies.\n")
	fmt.Fprint(w, "AMI is the same beyond what chance gives. Both are 1 if topics and labels say the same, and higher "+
		"is better.\n")
	for _, level := range r.Levels {
		printf(w, "\n%d topics\n%-12s %10s %10s %8s %8s %8s %8s\n", level.Topics, "documents", "items", "labelled", "labels",
			"topics", "NMI", "AMI")
		for _, c := range level.Classes {
			if c.Labelled == 0 {
				continue
			}
			printf(w, "%-12s %10d %10d %8d %8d %8.4f %8.4f\n", c.Documents, c.Items, c.Labelled, c.Labels, c.Topics,
				c.Normalized, c.Adjusted)
		}
	}
}
