// This file lays out the charts of one corpus: time and memory, and quality, against N, a row for each K.

package beside

import (
	"slices"

	"anchorage/bench/internal/report"
)

// chartZoom makes room for a dozen lines.
const chartZoom = 1.3

// namedChart is a chart with the name of its file.
type namedChart struct {
	name, title string
	rows        [][]report.Panel
}

// charts returns the charts of a corpus with at least two vocabularies. The line of a system ends where it fails, with a mark where a limit
// ended it. Systems with their defaults are in the tables alone.
func charts(corpus string, groups []group) (list []namedChart) {
	for _, c := range []struct {
		name, title string
		figures     []figure
		log         bool
	}{
		{"cost", "time and memory against N", []figure{seconds, wholeCPU, peak}, true},
		{"quality", "quality against N", []figure{npmi, diversity, likely}, false},
	} {
		chart := namedChart{name: c.name + "-" + corpus + ".svg", title: corpus + ": " + c.title}
		var numbers []int
		for _, g := range groups {
			numbers = append(numbers, g.run.Topics)
		}
		slices.Sort(numbers)
		for _, k := range slices.Compact(numbers) {
			if row := panels(corpus, groups, k, c.figures, c.log); row != nil {
				chart.rows = append(chart.rows, row)
			}
		}
		if len(chart.rows) > 0 {
			list = append(list, chart)
		}
	}
	return list
}

// panels returns the row of a K; nil with a single vocabulary.
func panels(corpus string, groups []group, k int, figures []figure, log bool) []report.Panel {
	var ticks []float64
	for _, g := range groups {
		if g.run.Topics == k && g.items() > 0 {
			ticks = append(ticks, float64(g.items()))
		}
	}
	slices.Sort(ticks)
	if ticks = slices.Compact(ticks); len(ticks) < 2 {
		return nil
	}
	var row []report.Panel
	for _, f := range figures {
		row = append(row, report.Panel{X: "Items N (thousands)", Y: f.name, LogX: true, LogY: log, Thousands: true, Ticks: ticks, Series: lines(groups, k, f)})
	}
	row[0].Title = corpus + ", K = " + number("%.0f", float64(k))
	return row
}

// lines returns a line for each system, with bars from the least to the greatest.
func lines(groups []group, k int, f figure) (list []report.Series) {
	style := -1
	for _, s := range systems {
		if s.plain {
			continue
		}
		style++
		line := report.Series{Name: s.name, Style: style, Dashed: style/report.Looks == 1, Dotted: style/report.Looks == 2}
		for i := range groups {
			g := &groups[i]
			if g.run.System != s.name || g.run.Topics != k {
				continue
			}
			if r := g.problem(); r != nil {
				if ended := status(r.Status); (ended == late || ended == memory) && f.ended != nil && r.Items > 0 {
					line.Ends = append(line.Ends, report.Point{X: float64(r.Items), Y: f.ended(r)})
				}
				continue
			}
			of := g.spreadOf(f)
			line.Points = append(line.Points, report.Point{X: float64(g.items()), Y: of.middle, Below: of.middle - of.low, Above: of.high - of.middle})
		}
		if len(line.Points)+len(line.Ends) > 0 {
			list = append(list, line)
		}
	}
	return list
}
