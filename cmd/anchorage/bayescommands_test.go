package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{"--set", "t0=0", "from 1e-15 to 1e+09"},
		{"--set", "t0=NaN", "from 1e-15 to 1e+09"},
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
