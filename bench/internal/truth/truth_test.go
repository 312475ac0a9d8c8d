package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/bench/internal/topics"
	"anchorage/internal/npy"
	"anchorage/internal/synth"
	"anchorage/model"
)

// The test binary is also the processes that a grid starts: of one run and, in place of Python, other programs.
const (
	childArgument = "truth-run"
	fakePeer      = "ANCHORAGE_FAKE_PEER" // what it does
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == childArgument:
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if err := Child(ctx, os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case os.Getenv(fakePeer) != "" && len(os.Args) == 8:
		if err := runFakePeer(os.Getenv(fakePeer), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

// runFakePeer finds topics of uniform items and documents.
func runFakePeer(what string, args []string) error {
	switch what {
	case "absent":
		fmt.Fprintln(os.Stderr, "No module named sklearn")
		os.Exit(3)
	case "broken":
		fmt.Fprintln(os.Stderr, "Traceback\nValueError: no topics today")
		os.Exit(1)
	}
	items, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	k, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	file, err := os.Create(args[2])
	if err != nil {
		return err
	}
	defer file.Close()
	values, joint := make([]float32, k*items), make([]float64, k*k)
	for i := range values {
		values[i] = 1 / float32(items)
	}
	for i := range joint {
		joint[i] = 1 / float64(len(joint))
	}
	if what == "narrow" {
		joint = joint[1:]
	}
	err = npy.Write(file, []int64{int64(k), int64(items)}, func(write func([]float32) error) error { return write(values) })
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(topics.PeerAnswer{Program: "fake 1.0", PeakBytes: 7, Joint: joint, Passes: 4,
		Stages: []model.StageTime{{Name: "load", Seconds: 5, CPU: 6}, {Name: "fit", Seconds: 2, CPU: 3}, {Name: "shares", Seconds: 9, CPU: 9}}})
}

// tinyGrid is so small a grid that a few thousand documents determine the anchors. Python does what the fake peer does.
func tinyGrid(t *testing.T, peer string) *Grid {
	t.Helper()
	t.Setenv(fakePeer, peer)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Grid{Model: synth.Model{Items: 60, Topics: 3, Seed: 1, Tokens: 30, Anchors: 2}, Documents: []int{4000, 32_000}, Seeds: 1,
		Methods: append([]string{Floor}, StageMethods...), Tolerance: 1e-3, Python: self, Scratch: t.TempDir(), Command: []string{self, childArgument},
		Line: "go run ./bench truth", Workers: 2, Log: slog.New(slog.DiscardHandler)}
}

// made returns the records of a grid and the folder that holds them.
func made(t *testing.T, g *Grid) (records []Record, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "results")
	if err := g.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	benchtest.Results(t, folder)
	return recordsIn(t, folder), folder
}

func recordsIn(t *testing.T, folder string) []Record {
	t.Helper()
	records, err := runLog.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// written returns the folder that records were written to.
func written(t *testing.T, records []Record) string {
	t.Helper()
	folder := t.TempDir()
	for i := range records {
		if err := runLog.Put(folder, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeResults(folder); err != nil {
		t.Fatal(err)
	}
	benchtest.Results(t, folder)
	return folder
}

// Errors fall like M^(−1/2), those of the floor too, and no method is below the floor. Over a factor of 8 in M, with three seeds,
// the errors of the means scatter by some 10 to 20 % (A has only 6 free entries, and so the most), which moves a slope by about
// 0.2/ln 8 ≈ 0.1; the margin is half as much again.
func TestTruthSlopes(t *testing.T) {
	g := tinyGrid(t, "")
	g.Seeds = 3
	records, _ := made(t, g)
	group := &groupRecords(records)[0]
	for _, method := range []string{Floor, "enn-exact", "enn-factor", "none-exact"} {
		means := group.means(method)
		if len(means) != 2 || method != Floor && len(sampled(means)) != 2 {
			t.Fatalf("%s: not all anchors are recovered: %+v", method, means)
		}
		for f, name := range figureNames {
			if slope := fitLine(means, f).Slope; math.Abs(slope+0.5) > 0.15 {
				t.Errorf("%s: %s falls like M^%.3f", method, name, slope)
			}
		}
		for _, m := range means {
			if r := m.ratio[errorB]; method == Floor && r != 1 || method != Floor && !(r > 1 && r < 10) {
				t.Errorf("%s: %v times the floor of B", method, r)
			}
		}
	}
	for _, r := range records {
		if r.Method == Floor && (!(math.Abs(r.ExpectedB/r.Figures[errorB]-1) < 0.3) || !(r.ShrunkB <= r.Figures[errorB]+1e-12)) {
			t.Errorf("%+v", r)
		}
	}
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
	if got := fitted(means); len(got) != 2 || got[0].documents != 1000 {
		t.Errorf("sampling decides from %+v", got)
	}
	means[1].anchors = 0.9
	if got := sampled(means); got != nil || len(fitted(means)) != 3 {
		t.Errorf("sampling decides from %+v", got)
	}
	for i := range means {
		means[i].anchors = math.NaN()
	}
	if got := fitted(means); len(got) != 3 || fitted(means[:1]) != nil {
		t.Errorf("a method without anchors has the slope of %+v", got)
	}
}

// planted returns records whose errors fall like M^(−1/2), with every anchor found.
func planted() []Record {
	var records []Record
	for _, method := range []string{"enn-exact", "enn-factor"} {
		for _, documents := range []int{1000, 10_000, 100_000} {
			for seed := range uint64(2) {
				b := float64(seed+1) / math.Sqrt(float64(documents))
				r := recorded(documents, seed, method, b, 1)
				r.Figures[errorA] = 2 * b
				records = append(records, r)
			}
		}
	}
	return records
}

func TestMeansAndSlopes(t *testing.T) {
	records := planted()
	slopes := slopesTable(groupRecords(records))
	if len(slopes.Rows) != 2 || slopes.Rows[0][5] != int64(1000) || slopes.Rows[0][6] != int64(100_000) {
		t.Fatalf("%v", slopes.Rows)
	}
	for _, row := range slopes.Rows {
		if b, a, last := row[7].(float64), row[11].(float64), row[13].(float64); math.Abs(b+0.5) > 1e-12 || math.Abs(a+0.5) > 1e-12 || math.Abs(last+0.5) > 1e-12 {
			t.Errorf("slopes %v, %v and %v", b, a, last)
		}
	}
	records[0].Failure = "none found"
	means := meansOf(records, "enn-exact")
	if len(means) != 3 || means[0].found != 1 || means[1].found != 2 || math.Abs(means[1].mean[errorB]-0.015) > 1e-12 ||
		math.Abs(means[1].least[errorB]-0.01) > 1e-12 || math.Abs(means[1].greatest[errorB]-0.02) > 1e-12 {
		t.Errorf("%+v", means)
	}
}

// The chart has a series per method with its slopes, the fitted lines, the floor where it is known, and a guide above them.
func TestTruthChart(t *testing.T) {
	rows := chart(groupRecords(planted())).Rows
	row := rows[0]
	if len(rows) != 1 || len(row) != 3 || len(row[0].Series) != 3 || row[0].Series[0].Name != "ENN, exact row sums (slopes −0.50, −0.50)" || len(row[0].Ticks) != 3 {
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
	records := planted()
	for _, documents := range []int{1000, 100_000} {
		records = append(records, recorded(documents, 1, Floor, 1/float64(documents), math.NaN()))
	}
	other := recorded(1000, 1, "default", 1, 1)
	other.Items++
	rows = chart(groupRecords(append(records, other))).Rows
	if len(rows) != 2 || rows[0][0].Series[0].Name != "ENN, exact row sums" || rows[0][0].Title == rows[1][0].Title {
		t.Fatalf("%+v", rows)
	}
	if drawn := chart(groupRecords(append(records, recorded(1000, 1, Posterior, 1, math.NaN())))).Rows[0][0].Series[3]; drawn.Name != Posterior || !drawn.Dashed {
		t.Errorf("the posterior is drawn as %+v", drawn)
	}
	floor := rows[0][0].Series[2]
	if floor.Name != "floor" || floor.Style != report.WholeStyle || len(floor.Points) != 2 || floor.Points[1] != (report.Point{X: 100_000, Y: 1e-5}) {
		t.Errorf("the floor is drawn as %+v", floor)
	}
	if alone := rows[1][0].Series; len(alone) != 1 || alone[0].Style != 2 || len(alone[0].Line) != 0 {
		t.Errorf("a single run is drawn as %+v", alone)
	}
}

// The folder holds all files, and README.md says what they show.
func TestWriteTruth(t *testing.T) {
	g := tinyGrid(t, "works")
	g.Documents, g.Methods = []int{500, 1000}, []string{Floor, Posterior, "enn-exact", "published", "sklearn-nmf"}
	_, folder := made(t, g)
	benchtest.Only(t, folder, "README.md", "checks.csv", "means.csv", "runs.csv", "slopes.csv", "stages.csv", "truth.svg")
	benchtest.Says(t, "README.md", benchtest.Text(t, folder, "README.md"), "10 runs, made on ", "go run ./bench truth\n", "| enn-exact | accurate eigenpairs, ENN",
		"## N = 60, K = 3, 30 tokens per document", "| method | M = 500 | M = 1000 | slope |", "| sklearn-nmf | 1000 | 1 | – | 3 | ", "## Slopes")
	benchtest.Says(t, "the chart", benchtest.Text(t, folder, "truth.svg"), "rare items", "floor", "documents M (thousands)")
	if text := benchtest.Text(t, folder, "README.md"); strings.Contains(text, "## Checks") || strings.Contains(text, filepath.Dir(folder)) {
		t.Errorf("README.md says too much:\n%s", text)
	}
	if names := Methods(); len(names) != len(slices.Compact(slices.Sorted(slices.Values(names)))) {
		t.Errorf("methods %q", names)
	}
}
