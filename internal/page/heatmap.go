// This file makes heat maps.

package page

import (
	"html/template"
	"math"
	"strings"
)

// HeatMap is a square matrix of values around a middle, drawn as squares: the farther a value is from the middle, the
// larger the square and the stronger its colour. Squares above the middle are full, those below it are drawn as frames,
// so that no side depends on colour.
type HeatMap struct {
	Chart
	Values []float64 // n×n, row-major; NaN is left out
	Names  []string  // n names of rows and columns, from data; shown if there are few
	Hrefs  []string  // of each name, the id of the place on the page that it leads to; nil for none
	Middle float64
	// Reach is the distance from the middle from which squares have their full size and colour.
	Reach float64
	// Legend has the names of the least value, of the middle and of the greatest value that colours tell apart.
	Legend [3]string
}

const (
	heatSide      = 560.0
	legendStep    = 44.0
	heatMostNames = 60
)

type heatLevel struct {
	Class int
	Path  string
}

var heatTemplate = template.Must(template.New("heatmap").Parse(`{{range .Levels}}<path class="s{{.Class}}" fill-rule="evenodd" d="{{.Path}}"/>
{{end}}<path class="axis" d="M{{.Left}} {{.Top}}h{{.Side}}v{{.Side}}h-{{.Side}}z"/>
{{range .Rows}}{{with .Href}}<a href="#{{.}}">{{end}}<text class="name" x="{{.X}}" y="{{.Y}}" text-anchor="end">{{.Text}}</text>{{with .Href}}</a>{{end}}
{{end}}{{range .Columns}}{{with .Href}}<a href="#{{.}}">{{end}}<text class="name" transform="translate({{.X}} {{.Y}}) rotate(-60)">{{.Text}}</text>{{with .Href}}</a>{{end}}
{{end}}{{range .Key}}<path class="s{{.Class}}" fill-rule="evenodd" d="{{.Path}}"/>{{end}}{{range .Words}}<text class="tick" x="{{.X}}" y="{{.Y}}" text-anchor="{{.Anchor}}">{{.Text}}</text>{{end}}
`))

// HTML returns the chart.
func (h *HeatMap) HTML() template.HTML {
	n := len(h.Names)
	left, top := 20.0, 16.0
	named := n <= heatMostNames
	if named {
		left, top = 150, 96
	}
	cell := heatSide / float64(max(n, 1))
	paths := make([]strings.Builder, Levels)
	for i := range n {
		for j := range n {
			if level, ok := h.level(h.Values[i*n+j]); ok {
				square(&paths[level], left+float64(j)*cell, top+float64(i)*cell, cell, level)
			}
		}
	}
	var levels, key []heatLevel
	for level := range paths {
		if paths[level].Len() > 0 {
			levels = append(levels, heatLevel{level, paths[level].String()})
		}
	}
	var rows, columns, words []label
	if named {
		for i, name := range h.Names {
			text, middle := Short(name, 22), (float64(i)+0.5)*cell
			href := ""
			if h.Hrefs != nil {
				href = h.Hrefs[i]
			}
			h.linked = h.linked || href != ""
			rows = append(rows, label{X: at(left - 6), Y: at(top + middle + 4), Text: text, Href: href})
			columns = append(columns, label{X: at(left + middle + 3), Y: at(top - 6), Text: Short(name, 14), Href: href})
		}
	}
	foot := top + heatSide + 14
	for level := range Levels {
		var b strings.Builder
		square(&b, left+float64(level)*legendStep, foot, 22, level)
		key = append(key, heatLevel{level, b.String()})
	}
	for i, text := range h.Legend {
		words = append(words, label{X: at(left + 11 + float64(i)*(Levels-1)/2*legendStep), Y: at(foot + 36),
			Anchor: []string{"start", "middle", "end"}[i], Text: text})
	}
	words[0].X, words[2].X = at(left), at(left+Levels*legendStep-legendStep+22)
	return h.figure(int(left+heatSide+40), int(foot+44), Render(heatTemplate, struct {
		Left, Top, Side      string
		Levels, Key          []heatLevel
		Rows, Columns, Words []label
	}{at(left), at(top), at(heatSide), levels, key, rows, columns, words}))
}

// level returns the step of the scale on which a value lies.
func (h *HeatMap) level(v float64) (int, bool) {
	if math.IsNaN(v) {
		return 0, false
	}
	const half = Levels / 2
	far := (v - h.Middle) / h.Reach * half
	return half + int(math.Round(min(max(far, -half), half))), true
}

// square adds a square of a step of the scale to a path: in the cell at x and y, larger the farther from the middle,
// and below it with a hole.
func square(b *strings.Builder, x, y, cell float64, level int) {
	const half = Levels / 2
	far := level - half
	if far < 0 {
		far = -far
	}
	side := cell * (0.28 + 0.66*float64(far)/half)
	from := (cell - side) / 2
	b.WriteString("M" + at(x+from) + " " + at(y+from) + "h" + at(side) + "v" + at(side) + "h-" + at(side) + "z")
	if level < half && cell > 3 {
		rim := side * 0.24
		b.WriteString("M" + at(x+from+rim) + " " + at(y+from+rim) + "h" + at(side-2*rim) + "v" + at(side-2*rim) + "h-" +
			at(side-2*rim) + "z")
	}
}
