// This file holds what a run is given and what it reports.

package run

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"reflect"
	"slices"
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

	reported report
}

// report is what a run reports. Its fields are exported for the process that reports them.
type report struct {
	Run     row   // for runs.csv
	Further []row // of other tables
}

// row is a row of a table.
type row struct {
	Table   string
	Columns []string
	Cells   show.Row
}

// Row adds columns to the row of the run: names and values in turn.
func (j *Job) Row(pairs ...any) { j.reported.Run.put(pairs) }

// Reported returns the row of the run.
func (j *Job) Reported() show.Row { return j.reported.Run.Cells }

// Add adds a row to a further table.
func (j *Job) Add(table string, pairs ...any) {
	r := row{Table: table}
	r.put(pairs)
	j.reported.Further = append(j.reported.Further, r)
}

func (r *row) put(pairs []any) {
	if r.Cells == nil {
		r.Cells = make(show.Row)
	}
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

// Common counts the values of one list that another one has, too.
func Common[T comparable](one, other []T) (n int) {
	for _, value := range one {
		if slices.Contains(other, value) {
			n++
		}
	}
	return n
}

// Absent is the error of a run that cannot be made here, such as one of a program that is not installed. It leaves no
// row.
type Absent struct{ Reason string }

func (e *Absent) Error() string { return e.Reason }
