// This file holds the topics command, and the topics of a model of several levels as a tree.

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anchorage/internal/safetext"
	"anchorage/model"
	"anchorage/model/diagnose"
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
	}), []row{p.topRow(),
		outputGroup.flag("level", &level, wholes(0, fit.MostTopics),
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
