// This file holds the compare command: what became of the topics of a model in a later one.

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/internal/table"
	"anchorage/model"
	"anchorage/model/drift"
)

func (p *program) compareCommand() *cobra.Command {
	var output string
	var o drift.Options
	return p.command("compare", cobra.ExactArgs(2), func(ctx context.Context, args []string) error {
		then, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		now, err := model.Load(ctx, args[1])
		if err != nil {
			return err
		}
		o.Workers = p.workers
		found, err := now.Compare(ctx, then, o)
		if err != nil {
			return err
		}
		if output != "" {
			if err := p.writeFile(ctx, output, func(w io.Writer) error { return model.WriteDrift(ctx, w, found) }); err != nil {
				return err
			}
		}
		return p.print(found, func(w io.Writer) { printDrift(w, found, p.width()) })
	}, []row{
		outputGroup.flag("output", &output, newFile, "also write the comparison, a Parquet file").letter("o").does(none),
		p.replaceRow(),
		expert("threshold", &o.Threshold, reals(leastPositive, 1),
			"distance at which two topics are no longer the same").by(fmt.Sprint(drift.DefaultThreshold)),
	})
}

// driftSide returns a topic's id and share in one of the models, as they are shown.
func driftSide(id int, share float64) (text, percent string) {
	if id < 0 {
		return "-", ""
	}
	return fmt.Sprint(id), fmt.Sprintf("%.1f%%", 100*share)
}

// printDrift prints a comparison: what it counts, and a line per topic in columns that fill the width.
func printDrift(w io.Writer, d *drift.Drift, width int) {
	s := d.Summary
	printf(w, "%s.\n", s)
	printf(w, "%d topics then, %d now; %d items in both models, %d new, %d gone.\n", s.TopicsThen, s.TopicsNow,
		s.ItemsCommon, s.ItemsNew, s.ItemsGone)
	printf(w, "Distances are from 0 to 1; from %g on, topics are not the same.\n\n", s.Threshold)
	var rows []table.Row
	for _, t := range d.Order() {
		then, shareThen := driftSide(t.ThenID, t.ShareThen)
		now, shareNow := driftSide(t.NowID, t.ShareNow)
		row := table.Row{Cells: []string{then, now, t.What(), fmt.Sprintf("%.2f", t.Distance),
			fmt.Sprintf("%5s → %5s", shareThen, shareNow)}, Lists: [][]string{t.Prominent, nil, nil}}
		if t.Name != "" {
			row.Lists[0] = strings.Split(t.Name, table.Separator)
		}
		if t.Then >= 0 && t.Now >= 0 { // of a topic of one model only, they would be those that it is about
			row.Lists[1], row.Lists[2] = drift.Names(t.Risen), drift.Names(t.Fallen)
		}
		rows = append(rows, row)
	}
	titles := []string{" then", " now", "kind", " distance", " share       ", "topic", "risen", "fallen"}
	table.New(titles, rows, width).Print(w, false)
}
