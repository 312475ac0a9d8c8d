package planning

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
)

// A run has what was forecast beside what was: of documents that were read as a whole, both are the same.
func TestChild(t *testing.T) {
	wiki, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "wiki"))
	if err != nil {
		t.Fatal(err)
	}
	order, err := json.Marshal(Order{Shards: []string{filepath.Join(wiki, "part-00000.parquet")}, Topics: 3, Output: filepath.Join(t.TempDir(), "model"), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Child(t.Context(), bytes.NewReader(order), &out); err != nil {
		t.Fatal(err)
	}
	var answer report.Answer[Record]
	if err := gob.NewDecoder(&out).Decode(&answer); err != nil || answer.Record.Failure != "" {
		t.Fatal(err, answer.Record.Failure)
	}
	r := &answer.Record
	for name, f := range map[string]Forecast{"documents": r.Documents, "entries": r.Entries, "items": r.Items, "items kept": r.Kept} {
		if f.Estimate != f.Truth || f.Truth == 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for name, f := range map[string]Forecast{"memory": r.Memory, "model": r.Output, "passes": r.Passes, "CPU": r.CPU, "seconds": r.Seconds} {
		if !(f.Estimate > 0) || !(f.Truth > 0) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if len(r.Stages) < 6 || r.PlanSeconds <= 0 {
		t.Errorf("%d stages, a plan of %g s", len(r.Stages), r.PlanSeconds)
	}
	r.Corpus, r.Topics, r.Workers = "wiki", 3, 1
	folder := t.TempDir()
	if err := errors.Join(runLog.Put(folder, r), writeReadme(folder)); err != nil {
		t.Fatal(err)
	}
	read, err := runLog.Read(folder)
	if err != nil || len(read) != 1 || read[0].CPU != r.CPU || read[0].Kept != r.Kept {
		t.Errorf("%v, %+v", err, read)
	}
	benchtest.Says(t, "README.md", benchtest.Text(t, folder, "README.md"), "| wiki | 3 |", "(+0 %) |", "| corpus | K | read | sketch | evidence | rectify | anchor | refine | diagnostics | write |")
}

// A cell marks what is far off, and what lies outside of its interval.
func TestCell(t *testing.T) {
	for want, f := range map[string]Forecast{
		"100, 100 (+0 %)":    {100, 90, 110, 100},
		"100, 120 (-17 %)!":  {100, 90, 110, 120},
		"100, 150 (-33 %)*":  {100, 50, 200, 150},
		"100, 50 (+100 %)*!": {100, 90, 110, 50},
		"100, 101 (-1 %)":    {100, 100, 100, 101}, // no interval
		"unknown":            {100, 90, 110, 0},
	} {
		if got := f.cell(1); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

// A run of shards that are nowhere fails.
func TestNowhere(t *testing.T) {
	order := Order{Shards: []string{"nowhere"}, Topics: 3, Workers: 1}
	if err := order.run(t.Context(), new(Record)); err == nil {
		t.Error("shards that are nowhere were planned")
	}
}
