package bench

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anchorage/model"
)

func TestFitPowerLaw(t *testing.T) {
	e := math.E
	for _, test := range []struct {
		name             string
		points           []point
		slope, intercept float64
	}{
		{"a law", []point{{x: 4, y: 3 * 8}, {x: 25, y: 3 * 125}, {x: 900, y: 3 * 27_000}}, 1.5, math.Log(3)},
		{"two points", []point{{x: 10, y: 8}, {x: 1000, y: 0.08}}, -1, math.Log(80)},
		{"a bend", []point{{x: 1, y: 1}, {x: e, y: e}, {x: e * e, y: 1}}, 0, 1.0 / 3},
		{"uneven", []point{{x: 1, y: 1}, {x: e, y: 1}, {x: e * e * e, y: e * e}}, 5.0 / 7, -2.0 / 7},
		{"large", []point{{x: 1e8, y: 1}, {x: 1.001e8, y: 1.001}}, 1, -math.Log(1e8)},
		{"none", nil, math.NaN(), math.NaN()},
		{"one", []point{{x: 3, y: 4}}, math.NaN(), math.NaN()},
		{"one size", []point{{x: 3, y: 4}, {x: 3, y: 9}}, math.NaN(), math.NaN()},
	} {
		law := fitPowerLaw(test.points)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if !near(law.slope, test.slope) || !near(law.intercept, test.intercept) {
			t.Errorf("%s: %+v, want slope %v and intercept %v", test.name, law, test.slope, test.intercept)
		}
	}
}

// scaleRecord is a run whose sketch is in proportion to N^1.5 and whose memory is to N; reading takes no time that is
// known.
func scaleRecord(items, topics int) ScaleRecord {
	n := float64(items)
	r := ScaleRecord{ItemsKept: items, Passes: 6, Iterations: 50, Converged: true, Seconds: n, CPU: 2 * n,
		PeakBytes: int64(items) << 20, Started: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		Command: "anchorage bench scale", Machine: []string{"a machine"}}
	r.ScaleRun = ScaleRun{Items: items, Documents: 2 * items, Tokens: 20, Topics: topics, Seed: 1, Flags: "--min-df 1", Workers: 2}
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
	groups := groupScale([]ScaleRecord{scaleRecord(4000, 50), scaleRecord(1000, 50), scaleRecord(60_000, 200), failed, late,
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
		{"sketch", scaleSeconds, "1.50", "1.50"}, {"sketch", scaleCPU, "0.00", "0.00"}, {"sketch", scalePeak, "1.00", "1.00"},
		{"read", scaleSeconds, "–", "–"}, {"read", scalePeak, "–", "–"}, {whole, scaleCPU, "1.00", "1.00"},
	} {
		all, last := g.slope(test.stage, scaleFigures[test.figure])
		if slopeText(all) != test.all || slopeText(last) != test.last {
			t.Errorf("%s, %s: slopes %s and %s, want %s and %s", test.stage, scaleFigures[test.figure].name, slopeText(all),
				slopeText(last), test.all, test.last)
		}
	}
	g.records[2].Seconds *= 4 // slope 1 up to there, 3 on the last step
	if all, last := g.slope(whole, scaleFigures[scaleSeconds]); slopeText(all) != "2.00" || slopeText(last) != "3.00" {
		t.Errorf("slopes %v and %v", all, last)
	}
	if all, _ := groups[0].slope(whole, scaleFigures[scaleSeconds]); !math.IsNaN(all) {
		t.Errorf("a single size has the slope %v", all)
	}
}

// Charts leave out what has no place on their axes, and series of one size.
func TestScaleChart(t *testing.T) {
	groups := groupScale([]ScaleRecord{scaleRecord(1000, 50), scaleRecord(4000, 50), scaleRecord(500, 20)})
	rows := scaleChart(groups)
	if len(rows) != 1 || len(rows[0]) != 2 || len(rows[0][0].series) != 4 || len(rows[0][1].series) != 3 {
		t.Fatalf("%+v", rows)
	}
	var svg strings.Builder
	if err := writeScaleChart(rows)(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sketch (slopes 1.50, 1.00)", "read (slopes –, –)", "slope 1", ">300k<", ">10k<", "K = 50, M = 2 N"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the chart does not say %q", want)
		}
	}
	guide := rows[0][0].series[3]
	if guide.name != "slope 1" || fitPowerLaw(guide.points).slope < 0.999 || fitPowerLaw(guide.points).slope > 1.001 {
		t.Errorf("%+v", guide)
	}
	nothing := series{name: "nothing", points: []point{{x: 1}, {x: 2, y: -1}}}
	empty := []panel{{logX: true, logY: true, ticks: []float64{1, 2}, series: []series{nothing}}}
	if err := writeChart(&svg, [][]panel{empty}); err != nil {
		t.Errorf("without any point: %v", err)
	}
}

func TestDecadeRange(t *testing.T) {
	for _, test := range []struct{ low, high, from, to float64 }{
		{1.2, 8, 1, 10}, {0.5, 0.5, 0.3, 1}, {40, 250, 30, 300}, {1000, 1000, 300, 3000}, {0.0031, 2900, 0.001, 10_000}, {3.2e-5, 1, 3e-5, 3},
		{math.Inf(1), math.Inf(-1), 1, 10}, {0, 5, 1, 10}, {math.NaN(), 1, 1, 10},
	} {
		from, to := decadeRange(test.low, test.high)
		if math.Abs(from/test.from-1) > 1e-12 || math.Abs(to/test.to-1) > 1e-12 {
			t.Errorf("%v to %v: %v to %v, want %v to %v", test.low, test.high, from, to, test.from, test.to)
		}
		labels := 0
		for _, tick := range decadeTicks(from, to) {
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 || !(from <= test.low) && test.from <= test.low {
			t.Errorf("%v to %v has %d labels", from, to, labels)
		}
	}
}

func TestScaleReadme(t *testing.T) {
	folder := t.TempDir()
	if err := writeScaleResults(folder); err != nil {
		t.Fatal(err)
	}
	if readme := readText(t, folder, "README.md"); strings.Contains(readme, "##") || strings.Contains(readme, "svg") {
		t.Errorf("of no runs:\n%s", readme)
	}
	nytimes := scaleRecord(60_000, 200)
	nytimes.Documents, nytimes.Tokens, nytimes.Stages[1].Seconds = 300_000, 330, 309.89912
	other := scaleRecord(60_000, 200)
	other.Started = other.Started.AddDate(0, 0, 2)
	for _, r := range []ScaleRecord{nytimes, other, scaleRecord(1000, 200)} {
		if err := appendRecord(filepath.Join(folder, scaleRuns), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeScaleResults(folder); err != nil {
		t.Fatal(err)
	}
	readme := readText(t, folder, "README.md")
	for _, want := range []string{
		"3 runs made from 2026-11-21 to 2026-11-23 by\n\n```\nanchorage bench scale\n```\n\non\n\n- a machine\n",
		"## K = 200, M = 5 N, 330 tokens per document", "## K = 200, M = 2 N, 20 tokens per document",
		"gives 3099 s for V and D\n", "| Anchorage, stage `sketch`; a machine | 309.9 | 7 | 10 |", "another machine",
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q:\n%s", want, readme)
		}
	}
	if strings.Count(readme, "| Anchorage, ") != 1 {
		t.Errorf("runs of another size are held against the published one:\n%s", readme)
	}
	// Where no series is left, neither is its chart.
	if err := os.WriteFile(filepath.Join(folder, scaleRuns), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writeScaleResults(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "scale.svg")); err == nil {
		t.Error("the chart of runs that are no longer there")
	}
}

func TestScaleRecordsRefuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), scaleRuns)
	for _, line := range []string{"{", `{"items":1}`, `{"items":9,"documents":9,"topics":2}`,
		`{"items":9,"documents":9,"topics":2,"failure":"x","colour":"red"}`} {
		if err := os.WriteFile(path, []byte("\n"+line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readScaleRecords(path); err == nil || !strings.Contains(err.Error(), "line 2 is no record") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestShellWords(t *testing.T) {
	for want, words := range map[string][]string{
		"":                           nil,
		"--min-df 1 --passes=4":      {"--min-df", "1", "--passes=4"},
		`'' 'a b' 'it'\''s' '$HOME'`: {"", "a b", "it's", "$HOME"},
	} {
		if got := ShellWords(words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}
