// This file starts processes, so that time and memory are those of one run only.

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"anchorage/internal/process"
)

// Process is one that has ended.
type Process struct {
	Wall, CPU time.Duration
	Code      int    // exit code; -1 where a signal ended it
	Failure   string // how it ended, with the last line of what it said on standard error; empty if it ended well
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
	cmd.WaitDelay = 20 * time.Second
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &said
	if stderr != nil {
		cmd.Stderr = io.MultiWriter(stderr, &said)
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return Process{}, err
	}
	err := cmd.Wait()
	ended := Process{Wall: time.Since(begin), Code: cmd.ProcessState.ExitCode()}
	ended.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err != nil {
		text := bytes.TrimSpace(said.Bytes())
		ended.Failure = strings.TrimSuffix(fmt.Sprintf("the process ended with %v: %s", err,
			text[bytes.LastIndexByte(text, '\n')+1:]), ": ")
	}
	return ended, nil
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
	Rows            []row
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
		return answer{Rows: j.rows, Failure: hide.Replace(err.Error())}
	}
	return answer{Rows: j.rows}
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
	for i := range a.Rows {
		if r := &a.Rows[i]; r.Table == runsTable && r.Cells["seconds"] == "" {
			r.put([]any{"seconds", ended.Wall, "cpu_seconds", ended.CPU, "peak_bytes", a.Peak})
		}
	}
	return a, nil
}
