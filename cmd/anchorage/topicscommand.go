// This file holds the topics command, and the topics of a model of several levels as a tree.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/safetext"
	"anchorage/model"
	"anchorage/model/fit"
)

func (p *program) topicsCommand() *cobra.Command {
	var level int
	return p.command("topics", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		shown := []*model.Model{m}
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
	}, []row{p.topRow(),
		outputGroup.flag("level", &level, wholes(0, fit.MostTopics),
			"topics of the level to print, of a model of several; 0 for all levels")})
}

// levelView says at which level a topic is, and to which topics of the next coarser level it belongs.
type levelView struct {
	Level   int          `json:"level"` // the number of its topics
	Parents []parentView `json:"parents,omitempty"`
	at      int          // 0 is the coarsest level
}

// parentView is a topic of the next coarser level and p(it | topic).
type parentView struct {
	Topic int     `json:"topic"`
	Share float64 `json:"share"`
}

// depth returns how deep a topic is in the tree.
func (v *levelView) depth() int {
	if v == nil {
		return 0
	}
	return v.at
}

// parent formats the share of a topic in its first parent; empty for the coarsest level.
func (v *levelView) parent() string {
	if v == nil || len(v.Parents) == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f%%", 100*v.Parents[0].Share)
}

// otherParents returns the other topics to which a topic belongs.
func (v *levelView) otherParents() string {
	var list []string
	if v != nil {
		for _, p := range v.Parents[min(1, len(v.Parents)):] {
			list = append(list, fmt.Sprintf("%d: %.0f%%", p.Topic, 100*p.Share))
		}
	}
	return strings.Join(list, ", ")
}

// leastParent is the least share of a parent that is listed beside the first.
const leastParent = 0.05

// parents returns the parents of a topic, the greatest share first.
func parents(l *model.Level, topic int) (list []parentView) {
	for c, share := range l.Shares(topic) {
		list = append(list, parentView{c, share})
	}
	slices.SortStableFunc(list, func(a, b parentView) int { return cmp.Compare(b.Share, a.Share) })
	for at := 1; at < len(list); at++ {
		if list[at].Share < leastParent {
			return list[:at]
		}
	}
	return list
}

// levelViews returns the topics of levels, the coarsest first, each as topicViews does. The last has the others.
func levelViews(levels []*model.Model, count int) (all [][]topicView) {
	finest := levels[len(levels)-1]
	for at, one := range levels {
		views := topicViews(one, count)
		for i := range views {
			if len(levels) > 1 {
				views[i].levelView = &levelView{one.Topics(), parents(&finest.Levels[at], views[i].Index), at}
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
	titles, rows := topicTable(branches(levels), p.width())
	p.printTable(w, titles, rows, p.top > 0)
}

// itemLevelView is the topic of an item at a coarser level.
type itemLevelView struct {
	Level     int      `json:"level"`
	Topic     int      `json:"topic"`
	Share     float64  `json:"share"`
	Prominent []string `json:"prominent"`
}

// itemLevels returns the most probable topic of an item at every coarser level, the coarsest first. Levels have no
// items that were folded in: the topics of these have parents.
func itemLevels(ctx context.Context, m *model.Model, item *model.Item) ([]itemLevelView, error) {
	all, err := m.AllLevels(ctx)
	if err != nil || len(all) == 1 {
		return nil, err
	}
	shares := make([]float64, m.Topics())
	for _, t := range item.Topics {
		shares[m.TopicOf(t.Topic)] = t.Share
	}
	views := make([]itemLevelView, len(all)-1)
	for l := len(views) - 1; l >= 0; l-- {
		one := all[l]
		parents := make([]float64, one.Topics())
		for topic, share := range shares {
			for parent, p := range m.Levels[l+1].Shares(topic) {
				parents[parent] += share * p
			}
		}
		if shares = parents; !item.Folded {
			shares = one.Mixtures.Row(item.Index)
		}
		k := slices.Index(shares, slices.Max(shares))
		views[l] = itemLevelView{one.Topics(), k, shares[k],
			one.Names(one.Prominent[k][:min(usualItems, len(one.Prominent[k]))])}
	}
	return views, nil
}
