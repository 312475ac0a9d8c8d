// This file holds what a run is given and what it reports.

package run

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"anchorage/bench/internal/show"
	"anchorage/model/fit"
)

// Job is one run. Its values are the settings with one value for each key.
type Job struct {
	Values
	Scratch string // folder for this run; it is removed afterwards
	Shared  string // folder of Prepare
	State   any    // what Prepare leaves for runs in the main process; it is closed if it is an io.Closer
	Workers int
	Limit   time.Duration // of the run; 0 for none. Runs in separate processes are ended after it; the others may heed it
	Log     *slog.Logger
	Stderr  io.Writer // takes the messages of processes

	rows []row
}

// row is a row of a table in a report of a run. Its fields are exported for the process that reports them.
type row struct {
	Table   string // "runs" for the run itself
	Columns []string
	Cells   show.Row
}

// Row adds columns to the row of the run: names and values in turn.
func (j *Job) Row(pairs ...any) {
	for i := range j.rows {
		if j.rows[i].Table == runsTable {
			j.rows[i].put(pairs)
			return
		}
	}
	j.Add(runsTable, pairs...)
}

// Reported returns the row of the run.
func (j *Job) Reported() show.Row {
	for _, r := range j.rows {
		if r.Table == runsTable {
			return r.Cells
		}
	}
	return nil
}

// Add adds a row to a further table.
func (j *Job) Add(table string, pairs ...any) {
	r := row{Table: table, Cells: make(show.Row)}
	r.put(pairs)
	j.rows = append(j.rows, r)
}

func (r *row) put(pairs []any) {
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		if _, ok := r.Cells[name]; !ok {
			r.Columns = append(r.Columns, name)
		}
		r.Cells[name] = cell(pairs[i+1])
	}
}

// Stages adds what the stages of a fit took to the table stages.
func (j *Job) Stages(stages []fit.StageTime) {
	for _, s := range stages {
		j.Add("stages", "stage", s.Name, "seconds", s.Seconds, "cpu_seconds", s.CPU, "peak_bytes", s.PeakBytes,
			"modelled_bytes", s.Modelled)
	}
}

// cell writes a value so that reading it gives the same; unknown numbers are empty.
func cell(value any) string {
	switch v := value.(type) {
	case float64:
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	case time.Duration:
		return cell(v.Seconds())
	case []string:
		return strings.Join(v, "; ")
	}
	if r := reflect.ValueOf(value); r.IsValid() && r.Kind() == reflect.Float32 {
		return cell(r.Float())
	}
	return fmt.Sprint(value)
}

// Absent is the error of a run that cannot be made here, such as one of a program that is not installed. It leaves no
// row.
type Absent struct{ Reason string }

func (e *Absent) Error() string { return e.Reason }
