package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/model/transform"
)

func TestCheckpointPath(t *testing.T) {
	for _, test := range []struct{ output, folder, want string }{
		{"model", "", ".model.checkpoint"},
		{"dir/model", "", "dir/.model.checkpoint"},
		{"dir/model/", "scratch", filepath.Join("scratch", ".model.checkpoint")},
		{"s3://bucket/runs/model", "scratch", filepath.Join("scratch", ".model.checkpoint")},
		{"s3://bucket/runs/model/", "scratch", filepath.Join("scratch", ".model.checkpoint")},
		{"s3://bucket/runs/model?region=x", "scratch", filepath.Join("scratch", ".model.checkpoint")},
		{"s3://bucket/runs/model", "", ""},
	} {
		flags := resumeFlags{folder: test.folder}
		got, err := flags.path(test.output)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s with %q: %q, %v", test.output, test.folder, got, err)
		}
		if err != nil && (!errors.As(err, new(*usageError)) || !strings.Contains(err.Error(), "--checkpoint-dir")) {
			t.Errorf("%v", err)
		}
	}
}

// TestBayesFlags wants values out of range to be refused by the names of their flags, before anything is read.
func TestBayesFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	good := []string{"bayes", "fit", "shards", "-o", "m", "--model", "lda", "-k", "5"}
	for _, test := range []struct{ flag, value, want string }{
		{"--model", "", "use bnmf, cnmf or lda"},
		{"-k", "0", "a whole number from 2 to 100,000"},
		{"--set", "batch-size=0", "from 1 to 10,000,000"},
		{"--epochs", "-1", "from 1 to 1,000,000"},
		{"--set", "iterations=0", "from 1 to 1,000,000"},
		{"--set", "local-iterations=0", "from 1 to 1,000,000"},
		{"--set", "t0=0", "from 1e-15 to 1e+09"},
		{"--set", "t0=NaN", "from 1e-15 to 1e+09"},
		{"--set", "local-tolerance=0", "from 1e-15 to 1"},
		{"--set", "tolerance=-1", "from 0 to 1"},
		{"--set", "test-every=-1", "from 0 to 1,000,000,000"},
		{"--set", "kappa=2", "from 0.5 to 1"},
	} {
		if _, stderr := execute(t, exitUsage, append(good, test.flag, test.value)...); !strings.Contains(stderr, test.want) {
			t.Errorf("%s %q: %s", test.flag, test.value, stderr)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	execute(t, exitInput, good...) // with good values, the shards are what is missing
}

// TestBayesSearch looks for documents by id and by items, as text and as JSON.
func TestBayesSearch(t *testing.T) {
	inCorpus(t, 2)
	execute(t, exitDone, "bayes", "fit", "shards", "--model", "lda", "-k", "4", "--max-df-ratio", "0.5", "--set",
		"batch-size=300", "-o", "model", "--log-level", "error")
	search := func(args ...string) (found []transform.FoundDocument) {
		t.Helper()
		stdout, _ := execute(t, exitDone, append([]string{"bayes", "search", "model", "shards", "--json", "--log-level",
			"error"}, args...)...)
		if err := json.Unmarshal([]byte(stdout), &found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	first := search("--items", "item_001", "-n", "9")
	for i, d := range first {
		if d.Document == "" || i > 0 && d.Cosine > first[i-1].Cosine {
			t.Errorf("near item_001 is %+v, at place %d", d, i)
		}
	}
	for _, like := range first { // of either shard
		found := search("--document", like.Document, "-n", "4")
		if len(found) != 4 || found[0].Cosine < 1-1e-9 {
			t.Fatalf("near %s: %+v", like.Document, found)
		}
	}
	stdout, _ := execute(t, exitDone, "bayes", "search", "model", "shards", "--items", "item_001", "-n", "2",
		"--log-level", "error")
	if lines := strings.Count(stdout, "\n"); lines != 3 || !strings.HasPrefix(stdout, "document") {
		t.Errorf("%d lines: %s", lines, stdout)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "give either --items or --document"},
		{[]string{"--items", "item_001", "--document", "1"}, "give either --items or --document"},
		{[]string{"--document", "none"}, `the shards have no document with the id "none"; ids look like "`},
		{[]string{"--document", "1", "-n", "0"}, "-n is \"0\": give a whole number from 1 to 1,000,000"},
		{[]string{"--items", "item_001,other"}, `--items: the model does not have the item "other"`},
	} {
		if _, stderr := execute(t, exitUsage, append([]string{"bayes", "search", "model", "shards"},
			test.args...)...); !strings.Contains(stderr, test.want) {
			t.Errorf("%q: %s", test.args, stderr)
		}
	}
}

// TestBayesJSON wants plan and eval to print their numbers as JSON.
func TestBayesJSON(t *testing.T) {
	inCorpus(t, 1)
	number := func(name string, args ...string) float64 {
		stdout, _ := execute(t, exitDone, append(args, "--json", "--log-level", "error")...)
		var values map[string]any
		if err := json.Unmarshal([]byte(stdout), &values); err != nil {
			t.Fatal(err)
		}
		value, ok := values[name].(float64)
		if !ok {
			t.Fatalf("%q has no %s: %s", args, name, stdout)
		}
		return value
	}
	fit := printed(t, "bayes", "fit", "shards", "--model", "bnmf", "-k", "4", "-o", "model")
	if fit.Output != "model" || len(fit.Topics) != 4 || len(fit.Topics[0].Prominent) != usualItems {
		t.Errorf("%+v", fit)
	}
	if got := number("log_likelihood", "bayes", "eval", "model", "shards"); !(got < 0) {
		t.Errorf("log-likelihood %v", got)
	}
}
