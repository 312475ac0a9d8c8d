package scale

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/model"
)

// scaleRecord is a run whose sketch is in proportion to N^1.5 and whose memory is to N; reading takes no time that is
// known.
func scaleRecord(items, topics int) Record {
	n := float64(items)
	r := Record{ItemsKept: items, Passes: 6, Iterations: 50, Converged: true, Seconds: n, CPU: 2 * n,
		PeakBytes: int64(items) << 20, Started: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		Command: "go run ./bench scale", Machine: []string{"a machine"}}
	r.Recovery = Recovery{ErrorB: 0.3, FloorB: 0.2, ErrorA: 0.06, FloorA: 0.02, DistanceA: 0.05, Anchors: 0.75}
	r.Run = Run{Axis: itemsAxis, Items: items, Documents: 2 * items, Tokens: 20, Topics: topics, Seed: 1, Flags: "--min-df 1", Workers: 2}
	r.Stages = []model.StageTime{{Name: "read"},
		{Name: "sketch", Seconds: math.Pow(n, 1.5), CPU: 7, PeakBytes: int64(items) << 20}}
	return r
}

func TestScaleSeries(t *testing.T) {
	failed := scaleRecord(8000, 50)
	failed.Failure = "out of memory"
	late := scaleRecord(9000, 50)
	late.Seconds *= 3 // off the line
	late.Workers = 1
	groups := groupRecords([]Record{scaleRecord(4000, 50), scaleRecord(1000, 50), scaleRecord(60_000, 200), failed, late,
		scaleRecord(2000, 50)})
	if len(groups) != 3 || groups[0].run.Topics != 200 || groups[1].run.Workers != 1 || len(groups[2].records) != 3 ||
		groups[2].records[0].Items != 1000 {
		t.Fatalf("%+v", groups)
	}
	g := &groups[2]
	if names := strings.Join(g.stages(), " "); names != "read sketch whole" {
		t.Errorf("stages %s", names)
	}
	for _, test := range []struct {
		stage     string
		figure    int
		all, last string
	}{
		{"sketch", seconds, "1.50", "1.50"}, {"sketch", cpu, "0.00", "0.00"}, {"sketch", peak, "1.00", "1.00"},
		{"read", seconds, "–", "–"}, {"read", peak, "–", "–"}, {whole, cpu, "1.00", "1.00"},
	} {
		all, last := g.slope(test.stage, figures[test.figure])
		if slopeText(all) != test.all || slopeText(last) != test.last {
			t.Errorf("%s, %s: slopes %s and %s, want %s and %s", test.stage, figures[test.figure].name, slopeText(all),
				slopeText(last), test.all, test.last)
		}
	}
	g.records[2].Seconds *= 4 // slope 1 up to there, 3 on the last step
	if all, last := g.slope(whole, figures[seconds]); slopeText(all) != "2.00" || slopeText(last) != "3.00" {
		t.Errorf("slopes %v and %v", all, last)
	}
	if all, _ := groups[0].slope(whole, figures[seconds]); !math.IsNaN(all) {
		t.Errorf("a single size has the slope %v", all)
	}
}

// Runs that differ in documents alone are a series of their own. What it says of more entries follows from the slopes of the stages.
func TestScaleAlongDocuments(t *testing.T) {
	along := func(documents int, entries int64) Record {
		r := scaleRecord(1000, 50)
		r.Axis, r.Documents, r.Tokens, r.Entries = documentsAxis, documents, 40, entries
		r.VisitSeconds, r.VisitCPU = 6e-9*float64(entries), 12e-9*float64(entries)
		r.Stages = []model.StageTime{{Name: "read", Seconds: float64(entries) / 1e6, CPU: float64(entries) / 5e5, PeakBytes: entries},
			{Name: "sketch", Seconds: 30, CPU: 60, PeakBytes: 1 << 30}}
		return r
	}
	items := scaleRecord(1000, 50)
	groups := groupRecords([]Record{along(40_000, 1_600_000), items, along(20_000, 800_000)})
	if len(groups) != 2 || groups[0].run.Axis != itemsAxis || len(groups[1].records) != 2 || groups[1].records[0].Documents != 20_000 ||
		groups[1].run.title() != "K = 50, N = 1000, 40 tokens per document" {
		t.Fatalf("%+v", groups)
	}
	g := &groups[1]
	if names := strings.Join(g.stages(), ","); names != "read,sketch,"+visits+",whole" {
		t.Errorf("stages %s", names)
	}
	if all, _ := g.slope("read", figures[seconds]); slopeText(all) != "1.00" {
		t.Errorf("slope %v", all)
	}
	f, ok := g.forecast(1e10)
	want := forecast{items: 1000, documents: 2.5e8, seconds: 1e4 + 30, cpu: 2e4 + 60, peakBytes: 1e10}
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want }
	if !ok || !near(f.items, want.items) || !near(f.documents, want.documents) || !near(f.seconds, want.seconds) || !near(f.cpu, want.cpu) || !near(f.peakBytes, want.peakBytes) {
		t.Errorf("%+v, %v, want %+v", f, ok, want)
	}
	if _, ok := groups[0].forecast(1e10); ok {
		t.Error("a single run foretells others")
	}
	readme := readme(slices.Concat(g.records, groups[0].records), groups, false, false)
	benchtest.Says(t, "README.md", readme, "## K = 50, M = 2 N, 20 tokens", "## K = 50, N = 1000, 40 tokens", "| stage | figure | M = 20000 | M = 40000 |",
		"\n| 40000 | 1600 | 800 | 1 | 2 | 3125 | 6250 | 1048576 |\n", "| K = 50, N = 1000, 40 tokens per document | 1600000 | 1000 | 2.5e+08 | 2.786 | 5.572 | 997009 | 9.313 |")
	if strings.Count(readme, "| K = 50,") != 1 {
		t.Errorf("a series of one run has a forecast:\n%s", readme)
	}
}

// Charts leave out what has no place on their axes, and series of one size.
func TestScaleChart(t *testing.T) {
	groups := groupRecords([]Record{scaleRecord(1000, 50), scaleRecord(4000, 50), scaleRecord(500, 20)})
	rows := chartRows(groups)
	if len(rows) != 1 || len(rows[0]) != 2 || len(rows[0][0].Series) != 4 || len(rows[0][1].Series) != 3 {
		t.Fatalf("%+v", rows)
	}
	var svg strings.Builder
	if err := (report.Chart{Rows: rows, Zoom: zoom}).Write(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sketch (slopes 1.50, 1.00)", "read (slopes –, –)", "slope 1", ">300k<", ">10k<", "K = 50, M = 2 N"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the chart does not say %q", want)
		}
	}
	guide := rows[0][0].Series[3]
	if guide.Name != "slope 1" || report.FitPowerLaw(guide.Points).Slope < 0.999 || report.FitPowerLaw(guide.Points).Slope > 1.001 {
		t.Errorf("%+v", guide)
	}
}

func TestScaleReadme(t *testing.T) {
	folder := t.TempDir()
	if err := writeResults(folder); err != nil {
		t.Fatal(err)
	}
	if readme := benchtest.Text(t, folder, "README.md"); strings.Contains(readme, "##") || strings.Contains(readme, "svg") {
		t.Errorf("of no runs:\n%s", readme)
	}
	nytimes := scaleRecord(60_000, 200)
	nytimes.Documents, nytimes.Tokens, nytimes.Stages[1].Seconds = 300_000, 330, 309.89912
	other := scaleRecord(60_000, 200)
	other.Started = other.Started.AddDate(0, 0, 2)
	for _, r := range []Record{nytimes, other, scaleRecord(1000, 200)} {
		if err := runLog.Put(folder, &r); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeResults(folder); err != nil {
		t.Fatal(err)
	}
	readme := benchtest.Text(t, folder, "README.md")
	for _, want := range []string{
		"3 runs, made from 2026-11-21 to 2026-11-23 by\n\n```\ngo run ./bench scale\n```\n\non\n\n- a machine\n",
		"## K = 200, M = 5 N, 330 tokens per document", "## K = 200, M = 2 N, 20 tokens per document",
		"gives 3099 s for V and D\nalone", "| Anchorage, stage `sketch`; a machine | 309.9 | 7 | 10 |", "ours is another one",
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q:\n%s", want, readme)
		}
	}
	if strings.Count(readme, "| Anchorage, ") != 1 {
		t.Errorf("runs of another size are held against the published one:\n%s", readme)
	}
	// Where no series is left, neither is its chart.
	if err := os.Remove(filepath.Join(folder, report.RunsFile)); err != nil {
		t.Fatal(err)
	}
	if err := writeResults(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "scale.svg")); err == nil {
		t.Error("the chart of runs that are no longer there")
	}
}

func TestRecordsRefuse(t *testing.T) {
	for name, spoil := range map[string]func(*Record){
		"no items":  func(r *Record) { r.Items = 0 },
		"no stages": func(r *Record) { r.Stages = nil },
		"no axis":   func(r *Record) { r.Axis = "time" },
	} {
		folder, record := t.TempDir(), scaleRecord(500, 50)
		spoil(&record)
		if err := runLog.Put(folder, &record); err != nil {
			t.Fatal(err)
		}
		if _, err := runLog.Read(folder); err == nil || !strings.Contains(err.Error(), "row 2 is not a record") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is read of a record is what was written.
func TestRecordsCSV(t *testing.T) {
	folder, want := t.TempDir(), scaleRecord(500, 50)
	want.Failure, want.LargestResidual, want.Density, want.Converged = "no; \"memory\"", 1.0/3, 2.0/3, true
	if err := runLog.Put(folder, &want); err != nil {
		t.Fatal(err)
	}
	got, err := runLog.Read(folder)
	if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	benchtest.Results(t, folder)
}
