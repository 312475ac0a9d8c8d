package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/model"
)

const (
	childArgument = "scale-run"
	fakeFit       = "ANCHORAGE_FAKE_FIT" // what the child process does
)

func TestMain(m *testing.M) {
	if len(os.Args) != 2 || os.Args[1] != childArgument {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := runChild(ctx, os.Getenv(fakeFit)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runChild fits, or does what a fit should not.
func runChild(ctx context.Context, what string) error {
	if what == "works" {
		return Fit(ctx, os.Stdin)
	}
	var order Order
	if err := json.NewDecoder(os.Stdin).Decode(&order); err != nil {
		return err
	}
	switch what {
	case "broken":
		return fmt.Errorf("warning: nothing\nanchorage: %s is too large for today", order.Output)
	case "mute":
		return nil
	case "slow":
		fmt.Fprintln(os.Stderr, "waiting")
		<-ctx.Done()
		return ctx.Err()
	}
	order.Shards = order.Shards[1:]
	text, err := json.Marshal(order)
	if err != nil {
		return err
	}
	return Fit(ctx, bytes.NewReader(text))
}

// tinyScale is a series that takes a second.
func tinyScale(t *testing.T, what string) *Series {
	t.Helper()
	t.Setenv(fakeFit, what)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Series{Items: []int{240, 120}, DocumentsPerItem: 3, Tokens: 20, Topics: 3, Seed: 1,
		Flags: []string{"--min-df", "1", "--passes", "4"}, Program: []string{self, childArgument},
		Command: "go run ./bench scale --output RESULTS", Workers: 2, Log: slog.New(slog.DiscardHandler)}
}

func scaleRecords(t *testing.T, folder string) []Record {
	t.Helper()
	records, err := runLog.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// alone checks that beside the results nothing is left.
func alone(t *testing.T, folder string) {
	t.Helper()
	benchtest.Only(t, filepath.Dir(folder), filepath.Base(folder))
}

func TestScale(t *testing.T) {
	series, folder := tinyScale(t, "works"), filepath.Join(t.TempDir(), "results")
	if err := series.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	records := scaleRecords(t, folder)
	if len(records) != 2 || records[0].Items != 120 || records[1].Items != 240 {
		t.Fatalf("%+v", records)
	}
	for _, r := range records {
		seconds := 0.0
		for _, s := range r.Stages {
			seconds += s.Seconds
			if s.PeakBytes > r.PeakBytes {
				t.Errorf("N = %d: %s takes %d bytes of %d", r.Items, s.Name, s.PeakBytes, r.PeakBytes)
			}
		}
		if r.Failure != "" || len(r.Stages) != 7 || seconds > r.Seconds || r.Documents != 3*r.Items || r.Workers != 2 {
			t.Errorf("%+v", r)
		}
		if r.ItemsKept < r.Items*9/10 || r.ItemsKept > r.Items || r.DocumentsKept > int64(r.Documents) ||
			r.Entries < r.DocumentsKept || r.Passes != 4 || r.Iterations < 1 || !(r.LargestResidual > 0) || r.Flags != "--min-df 1 --passes 4" {
			t.Errorf("%+v", r)
		}
	}
	for _, r := range records {
		if f := r.Recovery; !(f.FloorB > 0 && f.ErrorB > f.FloorB && f.ErrorB < 2) || !(f.ErrorA > 0 && f.FloorA > 0 && f.DistanceA > 0 && f.DistanceA < 2) || !(f.Anchors >= 0 && f.Anchors <= 1) {
			t.Errorf("N = %d: recovered %+v", r.Items, f)
		}
	}
	readme := benchtest.Text(t, folder, "README.md")
	benchtest.Says(t, "README.md", readme, "| N | error of B | floor | ratio | error of A |", "recovery.svg", "2 runs, made on ", "## K = 3, M = 3 N, 20 tokens per document",
		"| stage | figure | N = 120 | N = 240 | slope |", "| rectify | seconds |", "`--min-df 1 --passes 4`", "\n| 240 | ", "scale.svg")
	if strings.Contains(readme, "failed") || strings.Contains(readme, "published") || strings.Contains(readme, filepath.Dir(folder)) {
		t.Errorf("README.md says too much:\n%s", readme)
	}
	benchtest.Says(t, "the chart", benchtest.Text(t, folder, "scale.svg"), "whole (slopes ", "rectify (slopes ", "slope 1", "peak MiB")
	benchtest.Says(t, "the chart of errors", benchtest.Text(t, folder, "recovery.svg"), "ℓ1 error of B", "floor", "relative error of A")
	benchtest.Only(t, folder, "README.md", "recovery.svg", "runs.csv", "stages.csv", "scale.svg")
	benchtest.Results(t, folder)
	alone(t, folder)
	t.Run("resumed", func(t *testing.T) { testScaleResumed(t, series, folder) })
}

// testScaleResumed goes on with a series that is complete: only what is not there is made.
func testScaleResumed(t *testing.T, series *Series, folder string) {
	before, readme, program := benchtest.Text(t, folder, report.RunsFile), benchtest.Text(t, folder, "README.md"), series.Program
	series.Program = []string{"no-such-program"}
	err := series.Write(t.Context(), folder)
	if err != nil || benchtest.Text(t, folder, report.RunsFile) != before || benchtest.Text(t, folder, "README.md") != readme {
		t.Errorf("a complete series was made again: %v", err)
	}
	for name, change := range map[string]func(*Series){
		"a new size":    func(s *Series) { s.Items = append(s.Items, 360) },
		"another K":     func(s *Series) { s.Topics = 4 },
		"another seed":  func(s *Series) { s.Seed = 2 },
		"other flags":   func(s *Series) { s.Flags = []string{"--passes", "3"} },
		"other workers": func(s *Series) { s.Workers = 1 },
		"again":         func(s *Series) { s.Again = true },
	} {
		changed := *series
		change(&changed)
		if err := changed.Write(t.Context(), folder); err == nil {
			t.Errorf("%s needs no process", name)
		}
	}
	series.Program, series.Items = program, []int{120, 360}
	if err := series.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if after := benchtest.Text(t, folder, report.RunsFile); !strings.HasPrefix(after, before) || strings.Count(after, "\n") != 4 {
		t.Errorf("one size more has made\n%s", after)
	}
	series.Items, series.Again = []int{120}, true
	if err := series.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if records := scaleRecords(t, folder); len(records) != 3 || strings.Count(benchtest.Text(t, folder, report.RunsFile), "\n") != 4 {
		t.Errorf("a run that was made again: %+v", records)
	}
	alone(t, folder)
}

// A series along documents has the same items throughout. Drawing is not part of the figures.
func TestScaleDocuments(t *testing.T) {
	series, folder := tinyScale(t, "works"), filepath.Join(t.TempDir(), "results")
	series.Items, series.Documents, series.DocumentItems, series.DocumentTokens = nil, []int{800, 400}, 120, 30
	if err := series.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	records := scaleRecords(t, folder)
	if len(records) != 2 || records[0].Documents != 400 || records[1].Documents != 800 {
		t.Fatalf("%+v", records)
	}
	for _, r := range records {
		sketched := r.stage(sketchStage)
		if r.Failure != "" || r.Axis != documentsAxis || r.Items != 120 || r.Tokens != 30 || !(r.VisitSeconds > 0 && r.VisitSeconds < sketched.Seconds) || r.VisitCPU > sketched.CPU {
			t.Errorf("%+v", r)
		}
	}
	benchtest.Says(t, "README.md", benchtest.Text(t, folder, "README.md"), "## K = 3, N = 120, 30 tokens per document", "| stage | figure | M = 400 | M = 800 | slope |",
		"| "+visits+" | seconds |", "## What 10¹⁰ entries would take", "| settled |")
	benchtest.Results(t, folder)
	alone(t, folder)
}

// A run that fails is noted, and made again by the next command.
func TestScaleFailed(t *testing.T) {
	for what, want := range map[string]string{
		"broken": "the process ended with exit status 1: anchorage: model is too large for today",
		"mute":   "model has no readable record of its run",
		"short":  "the fit has read 270 documents of 360",
	} {
		series, folder := tinyScale(t, what), filepath.Join(t.TempDir(), "results")
		series.Items = []int{120}
		if err := series.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		records := scaleRecords(t, folder)
		if len(records) != 1 || !strings.Contains(records[0].Failure, want) ||
			strings.Contains(records[0].Failure, filepath.Dir(folder)) {
			t.Errorf("%s: %+v", what, records)
		}
		if readme := benchtest.Text(t, folder, "README.md"); !strings.Contains(readme, "- N = 120, M = 360, K = 3: "+records[0].Failure) {
			t.Errorf("%s: README.md is silent:\n%s", what, readme)
		}
		t.Setenv(fakeFit, "works")
		if err := series.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		if records := scaleRecords(t, folder); len(records) != 1 || records[0].Failure != "" {
			t.Errorf("%s: %+v", what, records)
		}
		if readme := benchtest.Text(t, folder, "README.md"); strings.Contains(readme, "failed") {
			t.Errorf("%s: README.md still speaks of a failure:\n%s", what, readme)
		}
		alone(t, folder)
	}
}

// An interrupted run leaves no record and nothing else.
func TestScaleInterrupted(t *testing.T) {
	series, folder := tinyScale(t, "slow"), filepath.Join(t.TempDir(), "results")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	series.Log = slog.New(slog.NewTextHandler(onWrite(cancel), nil)) // its first line is that shards are made
	if err := series.Write(ctx, folder); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if records := scaleRecords(t, folder); len(records) != 0 {
		t.Errorf("%+v", records)
	}
	alone(t, folder)
	benchtest.Only(t, folder)
}

// onWrite calls a function when something is written.
type onWrite func()

func (w onWrite) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

// A fit that has begun is asked to end.
func TestScaleInterruptedFit(t *testing.T) {
	series, folder := tinyScale(t, "slow"), filepath.Join(t.TempDir(), "results")
	series.Shards = filepath.Join(t.TempDir(), "corpora")
	if _, err := series.shards(t.Context(), series.runs()[0], series.Shards); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	series.Stderr = onWrite(cancel)
	if err := series.Write(ctx, folder); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	benchtest.Only(t, folder)
	alone(t, folder)
}

// Shards that are kept are taken again as long as they are what their description says.
func TestScaleShards(t *testing.T) {
	series, root := tinyScale(t, "works"), filepath.Join(t.TempDir(), "corpora")
	run := series.runs()[0]
	paths, err := series.shards(t.Context(), run, root)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(paths[0])
	if err != nil || len(paths) != leastShards {
		t.Fatalf("%v, %v", paths, err)
	}
	again, err := series.shards(t.Context(), run, root)
	if err != nil || !slices.Equal(again, paths) {
		t.Errorf("%v, %v", again, err)
	}
	if after, err := os.Stat(paths[0]); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("shards that were there were made again: %v", err)
	}
	other := run
	other.Seed++
	elsewhere, err := series.shards(t.Context(), other, root)
	if err != nil || filepath.Dir(elsewhere[0]) == filepath.Dir(paths[0]) {
		t.Errorf("%v, %v", elsewhere, err)
	}
	description := filepath.Join(filepath.Dir(paths[0]), descriptionFile)
	text := benchtest.Text(t, description)
	for _, test := range []struct{ spoilt, want string }{
		{"{", "cannot be understood"},
		{strings.Replace(text, `"seed":1`, `"seed":7`, 1), "of another corpus"},
		{strings.Replace(text, model.Version, "0.0.0", 1), "or program"},
		{strings.Replace(text, `"size":`, `"size":1`, 1), "does not hold part-00000.parquet"},
		{text[:strings.Index(text, `,"shards"`)] + "}", "of another corpus"}, // no shards at all
	} {
		if err := os.WriteFile(description, []byte(test.spoilt), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := series.shards(t.Context(), run, root)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "--shards") {
			t.Errorf("%s: %v", test.spoilt, err)
		}
	}
	if err := os.Remove(description); err != nil {
		t.Fatal(err)
	}
	if _, err := series.shards(t.Context(), run, root); err == nil || !strings.Contains(err.Error(), "without a description") {
		t.Errorf("%v", err)
	}
}

func TestScaleCheck(t *testing.T) {
	good := *tinyScale(t, "works")
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Series){
		"nothing":      func(s *Series) { s.Items = nil },
		"few items":    func(s *Series) { s.Items = []int{11} },
		"a flag":       func(s *Series) { s.Flags = []string{"--colour", "red"} },
		"one topic":    func(s *Series) { s.Topics = 1 },
		"no documents": func(s *Series) { s.DocumentsPerItem = 0 },
		"one token":    func(s *Series) { s.Tokens = 1 },
	} {
		series := good
		spoil(&series)
		if err := series.Check(); err == nil {
			t.Errorf("%s passes", name)
		}
	}
	good.Items, good.Documents, good.DocumentItems, good.DocumentTokens = nil, []int{50}, 120, 1
	if good.Check() == nil {
		t.Error("documents of one token pass")
	}
	good.DocumentTokens = 20
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	good.Documents, good.Compare = nil, true
	runs := good.runs()
	if good.Check() != nil || len(runs) != 1 || runs[0].Items != 60_000 || runs[0].Topics != 200 || runs[0].Documents != 300_000 {
		t.Errorf("%+v, %v", runs, good.Check())
	}
}

func TestParseSettings(t *testing.T) {
	for args, want := range map[string]string{
		"":                                       "{1 0 0 auto false auto}",
		"--min-df 2 --passes=4":                  "{2 4 0 auto false auto}",
		"--item-weights none --paper":            "{1 0 0 none true auto}",
		"--enn-iterations 20 --item-weights idf": "{1 0 20 idf false auto}",
		"--refine none":                          "{1 0 0 auto false none}",
	} {
		s, err := ParseSettings(strings.Fields(args))
		if got := fmt.Sprint(s); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", args, got, err, want)
		}
	}
	for args, want := range map[string]string{
		"--output model": "unknown flag: --output", "shards": `"shards" is not a flag of a fit`, "--passes none": "--passes",
		"--passes -1": "negative", "--min-df -1": "negative", "--item-weights heavy": `--item-weights is "heavy"`,
		"--refine twice": `--refine is "twice"`,
	} {
		if _, err := ParseSettings(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	if got := withDefaults([]string{"--min-df", "3"}); len(got) != 2 {
		t.Errorf("a given flag is given again: %q", got)
	}
	if got := withDefaults([]string{"--passes", "3"}); strings.Join(got, " ") != "--min-df 1 --passes 3" {
		t.Errorf("flags %q", got)
	}
}

func TestFitRefuses(t *testing.T) {
	folder := t.TempDir()
	for order, want := range map[string]string{
		"hello": "only `bench scale` runs this command",
		`{"flags":["--colour"],"output":"` + folder + `/model"}`:                        "unknown flag",
		`{"shards":["` + folder + `/none"],"output":"` + folder + `/model","topics":3}`: "none",
		`{"output":"` + folder + `"}`:                                                   "exists",
	} {
		if err := Fit(t.Context(), strings.NewReader(order)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", order, err, want)
		}
	}
	benchtest.Only(t, folder)
}
