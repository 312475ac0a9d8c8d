// This file holds runs: tables with one row per run, which can be taken over from earlier results, and their means.

package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"anchorage/shard"
)

// runs is a table whose first columns say which run a row is of. What earlier results hold needs no second run.
type runs struct {
	*table
	keys    int
	earlier map[string][]any
	taken   int // rows that came from earlier results
}

// newRuns returns an empty table; the folders hold earlier results. Of a run that several of them hold, the last one's counts.
func newRuns(folders []string, name string, keys int, fields []shard.Field) (*runs, error) {
	r := &runs{table: newTable(name, fields...), keys: keys, earlier: make(map[string][]any)}
	for _, folder := range folders {
		path := filepath.Join(folder, name+".parquet")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(folder); err != nil {
				return nil, err
			}
			continue // results without this figure
		}
		err := shard.ReadTable(path, fields, func(_ int64, columns []any) error {
			for at, n := 0, columnLength(columns[0]); at < n; at++ {
				row := make([]any, len(fields))
				for i, column := range columns {
					row[i] = valueOf(column, at)
				}
				r.earlier[key(row[:keys])] = row
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// reuse adds the row of the given run from earlier results, if they hold it.
func (r *runs) reuse(run ...any) bool {
	row, ok := r.earlier[key(run)]
	if ok {
		r.add(row...)
		r.taken++
	}
	return ok
}

func key(values []any) string { return fmt.Sprintf("%#v", values) }

func columnLength(column any) int {
	switch values := column.(type) {
	case []string:
		return len(values)
	case []int64:
		return len(values)
	}
	return len(column.([]float64))
}

func valueOf(column any, at int) any {
	switch values := column.(type) {
	case []string:
		return values[at]
	case []int64:
		return values[at]
	}
	return column.([]float64)[at]
}

// cell is what several runs say of a figure.
type cell struct {
	mean, deviation float64 // the standard deviation of a sample; NaN of a single run
	runs            int
}

// where picks the rows that have all of the given values: column names and values in turn.
func (t *table) where(conditions ...any) [][]any {
	var picked [][]any
	for _, row := range t.rows {
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
func (t *table) index(name string) int {
	at := slices.IndexFunc(t.fields, func(f shard.Field) bool { return f.Name == name })
	if at < 0 {
		panic("bench: there is no such column")
	}
	return at
}

// mean returns the mean of a column over rows, with its standard deviation. Where one is not finite, neither is the mean.
func (t *table) mean(column string, rows [][]any) cell {
	at := t.index(column)
	values := make([]float64, len(rows))
	for i, row := range rows {
		values[i] = row[at].(float64)
	}
	return meanOf(values)
}

// meanOf returns the mean of values, with its standard deviation. Where one is not finite, neither is the mean.
func meanOf(values []float64) cell {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	c := cell{mean: sum / float64(len(values)), deviation: math.NaN(), runs: len(values)}
	if len(values) < 2 {
		return c
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - c.mean) * (v - c.mean)
	}
	c.deviation = math.Sqrt(squares / float64(len(values)-1))
	return c
}

// distinct returns the values of a column in order of first appearance.
func distinct[T comparable](t *table, column string, rows [][]any) []T {
	at := t.index(column)
	var values []T
	for _, row := range rows {
		if v := row[at].(T); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// summarize returns a table with one row for all runs that agree in the given columns: how many they are, and mean and
// standard deviation of every measure.
func (t *table) summarize(name string, by []string, measures []measure) *table {
	var fields []shard.Field
	for _, column := range by {
		fields = append(fields, t.fields[t.index(column)])
	}
	fields = append(fields, shard.Field{Name: "runs", Type: shard.Int64})
	for _, m := range measures {
		fields = append(fields, shard.Field{Name: m.column, Type: shard.Float64}, shard.Field{Name: m.column + "_sd", Type: shard.Float64})
	}
	summary := newTable(name, fields...)
	seen := make(map[string]bool)
	for _, row := range t.rows {
		var values, conditions []any
		for _, column := range by {
			v := row[t.index(column)]
			values, conditions = append(values, v), append(conditions, column, v)
		}
		if seen[key(values)] {
			continue
		}
		seen[key(values)] = true
		same := t.where(conditions...)
		values = append(values, int64(len(same)))
		for _, m := range measures {
			c := t.mean(m.column, same)
			values = append(values, c.mean, c.deviation)
		}
		summary.add(values...)
	}
	return summary
}
