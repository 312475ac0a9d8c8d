// This file makes the runs of a grid of corpora, vocabularies, numbers of topics, methods and seeds. Every run is kept, so that a
// grid can be made in parts and can grow.

package topics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/bench/internal/report"
)

// ChildCommand is the argument by which the program makes one run, as Child does.
const ChildCommand = "topics-run"

// Grid is a grid of runs: one for every corpus, vocabulary, number of topics, method and seed.
type Grid struct {
	Data    string   // folder whose folders are the corpora; the results do not name it
	Corpora []string // names of folders in Data
	// The vocabularies are all combinations of MinDF and MaxItems, 0 for all items; see corpus.Pruning.
	MinDF      []int64
	MaxDFRatio float64
	MaxItems   []int
	Topics     []int         // K
	Methods    []string      // of Methods
	Seeds      int           // 1, 2, …
	Again      report.Again  // report.AgainNone if empty
	Limit      time.Duration // of a run; 0 for none
	Python     string        // the interpreter for other programs' methods
	Scratch    string        // folder for temporary files; empty for the system's
	Command    []string      // the process that calls Child; this program with ChildCommand if empty
	Workers    int
	Log        *slog.Logger
	Stderr     io.Writer // takes the messages of the processes; nil for none
}

// Check returns an error that names the flag with a wrong value.
func (t *Grid) Check() error {
	for _, list := range []struct {
		flag  string
		empty bool
	}{{"corpora", len(t.Corpora) == 0}, {"min-df", len(t.MinDF) == 0}, {"max-items", len(t.MaxItems) == 0}, {"topics", len(t.Topics) == 0}, {"methods", len(t.Methods) == 0}} {
		if list.empty {
			return fmt.Errorf("nothing to run: --%s is empty", list.flag)
		}
	}
	for _, name := range t.Corpora {
		if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return fmt.Errorf("--corpora has %q: a corpus is the name of a folder in --data", name)
		}
	}
	for _, name := range t.Methods {
		if !slices.Contains(Methods(), name) {
			return fmt.Errorf("there is no method %q: there are %s", name, strings.Join(Methods(), ", "))
		}
	}
	if slices.Min(t.Topics) < 2 {
		return fmt.Errorf("there must be at least 2 topics, not %d", slices.Min(t.Topics))
	}
	if slices.Min(t.MinDF) < 0 || slices.Min(t.MaxItems) < 0 || t.Seeds < 1 || t.Limit < 0 {
		return errors.New("--min-df, --max-items and --limit cannot be negative, and --seeds must be positive")
	}
	if !(t.MaxDFRatio >= 0 && t.MaxDFRatio <= 1) {
		return fmt.Errorf("--max-df-ratio is %v: it must be from 0 to 1", t.MaxDFRatio)
	}
	return t.Again.Check()
}

// runs returns the runs of the grid, in order.
func (t *Grid) runs() []Run {
	var runs []Run
	for _, corpus := range t.Corpora {
		for _, minDF := range t.MinDF {
			for _, maxItems := range t.MaxItems {
				for _, topics := range t.Topics {
					for _, method := range t.Methods {
						for seed := 1; seed <= t.Seeds; seed++ {
							runs = append(runs, Run{corpus, minDF, t.MaxDFRatio, maxItems, topics, uint64(seed), method})
						}
					}
				}
			}
		}
	}
	return runs
}

// Write makes the runs that the folder results has no record of, and adds them one by one. Then it writes README.md and the
// charts of all records there. It passes over methods that are not installed. An interrupted grid goes on where it was.
func (t *Grid) Write(ctx context.Context, results string) error {
	if err := t.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	for _, run := range t.runs() {
		wanted, err := t.wanted(results, run)
		if err != nil {
			return err
		}
		if !wanted {
			continue
		}
		made, err := t.start(ctx, run)
		if err != nil {
			return err
		}
		if made.Absent != "" {
			t.Log.Warn("run passed over", "method", run.Method, "reason", made.Absent)
			continue
		}
		t.tell(&made.Record)
		if err := runLog.Put(results, &made.Record); err != nil {
			return err
		}
	}
	records, err := runLog.Read(results)
	if err != nil {
		return err
	}
	return writeResults(results, records)
}

// wanted says whether to make a run. It reads the records again, since another process may have added to them.
func (t *Grid) wanted(results string, run Run) (bool, error) {
	records, err := runLog.Read(results)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(records, func(r Record) bool { return r.Run == run })
	return at < 0 || t.Again.Wants(records[at].Failure != ""), nil
}

// tell logs a run.
func (t *Grid) tell(r *Record) {
	of := []any{"corpus", r.Corpus, "min_df", r.MinDF, "max_items", r.MaxItems, "items", r.Items, "topics", r.Topics, "method", r.Method, "seed", r.Seed}
	if r.Failure != "" {
		t.Log.Warn("run failed", append(of, "failure", r.Failure)...)
		return
	}
	for l, ranking := range r.Rankings {
		of = append(of, fmt.Sprintf("npmi_%g", lambdas[l]), ranking.NPMI, fmt.Sprintf("diversity_%g", lambdas[l]), ranking.Diversity)
	}
	t.Log.Info("run made", append(of, "seconds", r.Seconds, "cpu_seconds", r.CPU, "peak_bytes", r.PeakBytes)...)
}

// start makes one run in a process of its own. Whatever ends the process is a failure of the run. The error is that of ctx, or
// says that no process can be started.
func (t *Grid) start(ctx context.Context, run Run) (*answer, error) {
	scratch, remove, err := report.Scratch(t.Scratch)
	if err != nil {
		return nil, fmt.Errorf("--spill-dir: %w", err)
	}
	defer remove()
	command, err := report.OwnCommand(t.Command, ChildCommand)
	if err != nil {
		return nil, err
	}
	o := order{Run: run, Data: t.Data, Scratch: scratch, Python: t.Python, Workers: t.Workers}
	made, failure, err := report.Ask[answer](ctx, command, t.Limit, o, t.Stderr)
	if failure != "" {
		made = &answer{Record: o.record()}
		made.Record.Failure = failure
	}
	return made, err
}
