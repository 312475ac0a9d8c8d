// This file holds what a run is given and what it reports, and starts processes, so that time and memory are those of
// one run only.

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"anchorage/bench/internal/show"
	"anchorage/internal/process"
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

// Process is one that has ended.
type Process struct {
	Wall, CPU time.Duration
	Code      int    // exit code; -1 where a signal ended it
	Said      string // the last line on its standard error
	Failure   string // how it ended, with that line; empty if it ended well
}

// Start runs a command to its end. Its standard error goes to stderr, unless that is nil. When ctx ends, the process
// gets an interrupt, so that it can end what it has started; after a while it is killed. The error says that no process
// could be started; an end by ctx is a failure like any other.
func Start(ctx context.Context, command []string, stdin io.Reader, stdout, stderr io.Writer) (Process, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error {
		if cmd.Process.Signal(os.Interrupt) != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.Stdin, cmd.Stdout = stdin, stdout
	running, err := Begin(cmd, stderr)
	if err != nil {
		return Process{}, err
	}
	return running.Wait(), nil
}

// Running is a process that has begun.
type Running struct {
	cmd   *exec.Cmd
	said  bytes.Buffer
	begin time.Time
}

// Begin starts a command. Its standard error goes to stderr, unless that is nil.
func Begin(cmd *exec.Cmd, stderr io.Writer) (*Running, error) {
	r := &Running{cmd: cmd}
	cmd.WaitDelay = 20 * time.Second // for grandchildren that hold standard error open
	cmd.Stderr = &r.said
	if stderr != nil {
		cmd.Stderr = io.MultiWriter(stderr, &r.said)
	}
	r.begin = time.Now()
	return r, cmd.Start()
}

// Wait waits for the end of the process.
func (r *Running) Wait() Process {
	err := r.cmd.Wait()
	state := r.cmd.ProcessState
	ended := Process{Wall: time.Since(r.begin), CPU: state.UserTime() + state.SystemTime(), Code: state.ExitCode()}
	text := strings.TrimSpace(r.said.String())
	ended.Said = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if err != nil {
		ended.Failure = strings.TrimSuffix(fmt.Sprintf("the process ended with %v: %s", err, ended.Said), ": ")
	}
	return ended
}

// ChildCommand is the command by which this program makes one run of a part in a separate process, as Child does.
const ChildCommand = "child"

// order is what a child is asked to do, as JSON on its standard input.
type order struct {
	Values          Values
	Scratch, Shared string
	Workers         int
}

// answer is what it reports, as JSON on its standard output.
type answer struct {
	report
	Peak            int64 // memory of the process, in bytes
	Failure, Absent string
}

// Child makes the run that an order on in asks for, and writes the answer to out.
func (p *Part) Child(ctx context.Context, in io.Reader, out, stderr io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("only bench itself runs this command: %w", err)
	}
	a := p.measure(ctx, &Job{Values: o.Values, Scratch: o.Scratch, Shared: o.Shared, Workers: o.Workers, Stderr: stderr})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a.Peak = process.PeakMemory()
	return json.NewEncoder(out).Encode(a)
}

// measure makes a run in this process.
func (p *Part) measure(ctx context.Context, j *Job) answer { return j.ended(p.Measure(ctx, j)) }

// ended returns the answer of a run that has ended with an error or nil. It does not name the folders of this machine.
func (j *Job) ended(err error) answer {
	var absent *Absent
	switch {
	case errors.As(err, &absent):
		return answer{Absent: absent.Reason}
	case err != nil:
		hide := strings.NewReplacer(j.Scratch+string(filepath.Separator), "", j.Shared+string(filepath.Separator), "")
		return answer{report: j.reported, Failure: hide.Replace(err.Error())}
	}
	return answer{report: j.reported}
}

// ask has a child make a run. Whatever ends the child is a failure of the run; the error is that of ctx, or says that
// no process can be started. The row has the seconds and the memory of the whole process, unless the run reports its
// own seconds.
func (p *Part) ask(ctx context.Context, j *Job) (a answer, err error) {
	self, err := os.Executable()
	if err != nil {
		return a, err
	}
	text, err := json.Marshal(order{j.Values, j.Scratch, j.Shared, j.Workers})
	if err != nil {
		return a, err
	}
	limited := ctx
	if j.Limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, j.Limit)
		defer cancel()
	}
	var stdout bytes.Buffer
	ended, err := Start(limited, []string{self, ChildCommand, p.Name}, bytes.NewReader(text), &stdout, j.Stderr)
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case limited.Err() != nil:
		return answer{Failure: fmt.Sprintf("it takes longer than %v", j.Limit)}, nil
	case err != nil:
		return a, err
	case ended.Failure != "":
		return answer{Failure: ended.Failure}, nil
	}
	if err := json.Unmarshal(stdout.Bytes(), &a); err != nil {
		return a, fmt.Errorf("%s did not report a run: %w", self, err)
	}
	if a.Run.Cells != nil && a.Run.Cells["seconds"] == "" {
		a.Run.put([]any{"seconds", ended.Wall, "cpu_seconds", ended.CPU, "peak_bytes", a.Peak})
	}
	return a, nil
}
