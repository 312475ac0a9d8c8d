// This file makes lists of names with bars.

package page

import (
	"html/template"
	"math"
)

// BarSteps is the number of lengths that bars have. The style has a class for each, since the policy lets no element
// have its own style.
const BarSteps = 50

// Bar is a name with an amount.
type Bar struct {
	Name  string // from data
	Value float64
	Text  string // the value as text
}

// Bars is a list of names with bars. The values are beside them as text, so that the bars are decoration.
type Bars struct {
	Label string // what the list is, for readers who do not see it
	List  []Bar
}

var barsTemplate = template.Must(template.New("bars").Parse(`<ol class="bars" aria-label="{{.Label}}">{{range .List}}
<li><bdi{{with .Full}} title="{{.}}"{{end}}>{{.Name}}</bdi><i class="w{{.Length}}"></i><small>{{.Text}}</small></li>{{end}}
</ol>
`))

// HTML returns the list.
func (b *Bars) HTML() template.HTML {
	type row struct {
		Name, Full, Text string
		Length           int
	}
	most := 0.0 // the value of a full bar
	for _, bar := range b.List {
		most = max(most, bar.Value)
	}
	var rows []row
	for _, bar := range b.List {
		length := 0.0
		if most > 0 && bar.Value > 0 {
			length = min(BarSteps*bar.Value/most, BarSteps)
		}
		name, full := Name(bar.Name), ""
		if name != bar.Name {
			full = Cut(bar.Name, 200)
		}
		rows = append(rows, row{name, full, bar.Text, int(math.Ceil(length))})
	}
	return Render(barsTemplate, struct {
		Label string
		List  []row
	}{b.Label, rows})
}
