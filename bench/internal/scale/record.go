// This file holds the records of how a fit scales, and what they say together: series of runs that differ in size
// alone.

package scale

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// Run says what a run is of; two runs with the same one are the same.
type Run struct {
	Items     int // N of the corpus
	Documents int // M of the corpus
	Tokens    int // mean length of a document
	Topics    int // K, of the corpus and of the fit
	Seed      uint64
	Flags     string // of the fit, as a shell reads them
	Workers   int
}

// Record is what came out of a run.
type Record struct {
	Run
	Failure         string // why there is no model; empty if there is. The figures then mean nothing
	ItemsKept       int    // items that occur and were not pruned
	DocumentsKept   int64  // documents that count
	Entries         int64
	Passes          int // to eigenpairs
	LargestResidual float64
	Iterations      int // of the rectification
	Converged       bool
	Density         float64 // share of entries that the last iteration had to correct
	Seconds         float64 // of the process
	CPU             float64 // seconds
	PeakBytes       int64   // 0 where the system does not tell
	Recovery        Recovery
	Stages          []model.StageTime
	Started         time.Time
	Command         string
	Machine         []string
}

// runLog is how the records of a series are kept.
var runLog = report.Log[Run, Record]{
	Fields: []report.Field[Record]{
		{Name: "items", Of: func(r *Record) any { return &r.Items }},
		{Name: "documents", Of: func(r *Record) any { return &r.Documents }},
		{Name: "tokens", Of: func(r *Record) any { return &r.Tokens }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "seed", Of: func(r *Record) any { return &r.Seed }},
		{Name: "flags", Of: func(r *Record) any { return &r.Flags }},
		{Name: "workers", Of: func(r *Record) any { return &r.Workers }},
		{Name: "failure", Of: func(r *Record) any { return &r.Failure }},
		{Name: "items_kept", Of: func(r *Record) any { return &r.ItemsKept }},
		{Name: "documents_kept", Of: func(r *Record) any { return &r.DocumentsKept }},
		{Name: "entries", Of: func(r *Record) any { return &r.Entries }},
		{Name: "passes", Of: func(r *Record) any { return &r.Passes }},
		{Name: "largest_residual", Of: func(r *Record) any { return &r.LargestResidual }},
		{Name: "iterations", Of: func(r *Record) any { return &r.Iterations }},
		{Name: "converged", Of: func(r *Record) any { return &r.Converged }},
		{Name: "density", Of: func(r *Record) any { return &r.Density }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
		{Name: "cpu_seconds", Of: func(r *Record) any { return &r.CPU }},
		{Name: "peak_bytes", Of: func(r *Record) any { return &r.PeakBytes }},
		{Name: "error_b", Of: func(r *Record) any { return &r.Recovery.ErrorB }},
		{Name: "floor_b", Of: func(r *Record) any { return &r.Recovery.FloorB }},
		{Name: "error_a", Of: func(r *Record) any { return &r.Recovery.ErrorA }},
		{Name: "floor_a", Of: func(r *Record) any { return &r.Recovery.FloorA }},
		{Name: "distance_a", Of: func(r *Record) any { return &r.Recovery.DistanceA }},
		{Name: "anchors", Of: func(r *Record) any { return &r.Recovery.Anchors }},
		{Name: "started", Of: func(r *Record) any { return &r.Started }},
		{Name: "command", Of: func(r *Record) any { return &r.Command }},
		{Name: "machine", Of: func(r *Record) any { return &r.Machine }},
	},
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		switch {
		case r.Items < 1 || r.Documents < 1 || r.Topics < 1:
			return errors.New("it says nothing of items, documents or topics")
		case r.Failure == "" && len(r.Stages) == 0:
			return errors.New("it has no stages")
		}
		return nil
	},
}

// whole is the name that a run as a whole has beside its stages.
const whole = "whole"

// stage returns what a stage took, or the run as a whole; 0 where there is no such stage.
func (r *Record) stage(name string) model.StageTime {
	if name == whole {
		return model.StageTime{Name: whole, Seconds: r.Seconds, CPU: r.CPU, PeakBytes: r.PeakBytes}
	}
	for _, s := range r.Stages {
		if s.Name == name {
			return s
		}
	}
	return model.StageTime{}
}

// figure is something that is measured of a stage.
type figure struct {
	name string
	of   func(model.StageTime) float64 // 0 where it is not known
}

// The places of figures in figures.
const (
	seconds = iota
	cpu
	peak
)

var figures = []figure{
	{"seconds", func(s model.StageTime) float64 { return s.Seconds }},
	{"CPU s", func(s model.StageTime) float64 { return s.CPU }},
	{"peak MiB", func(s model.StageTime) float64 { return float64(s.PeakBytes) / (1 << 20) }},
}

// recoveries are the errors of a recovery with their floors.
var recoveries = []struct {
	name string
	of   func(*Recovery) (error, floor float64)
}{
	{"ℓ1 error of B", func(r *Recovery) (error, floor float64) { return r.ErrorB, r.FloorB }},
	{"relative error of A", func(r *Recovery) (error, floor float64) { return r.ErrorA, r.FloorA }},
}

// group is runs that differ in size alone, by the number of items. Those that failed are left out.
type group struct {
	run     Run // its items are 0 and its documents those per item
	records []Record
}

// groupRecords returns the series of records.
func groupRecords(records []Record) []group {
	var groups []group
	for _, r := range records {
		run := r.Run
		run.Items, run.Documents = 0, run.Documents/run.Items
		if r.Failure != "" {
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.run == run })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{run: run})
		}
		groups[at].records = append(groups[at].records, r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.records, func(a, b Record) int { return cmp.Compare(a.Items, b.Items) })
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		x, y := a.run, b.run
		return cmp.Or(-cmp.Compare(x.Topics, y.Topics), cmp.Compare(x.Documents, y.Documents),
			cmp.Compare(x.Tokens, y.Tokens), cmp.Compare(x.Flags, y.Flags), cmp.Compare(x.Workers, y.Workers),
			cmp.Compare(x.Seed, y.Seed))
	})
	return groups
}

// stages returns the names of the stages in order of first appearance, and the whole behind them.
func (g *group) stages() []string {
	var names []string
	for _, r := range g.records {
		for _, s := range r.Stages {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return append(names, whole)
}

// points returns a figure of a stage against the number of items, where it is known.
func (g *group) points(stage string, f figure) []report.Point {
	var points []report.Point
	for i := range g.records {
		r := &g.records[i]
		if value := f.of(r.stage(stage)); value > 0 {
			points = append(points, report.Point{X: float64(r.Items), Y: value})
		}
	}
	return points
}

// slope returns the slope of a figure in logarithms: over all sizes, and from the last but one to the last.
func (g *group) slope(stage string, f figure) (all, last float64) {
	points := g.points(stage, f)
	return report.FitPowerLaw(points).Slope, report.FitPowerLaw(points[max(len(points)-2, 0):]).Slope
}
