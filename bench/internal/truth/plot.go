// This file draws errors against the number of documents, on logarithmic scales, with the lines fitted to them.

package truth

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"anchorage/bench/internal/report"
)

// stageTitles say what the methods of StageMethods are.
var stageTitles = []string{"ENN, exact row sums", "ENN, factor row sums", "no rectification", "ENN, default eigenpairs"}

// titleOf says what a method is.
func titleOf(method string) string {
	if i := slices.Index(StageMethods, method); i >= 0 {
		return stageTitles[i]
	}
	return method
}

// styles is the number of styles of series; further ones are dashed.
const styles = 6

// widest is the ratio of the places of the last and the first of many series that stand beside each other. They stay on the axis.
const widest = 1.2

// zoom makes panels large enough for points that lie beside each other.
const zoom = 1.9

// chart has a row of panels per group: the errors of B and A by method, and that of B by class of items for the first method
// beside the floor.
func chart(groups []group) report.Chart {
	var shown []string // in one style each, in all panels
	for _, name := range Methods() {
		if name != Floor && name != Posterior && slices.ContainsFunc(groups, func(g group) bool { return slices.Contains(g.methods(), name) }) {
			shown = append(shown, name)
		}
	}
	rows := make([][]report.Panel, len(groups))
	for i := range groups {
		rows[i] = groups[i].panels(shown, len(groups) == 1)
	}
	return report.Chart{Rows: rows, Zoom: zoom}
}

// panels returns the row of a group, for the methods that are shown beside the floor. Names have slopes where they are those of one
// group.
func (g *group) panels(shown []string, slopes bool) []report.Panel {
	errors := report.Panel{Y: "ℓ1 error of B", Title: g.title()}
	relative := report.Panel{Y: "relative error of A"}
	first := Floor
	for i, method := range shown {
		means := meansOf(g.records, method)
		if len(means) == 0 {
			continue
		}
		if first == Floor {
			first = method
		}
		of := fitted(means)
		name := titleOf(method)
		if slopes && of != nil {
			name = fmt.Sprintf("%s (slopes %s, %s)", name, slopeOf(of, errorB), slopeOf(of, errorA))
		}
		errors.Series = append(errors.Series, line(name, i, len(shown), means, of, errorB))
		relative.Series = append(relative.Series, line(name, i, len(shown), means, of, errorA))
	}
	for _, name := range []string{Floor, Posterior} {
		if means := meansOf(g.records, name); len(means) > 0 {
			errors.Series = append(errors.Series, yardstick(name, means, errorB))
			relative.Series = append(relative.Series, yardstick(name, means, errorA))
		}
	}
	classes := report.Panel{Y: "ℓ1 error of B / mass of the class"}
	means := meansOf(g.records, first)
	of := fitted(means)
	for i, class := range []struct {
		name   string
		figure int
	}{{"common items", errorCommon}, {"middling items", errorMiddling}, {"rare items", errorRare}} {
		if slopes && of != nil {
			class.name += " (slope " + slopeOf(of, class.figure) + ")"
		}
		classes.Series = append(classes.Series, line(class.name, i, 3, means, of, class.figure))
	}
	row := []report.Panel{errors, relative, classes}
	for i := range row {
		row[i].X, row[i].Thousands, row[i].LogX, row[i].LogY = "documents M (thousands)", true, true, true
		for _, documents := range g.documents() {
			row[i].Ticks = append(row[i].Ticks, float64(documents))
		}
		row[i].Series = append(row[i].Series, guide(row[i].Series)...)
	}
	return row
}

// yardstick returns the means of the floor, or dashed those of the posterior.
func yardstick(name string, means []mean, figure int) report.Series {
	s := report.Series{Name: name, Style: report.WholeStyle, Dashed: name == Posterior}
	for _, m := range means {
		s.Points = append(s.Points, report.Point{X: float64(m.documents), Y: m.mean[figure]})
	}
	return s
}

func slopeOf(fitted []mean, figure int) string {
	return report.Minus(fmt.Sprintf("%.2f", fitLine(fitted, figure).Slope))
}

// line returns the means of a figure with bars from the least to the greatest value, and the line fitted to some of them. Series
// number i of n stand beside each other.
func line(name string, i, n int, means, fitted []mean, figure int) report.Series {
	step := min(1.06, math.Pow(widest, 1/float64(max(n-1, 1))))
	aside := math.Pow(step, float64(i)-float64(n-1)/2)
	s := report.Series{Name: name, Style: i, Dashed: i >= styles, Line: []report.Point{}}
	for _, m := range means {
		y := m.mean[figure]
		s.Points = append(s.Points, report.Point{X: aside * float64(m.documents), Y: y, Below: y - m.least[figure], Above: m.greatest[figure] - y})
	}
	if fitted == nil {
		return s
	}
	law := fitLine(fitted, figure)
	for _, m := range fitted {
		s.Line = append(s.Line, report.Point{X: aside * float64(m.documents), Y: law.At(float64(m.documents))})
	}
	return s
}

// guide returns a line of slope −½ a little above the fitted ones, if there are any.
func guide(list []report.Series) []report.Series {
	law := report.PowerLaw{Slope: -0.5}
	above := 0.0
	var along []report.Point
	for _, s := range list {
		for _, p := range s.Line {
			above = max(above, 1.5*p.Y/law.At(p.X))
			along = append(along, report.Point{X: p.X})
		}
	}
	if len(along) == 0 {
		return nil
	}
	slices.SortFunc(along, func(a, b report.Point) int { return cmp.Compare(a.X, b.X) })
	for i := range along {
		along[i].Y = above * law.At(along[i].X)
	}
	return []report.Series{{Name: "slope −½", Style: report.GuideStyle, Dashed: true, Points: along}}
}
