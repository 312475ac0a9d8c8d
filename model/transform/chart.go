// This file draws trends as SVG.

package transform

import (
	"fmt"
	"html"
	"io"
	"strings"
	"time"
)

// The sizes of a chart, in pixels: of a panel, of what is around its axes, and how many panels stand in a row.
const (
	panelWidth, panelHeight = 300, 170
	left, right, top, foot  = 46, 12, 30, 24
	perRow                  = 3
)

// Chart writes an SVG image to w: a panel for each of the given topics with its share over time and the 95 % intervals as a band. Axes
// begin at 0, and each panel has its own scale. The same trend gives the same bytes.
func (t *Trend) Chart(w io.Writer, topics []int) error {
	var b strings.Builder
	rows := (len(topics) + perRow - 1) / perRow
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n",
		perRow*panelWidth, max(rows, 1)*panelHeight)
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	for i, k := range topics {
		t.panel(&b, k, i%perRow*panelWidth, i/perRow*panelHeight)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// panel draws a topic at (x, y).
func (t *Trend) panel(b *strings.Builder, k, x, y int) {
	title := fmt.Sprintf("topic %d", k)
	if k < len(t.Names) && len(t.Names[k]) > 0 {
		title += ": " + strings.Join(t.Names[k][:min(3, len(t.Names[k]))], " · ")
	}
	if text := []rune(title); len(text) > 44 {
		title = string(text[:43]) + "…"
	}
	fmt.Fprintf(b, `<g transform="translate(%d,%d)"><text x="%d" y="18">%s</text>`+"\n", x, y, left, html.EscapeString(title))
	if len(t.Rows) > 0 {
		t.lines(b, k)
	}
	b.WriteString("</g>\n")
}

// lines draws the axes, the band and the line of a panel.
func (t *Trend) lines(b *strings.Builder, k int) {
	greatest := 0.0
	for i := range t.Rows {
		_, high := t.Rows[i].Interval(k)
		greatest = max(greatest, high)
	}
	first, last := t.Rows[0].Start, t.Rows[len(t.Rows)-1].Start
	across := func(at time.Time) float64 {
		if span := last.Sub(first); span > 0 {
			return left + float64(panelWidth-left-right)*float64(at.Sub(first))/float64(span)
		}
		return left + float64(panelWidth-left-right)/2
	}
	up := func(share float64) float64 {
		return panelHeight - foot - float64(panelHeight-top-foot)*share/max(greatest, 1e-12)
	}
	bottom := panelHeight - foot
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="#888"/>`+"\n", left, top, bottom, panelWidth-right)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%.2g%%</text><text x="%d" y="%d" text-anchor="end">0</text>`+"\n",
		left-4, top+8, 100*greatest, left-4, bottom)
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
		left, bottom+15, first.Format(time.DateOnly), panelWidth-right, bottom+15, last.Format(time.DateOnly))
	var band, back, line strings.Builder
	for i := range t.Rows {
		row, previous := &t.Rows[i], &t.Rows[len(t.Rows)-1-i]
		_, high := row.Interval(k)
		low, _ := previous.Interval(k)
		fmt.Fprintf(&band, "%.1f,%.1f ", across(row.Start), up(high))
		fmt.Fprintf(&back, "%.1f,%.1f ", across(previous.Start), up(low))
		fmt.Fprintf(&line, "%.1f,%.1f ", across(row.Start), up(row.Shares[k]))
	}
	fmt.Fprintf(b, `<polygon points="%s%s" fill="#9ecae1" fill-opacity="0.6"/>`+"\n", band.String(), back.String())
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="#08519c" stroke-width="1.5"/>`+"\n", line.String())
	if len(t.Rows) == 1 { // a line of one point is not seen
		low, high := t.Rows[0].Interval(k)
		fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1f" stroke="#08519c"/>`+"\n", across(first), up(low), up(high))
	}
}
