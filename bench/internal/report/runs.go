// This file holds runs: tables with one row per run, which can be taken over from earlier results, and their means.

package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Runs is a table whose first columns say which run a row is of. A run that earlier results hold need not be made again.
type Runs struct {
	*Table
	Taken   int // rows that came from earlier results
	keys    int
	earlier map[string][]any
}

// NewRuns returns an empty table with the rows of earlier results at hand. Its first columns, keys, say which run a row is
// of. Of a run that several folders hold, the last one's counts; a folder without the table is passed over.
func NewRuns(folders []string, name string, keys []Column, figures ...[]Column) (*Runs, error) {
	r := &Runs{Table: NewTable(name, append([][]Column{keys}, figures...)...), keys: len(keys), earlier: make(map[string][]any)}
	for _, folder := range folders {
		if _, err := os.Stat(folder); err != nil {
			return nil, err
		}
		old := NewTable(name, r.Columns)
		err := old.Read(filepath.Join(folder, name+".csv"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, row := range old.Rows {
			r.earlier[key(row[:r.keys])] = row
		}
	}
	return r, nil
}

// Reuse adds the row of the given run from earlier results, if they hold it.
func (r *Runs) Reuse(run ...any) bool {
	row, ok := r.earlier[key(run)]
	if ok {
		r.Add(row...)
		r.Taken++
	}
	return ok
}

func key(values []any) string { return fmt.Sprintf("%#v", values) }

// Mean is what several runs say of a figure.
type Mean struct {
	Mean, Deviation float64 // the standard deviation of a sample; NaN of a single run
	Runs            int
}

// MeanOf returns the mean of values. Where one is not finite, neither is the mean.
func MeanOf(values []float64) Mean {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	m := Mean{Mean: sum / float64(len(values)), Deviation: math.NaN(), Runs: len(values)}
	if len(values) < 2 {
		return m
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - m.Mean) * (v - m.Mean)
	}
	m.Deviation = math.Sqrt(squares / float64(len(values)-1))
	return m
}

// Where picks the rows that have all of the given values: column names and values in turn.
func (t *Table) Where(conditions ...any) [][]any {
	var picked [][]any
	for _, row := range t.Rows {
		match := true
		for c := 0; c < len(conditions); c += 2 {
			match = match && row[t.index(conditions[c].(string))] == conditions[c+1]
		}
		if match {
			picked = append(picked, row)
		}
	}
	return picked
}

// index returns the place of a column.
func (t *Table) index(name string) int {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		panic("report: there is no such column")
	}
	return at
}

// Mean returns the mean of a column over rows.
func (t *Table) Mean(column string, rows [][]any) Mean {
	at := t.index(column)
	values := make([]float64, len(rows))
	for i, row := range rows {
		values[i] = row[at].(float64)
	}
	return MeanOf(values)
}

// Distinct returns the values of a column in order of first appearance.
func Distinct[T comparable](t *Table, column string, rows [][]any) []T {
	at := t.index(column)
	var values []T
	for _, row := range rows {
		if v := row[at].(T); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// Summarize returns a table with one row for all runs that agree in the given columns: how many they are, and mean and
// standard deviation of every measure.
func (t *Table) Summarize(name string, by []string, measures []string) *Table {
	var keys, figures []Column
	for _, column := range by {
		keys = append(keys, t.Columns[t.index(column)])
	}
	for _, m := range measures {
		figures = append(figures, Floats(m, m+"_sd")...)
	}
	summary := NewTable(name, keys, Ints("runs"), figures)
	seen := make(map[string]bool)
	for _, row := range t.Rows {
		var values, conditions []any
		for _, column := range by {
			v := row[t.index(column)]
			values, conditions = append(values, v), append(conditions, column, v)
		}
		if seen[key(values)] {
			continue
		}
		seen[key(values)] = true
		same := t.Where(conditions...)
		values = append(values, int64(len(same)))
		for _, m := range measures {
			mean := t.Mean(m, same)
			values = append(values, mean.Mean, mean.Deviation)
		}
		summary.Add(values...)
	}
	return summary
}
