// This file holds the verbs of items that find items: similar and with and, in bulk, recommend and neighbours.

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/items"
	"anchorage/model/transform"
)

func (p *program) itemsSimilarCommand() *cobra.Command {
	var count int
	return p.command("items similar", modelThen(1, 1, "an item"), p.onItems(func(ctx context.Context,
		m *model.Model, args []string) error {
		found, err := m.Similar(ctx, args[0], count)
		if err != nil {
			return err
		}
		item, err := m.Item(ctx, args[0])
		if err != nil {
			return err
		}
		return p.print(found, func(w io.Writer) {
			printEvidence(w, item)
			if len(found) == 0 {
				printf(w, "No item is like %s: it occurs with no other.\n", nameAndID(item.ID, item.Name))
				return
			}
			printf(w, "%4s  %8s  %9s  %s\n", "rank", "lift", "documents", "item")
			for rank, n := range found {
				mark := ""
				if n.Uncertain {
					mark = fmt.Sprintf("   (uncertain: %s)", evidence(n.Documents, n.Reliability))
				}
				printf(w, "%4d  %8.1f  %9d  %s%s\n", rank+1, n.Lift, n.Documents, nameAndID(n.ID, n.Name), mark)
			}
		})
	}), []row{numberRow(&count)})
}

// printEvidence says what keeps the answer about an item from being certain.
func printEvidence(w io.Writer, item *model.Item) {
	if item.Folded {
		printf(w, "%s shaped no topics, since it is %s: its own are those of the documents that have it.\n\n",
			nameAndID(item.ID, item.Name), item.LeftOut)
	}
	if item.Uncertain {
		printf(w, "Little is known of %s: %s.\n\n", nameAndID(item.ID, item.Name), evidence(item.Documents, item.Reliability))
	}
}

// evidence says how much is known of an item.
func evidence(documents int64, reliability float64) string {
	return fmt.Sprintf("%s, reliability %.2f", count(int(documents), "document", "documents"), reliability)
}

// wordsOf returns words with what they mean.
func wordsOf[S ~string](names []S, help []string) (list []word) {
	for i, name := range names {
		list = append(list, word{string(name), help[i], nil})
	}
	return list
}

func (p *program) itemsWithCommand() *cobra.Command {
	var count int
	var aim items.Aim
	return p.command("items with", modelThen(1, -1, "an item"), p.onItems(func(ctx context.Context,
		m *model.Model, args []string) error {
		recommender, counted, err := m.Recommender(ctx)
		if err != nil {
			return err
		}
		if counted != nil {
			recommender = recommender.With(counted.Setting(aim))
		}
		found, err := m.With(ctx, args, count, recommender)
		if err != nil {
			return err
		}
		return p.print(found, func(w io.Writer) {
			if counted == nil {
				printf(w, "The model has no counted pairs of items: these are guesses from its topics.\nTo count pairs: "+
					"anchorage items MODEL learn SHARD...\n\n")
			}
			if len(found) == 0 {
				fmt.Fprintln(w, "Nothing goes with these items: they occur with no others.")
				return
			}
			together := func(string) string { return "" } // of a model without counted pairs
			if counted != nil {
				together = func(text string) string { return fmt.Sprintf("%8s  ", text) }
			}
			width := 24
			if m.Vocabulary.Names != nil {
				width = 48
			}
			printf(w, "%11s  %8s  %s%9s  %-*s  %s\n", "probability", "lift", together("together"), "documents", width, "item",
				"because")
			for _, c := range found {
				times := "-" // not counted
				if c.Pairs > 0 {
					times = fmt.Sprint(c.Together)
				}
				printf(w, "%11.4f  %8.1f  %s%9d  %-*s  %s\n", c.Probability, c.Lift, together(times), c.Documents, width,
					nameAndID(c.ID, c.Name), strings.Join(reasons(m, &c), ", "))
			}
		})
	}), []row{numberRow(&count), aimRow(&aim)})
}

// reasons lists why an item is recommended.
func reasons(m *model.Model, c *model.Complement) []string {
	var because []string
	for _, id := range c.Because {
		if i, err := m.Index(id); err == nil {
			id = m.Name(i)
		}
		because = append(because, id)
	}
	if c.Topic < 0 {
		return because
	}
	return append(because, fmt.Sprintf("topic %d", c.Topic))
}

func aimRow(aim *items.Aim) row {
	var words []word
	for _, a := range items.Aims {
		words = append(words, word{string(a.Name), a.Help, nil})
	}
	return queryGroup.flag("for", aim, choice(words...), "which items to prefer").by(string(items.Balanced))
}

func (p *program) itemsRecommendCommand() *cobra.Command {
	var source sourceFlags
	var o transform.RecommendOptions
	var output string
	return p.command("items recommend", modelThen(1, -1, "a shard"), func(ctx context.Context, args []string) error {
		shards, err := source.discover(ctx, p, args[1:])
		if err != nil {
			return err
		}
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		o.Workers, o.Progress, o.Warn, o.Replace = p.workers, p.advance, p.warn, p.replace
		done, err := transform.Recommend(ctx, m, shards, output, o)
		return p.finish(output, err, func() error {
			return p.print(done, func(w io.Writer) {
				printf(w, "%d recommendations for %d documents are in %s; for %d (%s) nothing is known\n", done.Rows,
					done.Documents, output, done.Without, percent(done.Without, done.Documents))
				if done.Later > 0 {
					printf(w, "%.1f%% of the items of later documents were in an earlier one of the same id\n", 100*done.Repeats)
				}
			})
		})
	}, []row{outputRow(&output, "the recommendations, a folder"), p.replaceRow(), numberRow(&o.Number), aimRow(&o.Aim),
		queryGroup.flag("repeat", &o.Repeat, boolean, "also recommend what a document has"), timeRow(&o.TimeColumn),
	}, source.formatRows())
}

func (p *program) itemsNeighboursCommand() *cobra.Command {
	var o transform.RecommendOptions
	var output string
	return p.command("items neighbours", modelThen(0, 0, "flags"), onModel(func(ctx context.Context, m *model.Model,
		_ []string) error {
		o.Workers = p.workers
		var done *transform.Recommended
		err := p.writeFile(ctx, output, func(w io.Writer) (err error) {
			done, err = transform.Neighbours(ctx, m, w, o)
			return err
		})
		return p.finish(output, err, func() error {
			return p.print(done, func(w io.Writer) {
				printf(w, "%d neighbours of %d items are in %s; of %d nothing is known\n", done.Rows, done.Documents, output,
					done.Without)
			})
		})
	}), []row{outputTableRow(&output, "the neighbours"), p.replaceRow(), expert("folded", &o.Folded, boolean,
		"also neighbours of items that shaped no topics, by their topics"), numberRow(&o.Number), aimRow(&o.Aim)})
}
