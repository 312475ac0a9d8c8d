// This file holds the topics command, with the topics of a model of several levels as a tree, and the compare
// command: what became of the topics of a model in a later one.

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/safetext"
	"anchorage/internal/table"
	"anchorage/model"
	"anchorage/model/diagnose"
	"anchorage/model/drift"
	"anchorage/model/fit"
)

func (p *program) topicsCommand() *cobra.Command {
	var level int
	return p.command("topics", cobra.ExactArgs(1), onModel(func(ctx context.Context, m *model.Model, _ []string) error {
		shown, err := []*model.Model{m}, error(nil)
		if level > 0 {
			shown[0], err = m.Level(ctx, level)
		} else {
			shown, err = m.AllLevels(ctx)
		}
		if err != nil {
			return err
		}
		levels := levelViews(shown, p.items())
		value := map[string]any{"items": m.Vocabulary.Len(), "documents": m.Manifest.Corpus.Documents,
			"topics": levels[len(levels)-1]}
		if len(levels) > 1 {
			value["levels"] = levels
		}
		return p.print(value, func(w io.Writer) {
			if len(levels) > 1 {
				p.printTree(w, m, levels)
			} else {
				p.printTopics(w, modelLine(shown[0]), shown[0])
			}
		})
	}), []row{p.topRow(), outputGroup.flag("level", &level, wholes(0, fit.MostTopics),
		"topics of the level to print, of a model of several; 0 for all levels")})
}

// levelView says at which level a topic is, and to which topics of the next coarser level it belongs.
type levelView struct {
	Level   int               `json:"level"` // the number of its topics
	Parents []diagnose.Parent `json:"parents,omitempty"`
	at      int               // 0 is the coarsest level
}

// levelViews returns the topics of levels, the coarsest first, each as topicViews does. The last has the others.
func levelViews(levels []*model.Model, count int) (all [][]topicView) {
	finest := levels[len(levels)-1]
	for at, one := range levels {
		views := topicViews(one, count)
		for i := range views {
			if len(levels) > 1 {
				views[i].levelView = &levelView{one.Topics(), diagnose.Parents(&finest.Levels[at], views[i].Index), at}
			}
		}
		all = append(all, views)
	}
	return all
}

// branches returns the topics in the order of the tree: every topic is followed by those of which most belongs to it,
// the most probable first.
func branches(levels [][]topicView) (tree []topicView) {
	below := make([]map[int][]topicView, len(levels))
	for at := 1; at < len(levels); at++ {
		below[at] = make(map[int][]topicView)
		for _, v := range levels[at] {
			parent := v.Parents[0].Topic
			below[at][parent] = append(below[at][parent], v)
		}
	}
	var add func(at int, views []topicView)
	add = func(at int, views []topicView) {
		for _, v := range views {
			if tree = append(tree, v); at+1 < len(levels) {
				add(at+1, below[at+1][v.Index])
			}
		}
	}
	add(0, levels[0])
	return tree
}

// printTree prints the tree of topics, a line each.
func (p *program) printTree(w io.Writer, m *model.Model, levels [][]topicView) {
	var numbers []string
	for _, level := range m.Levels {
		numbers = append(numbers, fmt.Sprint(level.Topics))
	}
	printf(w, "%s topics of %d items in %d documents.\n", safetext.List(numbers, "and"), m.Vocabulary.Len(),
		m.Manifest.Corpus.Documents)
	printf(w, "Below each topic are the topics of the next level that belong mostly to it, with the share of them that "+
		"does, and other parents.\n\n")
	p.inked(m, levels[len(levels)-1])
	titles, rows := topicTable(branches(levels), p.width())
	p.printTable(w, titles, rows, p.top > 0)
}

func (p *program) compareCommand() *cobra.Command {
	var output string
	var o drift.Options
	return p.command("compare", cobra.ExactArgs(2), func(ctx context.Context, args []string) error {
		then, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		now, err := model.Load(ctx, args[1])
		if err != nil {
			return err
		}
		o.Workers = p.workers
		found, err := now.Compare(ctx, then, o)
		if err != nil {
			return err
		}
		if output != "" {
			if err := p.writeFile(ctx, output, func(w io.Writer) error { return model.WriteDrift(ctx, w, found) }); err != nil {
				return err
			}
		}
		return p.print(found, func(w io.Writer) { printDrift(w, found, p.width()) })
	}, []row{
		outputGroup.flag("output", &output, newFile, "also write the comparison, a Parquet file").letter("o").does(none),
		p.replaceRow(),
		expert("threshold", &o.Threshold, reals(leastPositive, 1),
			"distance at which two topics are no longer the same").by(fmt.Sprint(drift.DefaultThreshold)),
	})
}

// driftSide returns a topic's id and share in one of the models, as they are shown.
func driftSide(id int, share float64) (text, percent string) {
	if id < 0 {
		return "-", ""
	}
	return fmt.Sprint(id), fmt.Sprintf("%.1f%%", 100*share)
}

// printDrift prints a comparison: what it counts, and a line per topic in columns that fill the width.
func printDrift(w io.Writer, d *drift.Drift, width int) {
	s := d.Summary
	printf(w, "%s.\n", s)
	printf(w, "%d topics then, %d now; %d items in both models, %d new, %d gone.\n", s.TopicsThen, s.TopicsNow,
		s.ItemsCommon, s.ItemsNew, s.ItemsGone)
	printf(w, "Distances are from 0 to 1; from %g on, topics are not the same.\n\n", s.Threshold)
	var rows []table.Row
	for _, t := range d.Order() {
		then, shareThen := driftSide(t.ThenID, t.ShareThen)
		now, shareNow := driftSide(t.NowID, t.ShareNow)
		row := table.Row{Cells: []string{then, now, t.What(), fmt.Sprintf("%.2f", t.Distance),
			fmt.Sprintf("%5s → %5s", shareThen, shareNow)}, Lists: [][]string{t.Prominent, nil, nil}}
		if t.Name != "" {
			row.Lists[0] = strings.Split(t.Name, table.Separator)
		}
		if t.Then >= 0 && t.Now >= 0 { // of a topic of one model only, they would be those that it is about
			row.Lists[1], row.Lists[2] = drift.Names(t.Risen), drift.Names(t.Fallen)
		}
		rows = append(rows, row)
	}
	titles := []string{" then", " now", "kind", " distance", " share       ", "topic", "risen", "fallen"}
	table.New(titles, rows, width).Print(w, false)
}
