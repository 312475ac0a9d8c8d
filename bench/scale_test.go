package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

const (
	fitArgument = "fit"
	fakeFit     = "ANCHORAGE_FAKE_FIT" // what it does
)

// runFakeFit stands for anchorage fit: it fits, with the same record of the run.
func runFakeFit(ctx context.Context, what string, args []string) (err error) {
	first := slices.IndexFunc(args, func(s string) bool { return strings.HasPrefix(s, "-") })
	flags := flag.NewFlagSet("fit", flag.ContinueOnError)
	topics, output, workers := flags.Int("k", 0, ""), flags.String("o", "", ""), flags.Int("workers", 0, "")
	passes, minDF := flags.Int("passes", 0, ""), flags.Int64("min-df", 5, "")
	for _, name := range []string{"log-level", "progress"} {
		flags.String(name, "", "")
	}
	if err := flags.Parse(args[first:]); err != nil {
		return err
	}
	paths := args[:first]
	switch what {
	case "broken":
		return fmt.Errorf("warning: nothing\nanchorage: %s is too large for today", *output)
	case "mute":
		return nil
	case "short":
		paths = paths[1:]
	case "slow":
		<-ctx.Done()
		return ctx.Err()
	}
	shards, err := shard.Discover(ctx, paths, shard.Options{})
	if err != nil {
		return err
	}
	quiet := slog.New(slog.DiscardHandler)
	source := corpus.Options{Dir: filepath.Dir(*output), Workers: *workers, Log: quiet}
	source.Pruning.MinDF = *minDF
	run := model.NewRun(*workers)
	docs, err := stream.Open(ctx, shards, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	options := model.FitOptions{Sketch: model.SketchOptions{Topics: *topics, Passes: *passes, Seed: 1, Workers: *workers}}
	state, err := model.Fit(ctx, docs, options, run, quiet)
	if err != nil {
		return err
	}
	dir, err := durable.Create(*output)
	if err != nil {
		return err
	}
	return state.SaveModel(dir)
}

// tinyScale is a series that takes a second.
func tinyScale(t *testing.T, what string) *Scale {
	t.Helper()
	t.Setenv(fakeFit, what)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Scale{Items: []int{240, 120}, DocumentsPerItem: 3, Tokens: 20, Topics: 3, Seed: 1,
		Flags: []string{"--min-df", "1", "--passes", "4"}, Program: []string{self, fitArgument},
		Command: "anchorage bench scale --output RESULTS", Workers: 2, Log: slog.New(slog.DiscardHandler)}
}

func scaleRecords(t *testing.T, folder string) []ScaleRecord {
	t.Helper()
	records, err := readScaleRecords(filepath.Join(folder, scaleRuns))
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// alone checks that beside the results nothing is left.
func alone(t *testing.T, folder string) {
	t.Helper()
	if entries, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(entries) > 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
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
		if r.Failure != "" || len(r.Stages) != 5 || seconds > r.Seconds || r.Documents != 3*r.Items || r.Workers != 2 {
			t.Errorf("%+v", r)
		}
		if r.ItemsKept < r.Items*9/10 || r.ItemsKept > r.Items || r.DocumentsKept > int64(r.Documents) ||
			r.Entries < r.DocumentsKept || r.Passes != 4 || r.Iterations < 1 || !(r.LargestResidual > 0) || r.Flags != "--min-df 1 --passes 4" {
			t.Errorf("%+v", r)
		}
	}
	readme, chart := readText(t, folder, "README.md"), readText(t, folder, "scale.svg")
	for _, want := range []string{"2 runs made on ", "## K = 3, M = 3 N, 20 tokens per document",
		"| stage | figure | N = 120 | N = 240 | slope |", "| rectify | seconds |", "`--min-df 1 --passes 4`", "\n| 240 | ", "scale.svg"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not say %q:\n%s", want, readme)
		}
	}
	if strings.Contains(readme, "failed") || strings.Contains(readme, "published") || strings.Contains(readme, t.TempDir()) {
		t.Errorf("README.md says too much:\n%s", readme)
	}
	for _, want := range []string{"whole (slopes ", "rectify (slopes ", "slope 1", "peak MiB"} {
		if !strings.Contains(chart, want) {
			t.Errorf("the chart does not say %q", want)
		}
	}
	alone(t, folder)
	t.Run("resumed", func(t *testing.T) { testScaleResumed(t, series, folder) })
}

// testScaleResumed goes on with a series that is complete: only what is not there is made.
func testScaleResumed(t *testing.T, series *Scale, folder string) {
	before, readme, program := readText(t, folder, scaleRuns), readText(t, folder, "README.md"), series.Program
	series.Program = []string{"no-such-program"}
	err := series.Write(t.Context(), folder)
	if err != nil || readText(t, folder, scaleRuns) != before || readText(t, folder, "README.md") != readme {
		t.Errorf("a complete series was made again: %v", err)
	}
	for name, change := range map[string]func(*Scale){
		"a new size":    func(s *Scale) { s.Items = append(s.Items, 360) },
		"another K":     func(s *Scale) { s.Topics = 4 },
		"another seed":  func(s *Scale) { s.Seed = 2 },
		"other flags":   func(s *Scale) { s.Flags = []string{"--min-df", "1"} },
		"other workers": func(s *Scale) { s.Workers = 1 },
		"again":         func(s *Scale) { s.Again = true },
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
	if after := readText(t, folder, scaleRuns); !strings.HasPrefix(after, before) || strings.Count(after, "\n") != 3 {
		t.Errorf("one size more has made\n%s", after)
	}
	series.Items, series.Again = []int{120}, true
	if err := series.Write(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	if records := scaleRecords(t, folder); len(records) != 3 || strings.Count(readText(t, folder, scaleRuns), "\n") != 4 {
		t.Errorf("a run that was made again: %+v", records)
	}
	alone(t, folder)
}

// A run that fails is noted, and made again by the next command.
func TestScaleFailed(t *testing.T) {
	for what, want := range map[string]string{
		"broken": "the process ended with exit status 1: anchorage: model is too large for today",
		"mute":   "model has no record of its run that can be read",
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
		if readme := readText(t, folder, "README.md"); !strings.Contains(readme, "- N = 120, M = 360, K = 3: "+records[0].Failure) {
			t.Errorf("%s: README.md is silent:\n%s", what, readme)
		}
		t.Setenv(fakeFit, "works")
		if err := series.Write(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		if records := scaleRecords(t, folder); len(records) != 1 || records[0].Failure != "" {
			t.Errorf("%s: %+v", what, records)
		}
		if readme := readText(t, folder, "README.md"); strings.Contains(readme, "failed") {
			t.Errorf("%s: README.md still speaks of a failure:\n%s", what, readme)
		}
		alone(t, folder)
	}
}

// An interrupted run leaves no record and nothing else.
func TestScaleInterrupted(t *testing.T) {
	series, folder := tinyScale(t, "slow"), filepath.Join(t.TempDir(), "results")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := series.Write(ctx, folder); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if records := scaleRecords(t, folder); len(records) != 0 {
		t.Errorf("%+v", records)
	}
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
	description := filepath.Join(filepath.Dir(paths[0]), scaleDescription)
	text := readText(t, description)
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
	for name, spoil := range map[string]func(*Scale){
		"nothing":      func(s *Scale) { s.Items = nil },
		"few items":    func(s *Scale) { s.Items = []int{11} },
		"one topic":    func(s *Scale) { s.Topics = 1 },
		"no documents": func(s *Scale) { s.DocumentsPerItem = 0 },
		"one token":    func(s *Scale) { s.Tokens = 1 },
	} {
		series := good
		spoil(&series)
		if err := series.Check(); err == nil {
			t.Errorf("%s passes", name)
		}
	}
	good.Items, good.Compare = nil, true
	runs := good.runs()
	if good.Check() != nil || len(runs) != 1 || runs[0].Items != 60_000 || runs[0].Topics != 200 || runs[0].Documents != 300_000 {
		t.Errorf("%+v, %v", runs, good.Check())
	}
}
