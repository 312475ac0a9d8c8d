package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"anchorage/internal/durable"
	"anchorage/model/fit"
)

// TestOneDocument repeats one document: it has one topic, and every method refuses to find two.
func TestOneDocument(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("same.jsonl",
		[]byte(strings.Repeat(`{"items": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}}`+"\n", 1000)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, method := range fit.Methods() {
		args := []string{"fit", "same.jsonl", "-k", "2", "--min-df", "1", "--max-df-ratio", "1", "--method", string(method),
			"-o", "out", "-q"}
		for _, more := range [][]string{nil, {"--set=baseline=true"}} {
			if _, said := execute(t, exitInput, append(args, more...)...); !strings.Contains(said,
				"a model needs at least 2 topics") {
				t.Errorf("%s %q: %s", method, more, said)
			}
		}
	}
}

// TestEmptyShards wants many empty files to be refused by their sizes: they cannot even be opened.
func TestEmptyShards(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := os.WriteFile(fmt.Sprintf("empty/%d.parquet", i), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"fit", "empty", "-k", "2", "-o", "out"}, {"vocab", "empty", "-o", "v.parquet"},
		{"sketch", "empty", "-k", "2", "-o", "out"}, {"bayes", "fit", "--model", "lda", "empty", "-k", "2", "-o", "out"}} {
		if _, said := execute(t, exitInput, args...); !strings.Contains(said,
			"empty/0.parquet and 999 more shards hold no documents: they are empty files") {
			t.Errorf("%q: %s", args, said)
		}
	}
}

// TestOutputPaths gives -o with a slash at its end, among the shards, and where an output is.
func TestOutputPaths(t *testing.T) {
	inCorpus(t, 1)
	fit := []string{"fit", "shards", "-k", "3", "--refine", "none", "-q", "-o"}
	for _, output := range []string{"shards/model", "shards/deep/../model", "./shards/model/", "shards/v.parquet"} {
		if _, said := execute(t, exitUsage, append(fit, output)...); !strings.Contains(said,
			"lies within shards, which this command reads") {
			t.Errorf("%s: %s", output, said)
		}
	}
	if _, said := execute(t, exitUsage, "vocab", "shards", "-o", "shards/v.parquet"); !strings.Contains(said,
		"lies within shards, which this command reads") {
		t.Error(said)
	}
	if _, said := execute(t, exitUsage, "convert", "shards/*", "-o", "shards/new"); !strings.Contains(said,
		"is one of shards/*, which this command reads") {
		t.Error(said)
	}
	execute(t, exitUsage, append(fit, "shards/.model")...)
	execute(t, exitDone, append(fit, "out/")...)
	first := contentOf(t, "out/manifest.json")
	if _, said := execute(t, exitExists, append(fit, "out//")...); !strings.Contains(said, "--replace") {
		t.Error(said)
	}
	execute(t, exitUsage, append(fit, "out", "--replace", "--min-df", "1", "--refine", "0")...)
	execute(t, exitInput, append(fit, "out", "--replace", "--min-df", "1000000")...)
	if contentOf(t, "out/manifest.json") != first {
		t.Error("a run that failed changed the output")
	}
	execute(t, exitDone, append(fit, "out", "--replace", "--seed", "2")...)
	if contentOf(t, "out/manifest.json") == first {
		t.Error("the output was not replaced")
	}
	execute(t, exitDone, "topics", "out")
	if err := os.Mkdir("mine", 0o777); err != nil {
		t.Fatal(err)
	}
	if _, said := execute(t, exitExists, append(fit, "mine", "--replace")...); !strings.Contains(said,
		"it is no complete output") {
		t.Error(said)
	}
	if _, said := execute(t, exitExists, append(fit, "s3://bucket/model", "--replace")...); !strings.Contains(said,
		"object store cannot") {
		t.Error(said)
	}
	hidden, err := filepath.Glob(".*.partial")
	if err != nil || len(hidden) > 0 {
		t.Errorf("left behind: %v, %v", hidden, err)
	}
}

// contentOf returns the content of a file.
func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestPanic wants a panic to end a run like an error, and to be told as a bug.
func TestPanic(t *testing.T) {
	var out, said strings.Builder
	p := newProgram(nil, &out, &said)
	root := p.root()
	undone := false
	root.AddCommand(&cobra.Command{Use: "crash", Run: func(*cobra.Command, []string) {
		defer func() { undone = true }()
		panic("a name\x1b[31m")
	}})
	if code := p.execute(t.Context(), root, []string{"crash"}); code != exitFailed || !undone ||
		!strings.Contains(said.String(), `internal error: a name\x1b[31m`) || obeys(said.String()) {
		t.Errorf("code %d, undone %v: %s", code, undone, said.String())
	}
}

// TestVocabLock counts items while another run holds the place of the vocabulary.
func TestVocabLock(t *testing.T) {
	inCorpus(t, 1)
	release, err := durable.Hold("v.parquet", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, said := execute(t, exitExists, "vocab", "shards", "-o", "v.parquet"); !strings.Contains(said,
		"another run is writing") {
		t.Error(said)
	}
	release()
	execute(t, exitDone, "vocab", "shards", "-o", "v.parquet")
	execute(t, exitExists, "vocab", "shards", "-o", "v.parquet")
	execute(t, exitDone, "vocab", "shards", "-o", "v.parquet", "--replace")
}
