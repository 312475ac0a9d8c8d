// This file draws the series of a panel. Colour and marker tell them apart; the colours are those of Okabe & Ito, which the
// colour-blind can tell apart too.

package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is a value with the ends of its bar, as distances from it; there is no bar where both are 0.
type Point struct{ X, Y, Below, Above float64 }

// At returns the point of a mean, with a bar of a standard deviation.
func At(x float64, m Mean) Point {
	bar := 0.0
	if m.Deviation > 0 {
		bar = m.Deviation
	}
	return Point{x, m.Mean, bar, bar}
}

// Series is a line of a panel. All series with the same Style look the same, in all panels.
type Series struct {
	Name   string
	Style  int // from 0; or WholeStyle, GuideStyle, DotStyle
	Dashed bool
	Dotted bool
	Points []Point
	Line   []Point // if not nil, the line goes through these instead of the Points
	Ends   []Point // marked by a cross in a ring, with a thin line from the last of the Points
}

// The styles of series beside those that are compared: what all of them add up to, lines to hold series against, and many small dots.
const (
	WholeStyle = -1 - iota
	GuideStyle
	DotStyle
)

// look is how a series is drawn. Series that lie on each other stay visible: later ones are thinner, and their markers fit
// into the earlier ones'.
type look struct {
	color  color.RGBA
	width  vg.Length
	glyph  draw.GlyphDrawer
	radius vg.Length
}

// Looks is how many styles look different, without dashes.
const Looks = 6 // the length of looks

var looks = []look{
	{color.RGBA{R: 0xd5, G: 0x5e, A: 0xff}, 2.4, draw.SquareGlyph{}, 4},           // vermillion
	{color.RGBA{R: 0xe6, G: 0x9f, A: 0xff}, 1.6, draw.CrossGlyph{}, 4},            // orange
	{color.RGBA{G: 0x9e, B: 0x73, A: 0xff}, 2.4, draw.TriangleGlyph{}, 5},         // bluish green
	{color.RGBA{G: 0x72, B: 0xb2, A: 0xff}, 1, draw.CircleGlyph{}, 2.2},           // blue
	{color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, 1.6, draw.RingGlyph{}, 4},    // reddish purple
	{color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, 1.6, draw.PyramidGlyph{}, 3}, // sky blue
}

// otherLooks are those of WholeStyle, GuideStyle and DotStyle.
var otherLooks = []look{
	{color.RGBA{A: 0xff}, 3.4, draw.PlusGlyph{}, 5},
	{color.RGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff}, 1, draw.CircleGlyph{}, 0},
	{color.RGBA{R: 0xa0, G: 0xb8, B: 0xd8, A: 0xff}, 0, draw.CircleGlyph{}, 0.9},
}

func (s Series) look() look {
	if s.Style < 0 {
		return otherLooks[-1-s.Style]
	}
	return looks[s.Style%len(looks)]
}

// addTo adds the series to a plot, without values that are not finite.
func (s Series) addTo(drawn *plot.Plot) error {
	var values plotter.XYs
	var bars plotter.YErrors
	barred := false
	for _, p := range s.Points {
		if math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
			continue
		}
		values = append(values, plotter.XY{X: p.X, Y: p.Y})
		bars = append(bars, struct{ Low, High float64 }{-p.Below, p.Above})
		barred = barred || p.Below > 0 || p.Above > 0
	}
	if err := s.addEnds(drawn, values); err != nil || len(values) == 0 {
		return err
	}
	line, err := s.line()
	if err != nil {
		return err
	}
	line.XYs = values
	if s.Line != nil {
		line.XYs = nil
		for _, p := range s.Line {
			line.XYs = append(line.XYs, plotter.XY{X: p.X, Y: p.Y})
		}
	}
	if len(line.XYs) > 0 {
		drawn.Add(line)
	}
	if barred {
		errors, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{values, bars})
		if err != nil {
			return err
		}
		errors.LineStyle = draw.LineStyle{Color: s.look().color, Width: vg.Points(1)}
		errors.CapWidth = vg.Points(5)
		drawn.Add(errors)
	}
	drawn.Add(s.markers(values))
	return nil
}

// line returns the line without points.
func (s Series) line() (*plotter.Line, error) {
	line, err := plotter.NewLine(plotter.XYs{{}})
	if err != nil {
		return nil, err
	}
	line.LineStyle = draw.LineStyle{Color: s.look().color, Width: s.look().width}
	switch {
	case s.Dashed:
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	case s.Dotted:
		line.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
	}
	return line, nil
}

// addEnds adds the crosses in rings.
func (s Series) addEnds(drawn *plot.Plot, values plotter.XYs) error {
	for _, p := range s.Ends {
		if math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
			continue
		}
		end := plotter.XYs{{X: p.X, Y: p.Y}}
		if len(values) > 0 {
			line, err := plotter.NewLine(append(plotter.XYs{values[len(values)-1]}, end...))
			if err != nil {
				return err
			}
			line.LineStyle = draw.LineStyle{Color: s.look().color, Width: vg.Points(0.7), Dashes: []vg.Length{vg.Points(1), vg.Points(2)}}
			drawn.Add(line)
		}
		drawn.Add(&plotter.Scatter{XYs: end, GlyphStyle: draw.GlyphStyle{Color: s.look().color, Radius: vg.Points(5), Shape: endGlyph{}}})
	}
	return nil
}

// endGlyph is a cross in a ring.
type endGlyph struct{}

// DrawGlyph draws the glyph.
func (endGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	draw.RingGlyph{}.DrawGlyph(c, style, at)
	style.Radius *= 0.9
	draw.CrossGlyph{}.DrawGlyph(c, style, at)
}

// markers returns the marks of the points.
func (s Series) markers(at plotter.XYs) *plotter.Scatter {
	look := s.look()
	return &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: look.color, Radius: look.radius, Shape: look.glyph}}
}
