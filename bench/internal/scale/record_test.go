package scale

import (
	"bytes"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
	"anchorage/model"
)

// The whole is a stage of its own, and what is not there is 0.
func TestStage(t *testing.T) {
	r := scaleRecord(1000, 50)
	if whole := r.stage(whole); whole.Seconds != 1000 || whole.CPU != 2000 || whole.PeakBytes != 1000<<20 {
		t.Errorf("%+v", whole)
	}
	if s := r.stage("sketch"); s.CPU != 7 {
		t.Errorf("%+v", s)
	}
	if s := r.stage("dance"); s != (model.StageTime{}) {
		t.Errorf("%+v", s)
	}
}

// Lines stand in the same order in both panels, the whole first, with the slopes of both in the name.
func TestLines(t *testing.T) {
	g := groupRecords([]Record{scaleRecord(1000, 50), scaleRecord(4000, 50)})[0]
	for _, f := range []int{seconds, peak} {
		var names []string
		for _, s := range g.lines(figures[f]) {
			names = append(names, s.Name)
		}
		if want := []string{"whole (slopes 1.00, 1.00)", "read (slopes –, –)", "sketch (slopes 1.50, 1.00)"}; !slices.Equal(names, want) {
			t.Errorf("%s: %q", figures[f].name, names)
		}
	}
	lines := g.lines(figures[seconds])
	if lines[0].Style != report.WholeStyle || len(lines[1].Points) != 0 || len(lines[2].Points) != 2 {
		t.Errorf("%+v", lines)
	}
	for i, p := range g.guide().Points {
		if on := lines[0].Points[i]; p.X != on.X || !(p.Y > on.Y) {
			t.Errorf("the guide is at %+v, the whole at %+v", p, on)
		}
	}
}

func TestSlopeText(t *testing.T) {
	for slope, want := range map[float64]string{1: "1.00", 0.999: "1.00", -0.001: "0.00", -1.5: "−1.50", 12.345: "12.35"} {
		if got := slopeText(slope); got != want {
			t.Errorf("%v: %s, want %s", slope, got, want)
		}
	}
	if got := slopeText(math.NaN()); got != "–" {
		t.Errorf("no slope: %s", got)
	}
}

// Runs made by several commands or machines are told apart.
func TestOrigins(t *testing.T) {
	first, second, third := scaleRecord(1000, 50), scaleRecord(2000, 50), scaleRecord(4000, 50)
	second.Machine = []string{"another machine", "two lines"}
	third.Started = first.Started.Add(24 * time.Hour)
	var b strings.Builder
	writeOrigin(&b, []Record{first, second, third})
	want := "2 runs, made from 2026-11-21 to 2026-11-22 by\n\n```\ngo run ./bench scale\n```\n\non\n\n- a machine\n\n" +
		"1 run, made on 2026-11-21 by\n\n```\ngo run ./bench scale\n```\n\non\n\n- another machine\n- two lines\n\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWriteTables(t *testing.T) {
	g := groupRecords([]Record{scaleRecord(1000, 50), scaleRecord(4000, 50)})[0]
	var runs, stages strings.Builder
	g.writeRuns(&runs)
	benchtest.Says(t, "the runs", runs.String(), "| N | items kept | M |", "| 1000 | 1000 | 2000 | 0 | 0 | 6 | 0 | 50 | yes | 0.0 % | 1000 | 2000 | 1000 |\n")
	g.writeStages(&stages)
	benchtest.Says(t, "the stages", stages.String(), "| stage | figure | N = 1000 | N = 4000 | slope | slope of the last step |\n| --- | --- | ---: | ---: | ---: | ---: |\n",
		"| read | seconds | – | – | – | – |\n", "| sketch | seconds | 31623 | 252982 | 1.50 | 1.50 |\n|  | CPU s | 7 | 7 | 0.00 | 0.00 |\n")
}

// A record takes what the model says of its run, and refuses a model of other documents.
func TestTake(t *testing.T) {
	series, root := tinyScale(t, "works"), t.TempDir()
	run := series.runs()[0]
	paths, err := series.shards(t.Context(), run, filepath.Join(root, "corpora"))
	if err != nil {
		t.Fatal(err)
	}
	fitted := filepath.Join(root, "model")
	order := `{"shards":["` + strings.Join(paths, `","`) + `"],"output":"` + fitted + `","topics":3,"flags":["--paper"],"workers":1}`
	if err := Fit(t.Context(), strings.NewReader(order)); err != nil {
		t.Fatal(err)
	}
	record := Record{Run: run}
	if err := record.take(t.Context(), fitted, report.Process{Wall: 3 * time.Second, CPU: 5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if record.Seconds != 3 || record.CPU != 5 || record.Iterations != 50 || len(record.Stages) == 0 || record.ItemsKept == 0 || record.Entries == 0 {
		t.Errorf("%+v", record)
	}
	record.Documents++
	if err := record.take(t.Context(), fitted, report.Process{}); err == nil || !strings.Contains(err.Error(), "has read 360 documents of 361") {
		t.Errorf("%v", err)
	}
	if err := Fit(t.Context(), strings.NewReader(order)); err == nil || !strings.Contains(err.Error(), durable.ErrExists.Error()) {
		t.Errorf("a model that is there: %v", err)
	}
}

// What a run has taken is logged, and what went wrong is a warning.
func TestTell(t *testing.T) {
	var log bytes.Buffer
	s := &Series{Log: slog.New(slog.NewTextHandler(&log, nil))}
	r := scaleRecord(1000, 50)
	s.tell(&r)
	r.Failure = "no memory"
	s.tell(&r)
	benchtest.Says(t, "the log", log.String(), `level=INFO msg="run made" items=1000 documents=2000 topics=50 read=0 sketch=31622.7`, "seconds=1000 cpu_seconds=2000",
		`level=WARN msg="run failed" items=1000 documents=2000 topics=50 failure="no memory"`)
}

// A broken log is an error before anything is made.
func TestBrokenLog(t *testing.T) {
	series, folder := tinyScale(t, "works"), t.TempDir()
	record := scaleRecord(1000, 50)
	record.Stages = nil
	if err := runLog.Put(folder, &record); err != nil {
		t.Fatal(err)
	}
	series.Program = []string{"no-such-program"}
	if err := series.Write(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "it has no stages") {
		t.Errorf("%v", err)
	}
	benchtest.Only(t, folder, "runs.csv", "stages.csv")
}
