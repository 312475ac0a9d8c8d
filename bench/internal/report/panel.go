// This file draws the panels of charts: scales, ticks and grid.

package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one plot of a chart.
type Panel struct {
	Title, X, Y string    // the title is that of the row, and stands over its first panel
	LogX, LogY  bool      // points that have no place on a logarithmic axis are left out
	Ticks       []float64 // of the x axis, increasing; nil for round numbers on a linear axis
	Thousands   bool      // label the ticks of the x axis in thousands
	Series      []Series
}

// plot draws the panel.
func (p Panel) plot() (*plot.Plot, error) {
	drawn := plot.New()
	drawn.Title.Text, drawn.X.Label.Text, drawn.Y.Label.Text = " ", p.X, p.Y // the title's room is kept
	drawn.Title.Padding = 1.5 * vg.Millimeter
	setFont(&drawn.Title.TextStyle, titleSize)
	for _, axis := range []*plot.Axis{&drawn.X, &drawn.Y} {
		setFont(&axis.Label.TextStyle, labelSize)
		setFont(&axis.Tick.Label, tickSize)
		axis.Padding = 0
	}
	grid := plotter.NewGrid()
	for _, style := range []*draw.LineStyle{&grid.Horizontal, &grid.Vertical} {
		style.Color, style.Width = color.Gray{0xe4}, vg.Points(0.5)
	}
	drawn.Add(grid)
	for _, s := range p.Series {
		if p.LogY {
			noPlace := func(at Point) bool { return !(at.Y > 0) }
			s.Points, s.Ends = slices.DeleteFunc(slices.Clone(s.Points), noPlace), slices.DeleteFunc(slices.Clone(s.Ends), noPlace)
		}
		if err := s.addTo(drawn); err != nil {
			return nil, err
		}
	}
	p.setScales(drawn)
	return drawn, nil
}

// setScales chooses scales and ticks: x at the values that were run, y at round numbers.
func (p Panel) setScales(drawn *plot.Plot) {
	if p.LogX {
		drawn.X.Scale = plot.LogScale{}
		drawn.X.Min, drawn.X.Max = p.Ticks[0]/1.12, p.Ticks[len(p.Ticks)-1]*1.12
	}
	if p.Ticks == nil {
		spread := max(drawn.X.Max-drawn.X.Min, 1e-9)
		drawn.X.Min, drawn.X.Max, drawn.X.Tick.Marker = drawn.X.Min-0.06*spread, drawn.X.Max+0.06*spread, plot.TickerFunc(roundTicks)
	} else {
		drawn.X.Tick.Marker = plot.ConstantTicks(p.xTicks())
	}
	if p.LogY {
		drawn.Y.Scale, drawn.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decadeTicks)
		drawn.Y.Min, drawn.Y.Max = decadeRange(drawn.Y.Min, drawn.Y.Max)
		return
	}
	spread := drawn.Y.Max - drawn.Y.Min
	if !(spread > 0) { // a single value, or none
		spread = max(math.Abs(drawn.Y.Max), 1e-9)
		if math.IsInf(spread, 0) {
			drawn.Y.Min, drawn.Y.Max, spread = 0, 1, 0
		}
	}
	drawn.Y.Min, drawn.Y.Max = drawn.Y.Min-0.06*spread, drawn.Y.Max+0.06*spread
	drawn.Y.Tick.Marker = plot.TickerFunc(roundTicks)
}

// xTicks puts a tick at every value that was run and labels as many as there is room for, the last one in any case.
func (p Panel) xTicks() []plot.Tick {
	greatest := p.Ticks[len(p.Ticks)-1]
	labelDistance := max(1.6, math.Pow(greatest/p.Ticks[0], 0.21)) // a factor: a fifth of the axis
	var ticks []plot.Tick
	labelled := 0.0
	for _, x := range p.Ticks {
		tick := plot.Tick{Value: x}
		if x == greatest || x >= labelled*labelDistance && x*labelDistance <= greatest {
			labelled = x
			if tick.Label = fmt.Sprintf("%g", x); p.Thousands {
				tick.Label = fmt.Sprintf("%.4g", x/1000)
			}
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// roundTicks puts three to six labelled ticks at round numbers.
func roundTicks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: fmt.Sprintf("%.3g", low)}}
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, factor := range []float64{1, 2, 2.5, 5, 10} {
		if (high-low)/(step*factor) <= 6 {
			step *= factor
			break
		}
	}
	var ticks []plot.Tick
	for n := math.Ceil(low / step); n*step <= high; n++ {
		value := n*step + 0 // no negative zero
		ticks = append(ticks, plot.Tick{Value: value, Label: fmt.Sprintf("%.4g", value)})
	}
	return ticks
}

// decadeTicks puts ticks at 1, 2, … 9 times the powers of ten. Those at 1 are labelled, and those at 3 too where there are
// few.
func decadeTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	few := math.Log10(high/low) < 4
	for decade := math.Floor(math.Log10(low)); decade <= math.Ceil(math.Log10(high)); decade++ {
		for digit := range 9 {
			value := float64(digit+1) * math.Pow(10, decade)
			if value < low || value > high {
				continue
			}
			tick := plot.Tick{Value: value}
			if digit == 0 || digit == 2 && few {
				tick.Label = shortNumber(value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// shortNumber writes thousands and millions with a letter.
func shortNumber(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + "M"
	case v >= 1e3:
		return strconv.FormatFloat(v/1e3, 'g', 3, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// decadeRange widens a range of a logarithmic axis to 1 or 3 times powers of ten, which decadeTicks labels. A range of no
// points becomes 1 to 10.
func decadeRange(low, high float64) (from, to float64) {
	if !(low > 0) || !(high >= low) || math.IsInf(high, 0) {
		return 1, 10
	}
	const room = 1.05
	decade := math.Floor(math.Log10(low / room))
	from = math.Pow(10, decade)
	if 3*from <= low/room {
		from *= 3
	}
	decade = math.Ceil(math.Log10(high * room))
	to = math.Pow(10, decade)
	if third := 3 * math.Pow(10, decade-1); third >= high*room {
		to = third
	}
	return from, to
}
