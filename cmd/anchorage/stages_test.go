package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// printed executes a command with --json and decodes the one value that it prints.
func printed(t *testing.T, args ...string) (value struct {
	Output    string
	Documents int64
	Shards    json.RawMessage
	Corpus    struct{ Items int }
	Manifest  struct {
		Sketch  struct{ Topics, Passes int }
		Rectify struct{ Iterations int }
		Anchor  struct{ Characteristic string }
	}
	Topics []struct {
		Topic                     int
		Share                     float64
		Anchor                    string
		Prominent, Characteristic []string
	}
}) {
	t.Helper()
	stdout, stderr := execute(t, exitDone, append(args, "--json", "--log-level", "error")...)
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%q: %v: %s", args, err, stdout)
	}
	if decoder.More() || stderr != "" {
		t.Errorf("%q prints more than one value, or to stderr: %s", args, stderr)
	}
	return value
}

// TestStages runs the stages one by one, looks at what each prints as JSON, and wants the model of a whole run.
func TestStages(t *testing.T) {
	inCorpus(t, 2)
	vocabulary := printed(t, "vocab", "shards", "-o", "vocabulary.parquet")
	if vocabulary.Output != "vocabulary.parquet" || vocabulary.Corpus.Items == 0 {
		t.Errorf("vocab: %+v", vocabulary)
	}
	sketch := printed(t, "sketch", "shards", "-k", "5", "--vocab", "vocabulary.parquet", "-o", "sketch")
	if sketch.Output != "sketch" || sketch.Manifest.Sketch.Topics != 5 || sketch.Manifest.Sketch.Passes < 2 {
		t.Errorf("sketch: %+v", sketch)
	}
	if factor := printed(t, "rectify", "sketch", "-o", "factor"); factor.Output != "factor" ||
		factor.Manifest.Rectify.Iterations < 1 {
		t.Errorf("rectify: %+v", factor)
	}
	staged := printed(t, "anchor", "factor", "-o", "staged")
	whole := printed(t, "fit", "shards", "-k", "5", "-o", "whole", "--refine", "none")
	for name, model := range map[string]string{"staged": staged.Output, "whole": whole.Output} {
		if model != name {
			t.Errorf("%s is in %s", name, model)
		}
	}
	last := 1.0
	for i, topic := range whole.Topics {
		if other := staged.Topics[i]; other.Topic != topic.Topic || other.Anchor != topic.Anchor ||
			!slices.Equal(other.Prominent, topic.Prominent) {
			t.Errorf("topic %d: %+v of the stages, %+v of fit", i, other, topic)
		}
		if topic.Share > last || topic.Anchor == "" || len(topic.Prominent) != 10 || len(topic.Characteristic) != 10 {
			t.Errorf("topic %d: %+v", i, topic)
		}
		last = topic.Share
	}
	if len(whole.Topics) != 5 {
		t.Errorf("%d topics", len(whole.Topics))
	}
	// topics.parquet differs: characteristic items come from the documents, which only fit has, or from the factor.
	if of, other := whole.Manifest.Anchor.Characteristic, staged.Manifest.Anchor.Characteristic; of != "documents" ||
		other != "factor" {
		t.Errorf("characteristic items come from %q and, stage by stage, from %q", of, other)
	}
	for _, name := range []string{"factor.parquet", "items.parquet", "topic_items.parquet", "anchors.parquet",
		"correlations.parquet"} {
		if !equalFiles(t, "staged/"+name, "whole/"+name) {
			t.Errorf("%s differs", name)
		}
	}
}

// equalFiles reports whether two files have the same bytes.
func equalFiles(t *testing.T, a, b string) bool {
	t.Helper()
	left, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	right, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(left, right)
}

// TestStagesRefuse wants a stage to refuse the result of any stage but the one before it, and to leave nothing.
func TestStagesRefuse(t *testing.T) {
	inCorpus(t, 1)
	execute(t, exitDone, "sketch", "shards", "-k", "4", "--passes", "1", "-o", "sketch", "--log-level", "error")
	execute(t, exitDone, "rectify", "sketch", "-o", "factor", "--log-level", "error")
	execute(t, exitDone, "anchor", "factor", "-o", "model", "--log-level", "error")
	for _, args := range [][]string{{"rectify", "factor"}, {"rectify", "model"}, {"anchor", "sketch"}, {"anchor", "model"},
		{"rectify", "shards"},
		{"anchor", "nothing"}, {"merge", "sketch", "factor"}, {"merge", "sketch", "nothing"}, {"merge", "sketch", "sketch"}} {
		if stdout, _ := execute(t, exitInput, append(args, "-o", "wrong")...); stdout != "" {
			t.Errorf("%q prints %s", args, stdout)
		}
	}
	execute(t, exitExists, "anchor", "factor", "--no-report", "-o", "model")
	execute(t, exitUsage, "anchor", "factor", "-o", "no/such/folder/model")
	execute(t, exitUsage, "rectify", "sketch")
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 4 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestMerge wants sketches of halves to be one of the whole, and the reason why others cannot be merged.
func TestMerge(t *testing.T) {
	inCorpus(t, 2)
	execute(t, exitDone, "vocab", "shards", "-o", "v.parquet", "--log-level", "error")
	sketch := func(shard, output string, more ...string) {
		args := []string{"sketch", "shards/" + shard, "-k", "4", "--passes", "1", "-o", output, "--log-level", "error"}
		execute(t, exitDone, append(args, more...)...)
	}
	sketch("part-000.parquet", "first", "--vocab", "v.parquet")
	sketch("part-001.parquet", "second", "--vocab", "v.parquet")
	sketch("part-001.parquet", "seed", "--vocab", "v.parquet", "--seed", "7")
	sketch("part-001.parquet", "columns", "--vocab", "v.parquet", "--set", "sketch-columns=40")
	sketch("part-001.parquet", "vocabulary")
	both := printed(t, "merge", "first", "second", "-k", "3", "-o", "both")
	if both.Manifest.Sketch.Topics != 3 || both.Manifest.Sketch.Passes != 1 {
		t.Errorf("%+v", both)
	}
	for other, reason := range map[string]string{"seed": "different seeds, 1 and 7", "columns": "64 and 40 columns",
		"vocabulary": "different vocabularies"} {
		if _, stderr := execute(t, exitInput, "merge", "first", other, "-o", "wrong"); !strings.Contains(stderr, reason) {
			t.Errorf("%s: %s", other, stderr)
		}
	}
	if _, err := os.Stat("wrong"); err == nil {
		t.Error("a refused merge leaves a sketch")
	}
}

// signalling is a stderr that interrupts this process when a line is logged, and waits until the program has seen it.
type signalling struct {
	signal os.Signal
	bytes.Buffer
	line string
	seen context.Context
	err  error
}

// Write implements io.Writer.
func (s *signalling) Write(p []byte) (int, error) {
	if s.seen.Err() == nil && strings.Contains(string(p), s.line) {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(s.signal)
		}
		if s.err = err; err == nil {
			<-s.seen.Done()
		}
	}
	return s.Buffer.Write(p)
}

// TestSignal interrupts a fit in each of its stages. It wants the code of an interrupt, and nothing to be printed or
// left.
func TestSignal(t *testing.T) {
	inCorpus(t, 2)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // the tests may run under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	for i, line := range []string{"msg=mapping", "msg=memory", `msg="documents read"`, "pass over the documents",
		"stage=sketch", "stage=evidence", "msg=rectification", "stage=rectify", "stage=anchor"} {
		t.Run(line, func(t *testing.T) {
			ctx, stop := interruptible(t.Context())
			defer stop()
			stderr := &signalling{line: line, seen: ctx, signal: signals[i%len(signals)]}
			var stdout bytes.Buffer
			code := run(ctx, []string{"fit", "shards", "-k", "5", "-o", "model", "--log-level", "debug"}, nil, &stdout, stderr)
			if stderr.err != nil {
				t.Fatal(stderr.err)
			}
			if code != exitInterrupted || stdout.Len() > 0 || !strings.HasSuffix(stderr.String(),
				"anchorage: interrupted: nothing was written\n") {
				t.Errorf("exit code %d, printed %q: %s", code, stdout.String(), stderr.String())
			}
			left, err := os.ReadDir(".")
			if err != nil || len(left) != 1 || left[0].Name() != "shards" {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
