// This file makes tree maps: areas in proportion to amounts, with names that never leave their areas.

package page

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strings"
	"unicode"

	"anchorage/internal/safetext"
)

// Hues is the number of colours that groups of topics have: the classes k1 to k6 of the style.
const Hues = 6

// Area is an area of a tree map.
type Area struct {
	Names []string // a line each, from data; as many are shown as fit
	Value float64
	Text  string // the value as text
	Href  string // the id of the place on the page that the area leads to
	Hue   int    // from 1 to Hues; 0 has no colour
}

// Treemap is a picture of amounts as areas (Bruls, Huizing and van Wijk, Squarified Treemaps, 2000).
type Treemap struct {
	Label string // what it shows, for readers who do not see it
	Areas []Area // those of a hue are together
}

// The forms of a tree map, of which the style shows the one that fits the window.
var treemapForms = []struct {
	Name       string
	Wide, Tall float64
}{{"wide", 1040, 520}, {"middle", 640, 560}, {"narrow", 350, 620}}

// nameSizes are the heights of letters of names; the style has a class for each.
var nameSizes = []float64{30, 24, 19, 15, 12}

const areaMargin = 7.0

// Form is a tree map drawn for windows of one width, in its own units.
type Form struct {
	Name  string      `json:"name"` // wide, middle or narrow, a class of the style
	Label string      `json:"label"`
	Wide  string      `json:"wide"`
	Tall  string      `json:"tall"`
	Areas []DrawnArea `json:"areas"`
}

// DrawnArea is an area with its place.
type DrawnArea struct {
	Href  string     `json:"href"`
	Tip   string     `json:"tip"`
	X     string     `json:"x"`
	Y     string     `json:"y"`
	Wide  string     `json:"wide"`
	Tall  string     `json:"tall"`
	Hue   int        `json:"hue"`
	Lines []NameLine `json:"lines"`
}

// NameLine is a line of a drawn area's text.
type NameLine struct {
	Y     string `json:"y"`
	Class string `json:"class"`
	Text  string `json:"text"`
}

var treemapTemplate = template.Must(template.New("treemap").Parse(`<div class="treemap">{{range .}}
<svg class="{{.Name}}" viewBox="0 0 {{.Wide}} {{.Tall}}" role="group" aria-label="{{.Label}}">{{range .Areas}}
<a href="#{{.Href}}"><title>{{.Tip}}</title><svg x="{{.X}}" y="{{.Y}}" width="{{.Wide}}" height="{{.Tall}}"><rect class="area k{{.Hue}}" width="100%" height="100%"/>
{{- range .Lines}}<text x="7" y="{{.Y}}" class="{{.Class}}">{{.Text}}</text>{{end}}</svg></a>{{end}}
</svg>{{end}}
</div>
`))

// HTML returns the tree map, once for each form.
func (t *Treemap) HTML() template.HTML { return Render(treemapTemplate, t.Forms()) }

// Forms returns the tree map in all its forms.
func (t *Treemap) Forms() (forms []Form) {
	groups := make([][]Area, Hues+1)
	for _, a := range t.Areas {
		if a.Value > 0 {
			groups[a.Hue] = append(groups[a.Hue], a)
		}
	}
	sum := func(group []Area) (all float64) {
		for _, a := range group {
			all += a.Value
		}
		return all
	}
	slices.SortStableFunc(groups, func(a, b []Area) int { return cmp.Compare(sum(b), sum(a)) })
	groups = slices.DeleteFunc(groups, func(g []Area) bool { return len(g) == 0 })
	var sums []float64
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b Area) int { return cmp.Compare(b.Value, a.Value) })
		sums = append(sums, sum(group))
	}
	for _, f := range treemapForms {
		drawn := Form{f.Name, t.Label, at(f.Wide), at(f.Tall), nil}
		for g, outer := range squarify(sums, box{0, 0, f.Wide, f.Tall}) {
			var values []float64
			for _, a := range groups[g] {
				values = append(values, a.Value)
			}
			for n, inner := range squarify(values, outer) {
				drawn.Areas = append(drawn.Areas, groups[g][n].draw(inner))
			}
		}
		forms = append(forms, drawn)
	}
	return forms
}

// draw places the names of an area: all of them in the largest letters in which they fit, or else the first ones in the
// smallest.
func (a *Area) draw(b box) DrawnArea {
	wide, tall := b.right-b.left, b.bottom-b.top
	var names []string
	for _, name := range a.Names {
		names = append(names, Cut(name, 60))
	}
	d := DrawnArea{Href: a.Href, Tip: strings.Join(names, " · ") + ", " + a.Text, X: at(b.left), Y: at(b.top),
		Wide: at(wide), Tall: at(tall), Hue: a.Hue, Lines: []NameLine{}}
	room := wide - 2*areaMargin
	longest := 0.0
	for _, name := range names {
		longest = max(longest, measure(name))
	}
	least := nameSizes[len(nameSizes)-1]
	size := least
	for _, s := range nameSizes {
		if longest*s <= room && 1.2*s*float64(len(names))+1.6*least <= tall-areaMargin {
			size = s
			break
		}
	}
	y := areaMargin / 2
	for n, name := range append(names, a.Text) {
		step := 1.2 * size
		if n == len(names) {
			size, step = least, 1.6*least
		}
		for n := safetext.Width(name) - 1; measure(name)*size > room && n >= 5; n-- {
			name = safetext.Shorten(name, n)
		}
		if y+step > tall-areaMargin/2 || measure(name)*size > room {
			continue
		}
		y += step
		d.Lines = append(d.Lines, NameLine{at(y), "t" + at(size), name})
	}
	return d
}

// squarify cuts a rectangle into areas in proportion to values above 0, which decrease, each about as wide as tall.
func squarify(values []float64, b box) (list []box) {
	for len(values) > 0 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		wide, tall := b.right-b.left, b.bottom-b.top
		scale, side := wide*tall/sum, min(wide, tall)
		n, row, worst := 0, 0.0, math.Inf(1)
		for n < len(values) {
			s := row + values[n]*scale
			w := max(side*side*values[0]*scale/(s*s), s*s/(side*side*values[n]*scale))
			if n > 0 && !(w <= worst) {
				break
			}
			n, row, worst = n+1, s, w
		}
		deep, along := row/side, 0.0
		for _, v := range values[:n] {
			long := v * scale / deep
			if wide >= tall {
				list = append(list, box{b.left, b.top + along, b.left + deep, b.top + along + long})
			} else {
				list = append(list, box{b.left + along, b.top, b.left + along + long, b.top + deep})
			}
			along += long
		}
		if wide >= tall {
			b.left += deep
		} else {
			b.top += deep
		}
		values = values[n:]
	}
	return list
}

// measure returns how wide a text is in letters of height 1, in the widest of the fonts of the style.
func measure(text string) (width float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijl.,:;'|!()[] ", r):
			width += 0.4
		case strings.ContainsRune("mwMW@%", r):
			width += 1
		case safetext.Width(string(r)) > 1:
			width += 1.05
		case unicode.IsUpper(r):
			width += 0.76
		default:
			width += 0.64
		}
	}
	return width
}
