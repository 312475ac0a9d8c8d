// This file holds the similar verb of items.

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
)

func (p *program) itemsSimilarCommand() *cobra.Command {
	var count int
	var by model.Representation
	cmd := &cobra.Command{
		Use:   "similar ITEM",
		Short: "List the items most like an item: substitutes",
		Long: `Similar lists the items that occur with the same other items as ITEM, in the same proportions. They stand for one another and
need not occur together.

Items are compared by the cosine of their profiles, the rows of the rectified co-occurrences, and, if the model has counted pairs of
items, also by what they were counted with. --by chooses one of these, or another vector: factor, the row of the factor, or mixture,
the topics. An item of which little is known is marked: fewer than 5 documents contain it, or more than half of
its topics is guessed.`,
		Example: `  anchorage items model similar chocolate`,
		Args:    modelThen(1, 1, "an item"),
		RunE: onModel(func(ctx context.Context, m *model.Model, args []string) error {
			found, err := m.Similar(ctx, args[0], count, by)
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
	return p.with(cmd, []row{numberRow(&count), representationRow(&by, "best", "what to compare", true)})
}

// evidence says how much is known of an item.
func evidence(documents int64, reliability float64) string {
	if documents == 1 {
		return fmt.Sprintf("1 document, reliability %.2f", reliability)
	}
	return fmt.Sprintf("%d documents, reliability %.2f", documents, reliability)
}

// representationRow is --by, which chooses vectors of items.
func representationRow(by *model.Representation, usual model.Representation, what string, similar bool) row {
	return row{name: "by", group: queryGroup, to: by, usual: string(usual), values: choice(wordsOf(model.Representations(similar))...), help: what}
}

// wordsOf returns words with what they mean.
func wordsOf[S ~string](names []S, help []string) (list []word) {
	for i, name := range names {
		list = append(list, word{string(name), help[i], nil})
	}
	return list
}
