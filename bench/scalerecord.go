// This file holds the records of how a fit scales, and what they say together: series of runs that differ in size
// alone.

package bench

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"anchorage/model"
)

// ScaleRun says what a run is of; two runs with the same one are the same.
type ScaleRun struct {
	Items     int    `json:"items"`     // N of the corpus
	Documents int    `json:"documents"` // M of the corpus
	Tokens    int    `json:"tokens"`    // mean length of a document
	Topics    int    `json:"topics"`    // K, of the corpus and of the fit
	Seed      uint64 `json:"seed"`      // of the corpus
	Flags     string `json:"flags"`     // of the fit, as a shell reads them
	Workers   int    `json:"workers"`
}

// ScaleRecord is what came out of a run.
type ScaleRecord struct {
	ScaleRun
	// Failure is why there is no model; empty if there is. The figures are then without meaning.
	Failure         string            `json:"failure,omitempty"`
	ItemsKept       int               `json:"items_kept"`     // that have occurred and were not pruned
	DocumentsKept   int64             `json:"documents_kept"` // that count
	Entries         int64             `json:"entries"`
	Passes          int               `json:"passes"` // to eigenpairs
	LargestResidual float64           `json:"largest_residual"`
	Iterations      int               `json:"iterations"` // of the rectification
	Converged       bool              `json:"converged"`
	Density         float64           `json:"density"` // share of entries that had to be corrected in the last of them
	Seconds         float64           `json:"seconds"` // of the process
	CPU             float64           `json:"cpu_seconds"`
	PeakBytes       int64             `json:"peak_memory_bytes"` // 0 where the system does not tell
	Stages          []model.StageTime `json:"stages,omitempty"`
	Started         time.Time         `json:"started"`
	Command         string            `json:"command"`
	Machine         []string          `json:"machine"`
}

// readScaleRecords reads the records of a file; see readRecords.
func readScaleRecords(path string) ([]ScaleRecord, error) {
	return readRecords(path, func(r *ScaleRecord) ScaleRun { return r.ScaleRun }, func(r *ScaleRecord) error {
		switch {
		case r.Items < 1 || r.Documents < 1 || r.Topics < 1:
			return errors.New("it says nothing of items, documents or topics")
		case r.Failure == "" && len(r.Stages) == 0:
			return errors.New("it has no stages")
		}
		return nil
	})
}

// whole is the name that a run as a whole has beside its stages.
const whole = "whole"

// stage returns what a stage took, or the run as a whole; what there is not is 0.
func (r *ScaleRecord) stage(name string) model.StageTime {
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

// scaleFigure is something that is measured of a stage.
type scaleFigure struct {
	name string
	of   func(model.StageTime) float64 // 0 where it is not known
}

// The places of figures in scaleFigures.
const (
	scaleSeconds = iota
	scaleCPU
	scalePeak
)

var scaleFigures = []scaleFigure{
	{"seconds", func(s model.StageTime) float64 { return s.Seconds }},
	{"CPU s", func(s model.StageTime) float64 { return s.CPU }},
	{"peak MiB", func(s model.StageTime) float64 { return float64(s.PeakBytes) / (1 << 20) }},
}

// scaleSeries is runs that differ in size alone, by the number of items. Those that failed are left out.
type scaleSeries struct {
	run     ScaleRun // its items are 0 and its documents those per item
	records []ScaleRecord
}

// groupScale returns the series of records.
func groupScale(records []ScaleRecord) []scaleSeries {
	var groups []scaleSeries
	for _, r := range records {
		run := r.ScaleRun
		run.Items, run.Documents = 0, run.Documents/run.Items
		if r.Failure != "" {
			continue
		}
		at := slices.IndexFunc(groups, func(g scaleSeries) bool { return g.run == run })
		if at < 0 {
			at = len(groups)
			groups = append(groups, scaleSeries{run: run})
		}
		groups[at].records = append(groups[at].records, r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.records, func(a, b ScaleRecord) int { return cmp.Compare(a.Items, b.Items) })
	}
	slices.SortStableFunc(groups, func(a, b scaleSeries) int {
		x, y := a.run, b.run
		return cmp.Or(-cmp.Compare(x.Topics, y.Topics), cmp.Compare(x.Documents, y.Documents),
			cmp.Compare(x.Tokens, y.Tokens), cmp.Compare(x.Flags, y.Flags), cmp.Compare(x.Workers, y.Workers),
			cmp.Compare(x.Seed, y.Seed))
	})
	return groups
}

// stages returns the names of the stages in order of first appearance, and the whole behind them.
func (g *scaleSeries) stages() []string {
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
func (g *scaleSeries) points(stage string, figure scaleFigure) []point {
	var points []point
	for i := range g.records {
		r := &g.records[i]
		if value := figure.of(r.stage(stage)); value > 0 {
			points = append(points, point{float64(r.Items), value, math.NaN()})
		}
	}
	return points
}

// slope returns the slope of a figure in logarithms: over all sizes, and from the last but one to the last.
func (g *scaleSeries) slope(stage string, figure scaleFigure) (all, last float64) {
	points := g.points(stage, figure)
	return fitPowerLaw(points).slope, fitPowerLaw(points[max(len(points)-2, 0):]).slope
}
