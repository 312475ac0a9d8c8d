// This file shows a choice to readers: in sentences, and on a page with the spectrum, figures by the number of topics,
// and the table of all figures.

package choose

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"anchorage/internal/page"
)

// WritePage writes a page with the recommendation, the charts and the table. It loads nothing.
func (c *Choice) WritePage(w io.Writer) error {
	table := c.figureTable()
	var charts template.HTML
	for i := range figures {
		charts += c.chart(&figures[i])
	}
	p := page.Page{Title: fmt.Sprintf("%d topics", c.Topics), Subtitle: c.Sentence(), Footer: c.Learned(),
		Sections: []page.Section{
			{ID: "spectrum", Title: "Spectrum", Body: c.spectrumChart()}, {ID: "figures", Title: "Figures", Body: charts +
				table.HTML()}}}
	return p.Write(w)
}

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
		XName: "rank", Lines: []page.Line{line, edge}, Marks: c.marks(), Log: true, WholeX: true}
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
		XName: "topics", Lines: []page.Line{line}, Marks: c.marks(), WholeX: true}
	return chart.HTML()
}

// marks marks the recommended number.
func (c *Choice) marks() []page.Mark {
	return []page.Mark{{X: float64(c.Topics), Name: fmt.Sprint(c.Topics)}}
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
		"predicted. Their topics are not refined.",
		c.Documents, c.Held, c.HeldTokens)
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
