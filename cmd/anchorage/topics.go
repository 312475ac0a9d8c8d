// This file prints the topics of a model.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/internal/safetext"
	"anchorage/internal/table"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/fit"
	"anchorage/model/report"
)

// topicView is a topic as it is printed. Models without anchors have neither an anchor nor characteristic items.
type topicView struct {
	Topic          int      `json:"topic"` // its id
	Name           string   `json:"name"`
	Share          float64  `json:"share"` // p(topic)
	Anchor         string   `json:"anchor,omitempty"`
	Prominent      []string `json:"prominent"`
	ProminentIDs   []string `json:"prominent_ids,omitempty"` // where items have names beside their ids
	Characteristic []string `json:"characteristic,omitempty"`
	Index          int      `json:"index"` // its place in the arrays of the model's files
	*levelView              // nil in models of one level
	given          bool     // a person gave the name
	hue            int      // its colour in the report, where stdout shows colours
}

// topicViews returns the topics, the most probable first, with at most count items of each kind. All that is printed of
// topics, by any command, comes from here.
func topicViews(m *model.Model, count int) []topicView {
	views := make([]topicView, m.Topics())
	for k, share := range m.Shares {
		v := topicView{Topic: m.TopicIDs[k], Index: k, Name: m.TopicName(k), Share: share,
			Prominent: m.Names(m.Prominent[k][:min(count, len(m.Prominent[k]))])}
		if m.Vocabulary.Names != nil {
			for _, listed := range m.Prominent[k][:len(v.Prominent)] {
				v.ProminentIDs = append(v.ProminentIDs, m.Vocabulary.ID(listed.Item))
			}
		}
		if m.Anchors != nil {
			v.Anchor = m.Name(m.Anchors[k])
			v.Characteristic = m.Names(m.Characteristic[k][:min(count, len(m.Characteristic[k]))])
		}
		v.given = m.TopicNames != nil && m.TopicNames[k] != ""
		views[k] = v
	}
	slices.SortStableFunc(views, func(a, b topicView) int { return cmp.Compare(b.Share, a.Share) })
	return views
}

// inked gives topics the colours of the report, if stdout shows colours and this process holds all items.
func (p *program) inked(m *model.Model, views []topicView) []topicView {
	if !p.coloured() || m.Mixtures.Layout() != nil {
		return views
	}
	if hues, err := report.Hues(context.Background(), m, p.workers); err == nil {
		for i := range views {
			views[i].hue = hues[views[i].Index]
		}
	}
	return views
}

// usualItems is how many items of a topic are printed where --top does not say it.
const usualItems = 10

func (p *program) topRow() row {
	return outputGroup.flag("top", &p.top, wholes(0, model.TopItems),
		"items of each topic to print; 0 for those that fit into a line").does(none)
}

// items returns how many items of each topic to print.
func (p *program) items() int { return cmp.Or(p.top, usualItems) }

// printTopics prints a line about a model, begin, what the columns of the table are, and the table.
func (p *program) printTopics(w io.Writer, begin string, m *model.Model) {
	titles, rows := topicTable(p.inked(m, topicViews(m, p.items())), p.width())
	t := table.New(titles, rows, p.width())
	fmt.Fprintln(w, begin)
	printf(w, "A topic's prominent items are its most %s", prominence(m.Manifest.Anchor))
	switch {
	case m.Anchors == nil:
		fmt.Fprint(w, ".\n\n")
	case t.Lists() == 1:
		printf(w, ".\nA wider window also shows its characteristic items, which occur most beside its anchor%s.\n\n",
			besideIn(m.Manifest.Anchor))
	default:
		printf(w, "; its characteristic items occur most beside its anchor%s.\n\n", besideIn(m.Manifest.Anchor))
	}
	t.Print(w, p.top > 0)
}

// filled leaves out the columns of cells that are empty in all rows.
func filled(titles []string, rows []table.Row) ([]string, []table.Row) {
	for c := len(rows[0].Cells) - 1; c >= 0; c-- {
		if slices.ContainsFunc(rows, func(r table.Row) bool { return r.Cells[c] != "" }) {
			continue
		}
		titles = slices.Delete(titles, c, c+1)
		for i := range rows {
			rows[i].Cells = slices.Delete(rows[i].Cells, c, c+1)
		}
	}
	return titles, rows
}

// topicTable returns the titles and rows of a table of topics. Those of several levels are indented, and followed by
// their shares in the topic above and in others. Names that nobody gave are left out if more than a quarter do not fit.
func topicTable(views []topicView, width int) (titles []string, rows []table.Row) {
	fits := func(v topicView) bool { return safetext.Width(v.Name) <= table.NameWidth(width) }
	named := 4*len(slices.DeleteFunc(slices.Clone(views), fits)) <= len(views) ||
		slices.ContainsFunc(views, func(v topicView) bool { return v.given })
	leveled := views[0].levelView != nil
	titles = []string{" topic", " share", " in", "also in", "name", "anchor", "prominent", "characteristic"}
	if leveled {
		titles[0] = "topic"
	}
	if leveled || !slices.ContainsFunc(views, func(v topicView) bool { return v.Characteristic != nil }) {
		titles = titles[:len(titles)-1]
	}
	for _, v := range views {
		if !named {
			v.Name = ""
		}
		number, parent, others := fmt.Sprint(v.Topic), "", []string(nil)
		if leveled {
			number = strings.Repeat("   ", v.at) + number
			for i, p := range v.Parents {
				if share := fmt.Sprintf("%.0f%%", 100*p.Share); i == 0 {
					parent = share
				} else {
					others = append(others, fmt.Sprintf("%d: %s", p.Topic, share))
				}
			}
		}
		rows = append(rows, table.Row{Cells: []string{number, fmt.Sprintf("%.1f%%", 100*v.Share), parent,
			strings.Join(others, ", "), v.Name, v.Anchor}, Lists: [][]string{v.Prominent, v.Characteristic}, Hue: v.hue})
	}
	return filled(titles, rows)
}

// prominence says what the prominent items are the most of.
func prominence(r *model.AnchorRecord) string {
	if r == nil || r.Relevance == 1 {
		return "probable"
	}
	return fmt.Sprintf("relevant (--set relevance=%g)", r.Relevance)
}

// besideIn says where the characteristic items were not counted in the documents.
func besideIn(r *model.AnchorRecord) string {
	switch {
	case r == nil || r.Characteristic == fit.OfDocuments:
		return ""
	case r.Characteristic == fit.OfBoth:
		return ", by the factor where steering changed it"
	}
	return ", by the factor"
}

// modelLine says how large a model is.
func modelLine(m *model.Model) string {
	return fmt.Sprintf("%d topics of %d items in %d documents.", m.Topics(), m.Vocabulary.Len(),
		m.Manifest.Corpus.Documents)
}

// printModel prints the topics of a model, what its reader should know, and where it lies.
func (p *program) printModel(s *fit.Fitted, output string) error {
	m := s.Overview()
	return p.print(p.modelValue(s, m, output), func(w io.Writer) { p.writeModel(w, s, m, output, output) })
}

// modelValue returns a fitted model as JSON has it.
func (p *program) modelValue(s *fit.Fitted, m *model.Model, output string) map[string]any {
	return map[string]any{"output": output, "manifest": &s.Manifest,
		"left_out": omissions(s.Manifest.Corpus, s.Manifest.Skipped), "topics": topicViews(m, p.items())}
}

// writeModel prints a fitted model for people. shown is where they look for it: the model, or its store.
func (p *program) writeModel(w io.Writer, s *fit.Fitted, m *model.Model, output, shown string) {
	printAccount(w, s.Manifest.Corpus, s.Manifest.Skipped)
	fmt.Fprintln(w)
	p.printTopics(w, modelLine(m), m)
	fmt.Fprintln(w)
	printVerdict(w, m, sketchWarning(&s.Manifest.Sketch), refineWarning(&s.Manifest))
	if c := s.Manifest.Choice; c != nil {
		printf(w, "\nThe number of topics was chosen: %s", (&choose.Count{ChoiceRecord: *c}).Sentence())
	}
	if n := len(m.Levels); n > 1 {
		printf(w, "Models of its coarser levels are in %s; anchorage topics shows all of them as a tree\n",
			objects.Join(output, "levels"))
	}
	p.printEnd(w, m, output, shown)
}

// printWarning prints a warning, and nothing if it is empty.
func printWarning(w io.Writer, line string) {
	if line != "" {
		printf(w, "\nWarnings:\n- %s\n", line)
	}
}

// printEnd says where a model is, what it took, and how to go on with what is shown: the model, or its store.
func (p *program) printEnd(w io.Writer, m *model.Model, output, shown string) {
	first := m.Prominent[slices.Index(m.Shares, slices.Max(m.Shares))][0].Item
	item := m.Name(first)
	if i, err := m.Index(item); err != nil || i != first { // several have the name
		item = m.Vocabulary.ID(first)
	}
	printf(w, "\nThe model is in %s\n", output)
	p.printNext(w, "explore "+quoted(shown), "items "+quoted(shown)+" similar "+quoted(item))
}

// printNext says what a command took, and prints commands to go on with.
func (p *program) printNext(w io.Writer, commands ...string) {
	took, unit := p.now().Sub(p.outcome.Started), time.Second
	if took < 10*time.Second {
		unit = 100 * time.Millisecond
	}
	printf(w, "It took %v", took.Round(unit))
	if peak := process.PeakMemory(); p.ownsProcess && peak > 0 {
		printf(w, " and %s of memory", humanize.IBytes(uint64(peak)))
	}
	printf(w, ". To go on:\n")
	for _, command := range commands {
		printf(w, "  anchorage %s\n", command)
	}
}
