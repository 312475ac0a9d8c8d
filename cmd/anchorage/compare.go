// This file holds the compare command: what became of the topics of a model in a later one.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/model"
	"anchorage/model/drift"
)

func (p *program) compareCommand() *cobra.Command {
	var output string
	var o drift.Options
	return p.command("compare", cobra.ExactArgs(2), func(ctx context.Context, args []string) error {
		if output != "" {
			if err := needOutput(output); err != nil {
				return err
			}
		}
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
			if err := p.writeFile(ctx, output, func(w io.Writer) error { return model.WriteDrift(w, found) }); err != nil {
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

// movedNames returns the ids of items.
func movedNames(list []drift.Item) []string {
	names := make([]string, len(list))
	for i, item := range list {
		names[i] = item.Item
	}
	return names
}

// driftSide is a topic's number and share in one of the models, as they are shown.
type driftSide struct{ number, share string }

// driftSides returns how a topic is shown then and now. A number is followed by the id, after a sign, where a model has
// other ids than numbers.
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

// driftOrder returns the topics as people read them: groups that split or merged, then those that died and were born,
// then those that were kept. Within a group the whole comes first; otherwise the topic that changed most.
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
		return cmp.Or(cmp.Compare(slices.Index(rank, a.Kind), slices.Index(rank, b.Kind)), cmp.Compare(a.Whole, b.Whole),
			cmp.Compare(part(a), part(b)), cmp.Compare(b.Distance, a.Distance))
	})
	return list
}

// printDrift prints a comparison: what it counts, and a line per topic in columns that fill the width.
func printDrift(w io.Writer, d *drift.Drift, width int) {
	s := d.Summary
	printf(w, "%s.\n", s)
	printf(w, "%d topics then, %d now; %d items in both models, %d new, %d gone.\n", s.TopicsThen, s.TopicsNow,
		s.ItemsCommon, s.ItemsNew, s.ItemsGone)
	printf(w, "Distances are from 0 to 1; from %g on, topics are not the same.\n\n", s.Threshold)
	var rows []tableRow
	for _, t := range driftOrder(d) {
		then, now := driftSides(t, d)
		row := tableRow{cells: []string{then.number, now.number, driftKind(t), fmt.Sprintf("%.2f", t.Distance),
			fmt.Sprintf("%5s → %5s", then.share, now.share)}, lists: [][]string{t.Prominent, nil, nil}}
		if t.Name != "" {
			row.lists[0] = append([]string{t.Name + ":"}, t.Prominent...)
		}
		if t.Then >= 0 && t.Now >= 0 { // of a topic of one model only, they would be those that it is about
			row.lists[1], row.lists[2] = movedNames(t.Risen), movedNames(t.Fallen)
		}
		rows = append(rows, row)
	}
	titles := []string{" then", " now", "kind", " distance", " share       ", "topic", "risen", "fallen"}
	newTable(titles, rows, width).print(w, false)
}
