// This file makes small multiples: a small chart for each of several series, all on the same scales.

package page

import (
	"html/template"
	"math"
	"slices"
	"strings"

	"anchorage/internal/safetext"
)

// Series is a series of values, with an interval around each.
type Series struct {
	Name         string // from data
	Href         string // the id of the place on the page that it leads to; empty for none
	Y, Low, High []float64
	Hue          int // from 1 to Hues; 0 has no colour
}

// Multiples are small charts beside each other. Their scales are the same, from 0 to above the greatest value.
type Multiples struct {
	Chart
	X      []float64 // of all series, increasing
	Series []Series
	XText  func(x float64) string
	YText  func(y float64) string
	// First and Last say that the first or the last value rests on less than the others: lines to it are dashed.
	First, Last bool
}

const (
	multipleWidth, multipleHeight = 232.0, 120.0
	multipleLeft, multipleTop     = 42.0, 22.0
	multipleRight, multipleFoot   = 8.0, 18.0
)

type multiple struct {
	Name, Href, About            string
	Hue                          int
	Band, Line, Dashed           string
	Most, First, Last            string
	Left, Right, Top, Foot, Text string
	Wide, Tall                   string
}

var multiplesTemplate = template.Must(template.New("multiples").Parse(`<div class="multiples">{{range .}}
<svg viewBox="0 0 {{.Wide}} {{.Tall}}" role="{{if .Href}}group{{else}}img{{end}}"><title>{{.Name}}</title><desc>{{.About}}</desc><g class="k{{.Hue}}">{{with .Href}}<a href="#{{.}}">{{end}}<text class="name" x="0" y="13">{{.Name}}</text>{{with .Href}}</a>{{end}}
<path class="grid" d="M{{.Left}} {{.Top}}H{{.Right}}M{{.Left}} {{.Foot}}H{{.Right}}"/><text class="tick" x="{{.Left}}" y="{{.Top}}" dx="-4" dy="4" text-anchor="end">{{.Most}}</text><text class="tick" x="{{.Left}}" y="{{.Foot}}" dx="-4" dy="4" text-anchor="end">0</text>
<path class="band" d="{{.Band}}"/><path class="line own" d="{{.Line}}"/>{{with .Dashed}}<path class="line own" stroke-dasharray="3 3" d="{{.}}"/>{{end}}
<text class="tick" x="{{.Left}}" y="{{.Text}}">{{.First}}</text><text class="tick" x="{{.Right}}" y="{{.Text}}" text-anchor="end">{{.Last}}</text></g></svg>{{end}}
</div>
`))

// HTML returns the charts.
func (m *Multiples) HTML() template.HTML {
	most := 0.0
	for _, s := range m.Series {
		for _, v := range s.High {
			most = max(most, v)
		}
	}
	if step := math.Pow(10, math.Floor(math.Log10(most))) / 2; most > 0 {
		most = step * math.Ceil(most/step)
	}
	first, last := m.X[0], m.X[len(m.X)-1]
	x := newAxis(first, last, multipleLeft, multipleWidth-multipleRight, false)
	y := newAxis(0, most, multipleHeight-multipleFoot, multipleTop, false)
	point := func(i int, v float64) string { return at(x.place(m.X[i])) + " " + at(y.place(v)) }
	var drawn []multiple
	for _, s := range m.Series {
		var low, high, line, dashed []string
		for i, v := range s.Y {
			low, high = append(low, point(i, s.Low[i])), append(high, point(i, s.High[i]))
			line = append(line, point(i, v))
		}
		slices.Reverse(low)
		solid := line
		if m.Last && len(solid) > 1 {
			dashed = append(dashed, "M"+strings.Join(solid[len(solid)-2:], "L"))
			solid = solid[:len(solid)-1]
		}
		if m.First && len(solid) > 1 {
			dashed = append(dashed, "M"+strings.Join(solid[:2], "L"))
			solid = solid[1:]
		}
		drawn = append(drawn, multiple{About: m.About,
			Name: title(s.Name), Href: s.Href, Hue: s.Hue,
			Band: "M" + strings.Join(append(high, low...), "L") + "z", Line: "M" + strings.Join(solid, "L"),
			Dashed: strings.Join(dashed, ""), Most: m.YText(most), First: m.XText(first), Last: m.XText(last),
			Left: at(multipleLeft), Right: at(multipleWidth - multipleRight), Top: at(multipleTop),
			Foot: at(multipleHeight - multipleFoot), Text: at(multipleHeight - 4), Wide: at(multipleWidth),
			Tall: at(multipleHeight)})
	}
	return m.frame(Render(multiplesTemplate, drawn))
}

// title returns as many of the names that · separates as fit above a chart, or what fits of the first.
func title(names string) string {
	fits := func(text string) bool { return 11*measure(text) <= multipleWidth }
	text := Cut(names, NameLength)
	for !fits(text) && strings.Contains(text, " · ") {
		text = text[:strings.LastIndex(text, " · ")]
	}
	for n := safetext.Width(text) - 1; !fits(text) && n >= 5; n-- {
		text = safetext.Shorten(text, n)
	}
	return text
}
