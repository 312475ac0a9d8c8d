// This file makes tables.

package page

import (
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Table is a table of text and numbers.
type Table struct {
	ID      string
	Caption string
	Columns []Column
	Rows    [][]Cell
	Sort    bool // the script lets readers sort the rows
	Search  bool // and search them
}

// Column is a column of a table. The first of a table names its rows.
type Column struct {
	Name    string
	Note    string // what it is, shown as a tip
	Numeric bool
}

// Cell is a cell of a table.
type Cell struct {
	Text string
	Href string // a place on the page; none if empty
	Data bool   // the text comes from data: it is set apart from the direction of what is around it
}

// Text is a cell of the page's own text, Name one of text from data, and Value and Whole are numbers.
func Text(s string) Cell     { return Cell{Text: s} }
func Named(s string) Cell    { return Cell{Text: Name(s), Data: true} }
func Value(v float64) Cell   { return Cell{Text: Number(v)} }
func Whole(n int64) Cell     { return Cell{Text: Count(n)} }
func Percent(v float64) Cell { return Cell{Text: Share(v)} }

var tableTemplate = template.Must(template.New("table").Parse(`{{if .Search}}<div class="controls" hidden><label for="{{.ID}}-search">Search</label>
<input type="search" id="{{.ID}}-search" data-search="{{.ID}}" autocomplete="off" spellcheck="false"><span id="{{.ID}}-found" class="muted" role="status"></span></div>
{{end}}<div class="scroll" tabindex="0" role="region" aria-label="{{.Caption}}"><table{{with .ID}} id="{{.}}"{{end}}{{if .Sort}} data-sort{{end}}><caption>{{.Caption}}</caption><thead><tr>
{{- range .Columns}}<th scope="col"{{if .Numeric}} class="n"{{end}}{{with .Note}} title="{{.}}"{{end}}>{{.Name}}</th>{{end}}</tr></thead><tbody>
{{- $columns := .Columns}}{{range .Rows}}
<tr>{{range $i, $cell := .}}{{if eq $i 0}}<th scope="row"{{else}}<td{{end}}{{if (index $columns $i).Numeric}} class="n"{{end}}>
{{- if .Href}}<a href="#{{.Href}}">{{end}}{{if .Data}}<bdi>{{.Text}}</bdi>{{else}}{{.Text}}{{end}}{{if .Href}}</a>{{end}}
{{- if eq $i 0}}</th>{{else}}</td>{{end}}{{end}}</tr>{{end}}
</tbody></table>{{if gt (len .Rows) 100}}<p class="print-note">Only the first 100 rows are printed.</p>{{end}}</div>
`))

// Add adds a row.
func (t *Table) Add(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// HTML returns the table.
func (t Table) HTML() template.HTML { return Render(tableTemplate, t) }

// Number returns a number with three significant digits, as people read it: 0.0123, 1,234,000, 1.2e-07.
func Number(v float64) string {
	switch abs := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v == 0:
		return "0"
	case abs < 1e-3 || abs >= 1e15:
		return minus(strconv.FormatFloat(v, 'e', 1, 64))
	case abs >= 1000:
		return minus(Count(int64(math.Round(v))))
	case abs >= 100:
		return minus(strconv.FormatFloat(v, 'f', 0, 64))
	default:
		return minus(strconv.FormatFloat(v, 'f', 2-int(math.Floor(math.Log10(abs))), 64))
	}
}

// Share returns a share, from 0 to 1, in percent.
func Share(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v == 0:
		return "0%"
	case math.Abs(v) < 0.0001:
		return minus(strconv.FormatFloat(100*v, 'e', 0, 64)) + "%"
	case math.Abs(v) < 0.01:
		return minus(strconv.FormatFloat(100*v, 'f', 2, 64)) + "%"
	default:
		return minus(strconv.FormatFloat(100*v, 'f', 1, 64)) + "%"
	}
}

// Count returns a whole number with its digits in groups of three.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// minus writes the sign of a number as people do.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }
