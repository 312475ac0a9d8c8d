package truth

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
)

// smallTruth is so small a model that a few thousand documents determine its anchors.
var smallTruth = Options{
	Model:     synth.Model{Items: 60, Topics: 3, Seed: 1, Tokens: 30, Anchors: 2},
	Documents: []int{4000, 32_000},
	Seeds:     3,
	Workers:   2,
}

// Errors fall like M^(−1/2). Over a factor of 8 in M, with three seeds, the errors of the means scatter by some 10 to 20 % (A
// has only 6 free entries, and so the most), which moves a slope by about 0.2/ln 8 ≈ 0.1; the margin is half as much again.
func TestTruthSlopes(t *testing.T) {
	records, err := Run(context.Background(), smallTruth)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"enn-exact", "enn-factor", "none-exact"} {
		means := meansOf(records, method)
		if len(means) != 2 || len(sampled(means)) != 2 {
			t.Fatalf("%s: not all anchors are recovered: %+v", method, means)
		}
		for f, name := range figureNames {
			if slope := fitLine(means, f).Slope; math.Abs(slope+0.5) > 0.15 {
				t.Errorf("%s: %s falls like M^%.3f", method, name, slope)
			}
		}
	}
}

func TestWriteTruth(t *testing.T) {
	opts := smallTruth
	opts.Documents, opts.Seeds = []int{500, 1000, 2000}, 1
	records, err := Run(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	records[1].Failure = "none found"
	path := writeTruth(t, records)
	benchtest.Only(t, path, "README.md", "means.csv", "records.csv", "slopes.csv", "truth.svg")
	benchtest.Says(t, "README.md", benchtest.Text(t, path, "README.md"), "go run ./bench truth\n", "| enn-exact | accurate eigenpairs, ENN", "## Means", "## Slopes")
	chart := benchtest.Text(t, path, "truth.svg")
	benchtest.Says(t, "the chart", chart, "rare items", "no rectification", "documents M (thousands)")
	if rows := strings.Split(strings.TrimSpace(benchtest.Text(t, path, "records.csv")), "\n"); len(rows) != 1+len(records) || !strings.HasSuffix(rows[2], "NaN,none found") {
		t.Errorf("records.csv: %q", rows)
	}
}

// writeTruth returns the folder that records were written to.
func writeTruth(t *testing.T, records []Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	folder, err := report.NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(folder, records, report.NewOrigin("go run ./bench truth", 2)); err != nil {
		t.Fatal(err)
	}
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	benchtest.Results(t, path)
	return path
}

func TestFitTruth(t *testing.T) {
	var means []mean
	for _, documents := range []int{100, 1000, 5000} {
		m := mean{documents: documents, anchors: 1}
		m.mean[errorB] = 3 * math.Pow(float64(documents), -0.5)
		means = append(means, m)
	}
	law := fitLine(means, errorB)
	if math.Abs(law.Slope+0.5) > 1e-12 || math.Abs(law.At(400)-0.15) > 1e-12 {
		t.Errorf("the law is %+v", law)
	}
	means[0].anchors = 0.9
	if got := sampled(means); len(got) != 2 || got[0].documents != 1000 {
		t.Errorf("sampling decides from %+v", got)
	}
	means[1].anchors = 0.9
	if got := sampled(means); got != nil {
		t.Errorf("sampling decides from %+v", got)
	}
}

// planted returns records whose errors fall like M^(−1/2), with every anchor found.
func planted() []Record {
	var records []Record
	for _, method := range []string{"enn-exact", "enn-factor"} {
		for _, documents := range []int{1000, 10_000, 100_000} {
			for seed := range uint64(2) {
				r := Record{Documents: documents, Seed: seed, Method: method, Passes: 3}
				r.Recovery.Anchors = 1
				r.Recovery.ErrorB = float64(seed+1) / math.Sqrt(float64(documents))
				r.Recovery.ErrorA = 2 * r.Recovery.ErrorB
				records = append(records, r)
			}
		}
	}
	return records
}

func TestMeansAndSlopes(t *testing.T) {
	records := planted()
	slopes := slopesTable(records)
	if len(slopes.Rows) != 2 || slopes.Rows[0][1] != int64(1000) || slopes.Rows[0][2] != int64(100_000) {
		t.Fatalf("%v", slopes.Rows)
	}
	for _, row := range slopes.Rows {
		if b, a := row[3].(float64), row[7].(float64); math.Abs(b+0.5) > 1e-12 || math.Abs(a+0.5) > 1e-12 {
			t.Errorf("slopes %v and %v", b, a)
		}
	}
	records[0].Failure = "none found"
	means := meansOf(records, "enn-exact")
	if len(means) != 3 || means[0].found != 1 || means[1].found != 2 || math.Abs(means[1].mean[errorB]-0.015) > 1e-12 ||
		math.Abs(means[1].least[errorB]-0.01) > 1e-12 || math.Abs(means[1].greatest[errorB]-0.02) > 1e-12 {
		t.Errorf("%+v", means)
	}
}

// The chart has a series per method with its slopes, the fitted lines, and a guide above them.
func TestTruthChart(t *testing.T) {
	row := chart(planted()).Rows[0]
	if len(row) != 3 || len(row[0].Series) != 3 || row[0].Series[0].Name != "ENN, exact row sums (slopes −0.50, −0.50)" || len(row[0].Ticks) != 3 {
		t.Fatalf("%+v", row[0])
	}
	first, guide := row[0].Series[0], row[0].Series[2]
	if len(first.Points) != 3 || len(first.Line) != 3 || guide.Name != "slope −½" || report.FitPowerLaw(guide.Points).Slope > -0.499 {
		t.Errorf("%+v, %+v", first, guide)
	}
	for i, p := range first.Points {
		if p.Below <= 0 || p.Above <= 0 || guide.Points[2*i].Y <= first.Line[i].Y {
			t.Errorf("point %+v, line %+v, guide %+v", p, first.Line[i], guide.Points[2*i])
		}
	}
	lost := planted()
	for i := range lost {
		lost[i].Recovery.Anchors = 0.5
	}
	if row := chart(lost).Rows[0]; len(row[0].Series) != 2 || len(row[0].Series[0].Line) != 0 {
		t.Errorf("a line is fitted to %+v", row[0].Series)
	}
}
