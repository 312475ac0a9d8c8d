// This file makes maps of points, with the hull of some of them.

package page

import (
	"cmp"
	"html/template"
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
	Hue   int     // of a circle, from 1 to Hues
	Name  string  // beside it, where there is room; from data
	Tip   string  // shown when a reader points at it; from data
}

// Scatter is a map of points. Its axes have no unit, and the same scale.
type Scatter struct {
	Chart
	Points []Point
	Hull   []int // points in the order in which a line joins them; nil for none
	Links  [][2]int
	// Reach, if not 0, is how far from the origin the map goes in all directions; otherwise it holds all points.
	Reach float64
	// Width and Height are those of the map, in units in which its letters are 11 high; 720 and 480 if 0.
	Width, Height int
}

const scatterMargin = 26.0

type drawnPoint struct {
	X, Y, R string // of a circle
	Path    string // of a diamond
	Tip     string
	Hue     int
}

type label struct{ X, Y, Anchor, Text string }

var scatterTemplate = template.Must(template.New("scatter").Parse(`{{with .Dots}}<path class="dot" d="{{.}}"/>
{{end}}{{with .Hull}}<path class="hull" d="{{.}}"/>
{{end}}{{with .Links}}<path class="link" d="{{.}}"/>
{{end}}{{range .Circles}}<circle class="topic k{{.Hue}}" cx="{{.X}}" cy="{{.Y}}" r="{{.R}}">{{with .Tip}}<title>{{.}}</title>{{end}}</circle>
{{end}}{{range .Diamonds}}<path class="anchor" d="{{.Path}}">{{with .Tip}}<title>{{.}}</title>{{end}}</path>
{{end}}{{range .Labels}}<text class="name halo" x="{{.X}}" y="{{.Y}}" text-anchor="{{.Anchor}}">{{.Text}}</text>
{{end}}`))

// HTML returns the map. Dots are one path, so that thousands take little room.
func (s *Scatter) HTML() template.HTML {
	width, height := cmp.Or(s.Width, 720), cmp.Or(s.Height, 480)
	place := s.fit(float64(width), float64(height))
	var dots, hull, links strings.Builder
	var circles, diamonds []drawnPoint
	for i := range s.Points {
		p := &s.Points[i]
		x, y := place(p)
		tip := ""
		if p.Tip != "" {
			tip = Cut(p.Tip, 200)
		}
		switch p.Shape {
		case Dot:
			dots.WriteString("M" + at(x-1.5) + " " + at(y) + "a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0")
		case Diamond:
			diamonds = append(diamonds, drawnPoint{Path: "M" + at(x) + " " + at(y-6) + "l5.5 6-5.5 6-5.5-6z", Tip: tip})
		case Circle:
			circles = append(circles, drawnPoint{X: at(x), Y: at(y), R: at(p.radius()), Tip: tip, Hue: p.Hue})
		}
	}
	pen := "M"
	for _, i := range s.Hull {
		x, y := place(&s.Points[i])
		hull.WriteString(pen + at(x) + " " + at(y))
		pen = "L"
	}
	if len(s.Hull) > 0 {
		hull.WriteString("z")
	}
	for _, link := range s.Links {
		x, y := place(&s.Points[link[0]])
		x2, y2 := place(&s.Points[link[1]])
		links.WriteString("M" + at(x) + " " + at(y) + "L" + at(x2) + " " + at(y2))
	}
	return s.figure(width, height, Render(scatterTemplate, struct {
		Dots, Hull, Links string
		Circles, Diamonds []drawnPoint
		Labels            []label
	}{dots.String(), hull.String(), links.String(), circles, diamonds, s.labels(place, float64(width), float64(height))}))
}

// radius is that of a circle.
func (p *Point) radius() float64 { return 4 + 22*p.Size }

// fit returns where points lie on the map.
func (s *Scatter) fit(width, height float64) func(p *Point) (x, y float64) {
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
	wide, tall := width-2*scatterMargin-80, height-2*scatterMargin // names need room at the right
	scale := 1.0
	if w, h := high[0]-low[0], high[1]-low[1]; w > 0 || h > 0 {
		scale = min(wide/max(w, 1e-300), tall/max(h, 1e-300))
	}
	middle := [2]float64{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2}
	return func(p *Point) (x, y float64) {
		return scatterMargin + wide/2 + (p.X-middle[0])*scale, height/2 - (p.Y-middle[1])*scale
	}
}

// box is a rectangle that is taken.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// try is a place for a name.
type try struct {
	x, y, left float64
	anchor     string
}

// labels returns the names for which there is room, those of the largest points first.
func (s *Scatter) labels(place func(*Point) (x, y float64), width, height float64) (labels []label) {
	var order []int
	var taken []box
	for i := range s.Points {
		p := &s.Points[i]
		if p.Shape == Dot {
			continue
		}
		order = append(order, i)
		if p.Shape == Diamond {
			x, y := place(p)
			taken = append(taken, box{x - 5, y - 5, x + 5, y + 5})
		}
	}
	middle := 0.0
	for _, i := range s.Hull {
		x, _ := place(&s.Points[i])
		middle += x / float64(len(s.Hull))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Points[b].Size, s.Points[a].Size) })
	for _, i := range order {
		p := &s.Points[i]
		if p.Name == "" {
			continue
		}
		text := Cut(p.Name, 22)
		x, y := place(p)
		gap, long := 8.0, 11*measure(text)
		if p.Shape == Circle {
			gap = p.radius() + 3
		}
		tries := []try{{x + gap, y + 4, x + gap, "start"}, {x - gap, y + 4, x - gap - long, "end"}, {x, y - gap - 2,
			x - long/2, "middle"}, {x, y + gap + 9, x - long/2, "middle"}, {x, y + 4, x - long/2, "middle"}}
		if len(s.Hull) > 0 && x < middle { // names of corners lie outside of the hull
			tries[0], tries[1] = tries[1], tries[0]
		}
		for _, try := range tries {
			b := box{try.left - 1, try.y - 10, try.left + long + 1, try.y + 3}
			if b.left < 0 || b.right > width || b.top < 0 || b.bottom > height || slices.ContainsFunc(taken, b.meets) ||
				try.y == y+4 && try.x == x && p.Shape != Circle {
				continue
			}
			taken = append(taken, b)
			labels = append(labels, label{at(try.x), at(try.y), try.anchor, text})
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
