// This file has what all charts share: the figure around a chart, and axes.

package page

import (
	"html/template"
	"math"
	"strconv"
)

// Chart is what every chart has around it.
type Chart struct {
	ID    string // unique on the page
	Title string
	About string // says in a sentence or two what the chart shows, for readers who do not see it
	Note  string // below the title, for all readers
	// Behind are the values that the chart shows. A chart that leaves out values says so in its caption.
	Behind Table

	linked bool // it has links, and so is no mere image to those who do not see it
}

var frameTemplate = template.Must(template.New("frame").Parse(`<figure id="{{.Chart.ID}}"><figcaption><h3>{{.Chart.Title}}</h3>{{with .Chart.Note}}<p class="note">{{.}}</p>{{end}}</figcaption>
{{.Body}}{{if .Chart.Behind.Columns}}<details><summary>Table: {{.Chart.Behind.Caption}}</summary>
{{.Chart.Behind.HTML}}</details>
{{end}}</figure>
`))

var figureTemplate = template.Must(template.New("figure").Parse(`<div class="chart" tabindex="0" role="group" aria-label="{{.Chart.Title}}"><svg viewBox="0 0 {{.Width}} {{.Height}}" role="{{.Role}}" aria-labelledby="{{.Chart.ID}}-title {{.Chart.ID}}-about"><title id="{{.Chart.ID}}-title">{{.Chart.Title}}</title><desc id="{{.Chart.ID}}-about">{{.Chart.About}}</desc>
{{.Shapes}}</svg></div>
`))

// figure returns a chart of one form with its frame.
func (c *Chart) figure(width, height int, shapes template.HTML) template.HTML {
	return c.frame(Render(figureTemplate, struct {
		Chart         *Chart
		Role          string
		Width, Height int
		Shapes        template.HTML
	}{c, c.role(), width, height, shapes}))
}

// frame returns what is drawn with the title of the chart and its table.
func (c *Chart) frame(body template.HTML) template.HTML {
	return Render(frameTemplate, struct {
		Chart *Chart
		Body  template.HTML
	}{c, body})
}

func (c *Chart) role() string {
	if c.linked {
		return "group"
	}
	return "img"
}

// at returns a coordinate with at most a digit after the point.
func at(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// axis maps values to a stretch of a chart.
type axis struct {
	low, high   float64 // of values; of their logarithms if log
	first, last float64 // of the chart
	log         bool
}

// tick is a mark on an axis.
type tick struct {
	At   string
	Text string
}

// newAxis returns an axis for values from low to high.
func newAxis(low, high, first, last float64, log bool) axis {
	if log {
		low, high = math.Log10(low), math.Log10(high)
		low, high = low-0.06*(high-low), high+0.06*(high-low)
	}
	if !(high > low) {
		low, high = low-0.5, low+0.5
	}
	return axis{low, high, first, last, log}
}

// place returns where a value lies.
func (a *axis) place(v float64) float64 {
	if a.log {
		v = math.Log10(v)
	}
	return a.first + (v-a.low)/(a.high-a.low)*(a.last-a.first)
}

// ticks returns about n marks at round values.
func (a *axis) ticks(n int, whole bool) (marks []tick) {
	if a.log && a.high-a.low < 3 {
		return a.fewDecades()
	}
	step := (a.high - a.low) / float64(n)
	scale := math.Pow(10, math.Floor(math.Log10(step)))
	for _, round := range []float64{1, 2, 5, 10} {
		if round*scale >= step*0.999 {
			step = round * scale
			break
		}
	}
	if whole || a.log {
		step = max(1, math.Round(step))
	}
	for i := math.Ceil(a.low/step - 1e-9); i*step <= a.high+1e-9*step; i++ {
		v := i * step
		text := ""
		if a.log {
			text = power(1, v)
		} else {
			text = minus(strconv.FormatFloat(math.Round(v/step)*step+0, 'f', max(0, int(math.Ceil(-math.Log10(step)-1e-9))), 64))
		}
		marks = append(marks, tick{at(a.first + (v-a.low)/(a.high-a.low)*(a.last-a.first)), text})
	}
	return marks
}

// fewDecades returns marks at 1, 2 and 5 times powers of ten, or only at the first if those are many.
func (a *axis) fewDecades() (marks []tick) {
	digits := []float64{1, 2, 5}
	if a.high-a.low > 2 {
		digits = digits[:1]
	}
	for exponent := math.Floor(a.low); exponent <= a.high; exponent++ {
		for _, digit := range digits {
			if v := exponent + math.Log10(digit); v >= a.low && v <= a.high {
				marks = append(marks, tick{at(a.first + (v-a.low)/(a.high-a.low)*(a.last-a.first)), power(digit, exponent)})
			}
		}
	}
	return marks
}

// power returns digit·10^exponent as text.
func power(digit, exponent float64) string {
	if exponent >= -3 && exponent <= 4 {
		return strconv.FormatFloat(digit*math.Pow(10, exponent), 'g', 6, 64)
	}
	return minus(strconv.FormatFloat(digit, 'f', 0, 64) + "e" + strconv.Itoa(int(exponent)))
}
