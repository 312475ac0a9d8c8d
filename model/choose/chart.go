// This file draws a choice as SVG: the spectrum against the noise, and figures by the number of topics.

package choose

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// The sizes of a chart, in pixels: of a panel, and of what is around its axes.
const (
	panelWidth, panelHeight = 330, 190
	left, right, top, foot  = 58, 14, 30, 30
	perRow                  = 2
)

// The colours tell apart without red and green.
const (
	lineColour = "#0b5fa5"
	markColour = "#d55e00"
	axisColour = "#666"
)

// point is a number of topics and a value.
type point struct{ x, y float64 }

// panel is one diagram: a line through points over the logarithm of x, with a mark at the recommended number.
type panel struct {
	title  string
	points []point
	log    bool    // of the values
	bound  float64 // a horizontal line; 0 for none
}

// Chart writes an SVG image. The same choice gives the same bytes.
func (c *Choice) Chart(w io.Writer) error {
	_, err := io.WriteString(w, c.svg())
	return err
}

func (c *Choice) svg() string {
	panels := c.panels()
	var b strings.Builder
	rows := (len(panels) + perRow - 1) / perRow
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Figures by the number of topics; the table has the numbers" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n",
		perRow*panelWidth, rows*panelHeight, perRow*panelWidth, rows*panelHeight)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)">`, i%perRow*panelWidth, i/perRow*panelHeight)
		c.draw(&b, &p)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// panels returns the diagrams that have points.
func (c *Choice) panels() []panel {
	spectrum := panel{title: "eigenvalues in parts of the greatest of noise", log: true, bound: 1}
	for i, v := range c.Values {
		spectrum.points = append(spectrum.points, point{float64(i + 1), v / c.Edge})
	}
	panels := []panel{spectrum}
	for _, f := range figures {
		if f.chart == "" {
			continue
		}
		p := panel{title: f.chart}
		for i := range c.Candidates {
			of := &c.Candidates[i]
			if v := f.value(of); of.Failure == "" && !math.IsNaN(v) {
				p.points = append(p.points, point{float64(of.Topics), v})
			}
		}
		panels = append(panels, p)
	}
	kept := panels[:0]
	for _, p := range panels {
		if p.finite() {
			kept = append(kept, p)
		}
	}
	return kept
}

// finite reports whether there are points, all of which can be drawn.
func (p *panel) finite() bool {
	for _, at := range p.points {
		if math.IsNaN(at.y) || math.IsInf(at.y, 0) || p.log && at.y <= 0 {
			return false
		}
	}
	return len(p.points) > 0
}

// scale maps values to pixels.
type scale struct {
	low, high float64
	from, to  float64
	log       bool
}

func (s *scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	if high <= low {
		return (s.from + s.to) / 2
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

// draw draws a diagram at the origin.
func (c *Choice) draw(b *strings.Builder, p *panel) {
	x := scale{low: p.points[0].x, high: p.points[len(p.points)-1].x, from: left, to: panelWidth - right, log: true}
	y := scale{low: p.points[0].y, high: p.points[0].y, from: panelHeight - foot, to: top, log: p.log}
	for _, at := range p.points {
		y.low, y.high = min(y.low, at.y), max(y.high, at.y)
	}
	if p.bound > 0 {
		y.low, y.high = min(y.low, p.bound), max(y.high, p.bound)
	}
	fmt.Fprintf(b, `<text x="%d" y="18">%s</text>`, left, p.title)
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`, left, top, panelHeight-foot, panelWidth-right, axisColour)
	for _, v := range []float64{y.low, y.high} {
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%.3g</text>`, left-5, y.at(v)+4, v)
	}
	for _, v := range []float64{x.low, x.high} {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%g</text>`, x.at(v), panelHeight-foot+15, v)
	}
	if p.bound > 0 {
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="%s" stroke-dasharray="4 3"/>`, left, y.at(p.bound), panelWidth-right, axisColour)
	}
	if k := float64(c.Topics); k >= x.low && k <= x.high {
		fmt.Fprintf(b, `<path d="M%.1f %dV%d" stroke="%s" stroke-width="2" stroke-dasharray="1 3"/>`, x.at(k), top, panelHeight-foot, markColour)
		if k > x.low && k < x.high {
			fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="%s">%g</text>`, x.at(k), panelHeight-foot+15, markColour, k)
		}
	}
	var path strings.Builder
	for i, at := range p.points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", command, x.at(at.x), y.at(at.y))
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, path.String(), lineColour)
	if len(p.points) <= 40 {
		for _, at := range p.points {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`, x.at(at.x), y.at(at.y), lineColour)
		}
	}
}
