// This file holds the topics command, which prints the topics of a model in several forms.

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
	"anchorage/model/fit"
)

// topicFormats are the forms in which topics are printed; the first is the default.
var topicFormats = []printForm[leveled]{
	{"table", "a table for people, as wide as the terminal; a tree for a model of several levels", func(p *program, w io.Writer, m leveled) error {
		if m.levels != nil {
			p.printTree(w, m)
			return nil
		}
		p.printTopics(w, modelLine(m.Model), m.Model)
		return nil
	}},
	{"csv", "a row per topic, a column per item", func(p *program, w io.Writer, m leveled) error {
		return writeTopicsCSV(w, m.views(p.items()), p.rawCells && !isTerminal(p.stdout))
	}},
	{"json", "an object, indented; --json prints it as one line", func(p *program, w io.Writer, m leveled) error {
		return encodeJSON(w, topicsValue(m, p.items()))
	}},
	{"markdown", "a table for documents", func(p *program, w io.Writer, m leveled) error {
		writeTopicsMarkdown(w, m.views(p.items()))
		return nil
	}},
}

func (p *program) topicsCommand() *cobra.Command {
	var format string
	var level int
	cmd := &cobra.Command{
		Use:   "topics MODEL",
		Short: "Print the topics of a model",
		Long: `Topics prints the table that fit and bayes fit print at their end: the share of each topic, its anchor, its prominent items, and the
characteristic ones, which occur most beside the anchor. Long names lose their middle in the table, and nothing in the other forms.
MODEL is a directory, or the URL of one in an object store. topics.parquet in the model has the same items with their probabilities.

The topics of a model that fit --levels made are printed as a tree: every topic below the one of the coarser level to which most of it
belongs. With --level they are those of one level alone.`,
		Example: `  anchorage topics model
  anchorage topics model --top 20 --format csv
  anchorage topics model --level 20`,
		Args: cobra.ExactArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			chosen, err := formOf(p, topicFormats, format)
			if err != nil {
				return err
			}
			m, err := model.Load(ctx, args[0])
			if err != nil {
				return err
			}
			shown := leveled{Model: m}
			if level > 0 {
				shown.Model, err = m.Level(ctx, level)
			} else {
				shown, err = loadLevels(ctx, m)
			}
			if err != nil {
				return err
			}
			return printAs(p, chosen, shown, topicsValue(shown, p.items()))
		}),
	}
	return p.with(cmd, []row{p.topRow(), formRow(&format, topicFormats),
		{name: "level", group: outputGroup, to: &level, values: wholes(0, fit.MostTopics), help: "topics of the level to print, of a model of several; 0 for all levels"},
		p.rawCellsRow()})
}

// views returns the topics, of several levels in the order of the tree.
func (m leveled) views(count int) []topicView {
	if m.levels != nil {
		return branches(m.levelViews(count))
	}
	return topicViews(m.Model, count)
}

// topicsValue is what topics prints as JSON: the topics of the finest level, and of all levels if there are several.
func topicsValue(m leveled, count int) map[string]any {
	value := map[string]any{"items": m.Vocabulary.Len(), "documents": m.Manifest.Corpus.Documents, "topics": topicViews(m.Model, count)}
	if m.levels != nil {
		all := m.levelViews(count)
		value["topics"], value["levels"] = all[len(all)-1], all
	}
	return value
}

// writeTopicsCSV writes a row per topic. Names are safe for spreadsheets, or with raw as they are in the model.
func writeTopicsCSV(w io.Writer, views []topicView, raw bool) error {
	shown := func(names []string) []string { return names }
	if !raw {
		shown = safetext.Cells
	}
	out := csv.NewWriter(w)
	prominent, characteristic := mostItems(views)
	begin := []string{"topic", "share", "anchor"}
	named := len(views) > 0 && views[0].idView != nil
	if named {
		begin = append([]string{"topic", "id"}, begin[1:]...)
	}
	leveled := len(views) > 0 && views[0].levelView != nil
	if leveled {
		begin = append([]string{"level", "topic", "parent", "parent_share"}, begin[1:]...)
	}
	names := anyName(views)
	if names {
		begin = append(begin, "name")
	}
	header := append(begin, append(numberedNames("prominent", prominent), numberedNames("characteristic", characteristic)...)...)
	if err := out.Write(header); err != nil {
		return err
	}
	for _, v := range views {
		row := []string{fmt.Sprint(v.Topic)}
		if leveled {
			row = append([]string{fmt.Sprint(v.Level)}, append(row, v.parentCells()...)...)
		}
		if named {
			row = append(row, fmt.Sprint(v.ID))
		}
		row = append(row, fmt.Sprint(v.Share))
		row = append(row, shown([]string{v.Anchor})...)
		if names {
			row = append(row, shown([]string{v.Name})...)
		}
		row = append(row, filled(shown(v.Prominent), prominent)...)
		if err := out.Write(append(row, filled(shown(v.Characteristic), characteristic)...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// mostItems returns the lengths of the longest lists of items.
func mostItems(views []topicView) (prominent, characteristic int) {
	for _, v := range views {
		prominent, characteristic = max(prominent, len(v.Prominent)), max(characteristic, len(v.Characteristic))
	}
	return prominent, characteristic
}

// numberedNames returns the names of columns, from 1.
func numberedNames(name string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("%s_%d", name, i+1)
	}
	return names
}

// filled returns a list of a length, with empty names at its end.
func filled(names []string, length int) []string {
	return append(names[:len(names):len(names)], make([]string, length-len(names))...)
}

// markdownEscapes keeps names from being read as markup.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "$", `\$`)

// writeTopicsMarkdown writes a table as GitHub and most others read it. Models without anchors have fewer columns.
func writeTopicsMarkdown(w io.Writer, views []topicView) {
	_, characteristic := mostItems(views)
	cell := func(names []string) string { return markdownEscapes.Replace(strings.Join(cleanAll(names), separator)) }
	id, alignID := "", ""
	if len(views) > 0 && views[0].idView != nil {
		id, alignID = " id |", "---:|"
	}
	level, alignLevel := "|", "|"
	if len(views) > 0 && views[0].levelView != nil {
		level, alignLevel = "| level | parent | in parent |", "|---:|---:|---:|"
	}
	names := anyName(views)
	name, alignName := "", ""
	if names {
		name, alignName = " name |", "---|"
	}
	if characteristic == 0 {
		printf(w, "%s topic |%s share |%s prominent |\n%s---:|%s---:|%s---|\n", level, id, name, alignLevel, alignID, alignName)
	} else {
		printf(w, "%s topic |%s share |%s anchor | prominent | characteristic |\n%s---:|%s---:|%s---|---|---|\n", level, id, name, alignLevel, alignID, alignName)
	}
	for _, v := range views {
		printf(w, "|")
		if v.levelView != nil {
			cells := v.parentCells()
			printf(w, " %d | %s | %s |", v.Level, cells[0], cells[1])
		}
		printf(w, " %d |", v.Topic)
		if v.idView != nil {
			printf(w, " %d |", v.ID)
		}
		printf(w, " %.1f %% |", 100*v.Share)
		if names {
			printf(w, " %s |", cell([]string{v.Name}))
		}
		if characteristic > 0 {
			printf(w, " %s | %s | %s |\n", cell([]string{v.Anchor}), cell(v.Prominent), cell(v.Characteristic))
			continue
		}
		printf(w, " %s |\n", cell(v.Prominent))
	}
}
