// This file makes flows: amounts as stretches of columns, and bands that say how much of each goes where.

package page

import (
	"fmt"
	"html/template"
	"strings"

	"anchorage/internal/safetext"
)

// Band joins a stretch of a column with one of the next.
type Band struct {
	From, To int // places in the two columns
	Value    float64
	Pale     bool // drawn thin: what is as expected
}

// Flow is a chart of columns and of the bands between them (an alluvial diagram: Rosvall & Bergstrom, PLOS ONE 5, 2010).
type Flow struct {
	Chart
	Columns [][]Area // in their order; values are above 0
	Heads   []string // of the columns
	Bands   [][]Band // of each column with the next, in the order in which they leave and arrive
}

const (
	flowWide    = 1040.0
	flowGutter  = 170.0
	flowHead    = 24.0
	flowGap     = 3.0  // between stretches
	flowLeast   = 17.0 // height of a stretch, so that its name can be read
	flowLetters = 12.0
)

type drawnStretch struct {
	Href, Tip, X, Y, Wide, Tall, TextX, TextY, Text string
	Hue                                             int
}

var flowTemplate = template.Must(template.New("flow").Parse(`{{range .Heads}}<text class="tick" x="{{.X}}" y="14">{{.Text}}</text>
{{end}}{{range .Bands}}<path class="band k{{.Hue}}{{if .Pale}} pale{{end}}" d="{{.Path}}"><title>{{.Tip}}</title></path>
{{end}}{{range .Stretches}}{{if .Href}}<a href="#{{.Href}}" aria-label="{{.Tip}}">{{end}}<rect class="area k{{.Hue}}" x="{{.X}}" y="{{.Y}}" width="{{.Wide}}" height="{{.Tall}}"><title>{{.Tip}}</title></rect><text x="{{.TextX}}" y="{{.TextY}}">{{.Text}}</text>{{if .Href}}</a>{{end}}
{{end}}`))

// HTML returns the chart.
func (f *Flow) HTML() template.HTML {
	type head struct{ X, Text string }
	type band struct {
		Path, Tip string
		Hue       int
		Pale      bool
	}
	var drawn struct {
		Heads     []head
		Bands     []band
		Stretches []drawnStretch
	}
	rows := 0
	for _, column := range f.Columns {
		rows = max(rows, len(column))
	}
	tall := max(300, float64(rows)*(flowLeast+9))
	wide := (flowWide - flowGutter*float64(len(f.Columns)-1)) / float64(len(f.Columns))
	places := make([][]box, len(f.Columns))
	for c, column := range f.Columns {
		left := float64(c) * (wide + flowGutter)
		drawn.Heads = append(drawn.Heads, head{at(left), f.Heads[c]})
		places[c] = stack(column, left, left+wide, tall)
		for n := range column {
			drawn.Stretches = append(drawn.Stretches, column[n].stretch(places[c][n]))
			f.linked = f.linked || column[n].Href != ""
		}
	}
	for c, bands := range f.Bands {
		from, to := f.Columns[c], f.Columns[c+1]
		out, in := make([]float64, len(from)), make([]float64, len(to))
		for _, b := range bands {
			out[b.From] += b.Value
			in[b.To] += b.Value
		}
		left, right := make([]float64, len(from)), make([]float64, len(to)) // heights that bands have taken
		for _, b := range bands {
			a, z := places[c][b.From], places[c+1][b.To]
			high := (a.bottom - a.top) * b.Value / max(out[b.From], from[b.From].Value)
			low := (z.bottom - z.top) * b.Value / max(in[b.To], to[b.To].Value)
			y, w := a.top+left[b.From], z.top+right[b.To]
			left[b.From] += high
			right[b.To] += low
			m := at((a.right + z.left) / 2)
			path := fmt.Sprintf("M%s %sC%s %s %s %s %s %sV%sC%s %s %s %s %s %sz", at(a.right), at(y), m, at(y), m, at(w),
				at(z.left), at(w), at(w+low), m, at(w+low), m, at(y+high), at(a.right), at(y+high))
			drawn.Bands = append(drawn.Bands, band{path, from[b.From].name() + " → " + to[b.To].name() + ", " + Share(b.Value),
				to[b.To].Hue, b.Pale})
		}
	}
	return f.figure(int(flowWide), int(tall+flowHead), Render(flowTemplate, drawn))
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

func (a *Area) name() string { return Cut(strings.Join(a.Names, " · "), 3*NameLength) }

// stretch places the name of a stretch and its value, on one line.
func (a *Area) stretch(b box) drawnStretch {
	name := a.name()
	tip := name + ", " + a.Text
	room := (b.right-b.left-2*areaMargin)/flowLetters - measure("  "+a.Text)
	for n := safetext.Width(name) - 1; measure(name) > room && n >= 5; n-- {
		name = safetext.Shorten(name, n)
	}
	return drawnStretch{a.Href, tip, at(b.left), at(b.top), at(b.right - b.left), at(b.bottom - b.top),
		at(b.left + areaMargin), at((b.top+b.bottom)/2 + 4), name + "  " + a.Text, a.Hue}
}
