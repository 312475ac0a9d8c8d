// This file shows a choice to readers: in sentences, and on a page with the spectrum, figures by the number of topics,
// and the table of all figures.

package choose

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"anchorage/internal/page"
)

// WritePage writes a page with the recommendation, the topics of each candidate, the charts and the table. It loads
// nothing.
func (c *Choice) WritePage(w io.Writer) error {
	table := c.figureTable()
	var charts template.HTML
	for i := range figures {
		charts += c.chart(&figures[i])
	}
	charts = `<div class="pair">` + charts + "</div>"
	p := page.Page{Title: fmt.Sprintf("%d topics", c.Topics), Subtitle: c.Sentence(), Footer: c.Learned(),
		Sections: []page.Section{{ID: "topics", Title: "Topics by their number", Short: "Topics", Body: c.steps()},
			{ID: "spectrum", Title: "Spectrum", Body: c.spectrumChart()},
			{ID: "figures", Title: "Figures", Body: charts + table.HTML()}}}
	return p.Write(w)
}

// step is what the page shows of a candidate.
type step struct {
	Topics                 int
	Mark, Figures, Failure string
	Picture                template.HTML
}

var stepsTemplate = template.Must(template.New("steps").Parse(`<p class="note">{{.About}}</p>
<div id="steps"><div class="controls slider" hidden><label>Topics
<input type="range" min="0" max="{{.Last}}" value="{{.Chosen}}" list="marks"></label>
<datalist id="marks">{{range $i, $step := .Steps}}{{with .Mark}}<option value="{{$i}}" label="{{.}}"></option>{{end}}
{{end}}</datalist><output class="visually-hidden"></output></div>
{{range .Steps}}<div class="step" data-name="{{.Topics}} topics{{with .Mark}}: {{.}}{{end}}">
<h3>{{.Topics}} topics {{with .Mark}}<span class="verdict good">{{.}}</span>{{end}}</h3>
<p class="note">{{.Figures}}</p>{{with .Failure}}<p>{{.}}</p>{{end}}{{.Picture}}</div>
{{end}}</div>`))

// steps shows the topics of every candidate; the script shows one at a time, with a slider.
func (c *Choice) steps() template.HTML {
	data := struct {
		About        string
		Last, Chosen int
		Steps        []step
	}{Last: len(c.Candidates) - 1, About: "Area: share of all tokens. Colour: topics that are alike. There: the number " +
		"that the documents show. Readable: the greatest number, up to that, of which the topics can be read."}
	for i := range c.Candidates {
		of := &c.Candidates[i]
		one := step{Topics: of.Topics, Mark: c.mark(of.Topics), Picture: of.picture, Failure: of.Failure}
		if of.Topics == c.Topics {
			data.Chosen = i
		}
		var said []string
		for f := range figures {
			if text := figures[f].short(of); figures[f].chart != "" && text != "" {
				said = append(said, figures[f].chart+" "+strings.ReplaceAll(text, "-", "−"))
			}
		}
		one.Figures = strings.Join(said, " · ")
		data.Steps = append(data.Steps, one)
	}
	return page.Render(stepsTemplate, data)
}

// mark says what a number of topics is; empty for most. If the one that is there was not solved, the nearest is marked.
func (c *Choice) mark(topics int) string {
	away := func(of Candidate) float64 { return math.Abs(math.Log(float64(of.Topics) / float64(c.There))) }
	nearest := slices.MinFunc(c.Candidates, func(a, b Candidate) int { return cmp.Compare(away(a), away(b)) }).Topics
	switch {
	case topics == c.Topics && c.There <= 0:
		return "there, and readable"
	case topics == c.Topics:
		return "readable"
	case topics == nearest && c.There > 0:
		return fmt.Sprintf("about %d are there", c.There)
	}
	return ""
}

// mostPictured is how many topics of a candidate the page shows.
const mostPictured = 24

// mostMarked is the most points that a line marks one by one.
const mostMarked = 40

// spectrumChart shows the eigenvalues against the noise.
func (c *Choice) spectrumChart() template.HTML {
	line := page.Line{Name: "eigenvalue", Points: len(c.Values) <= mostMarked}
	edge := page.Line{Name: "noise", X: []float64{1, float64(len(c.Values))}, Y: []float64{1, 1}}
	for i, v := range c.Values {
		line.X, line.Y = append(line.X, float64(i+1)), append(line.Y, v/c.Edge)
	}
	chart := page.Lines{Chart: page.Chart{ID: "eigenvalues", Title: "Eigenvalues",
		About: fmt.Sprintf("The %d leading eigenvalues of the co-occurrences, divided by the greatest that noise has.",
			len(c.Values)),
		Note: "Divided by the greatest eigenvalue of noise. Topics are above 1."},
		XName: "rank", Lines: []page.Line{line, edge}, Marks: c.marks(), Log: true}
	return chart.HTML()
}

// chart shows a figure by the number of topics; nothing without two known values.
func (c *Choice) chart(f *figure) template.HTML {
	line := page.Line{Points: true}
	for i := range c.Candidates {
		of := &c.Candidates[i]
		if v := f.value(of); of.Failure == "" && !math.IsNaN(v) && !math.IsInf(v, 0) {
			line.X, line.Y = append(line.X, float64(of.Topics)), append(line.Y, v)
		}
	}
	if f.chart == "" || len(line.X) < 2 {
		return ""
	}
	chart := page.Lines{Chart: page.Chart{ID: f.name, Title: f.chart, Note: f.help, About: "A curve of " + f.help +
		" by the number of topics. The table has the values."},
		XName: "topics", Lines: []page.Line{line}, Marks: c.marks()}
	return chart.HTML()
}

// marks marks the recommended number, and the one that is there.
func (c *Choice) marks() []page.Mark {
	if c.There <= 0 {
		return []page.Mark{{X: float64(c.Topics), Name: fmt.Sprintf("%d there", c.Topics)}}
	}
	return []page.Mark{{X: float64(c.Topics), Name: fmt.Sprintf("%d readable", c.Topics)},
		{X: float64(c.There), Name: fmt.Sprintf("%d there", c.There)}}
}

// figureTable has a row per candidate. The recommended one is marked.
func (c *Choice) figureTable() page.Table {
	t := page.Table{Caption: "Figures by the number of topics", Columns: []page.Column{{Name: "topics", Numeric: true}}}
	for _, f := range figures {
		t.Columns = append(t.Columns, page.Column{Name: f.name, Note: f.help, Numeric: true})
	}
	_, rows := c.Table()
	for i, row := range rows {
		if c.Candidates[i].Topics == c.Topics {
			row[0] = "✓ " + row[0]
		}
		var cells []page.Cell
		for _, text := range row {
			cells = append(cells, page.Text(text))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// Sentence says the recommendation, its interval and its reason.
func (c *Count) Sentence() string {
	var b strings.Builder
	if c.There > 0 {
		fmt.Fprintf(&b, "%d topics, because with more the certificate was not good. The documents show %d", c.Topics, c.There)
	} else {
		fmt.Fprintf(&b, "%d topics", c.Topics)
	}
	switch {
	case c.Open:
		fmt.Fprintf(&b, ", from %d up, where the range ends with %d", c.Low, c.To)
	case c.Low < c.High:
		fmt.Fprintf(&b, ", from %d to %d", c.Low, c.High)
	}
	fmt.Fprintf(&b, ": %s.", c.Reason)
	return b.String()
}

// Learned says what the candidates were measured on.
func (c *Choice) Learned() string {
	return fmt.Sprintf("The candidates were learned from %d documents; %d others were held out, of which %d tokens were "+
		"predicted. Their topics are not refined.", c.Documents, c.Held, c.HeldTokens)
}

// Table returns the figures for people: a header and a row per candidate, all as text.
func (c *Choice) Table() (header []string, rows [][]string) { return c.rows((*figure).short) }

// rows returns a header and a row per candidate: the number of topics, and the figures as text.
func (c *Choice) rows(text func(*figure, *Candidate) string) (header []string, rows [][]string) {
	header = []string{"topics"}
	for _, f := range figures {
		header = append(header, f.name)
	}
	for i := range c.Candidates {
		of := &c.Candidates[i]
		row := []string{fmt.Sprint(of.Topics)}
		for f := range figures {
			row = append(row, text(&figures[f], of))
		}
		rows = append(rows, row)
	}
	return header, rows
}
