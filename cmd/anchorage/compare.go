// This file holds the compare command: what became of the topics of a model in a later one.

package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/safetext"
	"anchorage/model"
	"anchorage/model/drift"
)

// driftFormats are the forms in which a comparison is printed; the first is the default.
var driftFormats = []printForm[*drift.Drift]{
	{"table", "a table for people, as wide as the terminal", func(p *program, w io.Writer, d *drift.Drift) error {
		printDrift(w, d, p.width())
		return nil
	}},
	{"csv", "a row per topic, a column per item", func(p *program, w io.Writer, d *drift.Drift) error {
		return writeDriftCSV(w, d, p.rawCells && !isTerminal(p.stdout))
	}},
	{"json", "an object, indented; --json prints it as one line", func(_ *program, w io.Writer, d *drift.Drift) error { return encodeJSON(w, d) }},
	{"markdown", "a table for documents", func(_ *program, w io.Writer, d *drift.Drift) error {
		writeDriftMarkdown(w, d)
		return nil
	}},
}

func (p *program) compareCommand() *cobra.Command {
	var format, output string
	var threshold float64
	cmd := &cobra.Command{
		Use:   "compare THEN NOW",
		Short: "Find the topics of a model again in a later one",
		Long: `Compare pairs the topics of two models by what is in them, and says which were kept, which are new or gone, and which split or merged. The
models may have other items and other numbers of topics. For every topic it lists the items that rose and fell. THEN and NOW are directories, or
URLs in an object store; of a store, the model is that of its current generation.`,
		Example: `  anchorage compare monday-model tuesday-model
  anchorage compare monday-model tuesday-model -o drift.parquet --format csv
  anchorage compare topics.store/generations/000001 topics.store`,
		Args: cobra.ExactArgs(2),
		RunE: started(func(ctx context.Context, args []string) error {
			chosen, err := formOf(p, driftFormats, format)
			if err != nil {
				return err
			}
			if output != "" {
				if err := needOutput(output); err != nil {
					return err
				}
			}
			found, err := p.compare(ctx, args[0], args[1], threshold)
			if err != nil {
				return err
			}
			if output != "" {
				if err := p.writeFile(ctx, output, func(w io.Writer) error { return model.WriteDrift(w, found) }); err != nil {
					return err
				}
			}
			return printAs(p, chosen, found, found)
		}),
	}
	return p.with(cmd, []row{
		{name: "output", short: "o", group: outputGroup, effect: none, to: &output, values: newFile, help: "also write the comparison, a Parquet file"},
		p.replaceRow(),
		{name: "threshold", layer: setting, to: &threshold, usual: fmt.Sprint(drift.DefaultThreshold), values: reals(leastPositive, 1),
			help: "distance at which two topics are no longer the same"},
		formRow(&format, driftFormats), p.rawCellsRow()})
}

// compare loads two models and compares them.
func (p *program) compare(ctx context.Context, then, now string, threshold float64) (*drift.Drift, error) {
	first, err := model.Load(ctx, then)
	if err != nil {
		return nil, err
	}
	second, err := model.Load(ctx, now)
	if err != nil {
		return nil, err
	}
	return second.Compare(ctx, first, drift.Options{Threshold: threshold, Workers: p.workers})
}

// writeDriftCSV writes a row per topic. Names are safe for spreadsheets, or with raw as they are in the models.
func writeDriftCSV(w io.Writer, d *drift.Drift, raw bool) error {
	out := csv.NewWriter(w)
	header := []string{"kind", "then", "now", "then_id", "now_id", "whole_id", "distance", "union_distance", "share_then", "share_now",
		"outside_then", "outside_now"}
	header = append(header, append(numberedNames("risen", drift.Items), numberedNames("fallen", drift.Items)...)...)
	if err := out.Write(header); err != nil {
		return err
	}
	for _, t := range d.Topics {
		row := []string{string(t.Kind)}
		for _, v := range []any{t.Then, t.Now, t.ThenID, t.NowID, t.Whole, t.Distance, t.UnionDistance, t.ShareThen, t.ShareNow, t.OutsideThen,
			t.OutsideNow} {
			row = append(row, fmt.Sprint(v))
		}
		for _, list := range [][]drift.Item{t.Risen, t.Fallen} {
			names := movedNames(list)
			if !raw {
				names = safetext.Cells(names)
			}
			row = append(row, filled(names, drift.Items)...)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// movedNames returns the ids of items.
func movedNames(list []drift.Item) []string {
	names := make([]string, len(list))
	for i, item := range list {
		names[i] = item.Item
	}
	return names
}

// writeDriftMarkdown writes a table as GitHub and most others read it.
func writeDriftMarkdown(w io.Writer, d *drift.Drift) {
	cell := func(names []string) string {
		return markdownEscapes.Replace(strings.Join(cleanAll(names[:min(markdownItems, len(names))]), separator))
	}
	printf(w, "%s.\n\n| then | now | kind | distance | share then | share now | topic | risen | fallen |\n|---:|---:|---|---:|---:|---:|---|---|---|\n", d.Summary)
	for _, t := range driftOrder(d) {
		then, now := driftSides(t, d)
		printf(w, "| %s | %s | %s | %.2f | %s | %s | %s | %s | %s |\n", then.number, now.number, driftKind(t), t.Distance, then.share, now.share,
			cell(t.Prominent), cell(movedNames(t.Risen)), cell(movedNames(t.Fallen)))
	}
}
