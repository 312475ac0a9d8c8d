package bench

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/internal/durable"
	"anchorage/internal/synth"
)

// smallTruth is so small a model that a few thousand documents determine its anchors.
var smallTruth = TruthOptions{
	Model:     synth.Model{Items: 60, Topics: 3, Seed: 1, Tokens: 30, Anchors: 2},
	Documents: []int{4000, 32_000},
	Seeds:     3,
	Workers:   2,
}

// Errors fall like M^(−1/2). Over a factor of 8 in M, with three seeds, the errors of the means scatter by some 10 to 20 % (A
// has only 6 free entries, and so the most), which moves a slope by about 0.2/ln 8 ≈ 0.1; the margin is half as much again.
func TestTruthSlopes(t *testing.T) {
	records, err := Truth(context.Background(), smallTruth)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"enn-exact", "enn-factor", "none-exact"} {
		means := truthMeans(records, method)
		if len(means) != 2 || len(sampled(means)) != 2 {
			t.Fatalf("%s: not all anchors are recovered: %+v", method, means)
		}
		for f, name := range truthNames {
			if slope := fitTruth(means, f).slope; math.Abs(slope+0.5) > 0.15 {
				t.Errorf("%s: %s falls like M^%.3f", method, name, slope)
			}
		}
	}
}

func TestWriteTruth(t *testing.T) {
	opts := smallTruth
	opts.Documents, opts.Seeds = []int{500, 1000, 2000}, 1
	records, err := Truth(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	records[1].Failure = "none found"
	path := writeTruth(t, records)
	for _, name := range []string{"records", "means", "slopes"} {
		for _, ending := range []string{".csv", ".md", ".parquet"} {
			if info, err := os.Stat(filepath.Join(path, name+ending)); err != nil || info.Size() == 0 {
				t.Errorf("%s%s: %v", name, ending, err)
			}
		}
	}
	chart, err := os.Open(filepath.Join(path, "truth.svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer chart.Close()
	decoder := xml.NewDecoder(chart)
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the chart is not well-formed: %v", err)
		}
	}
	readme, err := os.ReadFile(filepath.Join(path, "README.md"))
	if err != nil || !strings.Contains(string(readme), "anchorage bench truth\n") {
		t.Errorf("README.md: %v\n%s", err, readme)
	}
}

// writeTruth returns the folder that records were written to.
func writeTruth(t *testing.T, records []TruthRecord) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results")
	dir, err := durable.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Abort()
	if err := WriteTruth(dir, records, "anchorage bench truth", 2); err != nil {
		t.Fatal(err)
	}
	if err := dir.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFitTruth(t *testing.T) {
	var means []truthMean
	for _, documents := range []int{100, 1000, 5000} {
		m := truthMean{documents: documents, anchors: 1}
		m.mean[truthB] = 3 * math.Pow(float64(documents), -0.5)
		means = append(means, m)
	}
	law := fitTruth(means, truthB)
	if math.Abs(law.slope+0.5) > 1e-12 || math.Abs(law.at(400)-0.15) > 1e-12 {
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
