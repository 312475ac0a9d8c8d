// This file holds the bayes search command: which documents are near some items, or near a document.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anchorage/internal/table"
	"anchorage/model"
	"anchorage/model/transform"
)

func (p *program) bayesSearchCommand() *cobra.Command {
	var source sourceFlags
	var o transform.SearchOptions
	return p.command("bayes search", cobra.MinimumNArgs(2), func(ctx context.Context, args []string) error {
		if (len(o.Items) == 0) == (o.Document == "") {
			return &usageError{errors.New("the query is missing or given twice: give either --items or --document")}
		}
		source.shard.Names = true
		if err := source.ready(p); err != nil {
			return err
		}
		loaded, err := model.LoadVariational(ctx, args[0], p.workers)
		if err != nil {
			return err
		}
		shards, err := source.discover(ctx, p, args[1:])
		if err != nil {
			return err
		}
		o.Workers, o.Progress = p.workers, p.advance
		found, err := transform.Search(ctx, loaded, shards, o)
		if err != nil {
			return err
		}
		var rows []table.Row
		for _, d := range found {
			rows = append(rows, table.Row{Cells: []string{d.Document, fmt.Sprintf("%.3f", d.Cosine)},
				Lists: [][]string{d.Items}})
		}
		return p.print(found, func(w io.Writer) {
			p.printTable(w, []string{"document", " cosine", "items"}, rows, false)
		})
	}, []row{
		queryGroup.flag("items", &o.Items, commaList, "items to look for, as if they were a document"),
		queryGroup.flag("document", &o.Document, anyText.named("ID"), "id of the document to look for, as search prints it"),
		numberRow(&o.Number),
	}, source.formatRows())
}
