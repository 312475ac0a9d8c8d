// This file holds the with verb of items.

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
)

func (p *program) itemsWithCommand() *cobra.Command {
	var count int
	var peculiar float64
	cmd := &cobra.Command{
		Use:   "with ITEM...",
		Short: "List the items that go with an item or a whole basket",
		Long: `With lists the items that complete a basket: complements, not substitutes. It knows from the pairs of items which occur together,
and from the topics what else such a basket holds. Pairs are counted by anchorage fit --neighbours or anchorage items MODEL learn. A
model without them knows only the topics, and that is much less.

PROBABILITY is how likely a document with an item of the basket has the item too, LIFT how much more likely that is than in any
document. TOGETHER is the number of documents that contain both, added up over the basket; with 0 the item is a guess from topics.`,
		Example: `  anchorage items model with coffee
  anchorage items model with coffee filters --peculiar 0.6`,
		Args: modelThen(1, -1, "an item"),
		RunE: onModel(func(ctx context.Context, m *model.Model, args []string) error {
			recommender, counted, err := m.Recommender(ctx)
			if err != nil {
				return err
			}
			if given(p.flags, "peculiar") {
				weights := recommender.Weights()
				weights.Peculiar = peculiar
				recommender = recommender.With(weights)
			}
			found, err := m.With(ctx, args, count, recommender)
			if err != nil {
				return err
			}
			return p.print(found, func(w io.Writer) {
				if counted == nil {
					printf(w, "The model has no counted pairs of items: these are guesses from its topics.\nTo count pairs: anchorage items MODEL learn SHARD...\n\n")
				}
				if len(found) == 0 {
					fmt.Fprintln(w, "Nothing goes with these items: they occur with no others.")
					return
				}
				printf(w, "%11s  %8s  %8s  %9s  %s\n", "probability", "lift", "together", "documents", "item")
				for _, c := range found {
					printf(w, "%11.4f  %8.1f  %8d  %9d  %s\n", c.Probability, c.Lift, c.Together, c.Documents, c.ID)
				}
			})
		}),
	}
	return p.with(cmd, []row{numberRow(&count),
		{name: "peculiar", group: queryGroup, to: &peculiar, values: reals(0, 1), help: "0: popular items first; 1: those that go with nothing else"}})
}
