package main

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestSameBayesForAnyWorkers fits every model under every number of workers and processors.
func TestSameBayesForAnyWorkers(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := writeSynthetic("shards", 3, 1); err != nil {
		t.Fatal(err)
	}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, flags := range [][]string{{"bnmf", "--set", "batch-size=300"}, {"cnmf", "--set", "batch-size=300"}, {"lda",
		"--batch", "--set", "iterations=3"}} {
		want := ""
		for i, workers := range []string{"1", "2", "5"} {
			runtime.GOMAXPROCS(i + 1)
			model := "model-" + flags[0] + workers
			var stdout, stderr bytes.Buffer
			args := append([]string{"bayes", "fit", "shards", "-k", "5", "-o", model, "--workers", workers, "--model"}, flags...)
			if code := run(context.Background(), args, nil, &stdout, &stderr); code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			got := contents(t, model)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%v, %s workers:\n%swant\n%s", flags, workers, got, want)
			}
		}
	}
}

// cancelling is a stderr that interrupts the run when a line is logged for the after-th time.
type cancelling struct {
	bytes.Buffer
	line   string
	after  int
	cancel context.CancelFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.line) {
		if c.after--; c.after == 0 {
			c.cancel()
		}
	}
	return c.Buffer.Write(p)
}

// TestBayesInterrupted interrupts a fit: it leaves a checkpoint and no model, and --resume makes the same model as a
// run that was not interrupted.
func TestBayesInterrupted(t *testing.T) {
	for name, test := range map[string]struct {
		line  string
		flags []string
	}{
		"stochastic": {"held out", []string{"--model", "cnmf", "--set", "batch-size=100", "--epochs", "3", "--set",
			"test-every=3"}},
		"batch": {"msg=iteration", []string{"--model", "bnmf", "--batch", "--set", "iterations=8"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := writeSynthetic("shards", 2, 1); err != nil {
				t.Fatal(err)
			}
			fit := func(ctx context.Context, output string, more ...string) (int, string) {
				stderr := &cancelling{line: test.line, after: 4}
				ctx, stderr.cancel = context.WithCancel(ctx)
				defer stderr.cancel()
				if output == "whole" || slices.Contains(more, "--resume") {
					stderr.after = -1
				}
				args := append([]string{"bayes", "fit", "shards", "-k", "4", "--log-level", "debug", "-o", output},
					append(test.flags, more...)...)
				code := run(ctx, args, nil, &bytes.Buffer{}, stderr)
				return code, stderr.String()
			}
			if code, stderr := fit(context.Background(), "whole"); code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			code, stderr := fit(context.Background(), "model", "--resume=auto")
			if code != exitInterrupted || !strings.Contains(stderr, "interrupted: to continue from .model.checkpoint, repeat "+
				"the command with --resume") {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			if _, err := os.Stat("model"); err == nil {
				t.Fatal("a model was left")
			}
			if code, stderr := fit(context.Background(), "model", "--resume", "--seed", "2"); code != exitInput ||
				!strings.Contains(stderr, "--seed was 1, and is 2") {
				t.Errorf("another seed: exit code %d: %s", code, stderr)
			}
			if code, stderr := fit(context.Background(), "model", "--resume"); code != exitDone ||
				!strings.Contains(stderr, "msg=resuming part=bayes") {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			if got, want := contents(t, "model"), contents(t, "whole"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if _, err := os.Stat(".model.checkpoint"); err == nil {
				t.Error("the checkpoint was left")
			}
		})
	}
}
