// This file holds the records of how a fit scales.

package scale

import (
	"errors"
	"fmt"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// The axes along which series grow.
const (
	itemsAxis     = "items"     // with as many documents for each item
	documentsAxis = "documents" // with the same items
)

// Run says what a run is of; two runs with the same one are the same.
type Run struct {
	Axis      string // along which its series grows
	Items     int    // N of the corpus
	Documents int    // M of the corpus
	Tokens    int    // mean length of a document
	Topics    int    // K, of the corpus and of the fit
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
	VisitSeconds    float64 // of all passes to eigenpairs, from the first to the last document; 0 where it is not known
	VisitCPU        float64 // the same, of all processors together
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
		{Name: "axis", Of: func(r *Record) any { return &r.Axis }},
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
		{Name: "visit_seconds", Of: func(r *Record) any { return &r.VisitSeconds }},
		{Name: "visit_cpu_seconds", Of: func(r *Record) any { return &r.VisitCPU }},
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
		case r.Axis != itemsAxis && r.Axis != documentsAxis:
			return fmt.Errorf("there is no axis %q", r.Axis)
		case r.Failure == "" && len(r.Stages) == 0:
			return errors.New("it has no stages")
		}
		return nil
	},
}

const (
	// whole is the name that a run as a whole has beside its stages.
	whole = "whole"
	// visits is the name that the visits of documents have, a part of the sketch.
	sketchStage = "sketch"
	visits      = "– its visits of documents"
)

// stage returns what a stage took, or the run as a whole; 0 where there is no such stage.
func (r *Record) stage(name string) model.StageTime {
	switch name {
	case whole:
		return model.StageTime{Name: whole, Seconds: r.Seconds, CPU: r.CPU, PeakBytes: r.PeakBytes}
	case visits:
		return model.StageTime{Name: visits, Seconds: r.VisitSeconds, CPU: r.VisitCPU}
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
