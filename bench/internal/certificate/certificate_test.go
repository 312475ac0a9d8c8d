package certificate

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
	"anchorage/model"
)

// The corpora differ in all respects, and the records of some do not depend on the workers.
func TestRun(t *testing.T) {
	options := Options{Corpora: 2, Seed: 40, Workers: 2}
	seen := make(map[[6]float64]bool)
	for at := range 81 {
		m := options.Model(at)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		seen[[6]float64{float64(m.Items), float64(m.Topics), float64(m.Documents), float64(m.Tokens), m.AnchorStrength, m.Concentration}] = true
	}
	if len(seen) < 70 {
		t.Errorf("81 corpora are of %d kinds", len(seen))
	}
	records, err := Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	options.Workers, options.Corpora = 1, 1
	again, err := Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		r := &records[i]
		if !(r.Floor > 0 && r.Floor < r.Refined && r.Refined < 2 && r.Error < 2) || len(r.Certificate.Figures) != 6 || r.Halved == 0 && r.Certificate.Verdict == model.Good {
			t.Errorf("%+v", r)
		}
	}
	again[0].Model.Workers = records[0].Model.Workers
	if !reflect.DeepEqual(records[0], again[0]) {
		t.Errorf("other workers: %+v\n%+v", records[0], again[0])
	}
}

// drawn returns a record with a verdict, a ratio of refined error to floor, and a value of own_mixtures.
func drawn(verdict model.Verdict, ratio, own float64, rough ...Rough) Record {
	return Record{Model: synth.Model{Items: 200, Topics: 4, Documents: 500, Tokens: 30, AnchorStrength: 1, Concentration: 0.1, Seed: 1}, Floor: 0.1, Error: 0.1 + ratio/10,
		Refined: ratio / 10, Halved: 0.5, Rough: rough, Certificate: model.Certificate{Verdict: verdict, Figures: []model.Figure{
			{Name: "explained", Value: 0.9, Threshold: 0.7, Verdict: model.Good}, {Name: "own_mixtures", Value: own, Threshold: 0.7, Verdict: verdict}}}}
}

func TestTables(t *testing.T) {
	records := []Record{drawn(model.Good, 1.5, 0.9, Rough{"residual", 0.3, 1.25}), drawn(model.Good, 2.75, 0.8), drawn(model.Worry, 4, 0.3), drawn(model.Worry, 6, 0.2)}
	folder, err := report.NewFolder(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(folder, records, report.NewOrigin("bench certificate", 1)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(folder.Names(), " "); got != "records.csv verdicts.csv figures.csv thresholds.csv rough.csv README.md" {
		t.Errorf("files %s", got)
	}
	var b strings.Builder
	for _, table := range []*report.Table{verdictsTable(records), figuresTable(records), thresholdsTable(records), roughTable(records)} {
		table.WriteMarkdown(&b)
	}
	benchtest.Says(t, "the tables", b.String(), "| good | 2 | 1.5 | 2.75 | 0.5 | 0.5 | 1 | 1 |", "| worry | 2 | 4 | 6 | 0 | 0 | 0 | 0 |",
		"| own_mixtures | 0.7 | 2 | 2 | 1.5 | 4 | −1 |", "| own_mixtures | 0.9 | 0.25 | 1 |", "| own_mixtures | 0 | 1 | 0.25 |", "| residual | 0.2 | 0.5 | 1 | 1.25 | 1.25 |")
}

func TestStatistics(t *testing.T) {
	if got := ranks([]float64{3, 1, 3, 2}); !reflect.DeepEqual(got, []float64{3, 0.5, 3, 1.5}) {
		t.Errorf("ranks %v", got)
	}
	if c := correlation([]float64{1, 2, 3}, []float64{5, 3, 1}); math.Abs(c+1) > 1e-12 {
		t.Errorf("correlation %v", c)
	}
	if !math.IsNaN(quantile(nil, 0.5)) || quantile([]float64{4, 1, 3, 2}, 0.5) != 2 || quantile([]float64{1, 2}, 0.9) != 2 {
		t.Error("quantiles")
	}
}
