// This file holds the verbs of items that compare items: similar, with and vectors.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/items"
)

func (p *program) itemsSimilarCommand() *cobra.Command {
	var count int
	cmd := &cobra.Command{
		Use:   "similar ITEM",
		Short: "List the items most like an item: substitutes",
		Long: `Similar lists the items that occur with the same other items as ITEM, in the same proportions. They replace
one another and need not occur together.

Items are compared by the cosine of their profiles, the rows of the rectified co-occurrences, and, if the model has
counted pairs of items, also by what they were counted with. An item of which little is known is marked: fewer than 5
documents contain it, or more than half of its topics is guessed.`,
		Example: `  anchorage items model similar chocolate`,
		Args:    modelThen(1, 1, "an item"),
		RunE: onModel(func(ctx context.Context, m *model.Model, args []string) error {
			found, err := m.Similar(ctx, args[0], count)
			if err != nil {
				return err
			}
			item, err := m.Item(args[0])
			if err != nil {
				return err
			}
			return p.print(found, func(w io.Writer) {
				if item.Uncertain {
					printf(w, "Little is known of %s: %s.\n\n", item.ID, evidence(item.Documents, item.Reliability))
				}
				if len(found) == 0 {
					printf(w, "No item is like %s: it occurs with no other.\n", item.ID)
					return
				}
				printf(w, "%10s  %9s  %s\n", "similarity", "documents", "item")
				for _, n := range found {
					mark := ""
					if n.Uncertain {
						mark = fmt.Sprintf("   (uncertain: %s)", evidence(n.Documents, n.Reliability))
					}
					printf(w, "%10.3f  %9d  %s%s\n", n.Similarity, n.Documents, n.ID, mark)
				}
			})
		}),
	}
	return p.with(cmd, []row{numberRow(&count)})
}

// evidence says how much is known of an item.
func evidence(documents int64, reliability float64) string {
	if documents == 1 {
		return fmt.Sprintf("1 document, reliability %.2f", reliability)
	}
	return fmt.Sprintf("%d documents, reliability %.2f", documents, reliability)
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
	cmd := &cobra.Command{
		Use:   "with ITEM...",
		Short: "List the items that go with an item or a whole basket",
		Long: `With lists the items that complete a basket: complements, not substitutes. It knows from the pairs of items
which occur together, and from the topics what else such a basket holds. Pairs are counted by anchorage fit
--neighbours or anchorage items MODEL learn. A model without them knows only the topics, and that is much less.

PROBABILITY estimates how likely a document with the basket has the item too, LIFT how much more likely that is than
in any document. TOGETHER is the number of documents that contain both, added up over the basket; with 0 the item is a
guess from topics. BECAUSE names the two items of the basket that count most, and the topic.`,
		Example: `  anchorage items model with coffee
  anchorage items model with coffee filters --for rare`,
		Args: modelThen(1, -1, "an item"),
		RunE: onModel(func(ctx context.Context, m *model.Model, args []string) error {
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
				printf(w, "%11s  %8s  %8s  %9s  %-24s  %s\n", "probability", "lift", "together", "documents", "item", "because")
				for _, c := range found {
					printf(w, "%11.4f  %8.1f  %8d  %9d  %-24s  %s\n", c.Probability, c.Lift, c.Together, c.Documents, c.ID,
						strings.Join(reasons(&c), ", "))
				}
			})
		}),
	}
	return p.with(cmd, []row{numberRow(&count), aimRow(&aim)})
}

// reasons lists why an item is recommended.
func reasons(c *model.Complement) []string {
	if c.Topic < 0 {
		return c.Because
	}
	return append(slices.Clone(c.Because), fmt.Sprintf("topic %d", c.Topic))
}

// aimRow is --for of recommendations.
func aimRow(aim *items.Aim) row {
	var words []word
	for _, a := range items.Aims {
		words = append(words, word{string(a.Name), a.Help, nil})
	}
	return row{name: "for", group: queryGroup, to: aim, usual: string(items.Balanced), values: choice(words...),
		help: "which items to prefer"}
}

func (p *program) itemsVectorsCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "vectors -o FILE",
		Short: "Write a vector for each item",
		Long: `Vectors writes K numbers for each item, for other programs that compare items. The ending of FILE says how:
.parquet with the columns item_id, index and vector; .npy with one row per item, in the order of the model's
vocabulary; or .txt, .vec or .w2v, the text form of word2vec. There, white space in names becomes _.`,
		Example: `  anchorage items model vectors -o vectors.parquet`,
		Args:    modelThen(0, 0, "flags"),
		RunE: started(func(ctx context.Context, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			m, err := model.Load(ctx, args[0])
			if err != nil {
				return err
			}
			o := export.Options{Replace: p.replace, Warn: p.warn}
			if err := export.Vectors(ctx, m, output, o); err != nil {
				return err
			}
			result := map[string]any{"output": output, "items": m.Vocabulary.Len(), "columns": m.Topics()}
			return p.print(result, func(w io.Writer) {
				printf(w, "%d vectors of %d numbers are in %s\n", m.Vocabulary.Len(), m.Topics(), output)
			})
		}),
	}
	return p.with(cmd, []row{outputFileRow(&output, "file to write"), p.replaceRow()})
}
