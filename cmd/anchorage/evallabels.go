// This file compares the topics of items, or of documents, with labels that people gave to them.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/diagnose"
	"anchorage/model/transform"
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

// evalLabels compares the topics of items, or of the documents of shards, with the labels of a file.
func (p *program) evalLabels(ctx context.Context, f *evalFlags, path string, shards []string) error {
	item, label, two := strings.Cut(f.labelColumns, ",")
	if !two || item == "" || label == "" || item == label {
		return &usageError{fmt.Errorf("--label-columns is %q: give the names of two columns with a comma between them, such "+
			"as item,label", f.labelColumns)}
	}
	m, err := model.Load(ctx, path)
	if err != nil {
		return err
	}
	columns := stream.LabelColumns{Item: item, Label: label}
	if len(shards) > 0 {
		return p.evalDocumentLabels(ctx, f, m, columns, shards)
	}
	labels, err := stream.ReadLabels(ctx, f.labels, columns, m.Vocabulary)
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

// documentLabels say how far the topics of documents agree with their labels.
type documentLabels struct {
	Documents  int     `json:"documents"` // of which the model knows items
	Listed     int     `json:"listed"`    // documents that the labels are of
	Unknown    int     `json:"unknown"`   // of these, documents that the shards do not have
	Labelled   int     `json:"labelled"`
	Labels     int     `json:"labels"`
	Topics     int     `json:"topics"` // that are the greatest of a labelled document
	Normalized float64 `json:"normalized"`
	Adjusted   float64 `json:"adjusted"`
}

// evalDocumentLabels compares the greatest topics of documents with their labels.
func (p *program) evalDocumentLabels(ctx context.Context, f *evalFlags, m *model.Model, columns stream.LabelColumns,
	args []string) error {
	shards, err := f.source.discover(ctx, p, args)
	if err != nil {
		return err
	}
	t, err := transform.New(m, infer.Options{})
	if err != nil {
		return err
	}
	ids, tops := corpus.NewVocabulary(), []int32(nil)
	err = transform.Each(ctx, t, shards, transform.Options{Workers: p.workers, Progress: p.advance},
		func(d *transform.Inferred) error {
			if d.Known > 0 && int(ids.Intern([]byte(d.ID))) == len(tops) {
				tops = append(tops, int32(d.Top))
			}
			return nil
		})
	if err != nil {
		return err
	}
	labels, err := stream.ReadLabels(ctx, f.labels, columns, ids)
	if err != nil {
		return &labelsError{err}
	}
	if len(labels.Items) == 0 {
		return &model.InputError{Path: f.labels, Reason: fmt.Sprintf("labels %d documents, none of which the shards have "+
			"with items that the model knows: ids are as %q there; for those of another column give --document-column",
			labels.Listed, ids.ID(0))}
	}
	groups := make([]int32, len(labels.Items))
	for x, d := range labels.Items {
		groups[x] = tops[d]
	}
	a := metric.Agree(groups, labels.Labels)
	r := &documentLabels{len(tops), labels.Listed, labels.Unknown, metric.Distinct(labels.Items), a.Labels, a.Groups,
		a.Normalized, a.Adjusted}
	return p.writeFigures(ctx, r, f.output, func(w io.Writer) {
		printf(w, "%d of %d documents have one of %d labels. %d of the %d documents in the file are not in the shards.\n",
			r.Labelled, r.Documents, r.Labels, r.Unknown, r.Listed)
		printf(w, "NMI of their greatest topics, %d, with the labels: %.4f; AMI, beyond what chance gives: %.4f. Both are 1 "+
			"if topics and labels say the same.\n", r.Topics, r.Normalized, r.Adjusted)
	})
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
