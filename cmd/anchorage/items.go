// This file holds the items command: what a model knows of its items. The model comes first and then a verb. search,
// topics and show are here.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/safetext"
	"anchorage/internal/table"
	"anchorage/model"
	"anchorage/model/diagnose"
)

const itemsName = "items"

func (p *program) itemsCommand() *cobra.Command {
	cmd := holder(itemsName, p.itemsSearchCommand(), p.itemsShowCommand(), p.itemsTopicsCommand(), p.itemsSimilarCommand(),
		p.itemsWithCommand(), p.itemsLearnCommand(), p.itemsEvalCommand(),
		p.itemsRecommendCommand(), p.itemsNeighboursCommand())
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 {
			return fmt.Errorf("say what to do with the items of %s: %s", args[0], verbNames(cmd))
		}
		if len(args) > 1 {
			return fmt.Errorf("items does not know %q: after the model use %s", args[1], verbNames(cmd))
		}
		return nil
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		var verbs []string
		for _, verb := range cmd.Commands() {
			verbs = append(verbs, cobra.CompletionWithDesc(verb.Name(), verb.Short))
		}
		return verbs, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// verbNames lists the verbs for an error message.
func verbNames(cmd *cobra.Command) string {
	var names []string
	for _, verb := range cmd.Commands() {
		names = append(names, verb.Name())
	}
	return strings.Join(names, ", ")
}

// verbFirst moves the verb of items in front of its model, where cobra looks for commands: items MODEL similar becomes
// items similar MODEL, which users may also write. A model whose name is a verb needs a path, such as ./show.
func verbFirst(root *cobra.Command, args []string) []string {
	given := args
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // the last word is not complete
		given = args[1:max(len(args)-1, 1)]
	}
	found, rest, err := root.Find(given)
	if err != nil || found.Name() != itemsName || len(rest) == 0 {
		return args
	}
	at := slices.Index(args, itemsName)
	for i := at + 2; i < at+1+len(rest) && i < len(args); i++ {
		if slices.ContainsFunc(found.Commands(), func(verb *cobra.Command) bool { return verb.Name() == args[i] }) {
			moved := slices.Clone(args)
			copy(moved[at+2:], args[at+1:i])
			moved[at+1] = args[i]
			return moved
		}
	}
	return args
}

// modelThen checks that a verb of items was given a model and at least least further arguments, at most most if that is
// not negative. what names them.
func modelThen(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch n := len(args) - 1; {
		case n < 0:
			return errors.New("the model is missing: give it before the verb")
		case n < least:
			return fmt.Errorf("%s is missing: give it after the verb", what)
		case most >= 0 && n > most:
			return fmt.Errorf("%q is too much: give only %s after the verb", args[1+most], what)
		}
		return nil
	}
}

// onModel is the function of a verb: it loads the model and passes it on with the other arguments.
func onModel(fn func(ctx context.Context, m *model.Model, args []string) error) action {
	return func(ctx context.Context, args []string) error {
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		return fn(ctx, m, args[1:])
	}
}

// onItems is the function of a verb that takes items. An item that the model does not have, but with another case or
// other accents, is taken for that, and this is said.
func (p *program) onItems(fn func(ctx context.Context, m *model.Model, items []string) error) action {
	return onModel(func(ctx context.Context, m *model.Model, items []string) error {
		for at, item := range items {
			_, err := m.Item(ctx, item)
			unknown := new(model.UnknownItemError)
			if !errors.As(err, &unknown) || unknown.Same == "" {
				continue // fn reports the error
			}
			if items[at] = unknown.Same; !p.json {
				printf(p.stdout, "%s is taken for %s, which differs in case or accents only.\n\n", item, unknown.Same)
			}
		}
		return fn(ctx, m, items)
	})
}

func (p *program) itemsSearchCommand() *cobra.Command {
	var count int
	return p.command("items search", modelThen(1, 1, "a part of a name"), onModel(func(ctx context.Context,
		m *model.Model, args []string) error {
		found, err := m.Search(ctx, args[0], count)
		if err != nil {
			return err
		}
		return p.print(found, func(w io.Writer) {
			if len(found) == 0 {
				printf(w, "No item's name contains %q.\n", args[0])
			}
			for _, item := range found {
				mark := ""
				if item.Folded {
					mark = "   (shaped no topics)"
				}
				printf(w, "%8d documents  %s%s\n", item.Documents, nameAndID(item.ID, item.Name), mark)
			}
		})
	}), []row{numberRow(&count)})
}

// nameAndID returns how an item is shown that may have a name beside its id.
func nameAndID(id, name string) string {
	if name == "" {
		return id
	}
	return safetext.Shorten(name, 60) + " (" + id + ")"
}

// numberRow is -n, the number of things to list.
func numberRow(count *int) row {
	return outputGroup.flag("number", count, wholes(1, 1_000_000), "how many to list").letter("n").by("10").does(none)
}

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
		k := m.TopicOf(topic.Topic)
		view := itemTopicView{ItemTopic: topic, Prominent: m.Names(m.Prominent[k][:min(10, len(m.Prominent[k]))])}
		if m.Anchors != nil {
			view.Anchor = m.Name(m.Anchors[k])
		}
		views = append(views, view)
	}
	return views
}

// printItemTopics prints a line per topic.
func printItemTopics(w io.Writer, views []itemTopicView, width int) {
	if len(views) == 0 {
		return
	}
	var rows []table.Row
	for _, v := range views {
		rows = append(rows, table.Row{Cells: []string{fmt.Sprint(v.Topic), fmt.Sprintf("%.1f%%", 100*v.Share),
			fmt.Sprintf("%.2f", v.Lift), v.Name}, Lists: [][]string{v.Prominent}})
	}
	table.New([]string{" topic", " share", " lift", "name", "prominent"}, rows, width).Print(w, false)
}

func (p *program) itemsTopicsCommand() *cobra.Command {
	var count int
	return p.command("items topics", modelThen(1, 1, "an item"), p.onItems(func(ctx context.Context,
		m *model.Model, args []string) error {
		item, err := m.Item(ctx, args[0])
		if err != nil {
			return err
		}
		views := itemTopicViews(m, item, count)
		return p.print(views, func(w io.Writer) {
			printEvidence(w, item)
			printItemTopics(w, views, p.width())
		})
	}), []row{numberRow(&count)})
}

func (p *program) itemsShowCommand() *cobra.Command {
	const topics, similar = 5, 10
	return p.command("items show", modelThen(1, 1, "an item"), p.onItems(func(ctx context.Context,
		m *model.Model, args []string) error {
		item, err := m.Item(ctx, args[0])
		if err != nil {
			return err
		}
		levels, err := diagnose.ItemLevels(ctx, m, item)
		if err != nil {
			return err
		}
		found, err := m.Similar(ctx, item.ID, similar)
		if err != nil {
			return err
		}
		views := itemTopicViews(m, item, topics)
		shown := struct {
			*model.Item
			Topics  []itemTopicView      `json:"topics"`
			Levels  []diagnose.ItemLevel `json:"levels,omitempty"`
			Similar []model.Neighbour    `json:"similar"`
		}{item, views, levels, found}
		return p.print(shown, func(w io.Writer) {
			printf(w, "%s\n%d documents, %d tokens, p(item) %.3g\n", nameAndID(item.ID, item.Name),
				item.Documents, item.Tokens, item.Probability)
			printf(w, "reliability %.2f: %s\n", item.Reliability, reliabilityWords(item))
			if item.Folded {
				printf(w, "folded in: it shaped no topics, since it is %s\n", item.LeftOut)
			}
			for _, id := range item.AnchorOf {
				printf(w, "the anchor of %s\n", m.TopicLabel(m.TopicOf(id)))
			}
			for _, l := range levels {
				begin := fmt.Sprintf("of %d topics, %.0f%% in topic %d: ", l.Level, 100*l.Share, l.Topic)
				printf(w, "%s%s\n", begin, table.Fitting(l.Prominent, p.width()-len(begin)))
			}
			fmt.Fprintln(w)
			printItemTopics(w, views, p.width())
			const begin = "alike: "
			var alike []string
			for _, n := range found {
				name := cmp.Or(n.Name, n.ID)
				if n.Uncertain {
					name += " (uncertain)"
				}
				alike = append(alike, name)
			}
			printf(w, "\n%s%s\n", begin, table.Fitting(alike, p.width()-len(begin)))
		})
	}))
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
