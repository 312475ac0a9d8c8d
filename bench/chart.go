// This file draws charts of small multiples as SVG: a grid of panels over one legend. Series are told apart by colour and by
// marker; the colours are those of Okabe & Ito, which the colour-blind can tell apart too.

package bench

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The sizes of a chart's parts.
const (
	panelWidth  = 57 * vg.Millimeter
	panelHeight = 52 * vg.Millimeter
	margin      = 4 * vg.Millimeter
	legendRow   = 6 * vg.Millimeter
	titleSize   = 10
	labelSize   = 9
	tickSize    = 8
)

// seriesStyle is how a series is drawn: series that lie on each other stay visible, for later ones are thinner and their
// markers fit into the earlier ones'.
type seriesStyle struct {
	color  color.RGBA
	width  vg.Length
	glyph  draw.GlyphDrawer
	radius vg.Length
}

// seriesStyles are the styles in their order.
var seriesStyles = []seriesStyle{
	{color.RGBA{R: 0xd5, G: 0x5e, A: 0xff}, 2.4, draw.SquareGlyph{}, 4},           // vermillion
	{color.RGBA{R: 0xe6, G: 0x9f, A: 0xff}, 1.6, draw.CrossGlyph{}, 4},            // orange
	{color.RGBA{G: 0x9e, B: 0x73, A: 0xff}, 2.4, draw.TriangleGlyph{}, 5},         // bluish green
	{color.RGBA{G: 0x72, B: 0xb2, A: 0xff}, 1, draw.CircleGlyph{}, 2.2},           // blue
	{color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, 1.6, draw.RingGlyph{}, 4},    // reddish purple
	{color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, 1.6, draw.PyramidGlyph{}, 3}, // sky blue
}

// The styles of series beside those that are compared: what all of them add up to, and lines to hold series against.
const (
	wholeStyle = -1 - iota
	guideStyle
)

var otherStyles = []seriesStyle{
	{color.RGBA{A: 0xff}, 3.4, draw.PlusGlyph{}, 5},
	{color.RGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff}, 1, draw.CircleGlyph{}, 0},
}

// point is a mean with its standard deviation, NaN where there is none.
type point struct{ x, y, deviation float64 }

// series is a line of a panel. Its style is that of every series with the same number, in all panels.
type series struct {
	name   string
	style  int
	dashed bool
	points []point
}

// panel is one plot of a chart.
type panel struct {
	title, x, y string    // the title is that of the row, and stands over its first panel
	logX, logY  bool      // points that have no place on a logarithmic axis are left out
	ticks       []float64 // of the x axis
	thousands   bool      // ticks of the x axis are in thousands
	series      []series
}

// writeChart draws rows of panels, all rows of the same length.
func writeChart(w io.Writer, rows [][]panel) error {
	return writeChartOf(w, rows, panelWidth, panelHeight)
}

// writeChartOf is writeChart for panels of the given size.
func writeChartOf(w io.Writer, rows [][]panel, panelWidth, panelHeight vg.Length) error {
	width := vg.Length(len(rows[0])) * panelWidth
	legend, legendHeight, err := layLegend(rows, width-2*margin)
	if err != nil {
		return err
	}
	height := vg.Length(len(rows))*panelHeight + legendHeight + margin
	canvas := vgsvg.New(width, height)
	whole := draw.New(canvas)
	whole.FillPolygon(color.White, []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}})
	plots := make([][]*plot.Plot, len(rows))
	for r, row := range rows {
		for _, p := range row {
			drawn, err := p.plot()
			if err != nil {
				return fmt.Errorf("drawing %q: %w", p.y, err)
			}
			plots[r] = append(plots[r], drawn)
		}
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: len(rows[0]), PadX: margin, PadY: margin,
		PadTop: margin, PadBottom: margin / 2, PadLeft: margin / 2, PadRight: margin}
	for r, row := range plot.Align(plots, tiles, draw.Crop(whole, 0, 0, 0, -legendHeight-margin)) {
		for c, at := range row {
			plots[r][c].Draw(at)
		}
		title := plots[r][0].Title.TextStyle
		title.XAlign, title.YAlign = text.XLeft, text.YTop
		row[0].FillText(title, vg.Point{X: row[0].Min.X, Y: row[0].Max.Y}, rows[r][0].title)
	}
	for _, entry := range legend {
		entry.legend.Draw(draw.Crop(whole, margin+entry.left, 0, 0, -margin-entry.top))
	}
	_, err = canvas.WriteTo(w)
	return err
}

// legendEntry is one series of the legend, and where it stands from the upper left corner.
type legendEntry struct {
	legend    plot.Legend
	left, top vg.Length
}

// layLegend names every series of the panels once, in rows of the given width, and returns the height of all rows.
func layLegend(rows [][]panel, width vg.Length) (entries []legendEntry, height vg.Length, err error) {
	seen := make(map[string]bool)
	left, top := vg.Length(0), vg.Length(0)
	for _, row := range rows {
		for _, p := range row {
			for _, s := range p.series {
				if seen[s.name] {
					continue
				}
				seen[s.name] = true
				line, err := s.line()
				if err != nil {
					return nil, 0, err
				}
				entry := plot.NewLegend()
				setFont(&entry.TextStyle, titleSize)
				entry.ThumbnailWidth = 9 * vg.Millimeter
				entry.Left, entry.Top = true, true
				entry.Add(s.name, line, s.markers(plotter.XYs{{}}))
				across := entry.ThumbnailWidth + entry.TextStyle.Width(s.name) + 8*vg.Millimeter
				if left > 0 && left+across > width {
					left, top = 0, top+legendRow
				}
				entries = append(entries, legendEntry{entry, left, top})
				left += across
			}
		}
	}
	return entries, top + legendRow, nil
}

// plot draws the panel.
func (p panel) plot() (*plot.Plot, error) {
	drawn := plot.New()
	drawn.Title.Text, drawn.X.Label.Text, drawn.Y.Label.Text = " ", p.x, p.y // the title's room is kept
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
	for _, s := range p.series {
		if p.logY {
			s.points = slices.DeleteFunc(slices.Clone(s.points), func(at point) bool { return !(at.y > 0) })
		}
		if err := s.addTo(drawn); err != nil {
			return nil, err
		}
	}
	p.setScales(drawn)
	return drawn, nil
}

func setFont(style *text.Style, size font.Length) {
	style.Font.Size, style.Font.Variant = size, "Sans"
}

// setScales chooses scales and ticks: x at the values that were run, y at round numbers.
func (p panel) setScales(drawn *plot.Plot) {
	if p.logX {
		drawn.X.Scale = plot.LogScale{}
		drawn.X.Min, drawn.X.Max = p.ticks[0]/1.12, p.ticks[len(p.ticks)-1]*1.12
	}
	drawn.X.Tick.Marker = plot.ConstantTicks(p.xTicks())
	if p.logY {
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
func (p panel) xTicks() []plot.Tick {
	greatest := p.ticks[len(p.ticks)-1]
	labelDistance := max(1.6, math.Pow(greatest/p.ticks[0], 0.21)) // a factor: a fifth of the axis
	var ticks []plot.Tick
	labelled := 0.0
	for _, x := range p.ticks {
		tick := plot.Tick{Value: x}
		if x == greatest || x >= labelled*labelDistance && x*labelDistance <= greatest {
			labelled = x
			if tick.Label = fmt.Sprintf("%g", x); p.thousands {
				tick.Label = fmt.Sprintf("%.4g", x/1000)
			}
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// addTo adds the series to a plot. Values that are not finite have no place in it.
func (s series) addTo(drawn *plot.Plot) error {
	var means plotter.XYs
	var bars plotter.YErrors
	deviates := false
	for _, p := range s.points {
		if math.IsNaN(p.y) || math.IsInf(p.y, 0) {
			continue
		}
		means = append(means, plotter.XY{X: p.x, Y: p.y})
		half := 0.0
		if p.deviation > 0 {
			half, deviates = p.deviation, true
		}
		bars = append(bars, struct{ Low, High float64 }{-half, half})
	}
	if len(means) == 0 {
		return nil
	}
	line, err := s.line()
	if err != nil {
		return err
	}
	line.XYs = means
	drawn.Add(line)
	if deviates {
		errors, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{means, bars})
		if err != nil {
			return err
		}
		errors.LineStyle = draw.LineStyle{Color: s.color(), Width: vg.Points(1)}
		errors.CapWidth = vg.Points(5)
		drawn.Add(errors)
	}
	drawn.Add(s.markers(means))
	return nil
}

func (s series) look() seriesStyle {
	if s.style < 0 {
		return otherStyles[-1-s.style]
	}
	return seriesStyles[s.style%len(seriesStyles)]
}

func (s series) color() color.Color { return s.look().color }

// line returns the line without points.
func (s series) line() (*plotter.Line, error) {
	line, err := plotter.NewLine(plotter.XYs{{}})
	if err != nil {
		return nil, err
	}
	line.LineStyle = draw.LineStyle{Color: s.color(), Width: s.look().width}
	if s.dashed {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	return line, nil
}

// markers returns the marks of the points.
func (s series) markers(at plotter.XYs) *plotter.Scatter {
	look := s.look()
	return &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: look.color, Radius: look.radius, Shape: look.glyph}}
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

// decadeRange returns a range around one of a logarithmic axis, from a 1 or 3 times a power of ten to another, which decadeTicks
// labels. Where there are no points the range is one of none, and any will do.
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
