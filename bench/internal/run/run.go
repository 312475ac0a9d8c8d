// This file makes the runs of a grid that a folder does not have, and keeps them.

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"anchorage/bench/internal/show"
	"anchorage/internal/durable"
)

const runsTable = "runs"

// Options say how runs are made.
type Options struct {
	Folder  string // of the results
	Command string // that the rows name
	Again   string // which runs are made again although they have a row: AgainNone, AgainFailed or AgainAll
	Limit   time.Duration
	Workers int
	Log     *slog.Logger
	Stderr  io.Writer
}

// The values of Options.Again.
const (
	AgainNone, AgainFailed, AgainAll = "none", "failed", "all"
)

// Run makes the runs of the grid that the folder has no row of, and shows all that are there. An interrupted command
// continues with the first run that is missing. The error is that of ctx, that of a row that cannot be kept, or that no
// run succeeded.
func (p *Part) Run(ctx context.Context, v Values, o Options) (err error) {
	cells, err := p.cells(v)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{AgainNone, AgainFailed, AgainAll}, o.Again) {
		return &UsageError{fmt.Errorf("--again is %q: it must be none, failed or all", o.Again)}
	}
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "anchorage-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	common := &common{scratch: scratch}
	defer func() { err = errors.Join(err, common.release()) }()
	made, failed, first := 0, 0, ""
	for i, c := range cells {
		runs, err := read(o.Folder, runsTable) // again, since another process may be at work on the same folder
		if err != nil {
			return err
		}
		if at := p.find(runs, c); at >= 0 && o.Again != AgainAll && !(o.Again == AgainFailed &&
			runs.Rows[at]["failure"] != "") {
			continue
		}
		j := &Job{Values: c, Scratch: filepath.Join(scratch, strconv.Itoa(i)), Workers: o.Workers, Limit: o.Limit, Log: o.Log,
			Stderr: o.Stderr}
		failure, err := p.make(ctx, j, o, common, runs.Rows)
		if err != nil {
			return errors.Join(err, p.Show(o.Folder))
		}
		if made++; failure != "" {
			failed, first = failed+1, failure
		}
	}
	if err := p.Show(o.Folder); err != nil {
		return err
	}
	if made > 0 && failed == made {
		return fmt.Errorf("no run succeeded: %s", first)
	}
	return nil
}

// common is what runs with the same values of Shared have in common.
type common struct {
	scratch, key, folder string
	state                any
}

// prepare gives a run what it has in common with others, and prepares it if it is the first of them.
func (c *common) prepare(ctx context.Context, p *Part, j *Job) error {
	key := p.key(j.Values, p.Shared)
	if p.Prepare == nil || c.folder != "" && key == c.key {
		j.Shared, j.State = c.folder, c.state
		return nil
	}
	if err := c.release(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(c.scratch, "shared-")
	if err != nil {
		return err
	}
	c.key, c.folder, j.Shared = key, folder, folder
	err = p.Prepare(ctx, j)
	c.state = j.State
	debug.FreeOSMemory() // what a run may need
	return err
}

func (c *common) release() (err error) {
	if closer, ok := c.state.(io.Closer); ok {
		err = closer.Close()
	}
	err = errors.Join(err, os.RemoveAll(c.folder))
	*c = common{scratch: c.scratch}
	return err
}

// make makes one run and keeps it. What goes wrong with what it has in common with others is a failure of the run, too.
func (p *Part) make(ctx context.Context, j *Job, o Options, common *common,
	earlier []show.Row) (failure string, err error) {
	if err := os.Mkdir(j.Scratch, 0o755); err != nil {
		return "", err
	}
	defer os.RemoveAll(j.Scratch) // what is left goes with the folder above it
	started, a := time.Now(), answer{}
	if p.Hopeless != nil {
		a.Failure = p.Hopeless(j, earlier)
	}
	if a.Failure == "" {
		if err := common.prepare(ctx, p, j); err != nil {
			a = j.ended(err)
			common.release()
		} else if p.Alone {
			a, err = p.ask(ctx, j)
			if err != nil {
				return "", err
			}
		} else {
			a = p.measure(ctx, j)
		}
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	of := []any{"part", p.Name}
	for _, key := range p.Keys {
		of = append(of, key, j.Values[key])
	}
	switch {
	case a.Absent != "":
		o.Log.Warn("run left out", append(of, "reason", a.Absent)...)
		return "", nil
	case a.Failure != "":
		o.Log.Warn("run failed", append(of, "failure", a.Failure)...)
	default:
		o.Log.Info("run made", append(of, "seconds", time.Since(started).Seconds())...)
	}
	var whole row
	for _, key := range p.Keys {
		whole.put([]any{key, j.Values[key]})
	}
	whole.put([]any{"failure", a.Failure})
	for _, column := range a.Run.Columns {
		whole.put([]any{column, a.Run.Cells[column]})
	}
	whole.put([]any{"started", started.Truncate(time.Second), "command", o.Command, "machine", machine(j.Workers)})
	return a.Failure, p.keep(o.Folder, whole, a.Further)
}

// key joins the values of columns.
func (p *Part) key(v map[string]string, columns []string) string {
	var values []string
	for _, column := range columns {
		values = append(values, v[column])
	}
	return strings.Join(values, "\x00")
}

func (p *Part) find(runs show.View, of map[string]string) int {
	return slices.IndexFunc(runs.Rows, func(r show.Row) bool { return p.key(r, p.Keys) == p.key(of, p.Keys) })
}

// read reads a table; one that is not there has no rows.
func read(folder, table string) (show.View, error) {
	v, err := show.Read(filepath.Join(folder, table+".csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return show.View{}, nil
	}
	return v, err
}

// keep adds the rows of a run to a folder, in the place of older ones. It writes the row in runs.csv last: rows of a
// run that is not in runs.csv do not count.
func (p *Part) keep(folder string, whole row, further []row) error {
	runs, err := read(folder, runsTable)
	if err != nil {
		return err
	}
	at := p.find(runs, whole.Cells)
	if at < 0 {
		at = len(runs.Rows)
		runs.Add(whole.Columns, whole.Cells)
	} else {
		runs.Add(whole.Columns, whole.Cells)
		runs.Rows[at], runs.Rows = whole.Cells, runs.Rows[:len(runs.Rows)-1]
	}
	number := strconv.Itoa(at + 1)
	tables := make(map[string]show.View)
	paths, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	if err != nil {
		return err
	}
	for _, path := range paths { // earlier rows of this run go, also from tables to which it adds none
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		if tables[name], err = read(folder, name); err != nil {
			return err
		}
	}
	delete(tables, runsTable)
	for _, r := range further {
		if _, ok := tables[r.Table]; !ok {
			tables[r.Table] = show.View{Columns: []string{"run"}}
		}
	}
	for name, t := range tables {
		if !t.Has("run") {
			continue
		}
		t.Rows = slices.DeleteFunc(t.Rows, func(r show.Row) bool { return r["run"] == number })
		for _, r := range further {
			if r.Table == name {
				r.Cells["run"] = number
				t.Add(r.Columns, r.Cells)
			}
		}
		if err := durable.WriteFile(filepath.Join(folder, name+".csv"), t.WriteCSV); err != nil {
			return err
		}
	}
	return durable.WriteFile(filepath.Join(folder, runsTable+".csv"), runs.WriteCSV)
}
