// This file holds the records of runs, and the series of them that a folder keeps.

package planning

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anchorage/bench/internal/fitting"
	"anchorage/bench/internal/report"
	"anchorage/internal/kernel"
	"anchorage/model"
)

// Forecast is a figure of a plan, and what it was.
type Forecast struct{ Estimate, Low, High, Truth float64 }

// Run says which run a record is of.
type Run struct {
	Corpus  string
	Topics  int
	Workers int
}

// Record is a plan, and what the fit took.
type Record struct {
	Run
	Failure                                                               string
	Sampled                                                               int64   // entries
	PlanSeconds, PlanCPU                                                  float64 // that the plan took
	Documents, Entries, Items, Kept, Memory, Output, Passes, CPU, Seconds Forecast
	Stages                                                                []model.StageTime
	Started                                                               time.Time
	Command                                                               string
	Machine                                                               []string
}

// figures are what plans forecast: their names in tables, and their units.
var figures = []struct {
	name, title string
	unit        float64
	of          func(*Record) *Forecast
}{
	{"documents", "documents", 1, func(r *Record) *Forecast { return &r.Documents }},
	{"entries", "entries, M", 1e6, func(r *Record) *Forecast { return &r.Entries }},
	{"items_seen", "items", 1, func(r *Record) *Forecast { return &r.Items }},
	{"items_kept", "items kept", 1, func(r *Record) *Forecast { return &r.Kept }},
	{"memory_bytes", "memory, MiB", 1 << 20, func(r *Record) *Forecast { return &r.Memory }},
	{"output_bytes", "model, MiB", 1 << 20, func(r *Record) *Forecast { return &r.Output }},
	{"passes", "passes", 1, func(r *Record) *Forecast { return &r.Passes }},
	{"cpu_seconds", "CPU s", 1, func(r *Record) *Forecast { return &r.CPU }},
	{"seconds", "seconds", 1, func(r *Record) *Forecast { return &r.Seconds }},
}

// runLog is how the records of a folder are kept.
var runLog = report.Log[Run, Record]{
	Fields: fields(),
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		if r.Corpus == "" || r.Topics < 2 {
			return errors.New("it says nothing of a corpus or topics")
		}
		return nil
	},
}

func fields() []report.Field[Record] {
	all := []report.Field[Record]{
		{Name: "corpus", Of: func(r *Record) any { return &r.Corpus }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "workers", Of: func(r *Record) any { return &r.Workers }},
		{Name: "failure", Of: func(r *Record) any { return &r.Failure }},
		{Name: "sampled_entries", Of: func(r *Record) any { return &r.Sampled }},
		{Name: "plan_seconds", Of: func(r *Record) any { return &r.PlanSeconds }},
		{Name: "plan_cpu_seconds", Of: func(r *Record) any { return &r.PlanCPU }},
	}
	for _, f := range figures {
		all = append(all,
			report.Field[Record]{Name: f.name, Of: func(r *Record) any { return &f.of(r).Estimate }},
			report.Field[Record]{Name: f.name + "_low", Of: func(r *Record) any { return &f.of(r).Low }},
			report.Field[Record]{Name: f.name + "_high", Of: func(r *Record) any { return &f.of(r).High }},
			report.Field[Record]{Name: f.name + "_truth", Of: func(r *Record) any { return &f.of(r).Truth }})
	}
	return append(all,
		report.Field[Record]{Name: "started", Of: func(r *Record) any { return &r.Started }},
		report.Field[Record]{Name: "command", Of: func(r *Record) any { return &r.Command }},
		report.Field[Record]{Name: "machine", Of: func(r *Record) any { return &r.Machine }})
}

// Series is runs over corpora.
type Series struct {
	Corpora []fitting.Corpus
	Again   report.Again
	Command string
	Workers int
	Program []string // the process that calls Child; this program with ChildCommand if empty
	Report  func(*Record)
	Stderr  io.Writer
}

// Write makes the runs that results, a folder, has no record of, and writes README.md after each.
func (s *Series) Write(ctx context.Context, results string) (err error) {
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	if results, err = filepath.Abs(results); err != nil {
		return err
	}
	for _, c := range s.Corpora {
		run := Run{c.Name, c.Topics, kernel.Workers(s.Workers)}
		records, err := runLog.Read(results)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(records, func(r Record) bool { return r.Run == run })
		if at >= 0 && !s.Again.Wants(records[at].Failure != "") {
			continue
		}
		record, err := s.measure(ctx, run, c, filepath.Dir(results))
		if err != nil {
			return err
		}
		if s.Report != nil {
			s.Report(record)
		}
		if err := runLog.Put(results, record); err != nil {
			return err
		}
		if err := writeReadme(results); err != nil {
			return err
		}
	}
	return writeReadme(results)
}

// measure makes a run in a process of its own.
func (s *Series) measure(ctx context.Context, run Run, c fitting.Corpus, within string) (record *Record, err error) {
	room, remove, err := report.Scratch(within)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	command, err := report.OwnCommand(s.Program, ChildCommand)
	if err != nil {
		return nil, err
	}
	order := Order{Shards: []string{path}, Topics: c.Topics, Output: filepath.Join(room, "model"), Workers: run.Workers}
	started := time.Now().UTC().Truncate(time.Second)
	answer, failure, err := report.Ask[report.Answer[Record]](ctx, command, 0, order, s.Stderr)
	if err != nil {
		return nil, err
	}
	record = new(Record)
	if answer != nil {
		record = &answer.Record
	}
	if failure != "" {
		record.Failure = failure
	}
	record.Failure = strings.ReplaceAll(record.Failure, path, c.Name)
	record.Run, record.Started, record.Command, record.Machine = run, started, s.Command, report.Machine(run.Workers)
	return record, nil
}
