// This file makes maps of points, with the hull of some of them.

package page

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Shape is how a point of a map looks.
type Shape int

// The shapes.
const (
	Dot     Shape = iota // a small one, without a name
	Diamond              // an anchor
	Circle               // with an area in proportion to Size
)

// Point is a point of a map.
type Point struct {
	X, Y  float64
	Shape Shape
	Size  float64 // from 0 to 1, of a circle
	Hue   int     // of a circle or a dot, from 1 to Hues; 0 of a dot has none
	Fade  int     // from 0 to 3: how little the place of a circle says
	Name  string  // beside it, where there is room; of a dot, shown when a reader points at it; from data
	Tip   string  // shown when a reader points at a diamond or a circle; from data
	Href  string  // the id of the place on the page that a circle leads to
}

// Scatter is a map of points. Its axes have no unit, and the same scale.
type Scatter struct {
	Chart
	Points []Point
	Hull   []int // points in the order in which a line joins them; nil for none
	Links  [][2]int
	// Reach, if not 0, is how far from the origin the map goes in all directions; otherwise it holds all points.
	Reach float64
	// Width and Height are those of the map, in units in which its letters are 11 high. Without them it is drawn once for
	// each width of window.
	Width, Height int
}

const scatterMargin = 26.0

type drawnPoint struct {
	X, Y, R string // of a circle
	Path    string // of a diamond
	Tip     string
	Hue     int
	Fade    int
	Href    string
}

// label is a name; Leader is a line from the point to a name that is not beside it, Href the place that it leads to.
type label struct{ X, Y, Anchor, Text, Leader, Href string }

var scatterTemplate = template.Must(template.New("scatter").Parse(`{{range $hue, $dots := .Dots}}{{if $dots.Path}}<path class="dot k{{$hue}}" d="{{$dots.Path}}" data-names="{{$dots.Names}}"/>
{{end}}{{end}}{{with .Hull}}<path class="hull" d="{{.}}"/>
{{end}}{{with .Links}}<path class="link" d="{{.}}"/>
{{end}}{{range .Circles}}{{if .Href}}<a href="#{{.Href}}" aria-label="{{.Tip}}">{{end}}<circle class="topic k{{.Hue}}{{with .Fade}} fade{{.}}{{end}}" cx="{{.X}}" cy="{{.Y}}" r="{{.R}}">{{with .Tip}}<title>{{.}}</title>{{end}}</circle>{{if .Href}}</a>{{end}}
{{end}}{{range .Diamonds}}<path class="anchor" d="{{.Path}}">{{with .Tip}}<title>{{.}}</title>{{end}}</path>
{{end}}{{range .Labels}}{{with .Leader}}<path class="link" d="{{.}}"/>{{end}}{{with .Href}}<a href="#{{.}}" tabindex="-1">{{end}}<text class="name halo" x="{{.X}}" y="{{.Y}}" text-anchor="{{.Anchor}}">{{.Text}}</text>{{with .Href}}</a>{{end}}
{{end}}`))

// dots are those of a hue: one path, so that thousands take little room. The script shows the names, a line each, in
// the order of the path.
type dots struct {
	Path  strings.Builder
	Names []string
}

// scatterForm is a map drawn for windows of one width.
type scatterForm struct {
	Name, Title, About, Role, Wide, Tall string
	Shapes                               template.HTML
}

var scatterForms = template.Must(template.New("forms").Parse(`<div class="forms">{{range .}}
<svg class="{{.Name}}" viewBox="0 0 {{.Wide}} {{.Tall}}" role="{{.Role}}" aria-label="{{.Title}}"><title>{{.Title}}</title><desc>{{.About}}</desc>{{.Shapes}}</svg>{{end}}
</div>
`))

// HTML returns the map.
func (s *Scatter) HTML() template.HTML {
	s.linked = slices.ContainsFunc(s.Points, func(p Point) bool { return p.Href != "" })
	if s.Width > 0 {
		return s.figure(s.Width, s.Height, s.shapes(float64(s.Width), float64(s.Height)))
	}
	var forms []scatterForm
	for _, w := range widths {
		tall := min(560, 1.3*w.wide)
		forms = append(forms, scatterForm{w.name, s.Title, s.About, s.role(), at(w.wide), at(tall),
			s.shapes(w.wide, tall)})
	}
	return s.frame(Render(scatterForms, forms))
}

// shapes draws the map.
func (s *Scatter) shapes(width, height float64) template.HTML {
	places := s.places(width, height)
	var hull, links strings.Builder
	var all [Hues + 1]dots
	var circles, diamonds []drawnPoint
	for i := range s.Points {
		p := &s.Points[i]
		x, y := places[i][0], places[i][1]
		tip := ""
		if p.Tip != "" {
			tip = Cut(p.Tip, 200)
		}
		switch p.Shape {
		case Dot:
			all[p.Hue].Path.WriteString("M" + at(x-1.5) + " " + at(y) + "a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0")
			all[p.Hue].Names = append(all[p.Hue].Names, Name(p.Name))
		case Diamond:
			diamonds = append(diamonds, drawnPoint{Path: "M" + at(x) + " " + at(y-6) + "l5.5 6-5.5 6-5.5-6z", Tip: tip})
		case Circle:
			circles = append(circles, drawnPoint{X: at(x), Y: at(y), R: at(p.radius(width)), Tip: tip, Hue: p.Hue, Fade: p.Fade,
				Href: p.Href})
		}
	}
	pen := "M"
	for _, i := range s.Hull {
		hull.WriteString(pen + at(places[i][0]) + " " + at(places[i][1]))
		pen = "L"
	}
	if len(s.Hull) > 0 {
		hull.WriteString("z")
	}
	for _, link := range s.Links {
		from, to := places[link[0]], places[link[1]]
		links.WriteString("M" + at(from[0]) + " " + at(from[1]) + "L" + at(to[0]) + " " + at(to[1]))
	}
	type hue struct{ Path, Names string }
	var hues [Hues + 1]hue
	for n := range all {
		hues[n] = hue{all[n].Path.String(), strings.Join(all[n].Names, "\n")}
	}
	return Render(scatterTemplate, struct {
		Dots              [Hues + 1]hue
		Hull, Links       string
		Circles, Diamonds []drawnPoint
		Labels            []label
	}{hues, hull.String(), links.String(), circles, diamonds, s.labels(places, width, height)})
}

// radius is that of a circle on a map of a width.
func (p *Point) radius(width float64) float64 {
	return (4 + 22*p.Size) * min(1, 0.3+0.7*width/widths[0].wide)
}

// places returns where points lie on the map: in proportion to their coordinates, but circles beside each other.
func (s *Scatter) places(width, height float64) [][2]float64 {
	var low, high [2]float64
	for i := range s.Points {
		for d, v := range [2]float64{s.Points[i].X, s.Points[i].Y} {
			if i == 0 || v < low[d] {
				low[d] = v
			}
			if i == 0 || v > high[d] {
				high[d] = v
			}
		}
	}
	if s.Reach > 0 {
		low, high = [2]float64{-s.Reach, -s.Reach}, [2]float64{s.Reach, s.Reach}
	}
	wide, tall := width-2*scatterMargin-min(80, width/8), height-2*scatterMargin // names need room at the right
	scale := 1.0
	if w, h := high[0]-low[0], high[1]-low[1]; w > 0 || h > 0 {
		scale = min(wide/max(w, 1e-300), tall/max(h, 1e-300))
	}
	middle := [2]float64{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2}
	places := make([][2]float64, len(s.Points))
	var circles []int
	for i := range s.Points {
		p := &s.Points[i]
		places[i] = [2]float64{scatterMargin + wide/2 + (p.X-middle[0])*scale, height/2 - (p.Y-middle[1])*scale}
		if p.Shape == Circle {
			circles = append(circles, i)
		}
	}
	for range separations {
		moved := false
		for n, i := range circles {
			for _, j := range circles[:n] {
				dx, dy := places[i][0]-places[j][0], places[i][1]-places[j][1]
				distance, least := math.Hypot(dx, dy), s.Points[i].radius(width)+s.Points[j].radius(width)+circleGap
				if distance >= least-0.01 {
					continue
				}
				if distance < 1e-6 { // no direction: one for every circle
					dy, dx = math.Sincos(float64(n))
					distance = 1
				}
				move := (least - min(distance, least)) / 2 / distance
				for k, d := range [2]float64{dx, dy} {
					places[i][k] += d * move
					places[j][k] -= d * move
				}
				moved = true
			}
		}
		for _, i := range circles {
			r := s.Points[i].radius(width) + 1
			places[i][0] = min(max(places[i][0], r), width-r)
			places[i][1] = min(max(places[i][1], r), height-r)
		}
		if !moved {
			break
		}
	}
	return places
}

const (
	separations = 300 // times that all circles that meet move apart
	circleGap   = 3.0
)

// try is a place for a name.
type try struct {
	x, y, left float64
	anchor     string
}

// clear reports that a line does not pass through any of the boxes.
func clear(from, to [2]float64, boxes []box) bool {
	for step := range 65 {
		t := float64(step) / 64
		x, y := from[0]+t*(to[0]-from[0]), from[1]+t*(to[1]-from[1])
		for _, b := range boxes {
			if b.left < x && x < b.right && b.top < y && y < b.bottom {
				return false
			}
		}
	}
	return true
}

// around returns the places of a name of a width beside a point at x, y, the best first: at a gap from it, and farther
// off, up to a distance.
func around(x, y, gap, farthest, long float64) (tries []try) {
	for _, far := range []float64{0, 16, 32, 52, 80, 120, 170} {
		if far > farthest {
			break
		}
		g := gap + far
		tries = append(tries, try{x + g, y + 4, x + g, "start"}, try{x - g, y + 4, x - g - long, "end"},
			try{x, y - g - 2, x - long/2, "middle"}, try{x, y + g + 9, x - long/2, "middle"})
		if far > 0 {
			d := 0.7 * g
			tries = append(tries, try{x + d, y + 4 - d, x + d, "start"}, try{x + d, y + 4 + d, x + d, "start"},
				try{x - d, y + 4 - d, x - d - long, "end"}, try{x - d, y + 4 + d, x - d - long, "end"})
		}
	}
	return tries
}

// labels returns the names for which there is room, those of the largest points first. Lines to names keep clear of
// other names; where that cannot be, narrow maps leave names out.
func (s *Scatter) labels(places [][2]float64, width, height float64) (labels []label) {
	var order []int
	var taken, names []box
	var leaders [][2][2]float64
	for i := range s.Points {
		p := &s.Points[i]
		if p.Shape == Dot {
			continue
		}
		order = append(order, i)
		x, y, r := places[i][0], places[i][1], 5.0
		if p.Shape == Circle {
			r = p.radius(width) * 0.85
		}
		taken = append(taken, box{x - r, y - r, x + r, y + r})
	}
	middle := 0.0
	for _, i := range s.Hull {
		middle += places[i][0] / float64(len(s.Hull))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Points[b].Size, s.Points[a].Size) })
	for _, i := range order {
		p := &s.Points[i]
		if p.Name == "" {
			continue
		}
		text := p.Name
		if width < widths[0].wide && p.Shape == Circle {
			text, _, _ = strings.Cut(text, " · ") // the first of its names: more topics get one
		}
		text = Short(text, 36)
		x, y := places[i][0], places[i][1]
		gap, long := 8.0, 11*measure(text)
		farthest := 0.0
		if p.Shape == Circle {
			gap, farthest = p.radius(width)+3, width/6
		}
		tries := around(x, y, gap, farthest, long)
		kinds := len(tries)
		if len(s.Hull) > 0 && x < middle { // names of corners lie outside of the hull
			tries[0], tries[1] = tries[1], tries[0]
		}
		if len(s.Hull) > 0 && y > height/2 {
			tries[2], tries[3] = tries[3], tries[2]
		}
		if width >= widths[0].wide {
			tries = append(tries, tries...)
		}
		for n, try := range tries {
			b := box{try.left - 1, try.y - 10, try.left + long + 1, try.y + 3}
			strict := n < kinds
			n %= kinds
			if b.left < 0 || b.right > width || b.top < 0 || b.bottom > height || slices.ContainsFunc(taken, b.meets) ||
				strict && slices.ContainsFunc(leaders, func(l [2][2]float64) bool { return !clear(l[0], l[1], []box{b}) }) {
				continue
			}
			leader := ""
			if n >= 4 { // no longer beside the circle
				dx, dy := try.x-x, try.y-4-y
				edge := p.radius(width) / math.Hypot(dx, dy)
				line := [2][2]float64{{x + dx*edge, y + dy*edge}, {try.x, try.y - 4}}
				if strict && !clear(line[0], line[1], names) {
					continue
				}
				leader = "M" + at(line[0][0]) + " " + at(line[0][1]) + "L" + at(line[1][0]) + " " + at(line[1][1])
				leaders = append(leaders, line)
			}
			taken, names = append(taken, b), append(names, b)
			labels = append(labels, label{at(try.x), at(try.y), try.anchor, text, leader, p.Href})
			break
		}
	}
	return labels
}

// Hull returns the vertices of the convex hull of points, counterclockwise (Andrew, Inf. Process. Lett. 9, 1979).
func Hull(points [][2]float64) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(points[a][0], points[b][0]), cmp.Compare(points[a][1], points[b][1]), cmp.Compare(a, b))
	})
	order = slices.CompactFunc(order, func(a, b int) bool { return points[a] == points[b] })
	if len(order) < 3 {
		return order
	}
	left := func(a, b, c int) bool {
		p, q, r := points[a], points[b], points[c]
		return (q[0]-p[0])*(r[1]-p[1])-(q[1]-p[1])*(r[0]-p[0]) > 0
	}
	half := func() (chain []int) {
		for _, i := range order {
			for len(chain) >= 2 && !left(chain[len(chain)-2], chain[len(chain)-1], i) {
				chain = chain[:len(chain)-1]
			}
			chain = append(chain, i)
		}
		return chain[:len(chain)-1]
	}
	lower := half()
	slices.Reverse(order)
	return append(lower, half()...)
}
