// This file holds what records say together: series of runs that differ in size alone, their slopes, and what they say of sizes
// beyond.

package scale

import (
	"cmp"
	"math"
	"slices"

	"anchorage/bench/internal/report"
)

// group is runs that differ in size alone, in that order. Those that failed are left out.
type group struct {
	run     Run // along items: its items are 0 and its documents those per item; along documents: its documents are 0
	records []Record
}

// groupRecords returns the series of records.
func groupRecords(records []Record) []group {
	var groups []group
	for _, r := range records {
		run := r.Run
		if run.Axis == itemsAxis {
			run.Items, run.Documents = 0, run.Documents/run.Items
		} else {
			run.Documents = 0
		}
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
		slices.SortStableFunc(g.records, func(a, b Record) int { return cmp.Compare(a.size(), b.size()) })
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		x, y := a.run, b.run
		return cmp.Or(-cmp.Compare(x.Axis, y.Axis), -cmp.Compare(x.Topics, y.Topics), cmp.Compare(x.Items, y.Items), cmp.Compare(x.Documents, y.Documents),
			cmp.Compare(x.Tokens, y.Tokens), cmp.Compare(x.Flags, y.Flags), cmp.Compare(x.Workers, y.Workers),
			cmp.Compare(x.Seed, y.Seed))
	})
	return groups
}

// size returns where a run stands on its axis.
func (r *Run) size() int {
	if r.Axis == documentsAxis {
		return r.Documents
	}
	return r.Items
}

// letter returns what sizes are called: N or M.
func (r *Run) letter() string {
	if r.Axis == documentsAxis {
		return "M"
	}
	return "N"
}

// stages returns the names of the stages in order of first appearance, with the visits behind the sketch, and the whole behind them.
func (g *group) stages() []string {
	var names []string
	for _, r := range g.records {
		for _, s := range r.Stages {
			if slices.Contains(names, s.Name) {
				continue
			}
			names = append(names, s.Name)
			if s.Name == sketchStage && r.VisitSeconds > 0 {
				names = append(names, visits)
			}
		}
	}
	return append(names, whole)
}

// points returns a figure of a stage against the size of runs, where it is known.
func (g *group) points(stage string, f figure) []report.Point {
	var points []report.Point
	for i := range g.records {
		r := &g.records[i]
		if value := f.of(r.stage(stage)); value > 0 {
			points = append(points, report.Point{X: float64(r.size()), Y: value})
		}
	}
	return points
}

// slope returns the slope of a figure in logarithms: over all sizes, and from the last but one to the last.
func (g *group) slope(stage string, f figure) (all, last float64) {
	points := g.points(stage, f)
	return report.FitPowerLaw(points).Slope, report.FitPowerLaw(points[max(len(points)-2, 0):]).Slope
}

// forecast is what a series says of runs with more entries. It is computed, not measured.
type forecast struct {
	items, documents float64
	seconds, cpu     float64
	peakBytes        float64
}

// forecast returns what a run with so many entries would take: each stage follows its power of the entries, by least squares over all runs,
// from its figure in the largest run. Seconds add up over the stages, and the peak is that of the stage that takes most. ok says whether
// there are two sizes to learn a slope from.
func (g *group) forecast(entries float64) (f forecast, ok bool) {
	last := &g.records[len(g.records)-1]
	growth := entries / float64(last.Entries)
	along := func(stage string, figure figure) float64 {
		var points []report.Point
		for i := range g.records {
			r := &g.records[i]
			if value := figure.of(r.stage(stage)); value > 0 && r.Entries > 0 {
				points = append(points, report.Point{X: float64(r.Entries), Y: value})
			}
		}
		slope := report.FitPowerLaw(points).Slope
		if math.IsNaN(slope) {
			slope = 1
		} else {
			ok = true
		}
		return figure.of(last.stage(stage)) * math.Pow(growth, slope)
	}
	f.items, f.documents = float64(last.Items), float64(last.Documents)*growth
	if g.run.Axis == itemsAxis {
		f.items *= growth
	}
	for _, s := range last.Stages {
		f.seconds += along(s.Name, figures[seconds])
		f.cpu += along(s.Name, figures[cpu])
		f.peakBytes = max(f.peakBytes, along(s.Name, figures[peak])*(1<<20))
	}
	return f, ok
}
