package corrections

import (
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/report"
	"anchorage/rectify"
)

// All places make the same iteration, keep what they say, and meet the densities that were asked for.
func TestRun(t *testing.T) {
	o := Options{Items: 2500, Topics: []int{6}, Densities: []float64{0.1, 0.3}, Runs: 2, Workers: 1, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	records, err := o.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	places := o.places()
	if len(records) != len(o.Densities)*len(places) {
		t.Fatalf("%d records", len(records))
	}
	for at, r := range records {
		first, density := records[at/len(places)*len(places)], o.Densities[at/len(places)]
		if r.Place != places[at%len(places)].name || r.Rows != 1060 || r.Applications != first.Applications || r.Applications < 2 || r.Density != first.Density {
			t.Errorf("%+v beside %+v", r, first)
		}
		if math.Abs(r.Density-density) > 0.5*density {
			t.Errorf("a density of %v, not %v", r.Density, density)
		}
		if kept := r.Chosen != rectify.CorrectionsRecompute; kept != (r.Bytes > 0) {
			t.Errorf("%s keeps %d bytes", r.Chosen, r.Bytes)
		}
	}
	if records[0].Chosen != rectify.CorrectionsMemory || records[1].Chosen != rectify.CorrectionsSpill || records[2].Chosen != rectify.CorrectionsRecompute {
		t.Errorf("%+v", records[:3])
	}
}

// The table has a row for every record, and the verdict counts shapes.
func TestReadme(t *testing.T) {
	o := Options{Items: 100, Runs: 1, Workers: 2}
	records := []Record{
		{Topics: 5, Density: 0.1, Place: "memory", Chosen: "memory", Applications: 3, Bytes: 5e6, CPU: 1},
		{Topics: 5, Density: 0.1, Place: "spill", Chosen: "spill", Applications: 3, Bytes: 5e6, CPU: 1.2, Further: 0.1},
		{Topics: 5, Density: 0.1, Place: "recompute", Chosen: "recompute", Applications: 3, CPU: 2, Further: 0.5},
		{Topics: 5, Density: 0.1, Place: "auto without memory", Chosen: "recompute", Applications: 3, CPU: 2, Further: 0.5},
	}
	text := Readme(records, &o, report.Origin{})
	for _, want := range []string{
		"| 5 | 0.100 | spill | spill | 3 | 5.0 | 1.20 | 0.100 | 20 |\n", "| 5 | 0.100 | recompute | recompute | 3 | 0.0 | 2.00 | 0.500 |  |\n",
		"less processor time than computing again in 1 of 1 shapes", "in 0 of them",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	folder, err := report.NewFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(folder, records, &o, report.Origin{}); err != nil || folder.Commit() != nil {
		t.Fatal(err)
	}
}
