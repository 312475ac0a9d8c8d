// This file holds the compare command: what became of the topics of a model in a later one.

package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
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

const (
	markdownItems = 5  // in a cell of a table for documents
	driftColumn   = 16 // the least width of a column of items, if there are three
)

// driftSide is a topic's number and share in one of the models, as they are shown.
type driftSide struct{ number, share string }

// driftSides returns how a topic is shown then and now. A number is followed by the id, after a sign, where a model has other ids than
// numbers.
func driftSides(t *drift.Topic, d *drift.Drift) (then, now driftSide) {
	show := func(number, id int, share float64, named bool) driftSide {
		switch {
		case number < 0:
			return driftSide{"-", ""}
		case named:
			return driftSide{fmt.Sprintf("%d #%d", number, id), fmt.Sprintf("%.1f%%", 100*share)}
		}
		return driftSide{fmt.Sprint(number), fmt.Sprintf("%.1f%%", 100*share)}
	}
	thenNamed := slices.ContainsFunc(d.Topics, func(t drift.Topic) bool { return t.Then != t.ThenID })
	nowNamed := slices.ContainsFunc(d.Topics, func(t drift.Topic) bool { return t.Now != t.NowID })
	return show(t.Then, t.ThenID, t.ShareThen, thenNamed), show(t.Now, t.NowID, t.ShareNow, nowNamed)
}

// driftKind returns the kind of a topic, with the whole of a topic that is part of one.
func driftKind(t *drift.Topic) string {
	switch {
	case t.Kind == drift.Split && t.ThenID != t.Whole:
		return fmt.Sprintf("split of %d", t.Whole)
	case t.Kind == drift.Merged && t.NowID != t.Whole:
		return fmt.Sprintf("merged into %d", t.Whole)
	}
	return string(t.Kind)
}

// driftOrder returns the topics as people read them: groups that split or merged, then those that died and were born, then those that were
// kept. Within a group the whole comes first; otherwise the topic that changed most.
func driftOrder(d *drift.Drift) []*drift.Topic {
	list := make([]*drift.Topic, len(d.Topics))
	for i := range d.Topics {
		list[i] = &d.Topics[i]
	}
	rank := []drift.Kind{drift.Split, drift.Merged, drift.Died, drift.Born, drift.Kept}
	part := func(t *drift.Topic) int {
		if strings.Contains(driftKind(t), " ") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b *drift.Topic) int {
		return cmp.Or(cmp.Compare(slices.Index(rank, a.Kind), slices.Index(rank, b.Kind)), cmp.Compare(a.Whole, b.Whole), cmp.Compare(part(a), part(b)),
			cmp.Compare(b.Distance, a.Distance))
	})
	return list
}

// printDrift prints a comparison: what it counts, and a line per topic in columns that fill the width.
func printDrift(w io.Writer, d *drift.Drift, width int) {
	s := d.Summary
	printf(w, "%s.\n", s)
	printf(w, "%d topics then, %d now; %d items in both models, %d new, %d gone.\n", s.TopicsThen, s.TopicsNow, s.ItemsCommon, s.ItemsNew, s.ItemsGone)
	printf(w, "Distances are from 0 to 1; from %g on, topics are not the same.\n\n", s.Threshold)
	list := driftOrder(d)
	rows := [][]string{{"then", "now", "kind", "distance", "share       "}}
	for _, t := range list {
		then, now := driftSides(t, d)
		rows = append(rows, []string{then.number, now.number, driftKind(t), fmt.Sprintf("%.2f", t.Distance), fmt.Sprintf("%5s → %5s", then.share, now.share)})
	}
	begins := aligned(rows)
	room := width - textWidth(begins[0])
	columns := driftColumns(list, room)
	line := begins[0]
	for _, column := range columns {
		line += "  " + pad(column.title, column.width)
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
	for i := range list {
		printRow(w, begins[1+i], columns, i)
	}
}

// driftColumns returns the columns of items: what a topic is about, and where there is room the items that rose and fell.
func driftColumns(list []*drift.Topic, room int) []topicColumn {
	var prominent, risen, fallen [][]string
	for _, t := range list {
		items := t.Prominent
		if t.Name != "" {
			items = append([]string{t.Name + ":"}, items...)
		}
		prominent = append(prominent, cleanAll(items))
		var up, down []string // of a topic of one model only they would be those that it is about
		if t.Then >= 0 && t.Now >= 0 {
			up, down = cleanAll(movedNames(t.Risen)), cleanAll(movedNames(t.Fallen))
		}
		risen, fallen = append(risen, up), append(fallen, down)
	}
	lists := []struct {
		title string
		items [][]string
	}{{"topic", prominent}, {"risen", risen}, {"fallen", fallen}}
	count := len(lists)
	if room < count*(2+driftColumn) {
		count = 1
	}
	each := max(room/count-2, driftColumn)
	var columns []topicColumn
	for _, l := range lists[:count] {
		columns = append(columns, newTopicColumn(l.title, each, itemWidth(each), l.items, func(items []string) []string {
			lines := wrapped(items, each)
			return lines[:min(len(lines), 1)]
		}))
	}
	return columns
}

// aligned returns rows of cells as lines: words begin, and numbers end, at the same place in all of them. The first row has the titles.
func aligned(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			widths[c] = max(widths[c], textWidth(cell))
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		for c, cell := range row {
			blanks := strings.Repeat(" ", widths[c]-textWidth(cell))
			if rows[0][c] == "kind" {
				cell += blanks
			} else {
				cell = blanks + cell
			}
			if c > 0 {
				lines[r] += "  "
			}
			lines[r] += cell
		}
	}
	return lines
}
