// This file makes the runs of a grid of corpora and methods. Every run is kept, so that a grid can be made cell by cell and can
// grow.

package truth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

// ChildCommand is the argument by which the program makes one run, as Child does.
const ChildCommand = "truth-run"

// shardDocuments is the greatest number of documents of a shard.
const shardDocuments = 50_000

// Grid is a grid of runs: one for every seed, number of documents and method. Model, Documents, Seeds, Methods and Tolerance must be given.
type Grid struct {
	Model     synth.Model // its Documents are replaced, and its Seed is the first of Seeds consecutive ones
	Documents []int       // M, increasing; a corpus begins with the documents of the smaller ones
	Seeds     int
	Methods   []string // of Methods
	// Tolerance is sketch.Options.Tolerance of StageMethods, which must be given: at 0.001 the eigenpairs are as good as exact.
	// Iterations are those of their ENN; 0 for as many as its tolerance asks for.
	Tolerance  float64
	Iterations int
	Flags      string        // what of the above differs from the defaults beside N, K, M, the length and seeds, as a shell reads it
	Again      report.Again  // the runs that are made again although they have a record; report.AgainNone if empty
	Limit      time.Duration // of a run in a process of its own; 0 for none
	Python     string        // the interpreter for other programs' methods
	Scratch    string        // folder for temporary files; empty for the system's
	Command    []string      // the process that calls Child; this program with ChildCommand if empty
	Line       string        // the command line that the records name
	Workers    int           // goroutines; 0 for as many as there are processors
	Log        *slog.Logger
	Stderr     io.Writer // takes the messages of the processes; nil for none
}

// Check returns an error, which names the flag, when something is out of range.
func (g *Grid) Check() error {
	least := 2
	for _, documents := range g.Documents {
		if documents < least {
			return errors.New("--documents must be increasing numbers from 2")
		}
		least = documents + 1
	}
	for _, name := range g.Methods {
		if _, err := find(name); err != nil {
			return err
		}
	}
	if slices.Contains(g.Methods, Posterior) && g.Model.Logistic != nil {
		return errors.New("the method posterior needs --prior dirichlet")
	}
	switch {
	case len(g.Documents) == 0:
		return errors.New("nothing to run: --documents is empty")
	case len(g.Methods) == 0:
		return errors.New("nothing to run: --methods is empty")
	case g.Seeds < 1 || !(g.Tolerance > 0) || g.Iterations < 0:
		return errors.New("--seeds and --tolerance must be positive, --enn-iterations not negative")
	case g.Limit < 0:
		return errors.New("--limit cannot be negative")
	}
	if err := g.Again.Check(); err != nil {
		return err
	}
	model := g.Model
	model.Documents = g.Documents[0]
	return model.Check()
}

// run says what a method's run over a corpus is of.
func (g *Grid) run(corpus synth.Model, method string) Run {
	return Run{corpus.Items, corpus.Topics, corpus.Documents, corpus.Tokens, corpus.Seed, g.Flags, method}
}

// Write makes the runs that the folder results has no record of, by seed, then by the number of documents, then in the order of
// Methods. After each corpus it writes README.md, the tables and the chart of all records there. It passes over methods that are
// not installed. An interrupted grid goes on where it was.
func (g *Grid) Write(ctx context.Context, results string) error {
	if err := g.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	for s := range g.Seeds {
		model := g.Model
		model.Seed += uint64(s)
		model.Workers, model.Documents = g.Workers, 1
		var planted *synth.Drawn
		for _, documents := range g.Documents {
			model.Documents = documents
			wanted, err := g.wanted(results, model.Completed())
			if err != nil {
				return err
			}
			if len(wanted) == 0 {
				continue
			}
			if planted == nil {
				planted = model.Plant()
			}
			if err := g.cell(ctx, results, planted.Take(documents), wanted); err != nil {
				return fmt.Errorf("%d documents of seed %d: %w", documents, model.Seed, err)
			}
			if err := writeResults(results); err != nil {
				return err
			}
		}
	}
	return writeResults(results)
}

// wanted returns the methods whose runs over a corpus are to be made, in the order of Methods. It reads the records again, since
// another process may have added to them.
func (g *Grid) wanted(results string, corpus synth.Model) ([]string, error) {
	records, err := runLog.Read(results)
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, name := range Methods() {
		if !slices.Contains(g.Methods, name) {
			continue
		}
		at := slices.IndexFunc(records, func(r Record) bool { return r.Run == g.run(corpus, name) })
		if at < 0 || g.Again.Wants(records[at].Failure != "") {
			wanted = append(wanted, name)
		}
	}
	return wanted, nil
}

// cell makes the wanted runs over one corpus and keeps them.
func (g *Grid) cell(ctx context.Context, results string, corpus *synth.Drawn, wanted []string) (err error) {
	keep := func(r *Record, started time.Time) error {
		r.Started, r.Command, r.Machine = started.UTC().Truncate(time.Second), g.Line, report.Machine(g.Workers)
		g.tell(r)
		return runLog.Put(results, r)
	}
	for _, known := range []struct {
		name string
		from func(context.Context, *synth.Drawn, *Record) error
	}{{Floor, recoverFloor}, {Posterior, recoverPosterior}} {
		if !slices.Contains(wanted, known.name) {
			continue
		}
		started, record := time.Now(), newRecord(g.run(corpus.Model, known.name))
		if err := known.from(ctx, corpus, &record); err != nil {
			return err
		}
		if err := keep(&record, started); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(wanted, func(name string) bool { return slices.Contains(StageMethods, name) }) {
		started := time.Now()
		records, err := g.recoverStages(ctx, corpus, wanted)
		if err != nil {
			return err
		}
		for i := range records {
			if err := keep(&records[i], started); err != nil {
				return err
			}
		}
	}
	wanted = slices.DeleteFunc(wanted, func(name string) bool {
		m, _ := find(name)
		return m.learn == nil
	})
	if len(wanted) == 0 {
		return nil
	}
	folder, remove, err := report.Scratch(g.Scratch)
	if err != nil {
		return fmt.Errorf("--spill-dir: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	shards, err := corpus.WriteShards(ctx, folder, (corpus.Model.Documents+shardDocuments-1)/shardDocuments)
	if err != nil {
		return err
	}
	for _, name := range wanted {
		started := time.Now()
		made, err := g.start(ctx, corpus.Model, shards, name)
		if err != nil {
			return err
		}
		if made.Absent != "" {
			g.Log.Warn("run passed over", "method", name, "reason", made.Absent)
			continue
		}
		if err := keep(&made.Record, started); err != nil {
			return err
		}
	}
	return nil
}

// start makes one run in a process of its own. Whatever ends the process is a failure of the run. The error is that of ctx, or
// says that no process can be started.
func (g *Grid) start(ctx context.Context, corpus synth.Model, shards []string, method string) (*answer, error) {
	scratch, remove, err := report.Scratch(g.Scratch)
	if err != nil {
		return nil, fmt.Errorf("--spill-dir: %w", err)
	}
	defer remove()
	command, err := report.OwnCommand(g.Command, ChildCommand)
	if err != nil {
		return nil, err
	}
	o := order{Run: g.run(corpus, method), Model: corpus, Shards: shards, Scratch: scratch, Python: g.Python, Workers: g.Workers}
	made, failure, err := report.Ask[answer](ctx, command, g.Limit, o, g.Stderr)
	if failure != "" {
		made = &answer{Record: o.begun()}
		made.Record.Failure = failure
	}
	return made, err
}

// tell logs a record.
func (g *Grid) tell(r *Record) {
	of := []any{"items", r.Items, "documents", r.Documents, "seed", r.Seed, "method", r.Method}
	if r.Failure != "" {
		g.Log.Warn("nothing recovered", append(of, "failure", r.Failure)...)
		return
	}
	of = append(of, "error_b", r.Figures[errorB], "error_a", r.Figures[errorA], "anchors", r.Anchors, "passes", r.Passes)
	if r.Method == Floor {
		of = append(of, "expected_b", r.ExpectedB, "shrunk_b", r.ShrunkB)
	}
	g.Log.Info("recovered", append(of, "cpu_seconds", r.CPU, "peak_bytes", r.PeakBytes)...)
}
