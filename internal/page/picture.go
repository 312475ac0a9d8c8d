// This file draws pictures of areas and of bands between them, once for each width of window that the style knows.

package page

import (
	"html/template"
	"slices"
	"strings"
	"unicode"

	"anchorage/internal/safetext"
)

// Hues is the number of colours that groups of topics have: the classes k1 to k6 of the style.
const Hues = 6

// Area is an area of a picture.
type Area struct {
	Names []string // a line each, from data; as many are shown as fit
	Value float64
	Text  string // the value as text
	Href  string // the id of the place on the page that the area leads to
	Hue   int    // from 1 to Hues; 0 has no colour
	Note  string // what is to be said of it beside its value; may be empty
	Class string // of the style: new, gone, or nothing
}

// widths are the forms of a picture, of which the style shows the one that fits the window.
var widths = []struct {
	name               string // a class of the style
	wide, tall, gutter float64
}{{"wide", 1040, 520, 150}, {"middle", 640, 560, 72}, {"narrow", 350, 620, 34}}

// form is a picture drawn for windows of one width, in its own units.
type form struct {
	Name, Label, Role, Wide, Tall string
	Heads                         []nameLine
	Bands                         []drawnBand
	Areas                         []drawnArea
}

// drawnArea is an area with its place.
type drawnArea struct {
	Href, Tip, X, Y, Wide, Tall, Class string
	Hue                                int
	Lines                              []nameLine
}

// drawnBand is a band, or a line if it is thin.
type drawnBand struct {
	Path, Tip, Class string
	Hue              int
}

// nameLine is a line of text.
type nameLine struct{ X, Y, Class, Text string }

var formsTemplate = template.Must(template.New("forms").Parse(`<div class="forms">{{range .}}
<svg class="{{.Name}}" viewBox="0 0 {{.Wide}} {{.Tall}}" role="{{.Role}}" aria-label="{{.Label}}">{{range .Heads}}<text class="tick" x="{{.X}}" y="{{.Y}}">{{.Text}}</text>
{{end}}{{range .Bands}}<path class="{{.Class}} k{{.Hue}}" d="{{.Path}}"><title>{{.Tip}}</title></path>
{{end}}{{range .Areas}}{{if .Href}}<a href="#{{.Href}}">{{else}}<g>{{end}}<title>{{.Tip}}</title><svg x="{{.X}}" y="{{.Y}}" width="{{.Wide}}" height="{{.Tall}}"><rect class="area k{{.Hue}}{{with .Class}} {{.}}{{end}}" width="100%" height="100%"/>
{{- range .Lines}}<text x="7" y="{{.Y}}" class="{{.Class}}">{{.Text}}</text>{{end}}</svg>{{if .Href}}</a>{{else}}</g>{{end}}
{{end}}</svg>{{end}}
</div>
`))

// nameSizes are the heights of letters of names; the style has a class for each.
var nameSizes = []float64{30, 24, 19, 15, 12, 10}

const (
	areaMargin = 7.0
	valueSize  = 12.0 // the height of letters of values
	mostInLine = 15.0 // and of names that are in one line, at most
)

// box is a rectangle.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// tip says all of an area.
func (a *Area) tip() string {
	return Cut(strings.Join(a.Names, " · "), 3*NameLength) + ", " + a.value()
}

// value is the value with the note.
func (a *Area) value() string {
	if a.Note == "" {
		return a.Text
	}
	return a.Text + ", " + a.Note
}

// draw places the names of an area: all of them in the largest letters in which they fit, below each other or in one
// line, or else those that are not too wide, or the first ones in the smallest.
func (a *Area) draw(b box) drawnArea {
	wide, tall := b.right-b.left, b.bottom-b.top
	var names []string
	for _, name := range a.Names {
		names = append(names, Cut(name, 60))
	}
	d := drawnArea{Href: a.Href, Tip: a.tip(), X: at(b.left), Y: at(b.top),
		Wide: at(wide), Tall: at(tall), Hue: a.Hue, Class: a.Class}
	room := wide - 2*areaMargin
	size, found := nameSizes[len(nameSizes)-1], false
	for _, foot := range []float64{1.6 * valueSize, 0} { // with the value, or else without it
		for _, s := range nameSizes {
			for _, lines := range [][]string{names, {strings.Join(names, " · ")}} {
				longest := 0.0
				for _, name := range lines {
					longest = max(longest, measure(name))
				}
				fits := longest*s <= room && 1.2*s*float64(len(lines))+foot <= tall-areaMargin
				if fits && !found && (s <= mostInLine || len(lines) == len(names)) {
					names, size, found = lines, s, true
				}
			}
		}
	}
	wider := func(name string) bool { return measure(name)*size > room }
	if narrow := slices.DeleteFunc(slices.Clone(names), wider); !found && 0 < len(narrow) && len(narrow) < len(names) {
		fewer := *a
		fewer.Names = narrow
		some := fewer.draw(b)
		some.Tip = d.Tip
		return some
	}
	y := areaMargin / 2
	for n, name := range append(names, a.value()) {
		step := 1.2 * size
		if n == len(names) {
			size, step = valueSize, 1.6*valueSize
		}
		for n := safetext.Width(name) - 1; wider(name) && n >= 5; n-- {
			name = safetext.Shorten(name, n)
		}
		if y+step > tall-areaMargin/2 || wider(name) {
			continue
		}
		y += step
		d.Lines = append(d.Lines, nameLine{"7", at(y), "t" + at(size), name})
	}
	return d
}

// line is draw in one line, in the letters of values: with as many names, and as much of the note and the value, as fit.
func (a *Area) line(b box) drawnArea {
	d := a.draw(b)
	room := (b.right-b.left-2*areaMargin)/valueSize - 0.2
	var names []string
	for _, name := range a.Names {
		names = append(names, Cut(name, NameLength))
	}
	for _, more := range []string{a.value(), a.Note, a.Text, ""} {
		for n := len(names); n > 0; n-- {
			if next := strings.Join(names[:n], " · ") + "  " + more; measure(next) <= room {
				d.Lines = []nameLine{{"7", at((b.bottom-b.top)/2 + 4), "t" + at(valueSize), next}}
				return d
			}
		}
	}
	for n := safetext.Width(names[0]) - 1; measure(names[0]) > room && n >= 3; n-- {
		names[0] = safetext.Shorten(names[0], n)
	}
	d.Lines = []nameLine{{"7", at((b.bottom-b.top)/2 + 4), "t" + at(valueSize), names[0]}}
	return d
}

// measure returns how wide a text is in letters of height 1, in the widest of the fonts of the style.
func measure(text string) (width float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijlI'.,:;|· ", r):
			width += 0.34
		case strings.ContainsRune("frt!()[]/-", r):
			width += 0.42
		case strings.ContainsRune("cskvxyz_", r):
			width += 0.6
		case strings.ContainsRune("w+<=>#~", r):
			width += 0.84
		case strings.ContainsRune("mMW@%…—", r):
			width += 1
		case safetext.Width(string(r)) > 1:
			width += 1.05
		case unicode.IsUpper(r):
			width += 0.79
		default:
			width += 0.64
		}
	}
	return width
}
