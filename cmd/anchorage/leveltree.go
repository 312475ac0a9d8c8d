// This file prints the topics of a model of several levels as a tree.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"anchorage/model"
)

// leveled is a model with those of its coarser levels.
type leveled struct {
	*model.Model
	levels []*model.Model // the coarsest first and the model itself last; nil if there is one level
}

// loadLevels loads the coarser levels of a model.
func loadLevels(ctx context.Context, m *model.Model) (leveled, error) {
	all := leveled{Model: m}
	for _, level := range m.Levels {
		one, err := m.Level(ctx, level.Topics)
		if err != nil {
			return all, err
		}
		all.levels = append(all.levels, one)
	}
	return all, nil
}

// levelView says at which level a topic stands, and to which topics of the next coarser level it belongs.
type levelView struct {
	Level   int          `json:"level"` // the number of its topics
	Parents []parentView `json:"parents,omitempty"`
}

// parentView is a topic of the next coarser level and p(it | topic).
type parentView struct {
	Topic int     `json:"topic"`
	Share float64 `json:"share"`
}

// parentCells returns the first parent of a topic and its share, as cells; empty for the coarsest level.
func (v *levelView) parentCells() []string {
	if len(v.Parents) == 0 {
		return []string{"", ""}
	}
	return []string{fmt.Sprint(v.Parents[0].Topic), fmt.Sprintf("%.4f", v.Parents[0].Share)}
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

// levelViews returns the topics of every level, the coarsest first, each level as topicViews does.
func (m leveled) levelViews(count int) [][]topicView {
	var all [][]topicView
	for at, one := range m.levels {
		views := topicViews(one, count)
		for i := range views {
			views[i].levelView = &levelView{one.Topics(), parents(&m.Levels[at], views[i].Topic)}
		}
		all = append(all, views)
	}
	return all
}

// branches returns the topics in the order of the tree: every topic is followed by those of which most belongs to it, the most probable
// first.
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
				add(at+1, below[at+1][v.Topic])
			}
		}
	}
	add(0, levels[0])
	return tree
}

// treeSteps is the width of the column that shows the tree.
const treeSteps = 3

// printTree prints the tree of topics, a line each.
func (p *program) printTree(w io.Writer, m leveled) {
	var numbers []string
	depth := make(map[int]int)
	for at, level := range m.Levels {
		numbers = append(numbers, fmt.Sprint(level.Topics))
		depth[level.Topics] = at
	}
	last := len(numbers) - 1
	printf(w, "%s and %s topics of %d items in %d documents.\n", strings.Join(numbers[:last], ", "), numbers[last], m.Vocabulary.Len(), m.Manifest.Corpus.Documents)
	printf(w, "Below each topic are the topics of the next level that belong mostly to it, with the share of them that does, and other parents.\n\n")
	tree := branches(m.levelViews(p.items()))
	anchor := anchorWidth(tree, p.width())
	steps := treeSteps*last + 5
	begin := fmt.Sprintf("%s  share  %5s", pad("topic", steps), "in")
	if anchor > 0 {
		begin += "  " + pad("anchor", anchor)
	}
	printf(w, "%s  prominent\n", begin)
	var names []string
	for _, v := range tree {
		names = append(names, clean(v.Anchor))
	}
	shown := shortenAll(names, max(anchor, 1))
	for _, v := range tree {
		step := depth[v.Level]
		in, rest := "", ""
		if step > 0 {
			in = fmt.Sprintf("%.0f%%", 100*v.Parents[0].Share)
			rest = otherParents(v.Parents[1:])
		}
		line := fmt.Sprintf("%s  %4.1f%%  %5s", pad(strings.Repeat(" ", treeSteps*step)+fmt.Sprint(v.Topic), steps), 100*v.Share, in)
		if anchor > 0 {
			line += "  " + pad(shown[clean(v.Anchor)], anchor)
		}
		room := max(p.width()-textWidth(line)-2-textWidth(rest), itemLeast)
		items := fitting(v.Prominent, room)
		if p.top > 0 {
			items = strings.Join(cleanAll(v.Prominent), separator)
		}
		printf(w, "%s\n", strings.TrimRight(line+"  "+items+rest, " "))
	}
}

// otherParents says to which other topics a topic belongs.
func otherParents(parents []parentView) string {
	var list []string
	for _, p := range parents {
		list = append(list, fmt.Sprintf("%d: %.0f%%", p.Topic, 100*p.Share))
	}
	if len(list) == 0 {
		return ""
	}
	return " (also " + strings.Join(list, ", ") + ")"
}

// itemLevelView is the topic of an item at a coarser level.
type itemLevelView struct {
	Level     int      `json:"level"`
	Topic     int      `json:"topic"`
	Share     float64  `json:"share"`
	Prominent []string `json:"prominent"`
}

// itemLevels returns the most probable topic of an item at every coarser level, the coarsest first.
func itemLevels(ctx context.Context, m *model.Model, index int) ([]itemLevelView, error) {
	all, err := loadLevels(ctx, m)
	if err != nil || all.levels == nil {
		return nil, err
	}
	var views []itemLevelView
	for _, one := range all.levels[:len(all.levels)-1] {
		k := int(one.TopTopic(index))
		views = append(views, itemLevelView{one.Topics(), k, one.Mixtures.Row(index)[k], one.Names(one.Prominent[k][:min(usualItems, len(one.Prominent[k]))])})
	}
	return views, nil
}
