// This file compares the topics of several methods over a grid of corpora, vocabularies and numbers of topics. Every run is
// kept, so that a grid can be made in parts, and grow.

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/model"
)

// topicsRuns is the file of the records in a results folder.
const topicsRuns = "runs.jsonl"

// Again says which runs of a grid are made although there is a record of them.
type Again string

// The runs that are made again: none; those that failed; all.
const (
	AgainNone   Again = "none"
	AgainFailed Again = "failed"
	AgainAll    Again = "all"
)

// Topics is a grid of runs: one for every docs, vocabulary, number of topics, method and seed.
type Topics struct {
	Data    string   // folder whose folders are the corpora; the results do not name it
	Corpora []string // names of folders in Data
	// The vocabularies are all combinations of MinDF and MaxItems, 0 for all items; see docs.Pruning.
	MinDF      []int64
	MaxDFRatio float64
	MaxItems   []int
	Topics     []int         // K
	Methods    []string      // of TopicsMethods
	Seeds      int           // 1, 2, …
	Again      Again         // AgainNone if empty
	Limit      time.Duration // that a run may take, all in all; 0 for any
	Python     string        // the interpreter for other programs' methods
	Scratch    string        // folder for what is temporary; empty for the system's
	Command    []string      // the process that calls TopicsChild; this program's own command if empty
	Workers    int
	Log        *slog.Logger
	Stderr     io.Writer // where the processes' messages go; nil for nowhere
}

// Check returns an error when the grid cannot be.
func (t *Topics) Check() error {
	for _, list := range []struct {
		flag  string
		empty bool
	}{{"corpora", len(t.Corpora) == 0}, {"min-df", len(t.MinDF) == 0}, {"max-items", len(t.MaxItems) == 0}, {"topics", len(t.Topics) == 0}, {"methods", len(t.Methods) == 0}} {
		if list.empty {
			return fmt.Errorf("the grid is empty: --%s names nothing", list.flag)
		}
	}
	for _, name := range t.Corpora {
		if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return fmt.Errorf("a corpus is the name of a folder of --data, which %q cannot be", name)
		}
	}
	for _, name := range t.Methods {
		if !slices.Contains(TopicsMethods(), name) {
			return fmt.Errorf("there is no method %q: there are %s", name, strings.Join(TopicsMethods(), ", "))
		}
	}
	if slices.Min(t.Topics) < 2 {
		return fmt.Errorf("there must be at least 2 topics, not %d", slices.Min(t.Topics))
	}
	if slices.Min(t.MinDF) < 0 || slices.Min(t.MaxItems) < 0 || t.Seeds < 1 || t.Limit < 0 {
		return errors.New("--min-df, --max-items and --limit cannot be negative, and --seeds must be positive")
	}
	if !(t.MaxDFRatio >= 0 && t.MaxDFRatio <= 1) {
		return fmt.Errorf("--max-df-ratio is %v: it is a share, from 0 to 1", t.MaxDFRatio)
	}
	if !slices.Contains([]Again{"", AgainNone, AgainFailed, AgainAll}, t.Again) {
		return fmt.Errorf("--again is %q: it can be none, failed or all", t.Again)
	}
	return nil
}

// runs returns the runs of the grid, in order.
func (t *Topics) runs() []TopicsRun {
	var runs []TopicsRun
	for _, docs := range t.Corpora {
		for _, minDF := range t.MinDF {
			for _, maxItems := range t.MaxItems {
				for _, topics := range t.Topics {
					for _, method := range t.Methods {
						for seed := 1; seed <= t.Seeds; seed++ {
							runs = append(runs, TopicsRun{docs, minDF, t.MaxDFRatio, maxItems, topics, uint64(seed), method})
						}
					}
				}
			}
		}
	}
	return runs
}

// Write makes the runs of the grid that results, a folder, has no record of, adds them to it one by one, and writes README.md
// and charts about all records there. A method that is not installed is passed over. An interrupted grid goes on where it was.
func (t *Topics) Write(ctx context.Context, results string) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	path := filepath.Join(results, topicsRuns)
	for _, run := range t.runs() {
		wanted, err := t.wanted(path, run)
		if err != nil {
			return err
		}
		if !wanted {
			continue
		}
		answer, err := t.start(ctx, run)
		if err != nil {
			return err
		}
		if answer.Absent != "" {
			t.Log.Warn("run passed over", "method", run.Method, "reason", answer.Absent)
			continue
		}
		t.report(&answer.Record)
		if err := appendRecord(path, &answer.Record); err != nil {
			return err
		}
	}
	records, err := readTopicsRecords(path)
	if err != nil {
		return err
	}
	return writeTopicsResults(results, records)
}

// wanted says whether a run is to be made. The file is read anew, since another process may be at work on the same results.
func (t *Topics) wanted(path string, run TopicsRun) (bool, error) {
	records, err := readTopicsRecords(path)
	if err != nil || t.Again == AgainAll {
		return err == nil, err
	}
	at := slices.IndexFunc(records, func(r TopicsRecord) bool { return r.TopicsRun == run })
	return at < 0 || t.Again == AgainFailed && records[at].Failure != "", nil
}

// report logs a run.
func (t *Topics) report(r *TopicsRecord) {
	of := []any{"corpus", r.Corpus, "min_df", r.MinDF, "max_items", r.MaxItems, "items", r.Items, "topics", r.Topics, "method", r.Method, "seed", r.Seed}
	if r.Failure != "" {
		t.Log.Warn("run failed", append(of, "failure", r.Failure)...)
		return
	}
	for _, ranking := range r.Rankings {
		of = append(of, fmt.Sprintf("npmi_%g", ranking.Lambda), ranking.NPMI, fmt.Sprintf("diversity_%g", ranking.Lambda), ranking.Diversity)
	}
	t.Log.Info("run made", append(of, "seconds", r.Seconds, "cpu_seconds", r.CPU, "peak_bytes", r.PeakBytes)...)
}

// start makes one run in a process of its own. Whatever ends the process is a failure of the run; the error is that of ctx, or
// that there can be no process at all.
func (t *Topics) start(ctx context.Context, run TopicsRun) (*topicsAnswer, error) {
	scratch, err := os.MkdirTemp(t.Scratch, "anchorage-topics-")
	if err != nil {
		return nil, fmt.Errorf("making room for a run (--spill-dir): %w", err)
	}
	defer os.RemoveAll(scratch)
	order, err := json.Marshal(topicsOrder{Run: run, Data: t.Data, Scratch: scratch, Python: t.Python, Workers: t.Workers})
	if err != nil {
		return nil, err
	}
	command, err := ownCommand(t.Command, "bench", "topics-run")
	if err != nil {
		return nil, err
	}
	limited := ctx
	if t.Limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, t.Limit)
		defer cancel()
	}
	var stdout bytes.Buffer
	ended, err := runProcess(limited, command, bytes.NewReader(order), &stdout, t.Stderr)
	if err != nil {
		return nil, err
	}
	answer := &topicsAnswer{Record: TopicsRecord{TopicsRun: run, Program: "anchorage " + model.Version}}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		answer.Record.Failure = fmt.Sprintf("it takes longer than %v", t.Limit)
	case ended.failure != "":
		answer.Record.Failure = ended.failure
	default:
		if err := json.Unmarshal(stdout.Bytes(), answer); err != nil {
			return nil, fmt.Errorf("%s answered with what is no record: %w", command[0], err)
		}
	}
	return answer, nil
}
