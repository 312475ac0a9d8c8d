// This file prints a model with anchors.

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"anchorage/model"
)

// topicView is a topic as it is printed.
type topicView struct {
	Topic          int      `json:"topic"`
	Share          float64  `json:"share"` // p(topic)
	Anchor         string   `json:"anchor"`
	Prominent      []string `json:"prominent"`
	Characteristic []string `json:"characteristic"`
}

// topicViews returns the topics, the most probable first, with at most count items of each kind.
func topicViews(m *model.Model, count int) []topicView {
	views := make([]topicView, m.Topics())
	for k := range views {
		views[k] = topicView{k, m.Shares[k], m.Vocabulary.ID(m.Anchors[k]),
			firstNames(m, m.Prominent[k], count), firstNames(m, m.Characteristic[k], count)}
	}
	slices.SortStableFunc(views, func(a, b topicView) int { return cmp.Compare(b.Share, a.Share) })
	return views
}

// firstNames returns the ids of the first items of a list, at most count.
func firstNames(m *model.Model, list []model.Listed, count int) []string {
	return m.Names(list[:min(count, len(list))])
}

// printModel prints the topics of a model, what its reader should know, and where it lies.
func (p *program) printModel(s *model.Fitted, output string) error {
	const words = 10
	views := topicViews(s.Overview(), words)
	return p.print(map[string]any{"output": output, "manifest": s.Manifest, "topics": views}, func(w io.Writer) {
		fmt.Fprintf(w, "%d topics of %d items in %d documents. A topic's prominent items are its most %s;\nits characteristic items occur most beside its anchor.\n\n",
			s.Topics.K, s.Vocabulary.Len(), s.Manifest.Corpus.Documents, prominence(s.Manifest.Anchor.Relevance))
		printTable(w, views, p.width())
		printWarnings(w, findingsWarnings(&s.Manifest.Anchor.Findings))
		fmt.Fprintf(w, "\nThe model is in %s\n", output)
		measured, estimated := s.Peaks()
		printPeaks(w, measured, estimated)
	})
}

// printWarnings prints a list of warnings, and nothing if it is empty.
func printWarnings(w io.Writer, warnings []string) {
	if len(warnings) == 0 {
		return
	}
	fmt.Fprint(w, "\nWarnings:\n")
	for _, line := range warnings {
		fmt.Fprintf(w, "- %s\n", line)
	}
}

// printPeaks prints the memory that a run took and the estimate of it, if both are known.
func printPeaks(w io.Writer, measured, estimated int64) {
	if measured == 0 || estimated == 0 {
		return
	}
	fmt.Fprintf(w, "Peak memory: %d MiB; the estimate was %d MiB\n", measured>>20, estimated>>20)
}

// prominence says what the prominent items are the most of.
func prominence(relevance float64) string {
	if relevance == 1 {
		return "probable"
	}
	return fmt.Sprintf("relevant, by --relevance %g", relevance)
}
