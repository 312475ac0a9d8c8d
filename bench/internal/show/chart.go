// This file makes charts of views: which series, which points, and where they are saved.

package show

import (
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/internal/durable"

	"gonum.org/v1/gonum/stat"
)

// Point is a value with the length of the bar on each side of it.
type Point struct{ X, Y, Bar float64 }

// Series is a line of a panel, or dots only.
type Series struct {
	Name   string
	Points []Point
	Dots   bool // no line
}

// Axis is one of a panel. On a logarithmic one, values that are not positive are left out.
type Axis struct {
	Label string
	Log   bool
	of    string // the expression
}

// Panel is one plot of a chart.
type Panel struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// parseAxis reads LABEL=EXPRESSION, or LABEL=EXPRESSION log.
func parseAxis(text string) Axis {
	text, log := strings.CutSuffix(text, " log")
	label, of, ok := strings.Cut(text, "=")
	if !ok {
		of = text
	}
	return Axis{label, log, of}
}

// Chart draws a row of panels for all rows that agree in the columns of each, in it a panel for every y, and in every
// panel a line for every value of the column series: the mean of y at each x, with a bar of a standard deviation where
// several rows have the same x. It writes the file and returns the Markdown that shows it; nothing where there is no
// point.
func (v View) Chart(file, each, x, series string, ys ...string) (string, error) {
	var rows [][]Panel
	points := 0
	for _, part := range v.By(each) {
		var row []Panel
		for i, y := range ys {
			p := Panel{X: parseAxis(x), Y: parseAxis(y)}
			if i == 0 {
				p.Title = part.title(each)
			}
			for _, line := range part.Sort(series).By(series) {
				s, err := line.series(series, p.X, p.Y)
				if err != nil {
					return "", err
				}
				if points += len(s.Points); len(s.Points) > 0 {
					p.Series = append(p.Series, s)
				}
			}
			row = append(row, p)
		}
		rows = append(rows, row)
	}
	if points == 0 {
		return "", nil
	}
	return v.Save(file, func(w io.Writer) error { return Draw(w, rows) })
}

// title names what all rows of a part have in common.
func (v View) title(columns string) string {
	var words []string
	for _, column := range split(columns) {
		if value := v.Rows[0][column]; value != "" {
			words = append(words, strings.ReplaceAll(column, "_", " ")+" "+value)
		}
	}
	return strings.Join(words, ", ")
}

func (v View) series(column string, x, y Axis) (Series, error) {
	s := Series{Name: v.Rows[0][column]}
	values := map[float64][]float64{} // of y, by x
	for _, row := range v.Rows {
		px, err := v.evaluate(x.of, []Row{row})
		if err != nil {
			return s, err
		}
		at := number(px)
		if math.IsNaN(at) || x.Log && at <= 0 {
			continue
		}
		py, err := v.evaluate(y.of, []Row{row})
		if err != nil {
			return s, err
		}
		values[at] = append(values[at], known([]any{py})...)
	}
	for _, at := range slices.Sorted(maps.Keys(values)) {
		p := Point{X: at, Y: stat.Mean(values[at], nil)}
		if len(values[at]) > 1 {
			p.Bar = stat.StdDev(values[at], nil)
		}
		if !math.IsNaN(p.Y) && !math.IsInf(p.Y, 0) && (p.Y > 0 || !y.Log) {
			s.Points = append(s.Points, p)
		}
	}
	return s, nil
}

// Save writes a file beside the page and returns the Markdown that shows it.
func (v View) Save(file string, write func(io.Writer) error) (string, error) {
	if err := durable.WriteFile(filepath.Join(v.page.folder, file), write); err != nil {
		return "", err
	}
	return fmt.Sprintf("![%s](%s)", strings.TrimSuffix(file, filepath.Ext(file)), file), nil
}
