// This file writes a choice as a page for readers.

package choose

import (
	"html/template"
	"io"
)

// page is the whole page: it needs nothing else. The style is the only one that its policy allows.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>{{.Choice.Topics}} topics</title>
<style>body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse;font-size:13px}th,td{padding:2px 8px;text-align:right;border-bottom:1px solid #ddd}tr.chosen{font-weight:bold;background:#fdf3ea}
div{overflow-x:auto}svg{max-width:100%;height:auto}dt{font-weight:bold;float:left;clear:left;margin-right:.6em}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}tr.chosen{background:#3a2a1a}th,td{border-color:#444}}</style></head><body>
<h1>{{.Choice.Topics}} topics</h1>
<p>{{.Sentence}}</p>
<p>{{.Learned}}</p>
{{.Chart}}
<h2>Figures</h2>
<div><table><thead><tr><th scope="col">topics</th>{{range .Names}}<th scope="col">{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr{{if .Chosen}} class="chosen"{{end}}><th scope="row">{{.Topics}}</th>{{range .Values}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
<dl>{{range .Help}}<dt>{{.Name}}</dt><dd>{{.Text}}</dd>{{end}}</dl>
</body></html>
`))

// WritePage writes a page with the recommendation, the chart and the table. It refers to nothing else.
func (c *Choice) WritePage(w io.Writer) error {
	type row struct {
		Topics int
		Chosen bool
		Values []string
	}
	type help struct{ Name, Text string }
	of := struct {
		Choice            *Count
		Sentence, Learned string
		Chart             template.HTML // made of numbers and constants alone
		Names             []string
		Rows              []row
		Help              []help
	}{Choice: &c.Count, Sentence: c.Sentence(), Learned: c.Learned(), Chart: template.HTML(c.svg())}
	for _, f := range figures {
		of.Names, of.Help = append(of.Names, f.name), append(of.Help, help{f.name, f.help})
	}
	for i := range c.Candidates {
		r := row{Topics: c.Candidates[i].Topics, Chosen: c.Candidates[i].Topics == c.Topics}
		for _, f := range figures {
			r.Values = append(r.Values, f.short(&c.Candidates[i]))
		}
		of.Rows = append(of.Rows, r)
	}
	return page.Execute(w, of)
}
