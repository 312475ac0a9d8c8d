// This file draws held-out likelihood against documents seen.

package bayes

import (
	"fmt"
	"math"
	"slices"

	"anchorage/bench/internal/report"
	"anchorage/svi"
)

// chartPoints is how many points a curve has: each is the mean over the batches tested in its stretch of documents.
const chartPoints = 16

// modelStyles are the styles of the models, in the order of AllModels; the other styles lie between them.
var modelStyles = []int{3, 0, 2}

// curve returns a line of the chart. It leaves out scores from before the first twentieth of the documents, which would take
// up all of the scale.
func (c *cell) curve(name string, style int) report.Series {
	s := report.Series{Name: name, Style: style}
	width := float64(c.Learned) / chartPoints
	for i := range chartPoints {
		var in []svi.HeldOut
		for _, score := range c.Scores {
			at := float64(score.Documents)
			if at >= float64(i)*width && at < float64(i+1)*width && at >= float64(c.Learned)/20 {
				in = append(in, score)
			}
		}
		if len(in) > 0 {
			s.Points = append(s.Points, report.Point{X: (float64(i) + 0.5) * width, Y: meanScore(in)})
		}
	}
	return s
}

// documentTicks puts a tick at every fourth part of the documents, rounded to one digit.
func documentTicks(learned int64) []float64 {
	step := float64(learned) / 4
	digit := math.Pow(10, math.Floor(math.Log10(step)))
	step = max(math.Round(step/digit), 1) * digit
	var ticks []float64
	for x := step; x < 1.1*float64(learned); x += step {
		ticks = append(ticks, x)
	}
	return ticks
}

// scorePanel returns a panel of curves with no curve yet. The first panel of a row names the row.
func scorePanel(x string, first bool, title string) report.Panel {
	p := report.Panel{X: x, Thousands: true}
	if first {
		p.Title, p.Y = title, "ln p per token"
	}
	return p
}

// figure3 is Figure 11.3: a row per number of topics, a column per size of batches.
func (b *Grid) figure3(grid []*cell) report.Chart {
	var chart report.Chart
	for _, k := range b.Topics {
		var row []report.Panel
		for i, size := range b.Sizes {
			p := scorePanel(fmt.Sprintf("|C| = %d, thousands seen", size), i == 0, fmt.Sprintf("K = %d", k))
			for _, c := range grid {
				if c.Topics == k && c.BatchSize == size {
					p.Ticks = documentTicks(c.Learned)
					p.Series = append(p.Series, c.curve(modelNames[c.Model], modelStyles[slices.Index(AllModels, string(c.Model))]))
				}
			}
			row = append(row, p)
		}
		chart.Rows = append(chart.Rows, row)
	}
	return chart
}

// beginningsChart has a panel per model.
func (b *Grid) beginningsChart(begun []*cell) report.Chart {
	var row []report.Panel
	for i, name := range b.InitModels {
		p := scorePanel(modelNames[svi.Model(name)]+", thousands", i == 0, fmt.Sprintf("K = %d, |C| = 1000", b.InitTopics))
		for _, c := range begun {
			if string(c.Model) != name {
				continue
			}
			style := 3
			if c.Anchors {
				style = 0
			}
			p.Ticks = documentTicks(c.Learned)
			line := c.curve(fmt.Sprintf("%s, t₀ = %g", c.beginning(), c.Delay), style)
			if line.Dashed = c.Delay != 1; line.Dashed {
				line.Style++
			}
			p.Series = append(p.Series, line)
		}
		row = append(row, p)
	}
	return report.Chart{Rows: [][]report.Panel{row}}
}
