// This file shows the spectrum, and how the rectification came to rest.

package report

import (
	"fmt"
	"html/template"

	"anchorage/internal/page"
)

func (r *report) spectrum() (template.HTML, error) {
	values := r.m.Eigenvalues
	k := len(values)
	if k < 2 {
		return "", nil
	}
	line := page.Line{Name: "eigenvalue", Points: k <= 60}
	chart := page.Lines{Chart: page.Chart{ID: "spectrum-chart", Title: "Eigenvalues of the co-occurrences",
		About: fmt.Sprintf("The %d leading eigenvalues of C before the rectification fall from %s to %s. The last that was "+
			"computed is that of K.", k, page.Number(values[0]), page.Number(values[k-1])),
		Note: fmt.Sprintf("K = %d. The last eigenvalue is %s of the first. Where the curve is still steep at K, more "+
			"topics may be found; where it is flat, the last ones can hardly be distinguished from noise.", r.m.Topics(),
			page.Share(values[k-1]/values[0])),
		Behind: page.Table{Caption: "Eigenvalues", Columns: columns("#Rank", "#Eigenvalue", "#Divided by the next")}},
		XName: "rank", YName: "eigenvalue", Log: true, WholeX: true,
		Marks: []page.Mark{{X: float64(r.m.Topics()), Name: "K"}}}
	for i, v := range values {
		line.X, line.Y = append(line.X, float64(i+1)), append(line.Y, v)
		next := page.Text("–")
		if i+1 < k {
			next = page.Value(v / values[i+1])
		}
		chart.Behind.Add(page.Whole(int64(i+1)), page.Value(v), next)
	}
	chart.Lines = []page.Line{line}
	return chart.HTML(), nil
}

func (r *report) course() (template.HTML, error) {
	record := r.m.Manifest.Rectify
	if record == nil || record.Iterations == 0 {
		return "", nil
	}
	facts := []fact{{"Method", record.Method}, {"Iterations", fmt.Sprint(record.Iterations)},
		{"Last change", page.Number(record.Change)},
		{"Came to rest", map[bool]string{true: "✓ yes", false: "! no"}[record.Converged]}}
	if n := record.Negative; n != nil {
		facts = append(facts, fact{"Least entry found", page.Number(-n.Epsilon)},
			fact{"Negative entries add up to", fmt.Sprintf("%s of the sum of all", page.Share(n.Mass))})
	}
	body := page.Render(factsTemplate, facts)
	steps := r.m.Course
	if r.m.Diagnostics == nil || len(steps) < 2 {
		return body, nil
	}
	chart := page.Lines{Chart: page.Chart{ID: "course", Title: "Change and corrections by iteration",
		About: fmt.Sprintf("Two curves over %d iterations: how much an iteration changed, and how much had to be "+
			"corrected. Both fall as the rectification comes to rest.", len(steps)),
		Note: "Change: relative to the matrix before. Corrected: the sum of what was added to entries below 0, where the " +
			"sum of all entries is 1.",
		Behind: page.Table{Caption: "Iterations", Columns: columns("#Iteration", "#Change", "#Corrected",
			"#Density|share of entries that were corrected", "#Shift")}},
		XName: "iteration", YName: "", Log: true, WholeX: true}
	change, corrected := page.Line{Name: "change", Points: true}, page.Line{Name: "corrected", Points: true}
	for i, step := range steps {
		x := float64(i + 1)
		change.X, change.Y = append(change.X, x), append(change.Y, step.Change)
		corrected.X, corrected.Y = append(corrected.X, x), append(corrected.Y, step.Corrections)
		chart.Behind.Add(page.Whole(int64(i+1)), page.Value(step.Change), page.Value(step.Corrections),
			page.Percent(step.Density), page.Value(step.Shift))
	}
	chart.Lines = []page.Line{change, corrected}
	return body + chart.HTML(), nil
}

var factsTemplate = template.Must(template.New("facts").Parse(
	`<dl class="facts">{{range .}}<dt>{{.Name}}</dt><dd>{{.Value}}</dd>{{end}}</dl>` + "\n"))
