package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/model/fit"
	"anchorage/model/items"
	"anchorage/rectify"
	"anchorage/shard"
)

// sourceOf returns the flags of a command that reads a corpus, parsed.
func sourceOf(t *testing.T, args ...string) (*sourceFlags, *program) {
	t.Helper()
	f, p := new(sourceFlags), &program{flags: pflag.NewFlagSet("test", pflag.ContinueOnError)}
	register(p.flags, f.corpusRows()...)
	if err := p.flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f, p
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
		f, p := sourceOf(t, strings.Fields(test.args)...)
		err := f.check(p)
		if (err == nil) != (test.want == "") || err != nil && (exitCode(err) != exitUsage ||
			!strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.args, err, test.want)
		}
	}
}

func TestPruning(t *testing.T) {
	f, _ := sourceOf(t, "--min-df", "7", "--max-df-ratio", "0.25", "--max-items", "100")
	pruning, err := f.pruning(t.Context())
	if err != nil || pruning.MinDF != 7 || pruning.MaxDFRatio != 0.25 || pruning.MaxItems != 100 ||
		pruning.Stopwords != nil {
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
	for args, want := range map[string]map[string]struct{}{"": given, "--format jsonl": given, "--format text": lower,
		"--tokenize": lower} {
		f, _ := sourceOf(t, append(strings.Fields(args), "--stopwords", path)...)
		got, err := f.stopWords(t.Context())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", args, got, err)
		}
	}
	f, _ := sourceOf(t, "--stopwords", path+".gz")
	if _, err := f.stopWords(t.Context()); err == nil {
		t.Error("no file, and no error")
	}
}

// TestMemoryLimits wants --memory-limit to limit the run only if it is given, and to be shared by the workers that
// sort.
func TestMemoryLimits(t *testing.T) {
	for _, test := range []struct {
		args      string
		run, sort int64 // of the run, and of a worker
	}{
		{"", 0, 1 << 28},
		{"--memory-limit 1GiB", 1 << 30, 1 << 27}, // half is for sorting
		{"--memory-limit 8GiB --group", 8 << 30, 1 << 30},
	} {
		f, p := sourceOf(t, strings.Fields(test.args)...)
		p.workers = 4
		if limit := f.limit.chosen(); limit != test.run {
			t.Errorf("%s: %d", test.args, limit)
		}
		if err := f.ready(p); err != nil || f.shard.MemoryLimit != test.sort {
			t.Errorf("%s: %d for each worker, %v", test.args, f.shard.MemoryLimit, err)
		}
	}
	for _, args := range []string{"--group --memory-limit 4MiB", "--format libsvm --tokenize",
		"--format libsvm --separator ,"} {
		f, p := sourceOf(t, strings.Fields(args)...)
		p.workers = 4
		if err := f.ready(p); exitCode(err) != exitUsage {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestStageFlags wants the values of flags in the options of the stages.
func TestStageFlags(t *testing.T) {
	parse := func(args ...string) (fit.Options, error) {
		var f fitFlags
		if _, err := parsed(args, f.rows(fitTopicsRow(&f.learning.Topics))...); err != nil {
			return fit.Options{}, err
		}
		return f.options()
	}
	got, err := parse("-k", "9", "--seed", "3", "--passes", "4", "--set", "sketch-columns=50", "--set",
		"item-weights=none", "--set", "document-weights=equal", "--set=evidence=false", "--set", "row-sums=exact",
		"--set", "anchor-min-df=8", "--set", "polish=none", "--set", "relevance=0.5", "--set", "enn-iterations=12", "--set",
		"normalization=uniform", "--method", "palm", "--set=baseline=true", "--refine", "7", "--for", "reading")
	if err != nil {
		t.Fatal(err)
	}
	want := fit.Options{Method: fit.PALM, Topics: 9, Seed: 3, Baseline: true,
		Sketch: fit.SketchOptions{Passes: 4, Columns: 50, ItemWeights: fit.WeightsNone, DocumentWeights: fit.WeightsEqual,
			NoEvidence: true},
		Rectify: fit.RectifyOptions{Iterations: 12, Normalization: fit.NormalizeUniform},
		Anchor:  got.Anchor, Refine: fit.RefineOptions{Passes: 7, For: refine.ForReading}, Extras: fit.Extras{Diagnose: true,
			Report: true, Pairs: items.Options{MaxItems: items.DefaultMaxItems}}}
	got.Rectify.Corrections = rectify.Corrections{}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if a := got.Anchor; a.RowSums != anchor.RowSumsExact || a.MinDF != 8 || !a.NoPolish || a.Relevance != 0.5 {
		t.Errorf("%+v", a)
	}
	for passes, args := range map[int][]string{0: {"-k", "9"}, 1: {"-k", "9", "--no-prune"}, 6: {"-k", "9", "--no-prune",
		"--passes", "6"}} {
		if o, err := parse(args...); err != nil || o.Sketch.Passes != passes || o.Anchor.Relevance != 0 {
			t.Errorf("%q: %+v, %v", args, o, err)
		}
	}
	for _, args := range []string{"", "-k 1", "-k 9 --set relevance=NaN", "-k 9 --set anchor-min-df=-1",
		"-k 9 --set polish=many", "-k 9 --method x", "-k 9 --for reading --refine none"} {
		if _, err := parse(strings.Fields(args)...); err == nil {
			t.Errorf("%q passes", args)
		}
	}
}

// TestFormatsThat lists formats.
func TestFormatsThat(t *testing.T) {
	if got := formatsThat(func(i shard.FormatInfo) bool {
		return i.Name == "csv" || i.Name == "ldac" ||
			i.Name == "parquet"
	}); got != "parquet, csv and ldac" {
		t.Error(got)
	}
}
