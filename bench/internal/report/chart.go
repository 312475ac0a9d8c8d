// This file draws charts of small multiples as SVG: a grid of panels over one legend.

package report

import (
	"fmt"
	"image/color"
	"io"

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

// Chart is rows of panels, all rows of the same length.
type Chart struct {
	Rows [][]Panel
	Zoom float64 // of the size of panels; 0 for 1
}

// Write draws the chart as SVG.
func (c Chart) Write(w io.Writer) error {
	zoom := vg.Length(max(c.Zoom, 1))
	rows, width := c.Rows, vg.Length(len(c.Rows[0]))*panelWidth*zoom
	legend, legendHeight, err := layLegend(rows, width-2*margin)
	if err != nil {
		return err
	}
	height := vg.Length(len(rows))*panelHeight*zoom + legendHeight + margin
	canvas := vgsvg.New(width, height)
	whole := Blank(canvas, width, height)
	plots := make([][]*plot.Plot, len(rows))
	for r, row := range rows {
		for _, p := range row {
			drawn, err := p.plot()
			if err != nil {
				return fmt.Errorf("drawing %q: %w", p.Y, err)
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
		row[0].FillText(title, vg.Point{X: row[0].Min.X, Y: row[0].Max.Y}, rows[r][0].Title)
	}
	for _, entry := range legend {
		entry.legend.Draw(draw.Crop(whole, margin+entry.left, 0, 0, -margin-entry.top))
	}
	_, err = canvas.WriteTo(w)
	return err
}

// Blank returns a white canvas of the given size.
func Blank(canvas vg.CanvasSizer, width, height vg.Length) draw.Canvas {
	whole := draw.New(canvas)
	whole.FillPolygon(color.White, []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}})
	return whole
}

// legendEntry is one series of the legend, and where it stands from the upper left corner.
type legendEntry struct {
	legend    plot.Legend
	left, top vg.Length
}

// layLegend names every series of the panels once, in rows of the given width, and returns the height of all rows.
func layLegend(rows [][]Panel, width vg.Length) (entries []legendEntry, height vg.Length, err error) {
	seen := make(map[string]bool)
	left, top := vg.Length(0), vg.Length(0)
	for _, row := range rows {
		for _, p := range row {
			for _, s := range p.Series {
				if seen[s.Name] {
					continue
				}
				seen[s.Name] = true
				line, err := s.line()
				if err != nil {
					return nil, 0, err
				}
				entry := plot.NewLegend()
				setFont(&entry.TextStyle, titleSize)
				entry.ThumbnailWidth = 9 * vg.Millimeter
				entry.Left, entry.Top = true, true
				entry.Add(s.Name, line, s.markers(plotter.XYs{{}}))
				across := entry.ThumbnailWidth + entry.TextStyle.Width(s.Name) + 8*vg.Millimeter
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

// LabelStyle returns the style of small labels.
func LabelStyle() draw.TextStyle {
	style := plot.New().Title.TextStyle
	setFont(&style, tickSize)
	return style
}

func setFont(style *text.Style, size font.Length) {
	style.Font.Size, style.Font.Variant = size, "Sans"
}
