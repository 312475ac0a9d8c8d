package truth

import (
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

// recorded returns a record whose six figures are v, 2v, … 6v.
func recorded(documents int, seed uint64, method string, v, anchors float64) Record {
	r := newRecord(Run{Items: 60, Topics: 3, Documents: documents, Tokens: 30, Seed: seed, Method: method})
	r.Passes, r.Iterations, r.Anchors = 4, 9, anchors
	for f := range r.Figures {
		r.Figures[f] = v * float64(f+1)
	}
	return r
}

// Every figure of a recovery has its place, that of a class relative to the class's mass.
func TestNote(t *testing.T) {
	found := synth.Recovery{ErrorB: 0.25, ErrorA: 1.25, DistanceA: 1.5, Anchors: 0.75}
	for i, class := range []int{synth.Common, synth.Middling, synth.Rare} {
		found.Class[class] = synth.ClassRecovery{Mass: 0.5, Error: 0.125 * float64(i+2)}
	}
	r, want := newRecord(Run{}), recorded(500, 1, "default", 0.25, 0.75)
	if r.note(found); r.Figures != want.Figures || r.Anchors != 0.75 {
		t.Errorf("%v, want %v", r.Figures, want.Figures)
	}
	if r.clear(); !math.IsNaN(r.Figures[errorRare]) || !math.IsNaN(r.Anchors) {
		t.Errorf("%+v", r)
	}
}

// Means are those of the seeds that found topics, for methods in the order of Methods, with ratios to the floor of the same seeds.
func TestMeansTable(t *testing.T) {
	lost := recorded(200, 1, "published", 9, 1)
	lost.Failure = "no topics"
	records := []Record{
		recorded(100, 1, "published", 2, 0.5), lost, recorded(100, 1, "default", 1, 1),
		recorded(100, 2, "default", 3, 0), recorded(100, 2, "published", 4, 1), recorded(200, 2, "published", 8, 1), recorded(100, 3, "default", 8, 0.5),
		recorded(100, 1, Floor, 1, math.NaN()), recorded(100, 2, Floor, 2, math.NaN()), recorded(200, 1, Floor, 1, math.NaN()), recorded(200, 2, Floor, 4, math.NaN()),
	}
	table := meansTable(groupRecords(records))
	var names []string
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	if want := "items topics tokens flags method documents seeds error_b error_b_common error_b_middling error_b_rare error_a distance_a anchors ratio_b ratio_a cpu_seconds peak_bytes"; strings.Join(names, " ") != want {
		t.Fatalf("columns %q", names)
	}
	unknown := math.NaN()
	want := [][]any{ // from the method on
		{Floor, int64(100), int64(2), 1.5, 3.0, 4.5, 6.0, 7.5, 9.0, unknown, 1.0, 1.0},
		{Floor, int64(200), int64(2), 2.5, 5.0, 7.5, 10.0, 12.5, 15.0, unknown, 1.0, 1.0},
		{"default", int64(100), int64(3), 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 0.5, unknown, unknown}, // seed 3 has no floor
		{"published", int64(100), int64(2), 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 0.75, 2.0, 2.0},
		{"published", int64(200), int64(1), 8.0, 16.0, 24.0, 32.0, 40.0, 48.0, 1.0, 2.0, 2.0},
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("%v", table.Rows)
	}
	for i, row := range table.Rows {
		for j, v := range want[i] {
			got := row[4+j]
			if number, ok := v.(float64); ok && math.IsNaN(number) {
				if !math.IsNaN(got.(float64)) {
					t.Errorf("row %d, %s: %v, want NaN", i, names[4+j], got)
				}
			} else if got != v {
				t.Errorf("row %d, %s: %v, want %v", i, names[4+j], got, v)
			}
		}
		if row[0] != int64(60) || row[1] != int64(3) || row[2] != int64(30) {
			t.Errorf("row %d is of %v", i, row)
		}
	}
	if m := meansOf(records, "default")[0]; m.least[errorA] != 5 || m.greatest[errorA] != 40 {
		t.Errorf("%+v", m)
	}
	if means := meansOf(records, "third"); means != nil {
		t.Errorf("a method without records has %+v", means)
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
	table := slopesTable(groupRecords(records))
	if len(table.Rows) != 1 || table.Rows[0][5] != int64(1000) || table.Rows[0][6] != int64(10_000) {
		t.Fatalf("%v", table.Rows)
	}
	for f, v := range table.Rows[0][7:] {
		if math.Abs(v.(float64)+1) > 1e-12 {
			t.Errorf("figure %d has the slope %v, want -1", f, v)
		}
	}
}

// The default is checked against the floor and its rivals, where it and the floor are known.
func TestChecks(t *testing.T) {
	floor := recorded(100, 1, Floor, 1, math.NaN())
	floor.ExpectedB = 1.25
	records := []Record{floor, recorded(100, 1, "default", 1.5, 1), recorded(100, 1, "published", 1.25, 1), recorded(100, 1, "equal-weights", 1.5, 1),
		recorded(200, 1, Floor, 1, math.NaN()), recorded(200, 1, "default", 2, 1), recorded(300, 1, "default", 2, 1), recorded(400, 1, Floor, 1, 1)}
	checks := checksOf(groupRecords(records))
	if len(checks) != 2 || !checks[0].near || checks[0].ratio != 1.5 || !slices.Equal(checks[0].worseThan, []string{"published"}) ||
		checks[0].expected != 1.25 || checks[1].near || checks[1].worseThan != nil {
		t.Fatalf("%+v", checks)
	}
	var b strings.Builder
	writeChecks(&b, checks)
	benchtest.Says(t, "the checks", b.String(), "at most 1.5 times the floor", "in 1 of 2 cells, and greater than another's in 1.",
		"| 60 | 3 | 30 | 100 |  | 1 | 1.25 | 1.5 | 1.5 | – | 1.5 | 1.25 | yes | published |\n", "| 2 | 2 | – | – | – | no |  |\n")
	benchtest.Says(t, "the folder", benchtest.Text(t, written(t, records), "README.md"), "## Checks", "| default | 1.5 (1.50) | 2 (2.00) | 2 | – | ")
}

// Series stand beside each other around their number of documents, bars reach from the least to the greatest value.
func TestLine(t *testing.T) {
	means := meansOf([]Record{recorded(100, 1, "x", 1, 0), recorded(100, 2, "x", 5, 0)}, "x")
	product := 1.0
	for i := range 4 {
		s := line("x", i, 4, means, nil, errorCommon)
		p := s.Points[0]
		if p.Y != 6 || p.Below != 4 || p.Above != 4 || s.Line == nil || len(s.Line) != 0 || s.Style != i || s.Dashed {
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
	if first, last := line("x", 0, 30, means, nil, errorCommon).Points[0].X, line("x", 29, 30, means, nil, errorCommon).Points[0].X; math.Abs(last/first-widest) > 1e-9 {
		t.Errorf("thirty series stand from %v to %v", first, last)
	}
	if !line("x", styles, 8, means, nil, errorCommon).Dashed {
		t.Error("series of the same style look the same")
	}
	if got := guide([]report.Series{{Line: []report.Point{}}}); got != nil {
		t.Errorf("nothing was fitted, and the guide is %+v", got)
	}
}

// A panel has a series per method or class; names with their slopes stand once in the chart.
func TestChartNames(t *testing.T) {
	var svg strings.Builder
	if err := chart(groupRecords(planted())).Write(&svg); err != nil {
		t.Fatal(err)
	}
	for name, count := range map[string]int{"ENN, exact row sums (slopes −0.50, −0.50)": 1, "ENN, factor row sums (slopes −0.50, −0.50)": 1, "slope −½": 1,
		"common items (slope −0.50)": 1, "middling items (slope −0.50)": 1, "rare items (slope −0.50)": 1,
		"documents M (thousands)": 3, "ℓ1 error of B": 1, "relative error of A": 1, "ℓ1 error of B / mass of the class": 1} {
		if got := strings.Count(svg.String(), ">"+name+"<"); got != count {
			t.Errorf("%q stands in the chart %d times, want %d", name, got, count)
		}
	}
	for i, method := range StageMethods {
		if titleOf(method) != stageTitles[i] {
			t.Errorf("%s is called %q", method, titleOf(method))
		}
	}
}

// Where every method failed, or was run once, there still are a chart and a README.md, with headers alone for what is not there.
func TestWriteLittle(t *testing.T) {
	failed := recorded(100, 1, "default", 1, 1)
	failed.Failure = "no topics"
	for name, test := range map[string]struct {
		record Record
		means  int
	}{"a failure": {failed, 0}, "a single run": {recorded(100, 1, "default", 0.5, 1), 1}} {
		folder := written(t, []Record{test.record})
		for file, rows := range map[string]int{"runs.csv": 1, "means.csv": test.means, "slopes.csv": 0, "checks.csv": 0} {
			if got := strings.Count(benchtest.Text(t, folder, file), "\n") - 1; got != rows {
				t.Errorf("%s: %s has %d rows, want %d", name, file, got, rows)
			}
		}
		text := benchtest.Text(t, folder, "README.md")
		benchtest.Says(t, name, text, "| method | M = 100 | slope |")
		if got := strings.Count(text, "\n| default | 0.5 | – |\n"); got != test.means {
			t.Errorf("%s: %d rows of means:\n%s", name, got, text)
		}
	}
}
