package truth

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
	"anchorage/sketch"
)

// recorded returns a record whose five figures are v, 2v, 3v, 4v and 5v.
func recorded(documents int, seed uint64, method string, v, anchors float64) Record {
	r := Record{Documents: documents, Seed: seed, Method: method, Passes: 4, Iterations: 9}
	r.Recovery = synth.Recovery{ErrorB: v, ErrorA: 5 * v, Anchors: anchors}
	for i, class := range []int{synth.Common, synth.Middling, synth.Rare} {
		r.Recovery.Class[class] = synth.ClassRecovery{Mass: 0.5, Error: 0.5 * v * float64(i+2)}
	}
	return r
}

// Every figure stands in its own column, that of a class relative to the class's mass.
func TestRecordsTable(t *testing.T) {
	failed := recorded(500, 2, "default", 0.25, 1)
	failed.Failure = "no topics"
	table := recordsTable([]Record{recorded(500, 1, "default", 0.25, 0.75), failed})
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	if want := "documents seed method passes iterations error_b error_b_common error_b_middling error_b_rare error_a anchors failure"; strings.Join(names, " ") != want {
		t.Fatalf("columns %q", names)
	}
	want := []any{int64(500), int64(1), "default", int64(4), int64(9), 0.25, 0.5, 0.75, 1.0, 1.25, 0.75, ""}
	if !slices.Equal(table.Rows[0], want) {
		t.Errorf("%v, want %v", table.Rows[0], want)
	}
	for i, v := range table.Rows[1] {
		if number, ok := v.(float64); ok && !math.IsNaN(number) {
			t.Errorf("%s of a failure is %v", names[i], v)
		}
	}
	if table.Rows[1][3] != int64(4) || table.Rows[1][11] != "no topics" {
		t.Errorf("%v", table.Rows[1])
	}
}

// Means are those of the seeds that found topics, in the order of the records, for methods in the order of their appearance.
func TestMeansTable(t *testing.T) {
	lost := recorded(200, 1, "first", 9, 1)
	lost.Failure = "no topics"
	records := []Record{
		recorded(100, 1, "second", 1, 1), recorded(100, 1, "first", 2, 0.5), lost,
		recorded(100, 2, "second", 3, 0), recorded(100, 2, "first", 4, 1), recorded(200, 2, "first", 8, 1), recorded(100, 3, "second", 8, 0.5),
	}
	table := meansTable(records)
	want := [][]any{
		{"second", int64(100), int64(3), 4.0, 8.0, 12.0, 16.0, 20.0, 0.5},
		{"first", int64(100), int64(2), 3.0, 6.0, 9.0, 12.0, 15.0, 0.75},
		{"first", int64(200), int64(1), 8.0, 16.0, 24.0, 32.0, 40.0, 1.0},
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("%v", table.Rows)
	}
	for i, row := range table.Rows {
		if !slices.Equal(row, want[i]) {
			t.Errorf("row %d is %v, want %v", i, row, want[i])
		}
	}
	for f, least := range []float64{1, 2, 3, 4, 5} {
		if m := meansOf(records, "second")[0]; m.least[f] != least || m.greatest[f] != 8*least {
			t.Errorf("%s is from %v to %v", figureNames[f], m.least[f], m.greatest[f])
		}
	}
	if means := meansOf(records, "third"); means != nil {
		t.Errorf("a method without records has %+v", means)
	}
	if slopes := slopesTable(records); len(slopes.Rows) != 0 {
		t.Errorf("slopes of a single number of documents: %v", slopes.Rows)
	}
}

// Sampling decides from the last number of documents on at which an anchor was missed, whatever came before.
func TestSampledAfterLastMiss(t *testing.T) {
	var records []Record
	for _, m := range []struct {
		documents int
		v, found  float64
	}{{10, 7, 1}, {100, 7, 0.9}, {1000, 1, 1}, {10_000, 0.1, 1}} {
		records = append(records, recorded(m.documents, 1, "default", m.v, m.found))
	}
	table := slopesTable(records)
	if len(table.Rows) != 1 || table.Rows[0][1] != int64(1000) || table.Rows[0][2] != int64(10_000) {
		t.Fatalf("%v", table.Rows)
	}
	for f, v := range table.Rows[0][3:] {
		if math.Abs(v.(float64)+1) > 1e-12 {
			t.Errorf("%s has the slope %v, want -1", figureNames[f], v)
		}
	}
}

// Series stand beside each other around their number of documents, bars reach from the least to the greatest value.
func TestLine(t *testing.T) {
	means := meansOf([]Record{recorded(100, 1, "x", 1, 0), recorded(100, 2, "x", 5, 0)}, "x")
	product := 1.0
	for i := range 4 {
		s := line("x", i, 4, means, nil, errorCommon)
		p := s.Points[0]
		if p.Y != 6 || p.Below != 4 || p.Above != 4 || s.Line == nil || len(s.Line) != 0 || s.Style != i {
			t.Errorf("%+v", s)
		}
		product *= p.X / 100
	}
	if math.Abs(product-1) > 1e-12 {
		t.Errorf("the series are aside by %v", product)
	}
	if s := line("x", 0, 1, means, nil, errorCommon); s.Points[0].X != 100 {
		t.Errorf("one series alone stands at %v", s.Points[0].X)
	}
	if got := guide([]report.Series{{Line: []report.Point{}}}); got != nil {
		t.Errorf("nothing was fitted, and the guide is %+v", got)
	}
}

// A panel has a series per method or class; names with their slopes stand once in the chart.
func TestChartNames(t *testing.T) {
	records := planted()
	for i := range records {
		for class := range records[i].Recovery.Class {
			records[i].Recovery.Class[class] = synth.ClassRecovery{Mass: 1, Error: float64(class+1) * records[i].Recovery.ErrorB}
		}
	}
	var svg strings.Builder
	if err := chart(records).Write(&svg); err != nil {
		t.Fatal(err)
	}
	for name, count := range map[string]int{"ENN, exact row sums (slopes −0.50, −0.50)": 1, "ENN, factor row sums (slopes −0.50, −0.50)": 1, "slope −½": 1,
		"common items (slope −0.50)": 1, "middling items (slope −0.50)": 1, "rare items (slope −0.50)": 1,
		"documents M (thousands)": 3, "ℓ1 error of B": 1, "relative error of A": 1, "ℓ1 error of B / mass of the class": 1} {
		if got := strings.Count(svg.String(), ">"+name+"<"); got != count {
			t.Errorf("%q stands in the chart %d times, want %d", name, got, count)
		}
	}
	if got := documentsOf(records); !slices.Equal(got, []float64{1000, 10_000, 100_000}) {
		t.Errorf("ticks %v", got)
	}
}

// Where every method failed, or was run once, there still are a chart and a README.md, with headers alone for what is not there.
func TestWriteLittle(t *testing.T) {
	failed := recorded(100, 1, "default", 1, 1)
	failed.Failure = "no topics"
	for name, test := range map[string]struct {
		record      Record
		means, rows int
	}{"a failure": {failed, 0, 1}, "a single run": {recorded(100, 1, "default", 0.5, 1), 1, 1}} {
		path := writeTruth(t, []Record{test.record})
		for file, rows := range map[string]int{"records.csv": test.rows, "means.csv": test.means, "slopes.csv": 0} {
			if got := strings.Count(benchtest.Text(t, path, file), "\n") - 1; got != rows {
				t.Errorf("%s: %s has %d rows, want %d", name, file, got, rows)
			}
		}
		text := benchtest.Text(t, path, "README.md")
		benchtest.Says(t, name, text, "## Slopes\n\n| method | from documents | to documents | error b |", "## Means\n\n| method | documents | seeds | error b |")
		if got := strings.Count(text, "\n| default | 100 | 1 | 0.5 | 1 | 1.5 | 2 | 2.5 | 1 |\n"); got != test.means {
			t.Errorf("%s: %d rows of means:\n%s", name, got, text)
		}
	}
}

// Every error that says that there are no topics is a result, with its text.
func TestNoteFailures(t *testing.T) {
	for _, err := range []error{&sketch.RankError{Topics: 5, Rank: 3}, &anchor.RankError{Topics: 5, Rank: 3}, &anchor.ItemError{Items: []int{1}}} {
		var r Record
		if wrapped := fmt.Errorf("fit: %w", errors.Join(errors.New("other"), err)); !r.noteFailure(wrapped) || r.Failure != wrapped.Error() {
			t.Errorf("%T: %q", err, r.Failure)
		}
	}
}

// Records come by seed, then by documents, then by method, whatever the order of the methods that were asked for.
func TestRunOrder(t *testing.T) {
	opts := smallTruth
	opts.Documents, opts.Seeds, opts.Methods = []int{200, 400}, 2, []string{"none-exact", "enn-exact"}
	var reported []string
	opts.Report = func(r Record) { reported = append(reported, fmt.Sprintf("%d/%d/%s", r.Seed, r.Documents, r.Method)) }
	records, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	want := "1/200/enn-exact 1/200/none-exact 1/400/enn-exact 1/400/none-exact 2/200/enn-exact 2/200/none-exact 2/400/enn-exact 2/400/none-exact"
	if got := strings.Join(reported, " "); got != want {
		t.Errorf("reported %s", got)
	}
	for _, r := range records {
		if rectified := r.Method == "enn-exact"; r.Passes < 2 || rectified != (r.Iterations > 0) {
			t.Errorf("%+v", r)
		}
	}
	// What was drawn does not depend on the numbers of documents that are asked for besides.
	opts.Documents, opts.Seeds, opts.Report = []int{400}, 1, nil
	alone, err := Run(t.Context(), opts)
	if err != nil || len(alone) != 2 || alone[0].Recovery.ErrorB != records[2].Recovery.ErrorB || alone[1].Recovery.ErrorA != records[3].Recovery.ErrorA {
		t.Errorf("%+v, %v", alone, err)
	}
}
