// This file measures how the time and the memory of a fit grow with the number of items. Every run is a process of its
// own and is kept, so that a series can be made in parts, and grow.

package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"anchorage/internal/kernel"
	"anchorage/internal/synth"
	"anchorage/model"
)

// scaleRuns is the file of the records in a results folder.
const scaleRuns = "runs.jsonl"

// Scale is a series of runs over corpora with Zipf item frequencies, one for every number of items.
type Scale struct {
	Items            []int // N
	DocumentsPerItem int   // M/N
	Tokens           int   // mean length of documents
	Topics           int   // K, of the corpus and of the fit
	Seed             uint64
	Compare          bool     // a run besides that a published time is held against; see published
	Flags            []string // of fit, beside those that the runs set themselves: -k, -o and --workers
	Shards           string   // folder whose corpora are taken where they are there, and kept; empty for a temporary one
	Again            bool     // make runs again that there is a record of; those that failed always are
	Program          []string // makes a fit, given the arguments of anchorage fit; this program if empty
	Command          string   // the command line that the records name
	Workers          int
	Log              *slog.Logger
	Stderr           io.Writer // where the processes' messages go; nil for nowhere
}

// Check returns an error when the series cannot be.
func (s *Scale) Check() error {
	if len(s.Items) == 0 && !s.Compare {
		return errors.New("there is nothing to measure: --items names nothing")
	}
	if s.DocumentsPerItem < 1 {
		return fmt.Errorf("--documents-per-item is %d: it must be positive", s.DocumentsPerItem)
	}
	for _, run := range s.runs() {
		m := run.model()
		if err := m.Check(); err != nil {
			return err
		}
	}
	return nil
}

// runs returns the runs of the series, by the number of items.
func (s *Scale) runs() []ScaleRun {
	items := slices.Clone(s.Items)
	slices.Sort(items)
	flags, workers := ShellWords(s.Flags), kernel.Workers(s.Workers)
	var runs []ScaleRun
	for _, n := range slices.Compact(items) {
		runs = append(runs, ScaleRun{n, n * s.DocumentsPerItem, s.Tokens, s.Topics, s.Seed, flags, workers})
	}
	if s.Compare {
		p := published
		runs = append(runs, ScaleRun{p.items, p.documents, p.tokens, p.topics, s.Seed, flags, workers})
	}
	return runs
}

// model returns what the corpus of a run is drawn from.
func (r *ScaleRun) model() synth.Model {
	return synth.Model{Items: r.Items, Topics: r.Topics, Documents: r.Documents, Tokens: r.Tokens, Seed: r.Seed,
		Workers: r.Workers}
}

// Write makes the runs of the series that results, a folder, has no record of, and adds them to it one by one, each
// time with a README.md and a chart about all records there. An interrupted series goes on where it was.
func (s *Scale) Write(ctx context.Context, results string) (err error) {
	if err := s.Check(); err != nil {
		return err
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	results, err = filepath.Abs(results)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(results), ".anchorage-scale-")
	if err != nil {
		return fmt.Errorf("making room beside the results: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
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
		s.report(record)
		if err := appendRecord(filepath.Join(results, scaleRuns), record); err != nil {
			return err
		}
		if err := writeScaleResults(results); err != nil {
			return err
		}
	}
	return writeScaleResults(results)
}

// wanted says whether a run is to be made. The file is read anew, since another process may be at work on the same
// results.
func (s *Scale) wanted(results string, run ScaleRun) (bool, error) {
	records, err := readScaleRecords(filepath.Join(results, scaleRuns))
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(records, func(r ScaleRecord) bool { return r.ScaleRun == run })
	return s.Again || at < 0 || records[at].Failure != "", nil
}

// measure makes a run: its docs, and the fit, in a process of its own. Whatever ends the process is a failure of the
// run; the error is that of ctx, or that there can be no corpus or no process.
func (s *Scale) measure(ctx context.Context, run ScaleRun, scratch string) (*ScaleRecord, error) {
	room, err := os.MkdirTemp(scratch, "run-")
	if err != nil {
		return nil, fmt.Errorf("making room beside the results: %w", err)
	}
	defer os.RemoveAll(room)
	folder := s.Shards
	if folder == "" {
		folder = room
	}
	shards, err := s.shards(ctx, run, folder)
	if err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // what the corpus was made with, which the fit may need
	command, err := ownCommand(s.Program, "fit")
	if err != nil {
		return nil, err
	}
	fitted := filepath.Join(room, "model")
	command = append(slices.Clone(command), shards...)
	command = append(command, "-k", strconv.Itoa(run.Topics), "-o", fitted, "--workers", strconv.Itoa(run.Workers),
		"--log-level", "warn", "--progress", "off")
	command = append(command, s.Flags...)
	record := &ScaleRecord{ScaleRun: run, Command: s.Command, Machine: machine(run.Workers),
		Started: time.Now().UTC().Truncate(time.Second)}
	ended, err := runProcess(ctx, command, nil, nil, s.Stderr)
	if err != nil {
		return nil, err
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ended.failure != "":
		record.Failure = ended.failure
	default:
		if err := record.take(fitted, ended); err != nil {
			record.Failure = err.Error()
		}
	}
	// Results do not name the folders of this machine.
	hide := strings.NewReplacer(room+string(filepath.Separator), "", folder+string(filepath.Separator), "")
	record.Failure = hide.Replace(record.Failure)
	return record, nil
}

// take notes what a fit that has ended says of itself.
func (r *ScaleRecord) take(fitted string, ended process) error {
	run, err := model.ReadRun(fitted)
	if err != nil {
		return err
	}
	manifest, err := model.ReadManifest(fitted, model.KindModel)
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
	r.Seconds, r.CPU = ended.wall.Seconds(), ended.cpu.Seconds()
	r.PeakBytes, r.Stages = run.PeakBytes, run.Stages
	return nil
}

// report logs a run.
func (s *Scale) report(r *ScaleRecord) {
	of := []any{"items", r.Items, "documents", r.Documents, "topics", r.Topics}
	if r.Failure != "" {
		s.Log.Warn("run failed", append(of, "failure", r.Failure)...)
		return
	}
	for _, stage := range r.Stages {
		of = append(of, stage.Name, stage.Seconds)
	}
	s.Log.Info("run made", append(of, "seconds", r.Seconds, "cpu_seconds", r.CPU, "peak_bytes", r.PeakBytes)...)
}
