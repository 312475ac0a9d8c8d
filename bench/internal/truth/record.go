// This file holds the records of what methods recover, and the corpora that they belong together by.

package truth

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
	"anchorage/model"
)

// Run says what a run is of; two runs with the same one are the same.
type Run struct {
	Items     int // N
	Topics    int // K
	Documents int // M
	Tokens    int // mean length of a document
	Seed      uint64
	Flags     string // other flags of the corpus and of StageMethods, as a shell reads them
	Method    string
}

// The figures of a recovery that means and slopes are taken of.
const (
	errorB = iota // ℓ1 error of B
	errorCommon
	errorMiddling
	errorRare
	errorA    // relative error of A
	distanceA // ℓ1 error of A
	figureCount
)

// figureNames are the names of the figures as columns.
var figureNames = [figureCount]string{"error_b", "error_b_common", "error_b_middling", "error_b_rare", "error_a", "distance_a"}

// Record is what one method has recovered of one corpus.
type Record struct {
	Run
	// Failure is why the method found no topics; empty if it did. The figures are then NaN.
	Failure    string
	Passes     int // over the documents
	Iterations int // of ENN, or steps of variational inference; 0 without
	Figures    [figureCount]float64
	Anchors    float64 // share of topics whose anchor is a true one; NaN for methods without anchors
	// ExpectedB and ShrunkB are of the floor alone: the error of B that it has in expectation, and the least one that a weight
	// towards the items' frequencies gives.
	ExpectedB, ShrunkB float64
	// Seconds and CPU are of learning, once the documents are there; NaN where they were not measured. PeakBytes is the largest
	// resident size of the process; 0 where it was not measured.
	Seconds, CPU float64
	PeakBytes    int64
	Program      string
	Stages       []model.StageTime
	Started      time.Time
	Command      string
	Machine      []string
}

// newRecord returns the record of a run that has not been made.
func newRecord(run Run) Record {
	r := Record{Run: run}
	r.clear()
	return r
}

// clear makes all figures unknown.
func (r *Record) clear() {
	for _, p := range []*float64{&r.Anchors, &r.ExpectedB, &r.ShrunkB, &r.Seconds, &r.CPU} {
		*p = math.NaN()
	}
	for f := range r.Figures {
		r.Figures[f] = math.NaN()
	}
}

// note takes the figures of a recovery. The errors of classes of items are relative to the class's part of a topic.
func (r *Record) note(found synth.Recovery) {
	c := &found.Class
	r.Figures = [figureCount]float64{found.ErrorB, c[synth.Common].Relative(), c[synth.Middling].Relative(), c[synth.Rare].Relative(),
		found.ErrorA, found.DistanceA}
	r.Anchors = found.Anchors
}

// runLog is how records are kept.
var runLog = report.Log[Run, Record]{
	Fields: recordFields(),
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		switch {
		case r.Items < 1 || r.Documents < 1 || r.Topics < 1 || r.Method == "":
			return errors.New("it says nothing of items, documents, topics or the method")
		case r.Failure == "" && !(r.Figures[errorB] >= 0):
			return errors.New("it has no error of B")
		}
		return nil
	},
}

func recordFields() []report.Field[Record] {
	fields := []report.Field[Record]{
		{Name: "items", Of: func(r *Record) any { return &r.Items }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "documents", Of: func(r *Record) any { return &r.Documents }},
		{Name: "tokens", Of: func(r *Record) any { return &r.Tokens }},
		{Name: "seed", Of: func(r *Record) any { return &r.Seed }},
		{Name: "flags", Of: func(r *Record) any { return &r.Flags }},
		{Name: "method", Of: func(r *Record) any { return &r.Method }},
		{Name: "failure", Of: func(r *Record) any { return &r.Failure }},
		{Name: "passes", Of: func(r *Record) any { return &r.Passes }},
		{Name: "iterations", Of: func(r *Record) any { return &r.Iterations }},
	}
	for f, name := range figureNames {
		fields = append(fields, report.Field[Record]{Name: name, Of: func(r *Record) any { return &r.Figures[f] }})
	}
	return append(fields, []report.Field[Record]{
		{Name: "anchors", Of: func(r *Record) any { return &r.Anchors }},
		{Name: "expected_b", Of: func(r *Record) any { return &r.ExpectedB }},
		{Name: "shrunk_b", Of: func(r *Record) any { return &r.ShrunkB }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
		{Name: "cpu_seconds", Of: func(r *Record) any { return &r.CPU }},
		{Name: "peak_bytes", Of: func(r *Record) any { return &r.PeakBytes }},
		{Name: "program", Of: func(r *Record) any { return &r.Program }},
		{Name: "started", Of: func(r *Record) any { return &r.Started }},
		{Name: "command", Of: func(r *Record) any { return &r.Command }},
		{Name: "machine", Of: func(r *Record) any { return &r.Machine }},
	}...)
}

// group is the records of corpora that differ in the number of documents and the seed alone, by documents, then by seed, then
// in the order of Methods.
type group struct {
	run     Run // its documents, seed and method are 0
	records []Record
}

// groupRecords returns the groups of records, by N, K, the length of documents and flags.
func groupRecords(records []Record) []group {
	var groups []group
	for _, r := range records {
		run := r.Run
		run.Documents, run.Seed, run.Method = 0, 0, ""
		at := slices.IndexFunc(groups, func(g group) bool { return g.run == run })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{run: run})
		}
		groups[at].records = append(groups[at].records, r)
	}
	names := Methods()
	for _, g := range groups {
		slices.SortStableFunc(g.records, func(a, b Record) int {
			return cmp.Or(cmp.Compare(a.Documents, b.Documents), cmp.Compare(a.Seed, b.Seed),
				cmp.Compare(slices.Index(names, a.Method), slices.Index(names, b.Method)))
		})
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.run.Items, b.run.Items), cmp.Compare(a.run.Topics, b.run.Topics),
			cmp.Compare(a.run.Tokens, b.run.Tokens), cmp.Compare(a.run.Flags, b.run.Flags))
	})
	return groups
}

// title says what all corpora of a group have in common.
func (g *group) title() string {
	title := fmt.Sprintf("N = %d, K = %d, %d tokens per document", g.run.Items, g.run.Topics, g.run.Tokens)
	if g.run.Flags != "" {
		title += ", " + g.run.Flags
	}
	return title
}

// documents returns the numbers of documents, increasing.
func (g *group) documents() []int {
	var list []int
	for _, r := range g.records {
		list = append(list, r.Documents)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// methods returns the methods with records, in the order of Methods; any other ones, of earlier programs, come last.
func (g *group) methods() []string {
	names := Methods()
	var list []string
	for _, r := range g.records {
		if !slices.Contains(list, r.Method) {
			list = append(list, r.Method)
		}
	}
	place := func(name string) int {
		if at := slices.Index(names, name); at >= 0 {
			return at
		}
		return len(names)
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b)) })
	return list
}
