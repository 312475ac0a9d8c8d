// This file makes one run of a system and reads what it has left, and runs programs that answer with a table.

package systems

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/bench/peers"
	"anchorage/matrix"
	"anchorage/model/fit"
)

// TopItems are the items of a topic that are read.
const TopItems = 10

// Found is what a system has found.
type Found struct {
	B       *matrix.Tall // N×K
	Lists   [][]int      // the items that the program lists for each topic; nil where it lists none
	Joint   []float64    // A, K×K; nil where the program has none
	Anchors []int        // nil where it has none
}

// answer is what a system leaves in answer.json.
type answer struct {
	Stages     []fit.StageTime `json:"stages"`
	PeakBytes  int64           `json:"peak_bytes"`
	Program    string          `json:"program"`
	Joint      []float64       `json:"joint"`
	Anchors    []int           `json:"anchors"`
	Passes     int             `json:"passes"`
	Iterations int             `json:"iterations"`
}

// Try runs the system of a job on the documents in its shared folder, which Write has written, and reports times and
// memory. The error says how the run ended if it has no topics.
func Try(ctx context.Context, j *run.Job, name string, items, topics int, seed uint64) (*Found, error) {
	s := find(name)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	scripts, output := filepath.Join(j.Scratch, "scripts"), filepath.Join(j.Scratch, "output")
	temporary := filepath.Join(output, "tmp")
	if err := errors.Join(os.CopyFS(scripts, peers.Beside()), os.MkdirAll(temporary, 0o755), warm(j.Shared)); err != nil {
		return nil, err
	}
	l := limitsOf(j)
	ended, err := l.execute(ctx, s.command(j, self, scripts, j.Shared, output, items, topics, seed),
		environment(j, l, temporary), output, j.Stderr)
	if err != nil {
		return nil, err
	}
	j.Row("status", ended.status, "wall_seconds", ended.wall, "whole_cpu_seconds", ended.cpu, "peak_bytes", ended.peak,
		"disk_bytes", ended.disk, "threads", j.Text("threads"), "time_limit_seconds", l.time, "memory_limit_bytes", l.memory)
	switch ended.status {
	case made:
	case absent:
		return nil, &run.Absent{Reason: ended.reason}
	default:
		return nil, fmt.Errorf("%s: %s", ended.status, strings.ReplaceAll(ended.reason, "\n", " "))
	}
	return take(j, output, items, topics, ended.peak)
}

// environment has what libraries take their number of threads from.
func environment(j *run.Job, l limits, temporary string) []string {
	variables := []string{"TMPDIR=" + temporary, "PYTHONDONTWRITEBYTECODE=1", memoryVariable + "="}
	if l.memory > 0 {
		variables[len(variables)-1] += fmt.Sprint(l.memory)
	}
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GOMAXPROCS"} {
		variables = append(variables, name+"="+j.Text("threads"))
	}
	return variables
}

// take reads what a system has left.
func take(j *run.Job, output string, items, topics int, peak int64) (*Found, error) {
	text, err := os.ReadFile(filepath.Join(output, answerFile))
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("%s: %w", answerFile, err)
	}
	load, seconds, cpu := 0.0, 0.0, 0.0
	for _, stage := range a.Stages {
		switch stage.Name {
		case loadStage, "import":
			load += stage.Seconds
		case writeStage:
		default:
			seconds += stage.Seconds
			cpu += stage.CPU
		}
	}
	j.Row("program", a.Program, "passes", a.Passes, "iterations", a.Iterations, "load_seconds", load, "seconds", seconds,
		"cpu_seconds", cpu, "peak_bytes", max(peak, a.PeakBytes))
	j.Stages(a.Stages)
	found := &Found{Joint: a.Joint, Anchors: a.Anchors}
	if found.B, err = ReadTopics(filepath.Join(output, topicsFile), topics, items); err != nil {
		return nil, err
	}
	if len(a.Joint) != 0 && len(a.Joint) != topics*topics {
		return nil, fmt.Errorf("%s has %d joint probabilities of %d topics", answerFile, len(a.Joint), topics)
	}
	found.Lists, err = readLists(filepath.Join(output, listsFile), topics, items)
	return found, err
}

// readLists reads the lists of a system that has some.
func readLists(path string, k, items int) (lists [][]int, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &lists); err != nil {
		return nil, fmt.Errorf("%s: %w", listsFile, err)
	}
	if len(lists) != k {
		return nil, fmt.Errorf("%s has %d lists, and not %d", listsFile, len(lists), k)
	}
	for at, list := range lists {
		for _, item := range list {
			if item < 0 || item >= items {
				return nil, fmt.Errorf("%s: topic %d has item %d, of %d", listsFile, at, item, items)
			}
		}
		lists[at] = list[:min(TopItems, len(list))]
	}
	return slices.DeleteFunc(lists, func(list []int) bool { return len(list) == 0 }), nil
}

// Hopeless says why a run need not be tried: the same system found no topics in an earlier repeat, or was out of memory
// or time, within the same limits, where one of the sizes was smaller and the others no greater. Size 0 is greater than
// all others. Rows must agree in the columns of same.
func Hopeless(j *run.Job, rows []show.Row, same, sizes []string) string {
	l := limitsOf(j)
	limits := run.Values{}.With("time_limit_seconds", l.time, "memory_limit_bytes", l.memory)
	for _, r := range rows {
		ended := status(r["status"])
		fits := ended == memory || ended == late
		for _, column := range same {
			fits = fits && r[column] == j.Text(column)
		}
		for name, limit := range limits {
			fits = fits && r[name] == limit
		}
		for _, size := range sizes {
			var before uint
			fmt.Sscan(r[size], &before)
			fits = fits && before-1 <= uint(j.Int(size))-1
		}
		if fits {
			j.Row("status", beyond)
			return fmt.Sprintf("%s: %s with fewer items or topics, or before", beyond, ended)
		}
	}
	return ""
}

// warm reads all files, so that every system finds them in the system's cache.
func warm(folder string) error {
	return fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			_, err = os.ReadFile(filepath.Join(folder, path))
		}
		return err
	})
}

// Script runs a program of bench/peers in Python on a folder, and returns the table that it answers with. Without the
// libraries of the program the table is empty.
func Script(ctx context.Context, j *run.Job, name, folder string, numbers ...int) (table show.View, err error) {
	text, err := peers.Script(name)
	if err != nil {
		return table, err
	}
	program, out := filepath.Join(j.Scratch, name), filepath.Join(j.Scratch, name+".csv")
	if err := os.WriteFile(program, text, 0o644); err != nil {
		return table, err
	}
	words := []string{j.Text("python"), program, folder}
	for _, n := range numbers {
		words = append(words, fmt.Sprint(n))
	}
	var stdout bytes.Buffer
	ended, err := run.Start(ctx, words, nil, &stdout, j.Stderr)
	switch {
	case err != nil || ended.Code == codeAbsent:
		j.Log.Warn("other methods left out", "program", name, "reason", errors.Join(err, errors.New(ended.Failure)))
		return table, nil
	case ended.Failure != "":
		return table, errors.New(ended.Failure)
	}
	if err := os.WriteFile(out, stdout.Bytes(), 0o644); err != nil {
		return table, err
	}
	return show.Read(out)
}
