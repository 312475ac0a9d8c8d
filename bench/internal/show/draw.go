// This file draws panels as SVG. Colour and marker tell series apart; the colours are those of Okabe & Ito, which the
// colour-blind can tell apart too.

package show

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The sizes of a panel, in pixels: of the plot, and of the room around it.
const (
	plotWidth, plotHeight   = 330, 240
	roomLeft, roomRight     = 62, 18
	roomAbove, roomBelow    = 26, 46
	legendLine, markerWidth = 20, 30
	characterWidth          = 6.6 // of the font that names are written in, on average
)

var colors = []string{"#d55e00", "#0072b2", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#000000", "#808080"}

// markers are paths around 0,0.
var markers = []string{"M-4-4H4V4H-4Z", "M0-4A4 4 0 1 0 0.1-4Z", "M0-5L5 4H-5Z", "M-4-4L4 4M-4 4L4-4", "M0 5L5-4H-5Z",
	"M0-6L5 0L0 6L-5 0Z", "M-5 0H5M0-5V5"}

// canvas collects SVG.
type canvas struct{ strings.Builder }

func (c *canvas) add(format string, values ...any) { fmt.Fprintf(&c.Builder, format+"\n", values...) }

func (c *canvas) text(x, y float64, anchor, more, text string) {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	c.add(`<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`, x, y, anchor, more, b.String())
}

// Draw draws rows of panels, with one legend of all series above them. A name has the same look in all panels.
func Draw(w io.Writer, rows [][]Panel) error {
	var names []string
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
		for _, p := range row {
			for _, s := range p.Series {
				if !slices.Contains(names, s.Name) {
					names = append(names, s.Name)
				}
			}
		}
	}
	const across, down = roomLeft + plotWidth + roomRight, roomAbove + plotHeight + roomBelow
	c, width := new(canvas), columns*across
	legend := c.legend(names, float64(width))
	height := int(legend) + len(rows)*down
	for r, row := range rows {
		for at, p := range row {
			c.add(`<g transform="translate(%d %d)">`, at*across+roomLeft, int(legend)+r*down+roomAbove)
			c.panel(p, names)
			c.add(`</g>`)
		}
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`font-family="sans-serif" font-size="11">
<rect width="%[1]d" height="%[2]d" fill="#fff"/>
%[3]s</svg>
`, width, height, c.String())
	return err
}

// legend writes the names of all series, unless the only one has none, and returns its height.
func (c *canvas) legend(names []string, width float64) float64 {
	x, y := 10.0, 16.0
	for i, name := range names {
		across := markerWidth + characterWidth*float64(len([]rune(name))) + 16
		if x+across > width && x > 10 {
			x, y = 10, y+legendLine
		}
		c.add(`<g transform="translate(%.1f %.1f)"><path d="M-12 0H12" stroke="%s" stroke-width="1.6"/>`, x+12, y-4,
			colors[i%len(colors)])
		c.marker(0, 0, i)
		c.add(`</g>`)
		c.text(x+markerWidth, y, "start", "", name)
		x += across
	}
	return y + 8
}

func (c *canvas) marker(x, y float64, style int) {
	color := colors[style%len(colors)]
	fill := color
	if style >= len(colors) { // hollow
		fill = "#fff"
	}
	c.add(`<path transform="translate(%.1f %.1f)" d="%s" fill="%s" stroke="%s"/>`, x, y, markers[style%len(markers)], fill,
		color)
}

// panel draws one plot with its upper left corner at 0,0.
func (c *canvas) panel(p Panel, names []string) {
	var xs, ys []float64
	for _, s := range p.Series {
		for _, at := range s.Points {
			xs = append(xs, at.X)
			ys = append(ys, at.Y-at.Bar, at.Y+at.Bar)
		}
	}
	x, y := newScale(xs, p.X.Log), newScale(ys, p.Y.Log)
	right := func(v float64) float64 { return x.place(v) * plotWidth }
	down := func(v float64) float64 { return (1 - y.place(v)) * plotHeight }
	for _, tick := range x.ticks() {
		c.add(`<path d="M%.1f 0V%d" stroke="#e4e4e4"/>`, right(tick), plotHeight)
		c.text(right(tick), plotHeight+15, "middle", "", short(tick))
	}
	for _, tick := range y.ticks() {
		c.add(`<path d="M0 %.1fH%d" stroke="#e4e4e4"/>`, down(tick), plotWidth)
		c.text(-5, down(tick)+4, "end", "", short(tick))
	}
	c.add(`<rect width="%d" height="%d" fill="none" stroke="#404040"/>`, plotWidth, plotHeight)
	c.text(0, -9, "start", ` font-size="12"`, p.Title)
	c.text(plotWidth/2, plotHeight+34, "middle", "", p.X.Label)
	c.text(0, 0, "middle", fmt.Sprintf(` transform="translate(%d %d) rotate(-90)"`, 14-roomLeft, plotHeight/2), p.Y.Label)
	for _, s := range p.Series {
		style := slices.Index(names, s.Name)
		color, path := colors[style%len(colors)], "M"
		for _, at := range s.Points {
			path += fmt.Sprintf("%.1f %.1f ", right(at.X), down(at.Y))
			if low := at.Y - at.Bar; at.Bar > 0 && (low > 0 || !p.Y.Log) {
				c.add(`<path d="M%.1f %.1fV%.1f" stroke="%s"/>`, right(at.X), down(low), down(at.Y+at.Bar), color)
			}
		}
		if !s.Dots && len(s.Points) > 1 {
			c.add(`<path d="%s" fill="none" stroke="%s" stroke-width="1.6"/>`, strings.TrimSpace(path), color)
		}
		for _, at := range s.Points {
			if s.Dots {
				c.add(`<circle cx="%.1f" cy="%.1f" r="1.4" fill="%s"/>`, right(at.X), down(at.Y), color)
			} else {
				c.marker(right(at.X), down(at.Y), style)
			}
		}
	}
}

// scale is the range of an axis.
type scale struct {
	low, high float64
	log       bool
}

// newScale returns a range that holds all values with some room.
func newScale(values []float64, log bool) scale {
	if log {
		values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !(v > 0) })
	}
	if len(values) == 0 {
		return scale{1, 10, log}
	}
	low, high := slices.Min(values), slices.Max(values)
	if log {
		room := math.Pow(high/low, 0.06)
		if room < 1.05 {
			room = 1.3
		}
		return scale{low / room, high * room, true}
	}
	room := 0.06 * (high - low)
	if !(room > 0) {
		room = max(0.1*math.Abs(high), 1e-9)
	}
	return scale{low - room, high + room, false}
}

// place returns where a value is, from 0 to 1.
func (s scale) place(v float64) float64 {
	if s.log {
		return math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return (v - s.low) / (s.high - s.low)
}

// ticks returns two to eight round numbers in the range.
func (s scale) ticks() []float64 {
	if s.log {
		for _, digits := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}} {
			var ticks []float64
			for decade := math.Floor(math.Log10(s.low)); decade <= math.Log10(s.high); decade++ {
				for _, digit := range digits {
					if v := digit * math.Pow(10, decade); v >= s.low && v <= s.high {
						ticks = append(ticks, v)
					}
				}
			}
			if len(ticks) >= 3 {
				return ticks
			}
		}
	}
	step := math.Pow(10, math.Floor(math.Log10((s.high-s.low)/3)))
	for _, factor := range []float64{5, 2} {
		if (s.high-s.low)/(step*factor) >= 3 {
			step *= factor
			break
		}
	}
	var ticks []float64
	for n := math.Ceil(s.low / step); n*step <= s.high; n++ {
		ticks = append(ticks, n*step)
	}
	return ticks
}

// short writes thousands and millions with a letter.
func short(v float64) string {
	text := func(v float64, letter string) string { return Minus(strconv.FormatFloat(v, 'g', 4, 64)) + letter }
	switch {
	case math.Abs(v) >= 1e6:
		return text(v/1e6, "M")
	case math.Abs(v) >= 1e4:
		return text(v/1e3, "k")
	}
	return text(v+0, "")
}
