// This file makes charts of lines.

package page

import (
	"html/template"
	"math"
	"strings"
)

// Line is a series of values. Its points lie at X, whole numbers, which increase. Values that are not finite interrupt it.
type Line struct {
	Name   string // empty for a chart of one line
	X, Y   []float64
	Points bool // marks its points
}

// Mark is a vertical line with a name.
type Mark struct {
	X    float64
	Name string
}

// Lines is a chart of lines. Lines differ in colour and in dashes, and their names are at their ends.
type Lines struct {
	Chart
	XName, YName string
	Lines        []Line
	Marks        []Mark
	Log          bool // the values are positive and drawn by their logarithms
}

// dashes are those of the lines, in their order. More lines than these repeat them.
var dashes = []string{"", "7 4", "2 3", "9 3 2 3", "12 5", "4 2 1 2"}

const (
	linesWidth, linesHeight                    = 720, 330
	nameApart                                  = 17.0 // names at the ends of lines
	linesLeft, linesRight, linesTop, linesFoot = 64.0, 128.0, 18.0, 46.0
)

type drawnLine struct {
	Class  int
	Dash   string
	Path   string
	Points [][2]string
	Name   string
	End    [2]string
}

var linesTemplate = template.Must(template.New("lines").Parse(`{{range .YTicks}}<path class="grid" d="M{{$.Left}} {{.At}}H{{$.Right}}"/><text class="tick" x="{{$.Before}}" y="{{.At}}" dy="4" text-anchor="end">{{.Text}}</text>
{{end}}{{range .XTicks}}<text class="tick" x="{{.At}}" y="{{$.Under}}" text-anchor="middle">{{.Text}}</text>
{{end}}<path class="axis" d="M{{.Left}} {{.Top}}V{{.Foot}}H{{.Right}}"/>
<text class="tick" x="{{.Right}}" y="{{.Lowest}}" text-anchor="end">{{.XName}}</text><text class="tick" x="2" y="11">{{.YName}}</text>
{{range .Marks}}<path class="mark" d="M{{.At}} {{$.Top}}V{{$.Foot}}"/><text class="name halo" x="{{.At}}" dx="4" y="{{$.Top}}" dy="10">{{.Text}}</text>
{{end}}{{range $line := .Lines}}<path class="line l{{.Class}}"{{with .Dash}} stroke-dasharray="{{.}}"{{end}} d="{{.Path}}"/>
{{$class := .Class}}{{range .Points}}<circle class="f{{$class}}" cx="{{index . 0}}" cy="{{index . 1}}" r="2.6"/>{{end}}{{with .Name}}<text class="name halo" x="{{index $line.End 0}}" y="{{index $line.End 1}}" dx="6" dy="4">{{.}}</text>{{end}}
{{end}}`))

// HTML returns the chart.
func (l *Lines) HTML() template.HTML {
	x, y := l.axes()
	type picture struct {
		Left, Right, Top, Foot, Before, Under, Lowest string
		XName, YName                                  string
		XTicks, YTicks, Marks                         []tick
		Lines                                         []drawnLine
	}
	p := picture{Left: at(linesLeft), Right: at(x.last), Top: at(linesTop), Foot: at(linesHeight - linesFoot),
		Before: at(linesLeft - 7),
		Under:  at(linesHeight - linesFoot + 17), Lowest: at(linesHeight - 6), XName: l.XName, YName: l.YName,
		YTicks: y.ticks(5, false), XTicks: x.ticks(8, true)}
	for _, mark := range l.Marks {
		p.Marks = append(p.Marks, tick{at(x.place(mark.X)), mark.Name})
	}
	ends := make([]float64, 0, len(l.Lines))
	for i := range l.Lines {
		line := l.Lines[i].draw(&x, &y)
		line.Class, line.Dash = i%len(dashes)+1, dashes[i%len(dashes)]
		end := l.Lines[i].end(&x, &y)
		for moved := true; moved; { // names do not lie on each other
			moved = false
			for _, other := range ends {
				if math.Abs(other-end[1]) < nameApart {
					end[1], moved = other+nameApart, true
				}
			}
		}
		ends = append(ends, end[1])
		line.End = [2]string{at(end[0]), at(end[1])}
		p.Lines = append(p.Lines, line)
	}
	return l.figure(linesWidth, linesHeight, Render(linesTemplate, p))
}

// axes returns the axes that hold all lines.
func (l *Lines) axes() (x, y axis) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	see := func(i int, v float64) {
		if l.drawable(v) || i == 0 {
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	for _, line := range l.Lines {
		for i := range line.X {
			see(0, line.X[i])
			see(1, line.Y[i])
		}
	}
	for _, mark := range l.Marks {
		see(0, mark.X)
	}
	for i := range low {
		if low[i] > high[i] {
			low[i], high[i] = 1, 10
		}
	}
	if !l.Log {
		high[1] += (high[1] - low[1]) * 0.05
	}
	return newAxis(low[0], high[0], linesLeft, linesWidth-linesRight, false), newAxis(low[1], high[1],
		linesHeight-linesFoot, linesTop, l.Log)
}

func (l *Lines) drawable(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!l.Log || v > 0)
}

// draw returns the path of a line.
func (line *Line) draw(x, y *axis) drawnLine {
	var d drawnLine
	if line.Name != "" {
		d.Name = Short(line.Name, 20)
	}
	var path strings.Builder
	pen := "M"
	for i := range line.X {
		v := line.Y[i]
		if math.IsNaN(v) || math.IsInf(v, 0) || y.log && v <= 0 {
			pen = "M"
			continue
		}
		px, py := at(x.place(line.X[i])), at(y.place(v))
		path.WriteString(pen + px + " " + py)
		pen = "L"
		if line.Points {
			d.Points = append(d.Points, [2]string{px, py})
		}
	}
	d.Path = path.String()
	return d
}

// end returns where the last point of a line lies.
func (line *Line) end(x, y *axis) [2]float64 {
	for i := len(line.X) - 1; i >= 0; i-- {
		if v := line.Y[i]; !math.IsNaN(v) && !math.IsInf(v, 0) && (!y.log || v > 0) {
			return [2]float64{x.place(line.X[i]), y.place(v)}
		}
	}
	return [2]float64{x.last, y.last}
}
