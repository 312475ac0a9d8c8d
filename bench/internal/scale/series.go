// This file makes the runs of a series. Every run is a process of its own and is kept, so that a series can be made in parts
// and can grow.

package scale

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
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/internal/kernel"
	"anchorage/internal/synth"
	"anchorage/model"
)

// ChildCommand is the argument by which the program makes one fit, as Fit does.
const ChildCommand = "scale-run"

// Series is two series of runs over corpora with Zipf item frequencies: one for every number of items, and one for every number of
// documents.
type Series struct {
	Items            []int // N
	DocumentsPerItem int   // M/N
	Tokens           int   // mean length of documents
	Documents        []int // M of the second series
	DocumentItems    int   // N of all its runs
	DocumentTokens   int   // mean length of its documents
	Topics           int   // K, of the corpus and of the fit
	Seed             uint64
	Compare          bool     // make also the run that a published time is held against; see published
	Flags            []string // of the fits; see Settings
	Shards           string   // folder that corpora are taken from and kept in; empty for a temporary one
	Again            bool     // make runs again that there is a record of; those that failed always are
	Program          []string // the process that calls Fit; this program with ChildCommand if empty
	Command          string   // the command line that the records name
	Workers          int
	Log              *slog.Logger
	Stderr           io.Writer // where the processes' messages go; nil for nowhere
}

// Check returns an error, which names flags, when the series cannot be made.
func (s *Series) Check() error {
	if len(s.Items) == 0 && len(s.Documents) == 0 && !s.Compare {
		return errors.New("there is nothing to measure: --items and --documents name nothing")
	}
	if s.DocumentsPerItem < 1 {
		return fmt.Errorf("--documents-per-item is %d: it must be positive", s.DocumentsPerItem)
	}
	if _, err := ParseSettings(s.Flags); err != nil {
		return err
	}
	for _, run := range s.runs() {
		m := run.model()
		if err := m.Check(); err != nil {
			return err
		}
	}
	return nil
}

// runs returns the runs of the series by size, those along items first.
func (s *Series) runs() []Run {
	items, documents := slices.Sorted(slices.Values(s.Items)), slices.Sorted(slices.Values(s.Documents))
	flags, workers := report.ShellWords(withDefaults(s.Flags)), kernel.Workers(s.Workers)
	var runs []Run
	for _, n := range slices.Compact(items) {
		runs = append(runs, Run{itemsAxis, n, n * s.DocumentsPerItem, s.Tokens, s.Topics, s.Seed, flags, workers})
	}
	for _, m := range slices.Compact(documents) {
		runs = append(runs, Run{documentsAxis, s.DocumentItems, m, s.DocumentTokens, s.Topics, s.Seed, flags, workers})
	}
	if s.Compare {
		p := published
		runs = append(runs, Run{itemsAxis, p.items, p.documents, p.tokens, p.topics, s.Seed, flags, workers})
	}
	return runs
}

// model returns what the corpus of a run is drawn from.
func (r *Run) model() synth.Model {
	return synth.Model{Items: r.Items, Topics: r.Topics, Documents: r.Documents, Tokens: r.Tokens, Seed: r.Seed,
		Workers: r.Workers}
}

// Write makes the runs of the series that results, a folder, has no record of. After each run it writes the record, README.md
// and the charts. An interrupted series goes on where it was.
func (s *Series) Write(ctx context.Context, results string) (err error) {
	if err := s.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	if results, err = filepath.Abs(results); err != nil {
		return err
	}
	scratch, remove, err := report.Scratch(filepath.Dir(results))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	for _, run := range s.runs() {
		wanted, err := s.wanted(results, run)
		if err != nil {
			return err
		}
		if !wanted {
			continue
		}
		record, err := s.measure(ctx, run, scratch)
		if err != nil {
			return err
		}
		s.tell(record)
		if err := runLog.Put(results, record); err != nil {
			return err
		}
		if err := writeResults(results); err != nil {
			return err
		}
	}
	return writeResults(results)
}

// wanted says whether a run is to be made. It reads the records anew, since another process may be at work on the same
// results.
func (s *Series) wanted(results string, run Run) (bool, error) {
	records, err := runLog.Read(results)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(records, func(r Record) bool { return r.Run == run })
	return s.Again || at < 0 || records[at].Failure != "", nil
}

// measure makes a run: its corpus, and the fit, in a process of its own. Whatever ends the process is a failure of the run. The
// error is that of ctx, or that there can be no corpus or no process.
func (s *Series) measure(ctx context.Context, run Run, scratch string) (*Record, error) {
	room, remove, err := report.Scratch(scratch)
	if err != nil {
		return nil, err
	}
	defer remove()
	folder := s.Shards
	if folder == "" {
		folder = room
	}
	shards, err := s.shards(ctx, run, folder)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what the corpus was made with, which the fit may need
	command, err := report.OwnCommand(s.Program, ChildCommand)
	if err != nil {
		return nil, err
	}
	order := Order{Shards: shards, Output: filepath.Join(room, "model"), Topics: run.Topics, Flags: withDefaults(s.Flags), Workers: run.Workers}
	text, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	record := &Record{Run: run, Recovery: unknownRecovery(), Command: s.Command, Machine: report.Machine(run.Workers),
		Started: time.Now().UTC().Truncate(time.Second)}
	ended, err := report.RunProcess(ctx, command, bytes.NewReader(text), nil, s.Stderr)
	if err != nil {
		return nil, err
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ended.Failure != "":
		record.Failure = ended.Failure
	default:
		err := record.take(ctx, order.Output, ended)
		if err == nil {
			record.Recovery, err = run.recover(ctx, order.Output)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			record.Failure = err.Error()
		}
	}
	// Results do not name the folders of this machine.
	hide := strings.NewReplacer(room+string(filepath.Separator), "", folder+string(filepath.Separator), "")
	record.Failure = hide.Replace(record.Failure)
	return record, nil
}

// take notes what a fit that has ended says of itself.
func (r *Record) take(ctx context.Context, fitted string, ended report.Process) error {
	run, err := model.ReadRun(ctx, fitted)
	if err != nil {
		return err
	}
	manifest, err := model.ReadManifest(ctx, fitted, model.KindModel)
	if err != nil {
		return err
	}
	docs := manifest.Corpus
	if docs.DocumentsRead != int64(r.Documents) {
		return fmt.Errorf("the fit has read %d documents of %d", docs.DocumentsRead, r.Documents)
	}
	r.ItemsKept, r.DocumentsKept, r.Entries = docs.Items, docs.Documents, docs.Entries
	r.Passes, r.LargestResidual = manifest.Sketch.Passes, manifest.Sketch.LargestResidual
	if rectified := manifest.Rectify; rectified != nil {
		r.Iterations, r.Converged, r.Density = rectified.Iterations, rectified.Converged, rectified.Density
	}
	for _, pass := range run.Passes {
		r.VisitSeconds += pass.VisitSeconds
		r.VisitCPU += pass.VisitCPU
	}
	r.Seconds, r.CPU = ended.Wall.Seconds(), ended.CPU.Seconds()
	r.PeakBytes, r.Stages = run.PeakBytes, run.Stages
	return nil
}

// tell logs a run.
func (s *Series) tell(r *Record) {
	of := []any{"items", r.Items, "documents", r.Documents, "topics", r.Topics}
	if r.Failure != "" {
		s.Log.Warn("run failed", append(of, "failure", r.Failure)...)
		return
	}
	for _, stage := range r.Stages {
		of = append(of, stage.Name, stage.Seconds)
	}
	if found := r.Recovery; found.ErrorB > 0 {
		of = append(of, "error_b", found.ErrorB, "floor_b", found.FloorB, "error_a", found.ErrorA, "floor_a", found.FloorA, "anchors", found.Anchors)
	}
	s.Log.Info("run made", append(of, "seconds", r.Seconds, "cpu_seconds", r.CPU, "peak_bytes", r.PeakBytes)...)
}
