// This file makes flows: amounts as stretches of columns, and bands that say how much of each goes where.

package page

import (
	"cmp"
	"fmt"
	"html/template"
)

// Band joins a stretch of a column with one of the next.
type Band struct {
	From, To int // places in the two columns
	Value    float64
	Thin     bool // drawn as a line: what is as expected, or of minor importance
}

// Flow is a chart of columns and of the bands between them (an alluvial diagram: Rosvall & Bergstrom, PLOS ONE 5,
// 2010). If it is nested, it is an icicle (Kruskal and Landwehr, Am. Stat. 37, 1983): a stretch is as high as those of
// the next column that bands which are not thin lead to, which must follow each other.
type Flow struct {
	Chart
	Columns [][]Area // in their order; values are above 0; what has no names is room only
	Heads   []string // of the columns
	Bands   [][]Band // of each column with the next, in the order in which they leave and arrive
	Nested  bool
}

const (
	flowHead  = 24.0
	flowGap   = 3.0  // between stretches
	flowLeast = 17.0 // height of a stretch, so that its name can be read
	flowLines = 72.0 // height of a stretch whose names get lines of their own
)

// HTML returns the chart, once for each form.
func (f *Flow) HTML() template.HTML {
	rows := 0
	for _, column := range f.Columns {
		rows = max(rows, len(column))
		for n := range column {
			f.linked = f.linked || column[n].Href != ""
		}
	}
	var forms []form
	for _, w := range widths {
		tall, gutter := max(300, float64(rows)*(flowLeast+9)), w.gutter
		if f.Nested {
			gutter /= 2
		}
		drawn := form{Name: w.name, Label: f.About, Role: f.role(), Wide: at(w.wide), Tall: at(tall + flowHead)}
		wide := (w.wide - gutter*float64(len(f.Columns)-1)) / float64(len(f.Columns))
		places := f.places(tall, wide, gutter)
		for c, column := range f.Columns {
			drawn.Heads = append(drawn.Heads, nameLine{X: at(places[c][0].left), Y: "14", Text: f.Heads[c]})
			for n := range column {
				switch b := places[c][n]; {
				case column[n].Names == nil:
				case b.bottom-b.top < flowLines:
					drawn.Areas = append(drawn.Areas, column[n].line(b))
				default:
					drawn.Areas = append(drawn.Areas, column[n].draw(b))
				}
			}
		}
		for c := range f.Bands {
			drawn.Bands = append(drawn.Bands, f.bands(c, places)...)
		}
		forms = append(forms, drawn)
	}
	return f.frame(Render(formsTemplate, forms))
}

// places returns where the stretches are.
func (f *Flow) places(tall, wide, gutter float64) [][]box {
	places := make([][]box, len(f.Columns))
	for c := len(f.Columns) - 1; c >= 0; c-- {
		left := float64(c) * (wide + gutter)
		places[c] = stack(f.Columns[c], left, left+wide, tall)
		if !f.Nested || c == len(f.Bands) {
			continue
		}
		inside := make(map[int]box)
		for _, b := range f.Bands[c] {
			if b.Thin {
				continue
			}
			z := places[c+1][b.To]
			if first, known := inside[b.From]; known {
				z.top = first.top
			}
			inside[b.From] = z
		}
		for n, z := range inside {
			places[c][n].top, places[c][n].bottom = z.top, z.bottom
		}
	}
	return places
}

// bands returns those of a column with the next.
func (f *Flow) bands(c int, places [][]box) (list []drawnBand) {
	from, to := f.Columns[c], f.Columns[c+1]
	out, in := make([]float64, len(from)), make([]float64, len(to)) // what bands take, and then the heights they have taken
	for _, b := range f.Bands[c] {
		if !b.Thin {
			out[b.From] += b.Value
			in[b.To] += b.Value
		}
	}
	left, right := make([]float64, len(from)), make([]float64, len(to))
	for _, b := range f.Bands[c] {
		a, z := places[c][b.From], places[c+1][b.To]
		m, tip := at((a.right+z.left)/2), from[b.From].tip()+" → "+to[b.To].tip()+", "+Share(b.Value)
		hue := cmp.Or(to[b.To].Hue, from[b.From].Hue)
		switch {
		case to[b.To].Names == nil:
		case b.Thin:
			w := (z.top + z.bottom) / 2
			y := min(max(w, a.top+4), a.bottom-4)
			if !f.Nested {
				y = (a.top + a.bottom) / 2
			}
			list = append(list, drawnBand{fmt.Sprintf("M%s %sC%s %s %s %s %s %s", at(a.right), at(y), m, at(y), m, at(w),
				at(z.left), at(w)), tip, "thread", hue})
		case f.Nested:
			list = append(list, drawnBand{fmt.Sprintf("M%s %sH%sV%sH%sz", at(a.right), at(z.top), at(z.left), at(z.bottom),
				at(a.right)), tip, "band", hue})
		default:
			high := (a.bottom - a.top) * b.Value / max(out[b.From], from[b.From].Value)
			low := (z.bottom - z.top) * b.Value / max(in[b.To], to[b.To].Value)
			y, w := a.top+left[b.From], z.top+right[b.To]
			left[b.From] += high
			right[b.To] += low
			list = append(list, drawnBand{fmt.Sprintf("M%s %sC%s %s %s %s %s %sV%sC%s %s %s %s %s %sz", at(a.right), at(y), m,
				at(y), m, at(w), at(z.left), at(w), at(w+low), m, at(w+low), m, at(y+high), at(a.right), at(y+high)), tip,
				"band", hue})
		}
	}
	return list
}

// stack places the stretches of a column: each has the least height, and the rest is shared in proportion to values.
func stack(column []Area, left, right, tall float64) (list []box) {
	sum := 0.0
	for _, a := range column {
		sum += a.Value
	}
	room := tall - float64(len(column))*(flowLeast+flowGap)
	y := flowHead
	for _, a := range column {
		high := flowLeast + room*a.Value/sum
		list = append(list, box{left, y, right, y + high})
		y += high + flowGap
	}
	return list
}
