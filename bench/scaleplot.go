// This file draws how a fit scales: seconds and peak memory of every stage against the number of items, in logarithms.

package bench

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
)

const (
	scalePanelWidth  = 105 * vg.Millimeter
	scalePanelHeight = 90 * vg.Millimeter
)

// scaleChart returns a row of panels for every series with at least two sizes.
func scaleChart(groups []scaleSeries) [][]panel {
	var rows [][]panel
	for i := range groups {
		g := &groups[i]
		if len(g.records) < 2 {
			continue
		}
		var ticks []float64
		for _, r := range g.records {
			ticks = append(ticks, float64(r.Items))
		}
		row := make([]panel, 0, 2)
		for _, figure := range []int{scaleSeconds, scalePeak} {
			row = append(row, panel{x: "Items N (thousands)", y: scaleFigures[figure].name, logX: true, logY: true,
				thousands: true, ticks: ticks, series: g.lines(scaleFigures[figure])})
		}
		row[0].series = append(row[0].series, g.guide())
		row[0].title = g.run.title()
		rows = append(rows, row)
	}
	return rows
}

// lines returns a line per stage, which the legend names with the slopes of seconds and memory, on top of that of the
// whole.
func (g *scaleSeries) lines(figure scaleFigure) []series {
	line := func(stage string, style int) series {
		seconds, _ := g.slope(stage, scaleFigures[scaleSeconds])
		memory, _ := g.slope(stage, scaleFigures[scalePeak])
		name := fmt.Sprintf("%s (slopes %s, %s)", stage, slopeText(seconds), slopeText(memory))
		return series{name: name, style: style, points: g.points(stage, figure)}
	}
	lines := []series{line(whole, wholeStyle)}
	for style, stage := range g.stages() {
		if stage != whole {
			lines = append(lines, line(stage, style))
		}
	}
	return lines
}

// guide returns a line of slope 1 above that of the whole's seconds.
func (g *scaleSeries) guide() series {
	guide := series{name: "slope 1", style: guideStyle, dashed: true}
	points := g.points(whole, scaleFigures[scaleSeconds])
	above := 0.0
	for _, p := range points {
		above = max(above, 1.3*p.y/p.x)
	}
	for _, p := range points {
		guide.points = append(guide.points, point{p.x, above * p.x, math.NaN()})
	}
	return guide
}

// title says what all runs of a series have in common.
func (r ScaleRun) title() string {
	return fmt.Sprintf("K = %d, M = %d N, %d tokens per document", r.Topics, r.Documents, r.Tokens)
}

// slopeText writes a slope with two digits; where there is none, a dash.
func slopeText(slope float64) string {
	if math.IsNaN(slope) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.2f", math.Round(100*slope)/100+0), "-", "−", 1) // no negative zero
}

// writeScaleChart draws the rows.
func writeScaleChart(rows [][]panel) func(io.Writer) error {
	return func(w io.Writer) error { return writeChartOf(w, rows, scalePanelWidth, scalePanelHeight) }
}
