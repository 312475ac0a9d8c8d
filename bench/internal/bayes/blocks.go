// This file draws correlations as blocks (Figure 11.4): green for positive, red for negative, with an area in proportion to the
// correlation. The colours are the bluish green and the vermillion of Okabe & Ito, which the colour-blind can tell apart.
// Negative blocks also stand on a corner.

package bayes

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"anchorage/bench/internal/report"
)

var (
	positiveColor = color.RGBA{G: 0x9e, B: 0x73, A: 0xff}
	negativeColor = color.RGBA{R: 0xd5, G: 0x5e, A: 0xff}
)

const (
	blockCell   = 4 * vg.Millimeter
	blockMargin = 9 * vg.Millimeter
	// legendHeight is that of the row of blocks with their numbers.
	legendHeight = 6 * vg.Millimeter
)

// writeBlocks draws a square matrix of correlations, row 1 at the top.
func writeBlocks(w io.Writer, correlations []float64) error {
	n := int(math.Sqrt(float64(len(correlations))))
	side := vg.Length(n) * blockCell
	width, height := side+2*blockMargin, side+2*blockMargin+legendHeight
	canvas := vgsvg.New(width, height)
	c := report.Blank(canvas, width, height)
	style := report.LabelStyle()
	top := height - blockMargin
	grid := draw.LineStyle{Color: color.Gray{0xe4}, Width: vg.Points(0.5)}
	for i := 0; i <= n; i++ {
		at := vg.Length(i) * blockCell
		c.StrokeLine2(grid, blockMargin, top-at, blockMargin+side, top-at)
		c.StrokeLine2(grid, blockMargin+at, top-side, blockMargin+at, top)
	}
	for i := range n {
		if i == 0 || i%5 == 4 {
			middle := (vg.Length(i) + 0.5) * blockCell
			style.XAlign, style.YAlign = text.XRight, text.YCenter
			c.FillText(style, vg.Point{X: blockMargin - vg.Millimeter, Y: top - middle}, fmt.Sprint(i+1))
			style.XAlign, style.YAlign = text.XCenter, text.YBottom
			c.FillText(style, vg.Point{X: blockMargin + middle, Y: top + vg.Millimeter}, fmt.Sprint(i+1))
		}
		for j := range n {
			at := vg.Point{X: blockMargin + (vg.Length(j)+0.5)*blockCell, Y: top - (vg.Length(i)+0.5)*blockCell}
			drawBlock(&c, at, correlations[i*n+j])
		}
	}
	left, base := blockMargin, blockMargin/2+legendHeight/2
	style.XAlign, style.YAlign = text.XLeft, text.YCenter
	for _, v := range []float64{1, 0.5, 0.1, -0.1, -0.5} {
		drawBlock(&c, vg.Point{X: left + blockCell/2, Y: base}, v)
		left += blockCell + vg.Millimeter
		label := report.Readable(v)
		c.FillText(style, vg.Point{X: left, Y: base}, label)
		left += style.Width(label) + 5*vg.Millimeter
	}
	_, err := canvas.WriteTo(w)
	return err
}

// drawBlock draws a block in the middle of a cell: its area is in proportion to the correlation.
func drawBlock(c *draw.Canvas, at vg.Point, correlation float64) {
	half := blockCell / 2 * vg.Length(math.Sqrt(min(math.Abs(correlation), 1)))
	if correlation >= 0 {
		c.FillPolygon(positiveColor, []vg.Point{{X: at.X - half, Y: at.Y - half}, {X: at.X + half, Y: at.Y - half},
			{X: at.X + half, Y: at.Y + half}, {X: at.X - half, Y: at.Y + half}})
		return
	}
	c.FillPolygon(negativeColor, []vg.Point{{X: at.X, Y: at.Y - half}, {X: at.X + half, Y: at.Y}, {X: at.X, Y: at.Y + half}, {X: at.X - half, Y: at.Y}})
}
