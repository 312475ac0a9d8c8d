// This file holds the verbs of items that show one item: its topics, or all that is known.

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
)

// itemTopicView is a topic of an item as it is printed.
type itemTopicView struct {
	model.ItemTopic
	Anchor    string   `json:"anchor,omitempty"`
	Prominent []string `json:"prominent"`
}

// itemTopicViews returns the item's topics of the greatest shares, at most count.
func itemTopicViews(m *model.Model, item *model.Item, count int) []itemTopicView {
	views := make([]itemTopicView, 0, count)
	for _, topic := range item.Topics[:min(count, len(item.Topics))] {
		view := itemTopicView{ItemTopic: topic, Prominent: m.Names(m.Prominent[topic.Topic][:min(10, len(m.Prominent[topic.Topic]))])}
		if m.Anchors != nil {
			view.Anchor = m.Vocabulary.ID(m.Anchors[topic.Topic])
		}
		views = append(views, view)
	}
	return views
}

// printItemTopics prints a line per topic.
func printItemTopics(w io.Writer, views []itemTopicView, width int) {
	printf(w, "%5s  %6s  %7s  %s\n", "topic", "share", "lift", "prominent")
	for _, v := range views {
		items := v.Prominent
		if v.Name != "" {
			items = append([]string{v.Name + ":"}, items...)
		}
		printf(w, "%5d  %5.1f%%  %7.2f  %s\n", v.Topic, 100*v.Share, v.Lift, fitting(items, width-24))
	}
}

func (p *program) itemsTopicsCommand() *cobra.Command {
	var count int
	cmd := &cobra.Command{
		Use:   "topics ITEM",
		Short: "List the topics of an item",
		Long: `Topics lists the topics that ITEM belongs to: the share of each in its occurrences, the lift, which is that share divided by the
topic's share in all documents, and the topic's most prominent items.`,
		Example: `  anchorage items model topics chocolate`,
		Args:    modelThen(1, 1, "an item"),
		RunE: onModel(func(_ context.Context, m *model.Model, args []string) error {
			item, err := m.Item(args[0])
			if err != nil {
				return err
			}
			views := itemTopicViews(m, item, count)
			return p.print(views, func(w io.Writer) {
				if item.Uncertain {
					printf(w, "Little is known of %s: %s.\n\n", item.ID, evidence(item.Documents, item.Reliability))
				}
				printItemTopics(w, views, p.width())
			})
		}),
	}
	return p.with(cmd, []row{numberRow(&count)})
}

func (p *program) itemsShowCommand() *cobra.Command {
	const topics, similar = 5, 10
	cmd := &cobra.Command{
		Use:   "show ITEM",
		Short: "Show what is known of an item",
		Long: `Show prints how often ITEM occurs, how reliable what is said of it is, its topics, whether it is the anchor of one, and the items
most like it.`,
		Example: `  anchorage items model show chocolate`,
		Args:    modelThen(1, 1, "an item"),
		RunE: onModel(func(ctx context.Context, m *model.Model, args []string) error {
			item, err := m.Item(args[0])
			if err != nil {
				return err
			}
			levels, err := itemLevels(ctx, m, item.Index)
			if err != nil {
				return err
			}
			found, err := m.Similar(ctx, item.ID, similar, "")
			if err != nil {
				return err
			}
			views := itemTopicViews(m, item, topics)
			shown := struct {
				*model.Item
				Topics  []itemTopicView   `json:"topics"`
				Levels  []itemLevelView   `json:"levels,omitempty"`
				Similar []model.Neighbour `json:"similar"`
			}{item, views, levels, found}
			return p.print(shown, func(w io.Writer) {
				printf(w, "%s\n%d documents, %d tokens, p(item) %.3g\n", item.ID, item.Documents, item.Tokens, item.Probability)
				printf(w, "reliability %.2f: %s\n", item.Reliability, reliabilityWords(item))
				for _, k := range item.AnchorOf {
					if m.TopicNames != nil && m.TopicNames[k] != "" {
						printf(w, "the anchor of topic %d, %s\n", k, m.TopicNames[k])
						continue
					}
					printf(w, "the anchor of topic %d\n", k)
				}
				for _, l := range levels {
					begin := fmt.Sprintf("of %d topics, %.0f%% in topic %d: ", l.Level, 100*l.Share, l.Topic)
					printf(w, "%s%s\n", begin, fitting(l.Prominent, p.width()-len(begin)))
				}
				fmt.Fprintln(w)
				printItemTopics(w, views, p.width())
				const begin = "alike: "
				var alike []string
				for _, n := range found {
					name := n.ID
					if n.Uncertain {
						name += " (uncertain)"
					}
					alike = append(alike, name)
				}
				printf(w, "\n%s%s\n", begin, fitting(alike, p.width()-len(begin)))
			})
		}),
	}
	return p.with(cmd)
}

// reliabilityWords says what the reliability of an item means.
func reliabilityWords(item *model.Item) string {
	switch {
	case item.Uncertain && item.Reliability < 0.5:
		return "uncertain, since more than half of its topics is guessed from those of all items"
	case item.Uncertain:
		return "uncertain, since few documents contain it"
	}
	return "the share of its topics that comes from its own documents"
}
