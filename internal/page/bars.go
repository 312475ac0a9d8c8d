// This file makes lists of names with bars.

package page

import (
	"html/template"
	"strconv"
)

// Bar is a name with an amount.
type Bar struct {
	Name  string // from data
	Value float64
	Text  string // the value as text
}

// Bars is a list of names with bars. The values stand beside them as text, so that the bars are decoration.
type Bars struct {
	Label string // what the list is, for readers who do not see it
	List  []Bar
	Most  float64 // the value of a full bar; the greatest of the list if 0
}

var barsTemplate = template.Must(template.New("bars").Parse(`<ol class="bars" aria-label="{{.Label}}">{{range .List}}
<li><bdi{{with .Full}} title="{{.}}"{{end}}>{{.Name}}</bdi><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="10"/><rect class="bar" width="{{.Length}}" height="10"/></svg><small>{{.Text}}</small></li>{{end}}
</ol>
`))

// HTML returns the list.
func (b *Bars) HTML() template.HTML {
	type row struct{ Name, Full, Length, Text string }
	most := b.Most
	if most == 0 {
		for _, bar := range b.List {
			most = max(most, bar.Value)
		}
	}
	var rows []row
	for _, bar := range b.List {
		length := 0.0
		if most > 0 && bar.Value > 0 {
			length = min(100*bar.Value/most, 100)
		}
		name, full := Name(bar.Name), ""
		if len(name) > 18 {
			full = name
		}
		rows = append(rows, row{name, full, strconv.FormatFloat(length, 'f', 0, 64), bar.Text})
	}
	return Render(barsTemplate, struct {
		Label string
		List  []row
	}{b.Label, rows})
}
