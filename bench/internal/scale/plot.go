// This file draws how a fit scales: seconds and peak memory of every stage against the size, in logarithms.

package scale

import (
	"fmt"
	"math"

	"anchorage/bench/internal/report"
)

// zoom makes panels large enough for many lines.
const zoom = 1.8

// chartRows returns a row of panels for every series with at least two sizes.
func chartRows(groups []group) [][]report.Panel {
	var rows [][]report.Panel
	for i := range groups {
		g := &groups[i]
		if len(g.records) < 2 {
			continue
		}
		var ticks []float64
		for _, r := range g.records {
			ticks = append(ticks, float64(r.size()))
		}
		row := make([]report.Panel, 0, 2)
		for _, f := range []int{seconds, peak} {
			row = append(row, report.Panel{X: g.run.axisTitle(), Y: figures[f].name, LogX: true, LogY: true,
				Thousands: true, Ticks: ticks, Series: g.lines(figures[f])})
		}
		row[0].Series = append(row[0].Series, g.guide())
		row[0].Title = g.run.title()
		rows = append(rows, row)
	}
	return rows
}

// recoveryRows returns a row of panels for every series with at least two sizes whose models were compared with the truth: the
// errors of B and A, and the floor of both.
func recoveryRows(groups []group) [][]report.Panel {
	var rows [][]report.Panel
	for i := range groups {
		g := &groups[i]
		var ticks []float64
		for _, r := range g.records {
			if r.Recovery.ErrorB > 0 {
				ticks = append(ticks, float64(r.size()))
			}
		}
		if len(ticks) < 2 {
			continue
		}
		row := make([]report.Panel, 0, len(recoveries))
		for _, f := range recoveries {
			fitted, floor := report.Series{Name: "fit"}, report.Series{Name: "floor", Style: report.WholeStyle}
			for _, r := range g.records {
				if r.Recovery.ErrorB > 0 {
					error, least := f.of(&r.Recovery)
					fitted.Points = append(fitted.Points, report.Point{X: float64(r.size()), Y: error})
					floor.Points = append(floor.Points, report.Point{X: float64(r.size()), Y: least})
				}
			}
			row = append(row, report.Panel{X: g.run.axisTitle(), Y: f.name, LogX: true, LogY: true, Thousands: true, Ticks: ticks,
				Series: []report.Series{fitted, floor}})
		}
		row[0].Title = g.run.title()
		rows = append(rows, row)
	}
	return rows
}

// lines returns the line of the whole and one per stage. Names have the slopes of seconds and memory.
func (g *group) lines(f figure) []report.Series {
	line := func(stage string, style int) report.Series {
		time, _ := g.slope(stage, figures[seconds])
		memory, _ := g.slope(stage, figures[peak])
		name := fmt.Sprintf("%s (slopes %s, %s)", stage, slopeText(time), slopeText(memory))
		return report.Series{Name: name, Style: style, Points: g.points(stage, f)}
	}
	lines := []report.Series{line(whole, report.WholeStyle)}
	for style, stage := range g.stages() {
		if stage != whole {
			lines = append(lines, line(stage, style))
		}
	}
	return lines
}

// guide returns a line of slope 1 above that of the whole's seconds.
func (g *group) guide() report.Series {
	guide := report.Series{Name: "slope 1", Style: report.GuideStyle, Dashed: true}
	points := g.points(whole, figures[seconds])
	above := 0.0
	for _, p := range points {
		above = max(above, 1.3*p.Y/p.X)
	}
	for _, p := range points {
		guide.Points = append(guide.Points, report.Point{X: p.X, Y: above * p.X})
	}
	return guide
}

// axisTitle says what the sizes of a series are.
func (r Run) axisTitle() string {
	if r.Axis == documentsAxis {
		return "Documents M (thousands)"
	}
	return "Items N (thousands)"
}

// title says what all runs of a series have in common.
func (r Run) title() string {
	if r.Axis == documentsAxis {
		return fmt.Sprintf("K = %d, N = %d, %d tokens per document", r.Topics, r.Items, r.Tokens)
	}
	return fmt.Sprintf("K = %d, M = %d N, %d tokens per document", r.Topics, r.Documents, r.Tokens)
}

// slopeText writes a slope with two digits, or a dash for NaN.
func slopeText(slope float64) string {
	if math.IsNaN(slope) {
		return "–"
	}
	return report.Minus(fmt.Sprintf("%.2f", math.Round(100*slope)/100+0)) // no negative zero
}
