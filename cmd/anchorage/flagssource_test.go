package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/internal/kernel"
	"anchorage/model/fit"
	"anchorage/rectify"
	"anchorage/shard"
)

// sourceOf returns the flags of a command that reads a corpus, parsed.
func sourceOf(t *testing.T, args ...string) *sourceFlags {
	t.Helper()
	var f sourceFlags
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.addCorpus(flags)
	f.limitRun(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return &f
}

// TestSourceCheck wants flags that contradict each other to be refused by name.
func TestSourceCheck(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"", ""},
		{"--min-items 0 --min-tokens 0 --min-df 0 --max-df-ratio 1", ""},
		{"--vocab v", ""},
		{"--no-prune --min-items 2", ""},
		{"--vocab v --no-prune", "give one of them"},
		{"--vocab v --min-df 5", "--min-df prunes items"}, // though 5 is the default
		{"--no-prune --max-df-ratio 0.5", "--max-df-ratio prunes items"},
		{"--no-prune --max-items 9", "--max-items prunes items"},
		{"--vocab v --stopwords s", "--stopwords prunes items"},
	} {
		err := sourceOf(t, strings.Fields(test.args)...).check()
		if (err == nil) != (test.want == "") || err != nil && (exitCode(err) != exitUsage || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.args, err, test.want)
		}
	}
}

func TestPruning(t *testing.T) {
	if _, err := sourceOf(t, "--max-items", "-1").pruning(t.Context()); exitCode(err) != exitUsage {
		t.Error(err)
	}
	pruning, err := sourceOf(t, "--min-df", "7", "--max-df-ratio", "0.25", "--max-items", "100").pruning(t.Context())
	if err != nil || pruning.MinDF != 7 || pruning.MaxDFRatio != 0.25 || pruning.MaxItems != 100 || pruning.Stopwords != nil {
		t.Errorf("%+v, %v", pruning, err)
	}
}

// TestStopWords wants stop words in lower case where shards are cut into words, and as they are elsewhere.
func TestStopWords(t *testing.T) {
	path := t.TempDir() + "/stop.txt"
	if err := os.WriteFile(path, []byte("The\nÄrger\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	lower, given := map[string]struct{}{"the": {}, "ärger": {}}, map[string]struct{}{"The": {}, "Ärger": {}}
	for args, want := range map[string]map[string]struct{}{"": given, "--format jsonl": given, "--format text": lower, "--tokenize": lower} {
		got, err := sourceOf(t, append(strings.Fields(args), "--stopwords", path)...).stopWords(t.Context())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", args, got, err)
		}
	}
	if _, err := sourceOf(t, "--stopwords", path+".gz").stopWords(t.Context()); err == nil {
		t.Error("no file, and no error")
	}
}

// TestMemoryLimits wants --memory-limit to limit the run only if it is given, and to be shared by the workers that sort.
func TestMemoryLimits(t *testing.T) {
	for _, test := range []struct {
		args      string
		run, sort int64 // of the run, and of a worker
	}{
		{"", 0, 1 << 28},
		{"--memory-limit 1GiB", 1 << 30, 1 << 27}, // half is for sorting
		{"--memory-limit 8GiB --group", 8 << 30, 1 << 30},
	} {
		f := sourceOf(t, strings.Fields(test.args)...)
		limit, err := f.runLimit()
		if err != nil || limit != test.run {
			t.Errorf("%s: %d, %v", test.args, limit, err)
		}
		if err := f.layouts(&program{workers: 4}); err != nil || f.shard.MemoryLimit != test.sort {
			t.Errorf("%s: %d for each worker, %v", test.args, f.shard.MemoryLimit, err)
		}
	}
	for _, args := range []string{"--memory-limit 0", "--group --memory-limit 4MiB", "--format xml", "--format csv --tokenize"} {
		if err := sourceOf(t, strings.Fields(args)...).layouts(&program{workers: 4}); exitCode(err) != exitUsage {
			t.Errorf("%s: %v", args, err)
		}
	}
	if n := kernel.Workers(4); n != 4 {
		t.Errorf("%d workers", n)
	}
	if limit, err := new(sourceFlags).runLimit(); limit != 0 || err != nil {
		t.Errorf("a command without a model of its memory: %d, %v", limit, err)
	}
}

func TestScratch(t *testing.T) {
	if got := sourceOf(t).scratch("beside"); got != "beside" {
		t.Error(got)
	}
	if got := sourceOf(t, "--spill-dir", "there").scratch("beside"); got != "there" {
		t.Error(got)
	}
}

// TestStageFlags wants the values of flags in the options of the stages.
func TestStageFlags(t *testing.T) {
	parse := func(args ...string) (fit.Options, error) {
		var cmd cobra.Command
		var f fitFlags
		f.add(&cmd)
		if err := cmd.Flags().Parse(args); err != nil {
			return fit.Options{}, err
		}
		return f.options()
	}
	got, err := parse("-k", "9", "--seed", "3", "--passes", "4", "--sketch-columns", "50", "--item-weights", "none", "--evidence=false", "--row-sums", "exact",
		"--anchor-min-df", "8", "--polish", "none", "--relevance", "0.5", "--enn-iterations", "12", "--normalization", "uniform", "--method", "palm", "--baseline", "--refine", "7", "--for", "reading")
	if err != nil {
		t.Fatal(err)
	}
	want := fit.Options{Method: fit.PALM, Topics: 9, Seed: 3, Baseline: true,
		Sketch:  fit.SketchOptions{Passes: 4, Columns: 50, ItemWeights: fit.WeightsNone, NoEvidence: true},
		Rectify: fit.RectifyOptions{Iterations: 12, Normalization: fit.NormalizeUniform},
		Anchor:  got.Anchor, Refine: fit.RefineOptions{Passes: 7, For: refine.ForReading}, Diagnose: true}
	got.Rectify.Corrections = rectify.Corrections{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if a := got.Anchor; a.RowSums != anchor.RowSumsExact || a.MinDF != 8 || !a.NoPolish || a.Relevance != 0.5 {
		t.Errorf("%+v", a)
	}
	for passes, args := range map[int][]string{0: {"-k", "9"}, 1: {"-k", "9", "--no-prune"}, 6: {"-k", "9", "--no-prune", "--passes", "6"}} {
		if o, err := parse(args...); err != nil || o.Sketch.Passes != passes || o.Anchor.Relevance != 0 {
			t.Errorf("%q: %+v, %v", args, o, err)
		}
	}
	for _, args := range []string{"", "-k 1", "-k 9 --relevance NaN", "-k 9 --relevance 1.1", "-k 9 --anchor-min-df -1", "-k 9 --evidence=false --polish many", "-k 9 --method x"} {
		if _, err := parse(strings.Fields(args)...); exitCode(err) != exitUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestFormats wants help, completion and the log to have all formats.
func TestFormats(t *testing.T) {
	table := formatTable()
	completed, _ := execute(t, exitDone, "__complete", "fit", "--format", "")
	for _, known := range shard.Formats() {
		if !strings.Contains(table, "  "+known.Name+" ") || !strings.Contains(table, known.Help) {
			t.Errorf("the table lacks %s", known.Name)
		}
		if !strings.Contains(completed, known.Name+"\t"+known.Help+"\n") {
			t.Errorf("completion lacks %s: %s", known.Name, completed)
		}
	}
	if !strings.HasPrefix(completed, "auto\t") {
		t.Errorf("completion begins with %q", completed)
	}
	if got := formatsThat(func(i shard.FormatInfo) bool { return i.Name == "csv" || i.Name == "vw" || i.Name == "parquet" }); got != "parquet, csv and vw" {
		t.Error(got)
	}
	kinds := shardKinds([]shard.Shard{{Path: "a", Format: shard.CSV, Reason: "x"}, {Path: "b", Format: shard.Text, Reason: "x"},
		{Path: "c", Format: shard.CSV, Reason: "x"}, {Path: "d", Format: shard.CSV, Reason: "y"}})
	want := []shardKind{{"csv", "x", "a", 2}, {"text", "x", "b", 1}, {"csv", "y", "d", 1}}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("%+v", kinds)
	}
}
