// This file holds what Figures 3 and 4 have in common: runs over all corpora, their means, and a chart with a row per corpus.

package paper

import (
	"context"
	"fmt"
	"slices"

	"anchorage/bench/internal/report"
)

// measure is a column of numbers with its axis in a chart.
type measure struct{ column, axis string }

func columnsOf(measures []measure) []string {
	names := make([]string, len(measures))
	for i, m := range measures {
		names[i] = m.column
	}
	return names
}

// figure is a figure of runs.
type figure struct {
	name     string
	keys     []report.Column // which say what a run is of
	others   []report.Column
	by       []string // the keys but for the seed
	measures []measure
	run      func(ctx context.Context, from reader, data source, all *report.Runs) error
	charts   []layout
	findings func(all *report.Table) []string
}

// write makes the runs of a figure that earlier results do not hold, and adds runs, means and the chart to the results.
func (p Grid) write(ctx context.Context, r *results, f figure) error {
	all, err := report.NewRuns(p.Earlier, f.name+"-runs", f.keys, f.others)
	if err != nil {
		return err
	}
	for _, data := range r.sources {
		if err := f.run(ctx, r.from, data, all); err != nil {
			return fmt.Errorf("%s, %s: %w", f.name, data.name(), err)
		}
	}
	if err := r.AddTables(all.Table, all.Summarize(f.name, f.by, columnsOf(f.measures))); err != nil {
		return err
	}
	for _, chart := range f.charts {
		if err := r.AddChart(chart.name+".svg", report.Chart{Rows: rows(r.sources, all.Table, chart)}); err != nil {
			return err
		}
	}
	r.short = append(r.short, f.findings(all.Table)...)
	if all.Taken > 0 {
		r.short = append(r.short, fmt.Sprintf("- %d of the %d rows of `%s.csv` come from earlier results, times included: they are the work of the program as it was then.",
			all.Taken, len(all.Rows), all.Name))
	}
	return nil
}

// layout says how runs are drawn: a panel for every measure.
type layout struct {
	name      string // of the chart
	measures  []measure
	x, label  string // the column along the x axis, and what the axis says
	thousands bool
	title     func(data source, of [][]any) string
	series    func(all *report.Table, corpus, column string, ticks []float64) []report.Series
}

// rows returns the panels, a row for every corpus that was run.
func rows(corpora []source, all *report.Table, l layout) [][]report.Panel {
	var rows [][]report.Panel
	for _, data := range corpora {
		of := all.Where("corpus", data.name())
		if len(of) == 0 {
			continue
		}
		var ticks []float64
		for _, x := range slices.Sorted(slices.Values(report.Distinct[int64](all, l.x, of))) {
			ticks = append(ticks, float64(x))
		}
		var row []report.Panel
		for _, m := range l.measures {
			row = append(row, report.Panel{X: l.label, Y: m.axis, LogX: true, Ticks: ticks, Thousands: l.thousands,
				Series: l.series(all, data.name(), m.column, ticks)})
		}
		row[0].Title = l.title(data, of)
		rows = append(rows, row)
	}
	return rows
}
