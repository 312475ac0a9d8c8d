// This file holds the search verb of items.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/model"
)

func (p *program) itemsSearchCommand() *cobra.Command {
	var count int
	cmd := &cobra.Command{
		Use:   "search TEXT",
		Short: "Find items by a part of their names",
		Long: `Search lists the items whose names contain TEXT, in upper or lower case: first the item of that very name, then those that
begin with it, then the others, and among equals those of most documents.`,
		Example: `  anchorage items model search choc`,
		Args:    modelThen(1, 1, "a part of a name"),
		RunE: onModel(func(_ context.Context, m *model.Model, args []string) error {
			found := m.Search(args[0], count)
			return p.print(found, func(w io.Writer) {
				if len(found) == 0 {
					printf(w, "No item's name contains %q.\n", args[0])
				}
				for _, item := range found {
					printf(w, "%8d documents  %s\n", item.Documents, item.ID)
				}
			})
		}),
	}
	return p.with(cmd, []row{numberRow(&count)})
}

// numberRow is -n, the number of things to list.
func numberRow(count *int) row {
	return row{name: "number", short: "n", group: outputGroup, effect: none, to: count, usual: "10", values: wholes(1, 1_000_000), help: "how many to list"}
}
