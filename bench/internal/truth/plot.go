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

// zoom makes panels large enough for points that lie beside each other.
const zoom = 1.9

// chart shows the errors of B and A by method, and that of B by class of items for the first method.
func chart(records []Record) report.Chart {
	methods := methodsOf(records)
	errors := report.Panel{Y: "ℓ1 error of B"}
	relative := report.Panel{Y: "relative error of A"}
	for i, method := range methods {
		means := meansOf(records, method)
		fitted := sampled(means)
		name := titleOf(method)
		if fitted != nil {
			name = fmt.Sprintf("%s (slopes %s, %s)", name, slopeOf(fitted, errorB), slopeOf(fitted, errorA))
		}
		errors.Series = append(errors.Series, line(name, i, len(methods), means, fitted, errorB))
		relative.Series = append(relative.Series, line(name, i, len(methods), means, fitted, errorA))
	}
	classes := report.Panel{Y: "ℓ1 error of B / mass of the class"}
	means := meansOf(records, methods[0])
	fitted := sampled(means)
	for i, class := range []struct {
		name   string
		figure int
	}{{"common items", errorCommon}, {"middling items", errorMiddling}, {"rare items", errorRare}} {
		if fitted != nil {
			class.name += " (slope " + slopeOf(fitted, class.figure) + ")"
		}
		classes.Series = append(classes.Series, line(class.name, i, 3, means, fitted, class.figure))
	}
	row := []report.Panel{errors, relative, classes}
	for i := range row {
		row[i].X, row[i].Thousands, row[i].LogX, row[i].LogY = "documents M (thousands)", true, true, true
		row[i].Ticks = documentsOf(records)
		row[i].Series = append(row[i].Series, guide(row[i].Series)...)
	}
	return report.Chart{Rows: [][]report.Panel{row}, Zoom: zoom}
}

// documentsOf returns the numbers of documents, increasing.
func documentsOf(records []Record) []float64 {
	var list []float64
	for _, r := range records {
		list = append(list, float64(r.Documents))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func slopeOf(fitted []mean, figure int) string {
	return report.Minus(fmt.Sprintf("%.2f", fitLine(fitted, figure).Slope))
}

// line returns the means of a figure with bars from the least to the greatest value, and the line fitted to some of them. Series
// number i of n stand beside each other.
func line(name string, i, n int, means, fitted []mean, figure int) report.Series {
	aside := math.Pow(1.06, float64(i)-float64(n-1)/2)
	s := report.Series{Name: name, Style: i, Line: []report.Point{}}
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
