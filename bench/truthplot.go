// This file draws errors against the number of documents, both on logarithmic scales, with the lines fitted to them.

package bench

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// fitPanel is a panel of points and fitted lines.
type fitPanel struct {
	y      string
	series []fitSeries
}

// fitSeries is what one panel shows of a method, or of a class of items. The line is drawn over the points from first on.
type fitSeries struct {
	name   string
	figure int
	means  []truthMean
	fitted []truthMean // nil for no line
}

// fitChart is a row of panels over the number of documents.
type fitChart []fitPanel

// truthTitles say what the methods of TruthMethods are.
var truthTitles = []string{"ENN, exact row sums", "ENN, factor row sums", "no rectification", "ENN, default eigenpairs"}

// truthTitle says what a method is.
func truthTitle(method string) string {
	if i := slices.Index(TruthMethods, method); i >= 0 {
		return truthTitles[i]
	}
	return method
}

// truthChart shows the errors of B and A by method, and that of B by class of items for the first method.
func truthChart(records []TruthRecord) fitChart {
	byMethod := func(figure int) []fitSeries {
		var list []fitSeries
		for _, method := range methodsOf(records) {
			means := truthMeans(records, method)
			list = append(list, fitSeries{truthTitle(method), figure, means, sampled(means)})
		}
		return list
	}
	means := truthMeans(records, methodsOf(records)[0])
	fitted := sampled(means)
	return fitChart{
		{"ℓ1 error of B", byMethod(truthB)},
		{"relative error of A", byMethod(truthA)},
		{"ℓ1 error of B / mass of the class", []fitSeries{
			{"common items", truthCommon, means, fitted}, {"middling items", truthMiddling, means, fitted}, {"rare items", truthRare, means, fitted}}},
	}
}

// write draws the chart as SVG.
func (c fitChart) write(w io.Writer) error {
	const width, height = 110 * vg.Millimeter, 95 * vg.Millimeter
	canvas := vgsvg.New(vg.Length(len(c))*width, height)
	whole := draw.New(canvas)
	whole.FillPolygon(color.White, []vg.Point{{}, {X: whole.Max.X}, whole.Max, {Y: whole.Max.Y}})
	row := make([]*plot.Plot, len(c))
	for i, panel := range c {
		var err error
		if row[i], err = panel.plot(); err != nil {
			return fmt.Errorf("drawing %q: %w", panel.y, err)
		}
	}
	const gap = 4 * vg.Millimeter
	tiles := draw.Tiles{Rows: 1, Cols: len(c), PadX: 2 * gap, PadTop: gap, PadBottom: gap, PadLeft: gap, PadRight: gap}
	for i, area := range plot.Align([][]*plot.Plot{row}, tiles, whole)[0] {
		row[i].Draw(area)
	}
	_, err := canvas.WriteTo(w)
	return err
}

func (p fitPanel) plot() (*plot.Plot, error) {
	drawn := plot.New()
	drawn.X.Label.Text, drawn.Y.Label.Text = "documents M", p.y
	setFont(&drawn.Legend.TextStyle, tickSize)
	drawn.Legend.Padding = 1 * vg.Millimeter
	drawn.Legend.Left, drawn.Legend.XOffs, drawn.Legend.YOffs = true, 2*vg.Millimeter, 2*vg.Millimeter
	drawn.Legend.ThumbnailWidth = 6 * vg.Millimeter
	for _, axis := range []*plot.Axis{&drawn.X, &drawn.Y} {
		axis.Scale, axis.Tick.Marker, axis.Padding = plot.LogScale{}, plot.TickerFunc(decadeTicks), 0
		setFont(&axis.Label.TextStyle, labelSize)
		setFont(&axis.Tick.Label, tickSize)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xe4}
	drawn.Add(grid)
	for style, s := range p.series {
		// Series that coincide stand beside each other.
		aside := math.Pow(1.08, float64(style)-float64(len(p.series)-1)/2)
		if err := s.addTo(drawn, style, aside); err != nil {
			return nil, err
		}
	}
	if err := p.addGuide(drawn); err != nil {
		return nil, err
	}
	if !(drawn.X.Min > 0 && drawn.Y.Min > 0) || math.IsInf(drawn.Y.Min, 0) { // no point at all
		drawn.X.Min, drawn.X.Max, drawn.Y.Min, drawn.Y.Max = 1, 10, 1, 10
	}
	// Room on all sides, most at the lower left, where the legend stands and falling errors do not come.
	drawn.X.Min, drawn.X.Max = drawn.X.Min/1.3, drawn.X.Max*1.3
	drawn.Y.Min, drawn.Y.Max = drawn.Y.Min/math.Pow(drawn.Y.Max/drawn.Y.Min, 0.4), drawn.Y.Max*1.2
	return drawn, nil
}

// addTo adds the means, a bar from the least to the greatest value, and the fitted line with its slope in the legend. All are
// moved aside by a factor.
func (s fitSeries) addTo(drawn *plot.Plot, style int, aside float64) error {
	if len(s.means) == 0 {
		return nil
	}
	var points plotter.XYs
	var bars plotter.YErrors
	for _, m := range s.means {
		y := m.mean[s.figure]
		points = append(points, plotter.XY{X: aside * float64(m.documents), Y: y})
		bars = append(bars, struct{ Low, High float64 }{m.least[s.figure] - y, m.greatest[s.figure] - y})
	}
	look := series{style: style}
	errors, err := plotter.NewYErrorBars(struct {
		plotter.XYs
		plotter.YErrors
	}{points, bars})
	if err != nil {
		return err
	}
	markers := look.markers(points)
	errors.LineStyle = draw.LineStyle{Color: markers.Color, Width: vg.Points(0.8)}
	drawn.Add(errors, markers)
	if s.fitted == nil {
		drawn.Legend.Add(s.name, markers)
		return nil
	}
	fitted := fitTruth(s.fitted, s.figure)
	line, err := look.line()
	if err != nil {
		return err
	}
	line.XYs = nil
	for _, m := range s.fitted {
		line.XYs = append(line.XYs, plotter.XY{X: aside * float64(m.documents), Y: fitted.at(float64(m.documents))})
	}
	drawn.Add(line)
	slope := strings.Replace(strconv.FormatFloat(fitted.slope, 'f', 2, 64), "-", "−", 1)
	drawn.Legend.Add(s.name+": slope "+slope, line, markers)
	return nil
}

// addGuide adds a line of slope −½ a little above the fitted ones.
func (p fitPanel) addGuide(drawn *plot.Plot) error {
	for _, s := range p.series {
		if s.fitted == nil {
			continue
		}
		law := powerLaw{-0.5, 0}
		first, last := float64(s.fitted[0].documents), float64(s.fitted[len(s.fitted)-1].documents)
		above := 0.0
		for _, other := range p.series {
			for _, m := range other.fitted {
				above = max(above, 1.5*m.greatest[other.figure]/law.at(float64(m.documents)))
			}
		}
		line, err := plotter.NewLine(plotter.XYs{{X: first, Y: above * law.at(first)}, {X: last, Y: above * law.at(last)}})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}
		drawn.Add(line)
		drawn.Legend.Add("slope −½", line)
		return nil
	}
	return nil
}

// decadeTicks puts ticks at 1, 2, … 9 times the powers of ten; those at 1 are labelled, and those at 3 too where there are
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
