// This file checks the default against its goals: near the floor, and never worse than simpler settings.

package truth

import (
	"fmt"
	"math"
	"strings"

	"anchorage/bench/internal/report"
)

const (
	checked   = "default" // the method that is checked
	goalRatio = 1.5       // its error of B is to be at most so many times that of the floor
)

// rivals are the methods that the default must not be worse than.
var rivals = []string{"no-refine", "equal-weights", "published"}

// check says how the default does on corpora of one number of documents.
type check struct {
	group                  *group
	documents              int
	floor, expected, error float64 // of B; NaN where it is not known
	rivals                 []float64
	ratio                  float64
	near                   bool     // within goalRatio of the floor
	worseThan              []string // the rivals with a smaller error of B
}

// checksOf returns a check for every number of documents with the default and the floor.
func checksOf(groups []group) []check {
	var list []check
	for i := range groups {
		g := &groups[i]
		errorOf := func(method string, documents int) float64 {
			for _, m := range meansOf(g.records, method) {
				if m.documents == documents {
					return m.mean[errorB]
				}
			}
			return math.NaN()
		}
		for _, documents := range g.documents() {
			c := check{group: g, documents: documents, floor: errorOf(Floor, documents), error: errorOf(checked, documents),
				expected: g.expected(documents)}
			if math.IsNaN(c.floor) || math.IsNaN(c.error) {
				continue
			}
			c.ratio = c.error / c.floor
			c.near = c.ratio <= goalRatio
			for _, rival := range rivals {
				v := errorOf(rival, documents)
				if c.rivals = append(c.rivals, v); v < c.error {
					c.worseThan = append(c.worseThan, rival)
				}
			}
			list = append(list, c)
		}
	}
	return list
}

// expected returns the mean of the floor's expected error of B; NaN where there is none.
func (g *group) expected(documents int) float64 {
	sum, n := 0.0, 0.0
	for _, r := range g.records {
		if r.Method == Floor && r.Documents == documents {
			sum += r.ExpectedB
			n++
		}
	}
	return sum / n
}

// checksTable has a row per check.
func checksTable(checks []check) *report.Table {
	columns := append(report.Floats("floor", "floor_expected", checked, "ratio"), report.Floats(rivals...)...)
	t := report.NewTable("checks", report.Ints("items", "topics", "tokens", "documents"), report.Texts("flags"), columns,
		report.Texts("near_floor", "worse_than"))
	for _, c := range checks {
		run := c.group.run
		row := []any{int64(run.Items), int64(run.Topics), int64(run.Tokens), int64(c.documents), run.Flags, c.floor, c.expected, c.error, c.ratio}
		for _, v := range c.rivals {
			row = append(row, v)
		}
		t.Add(append(row, yes(c.near), strings.Join(c.worseThan, ", "))...)
	}
	return t
}

func yes(true bool) string {
	if true {
		return "yes"
	}
	return "no"
}

// writeChecks says whether the default meets its goals, and where it does not.
func writeChecks(b *strings.Builder, checks []check) {
	if len(checks) == 0 {
		return
	}
	far, worse := 0, 0
	for _, c := range checks {
		if !c.near {
			far++
		}
		if len(c.worseThan) > 0 {
			worse++
		}
	}
	fmt.Fprintf(b, "\n## Checks\n\nThe error of B of `%s` is to be at most %g times the floor, and no greater than that of `%s`. It is farther from the floor\n"+
		"in %d of %d cells, and greater than another's in %d. **floor expected** is the floor in expectation, by the normal approximation.\n\n",
		checked, goalRatio, strings.Join(rivals, "`, `"), far, len(checks), worse)
	checksTable(checks).WriteMarkdown(b)
}
