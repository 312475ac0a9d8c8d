package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	names "github.com/prometheus/common/model"

	"anchorage/internal/durable"
	"anchorage/internal/metrics"
	"anchorage/model"
)

// ticking returns a program whose clock advances by a second whenever it is asked.
func ticking(out, err *bytes.Buffer) *program {
	p := newProgram(strings.NewReader(""), out, err)
	at := time.Unix(1_700_000_000, 0)
	p.now = func() time.Time {
		at = at.Add(time.Second)
		return at
	}
	return p
}

// readMetrics parses a file of metrics as Prometheus does, and wants its own checker to find no fault with it.
func readMetrics(t *testing.T, path string) map[string]*dto.MetricFamily {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := promlint.New(bytes.NewReader(text)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("%s: %v, %v", path, problems, err)
	}
	parser := expfmt.NewTextParser(names.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for name := range families {
		if !strings.HasPrefix(name, metrics.Prefix) {
			t.Errorf("%s does not begin with %s", name, metrics.Prefix)
		}
	}
	return families
}

// valueOf returns the value of a metric with a value of its label, if it has one; NaN if it is missing.
func valueOf(families map[string]*dto.MetricFamily, name, label string) float64 {
	for _, m := range families[metrics.Prefix+name].GetMetric() {
		for _, pair := range m.GetLabel() {
			if label == "" || pair.GetValue() == label {
				return m.GetGauge().GetValue()
			}
		}
	}
	return math.NaN()
}

// wantMetrics checks values of metrics. A missing metric is wanted as NaN.
func wantMetrics(t *testing.T, families map[string]*dto.MetricFamily, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		name, label, _ := strings.Cut(name, "/")
		if got := valueOf(families, name, label); got != value && !(math.IsNaN(got) && math.IsNaN(value)) {
			t.Errorf("%s %s is %g, want %g", name, label, got, value)
		}
	}
}

// The metrics of a fit are those of its manifest, and say when it ran under which name.
func TestMetricsOfFit(t *testing.T) {
	inCorpus(t, 2)
	var out, log bytes.Buffer
	args := []string{"fit", "shards", "-k", "4", "-o", "model", "--metrics-file", "nightly.prom", "--job-name", "shop",
		"--require", "residual=0", "--refine", "none"}
	if code := ticking(&out, &log).run(t.Context(), args); code != exitShort {
		t.Fatalf("exit code %d: %s", code, log.String())
	}
	m, err := model.ReadManifest(t.Context(), "model", model.KindModel)
	if err != nil {
		t.Fatal(err)
	}
	families := readMetrics(t, "nightly.prom")
	start := valueOf(families, "start_timestamp_seconds", "")
	residual := m.Certificate.Figures[2]
	wantMetrics(t, families, map[string]float64{
		"exit_code": exitShort, "start_timestamp_seconds": 1_700_000_001, "end_timestamp_seconds": start + valueOf(families,
			"duration_seconds", ""),
		"documents_read": float64(m.Corpus.DocumentsRead), "documents": float64(m.Corpus.Documents),
		"entries_read": float64(m.Corpus.Entries),
		"tokens_read":  float64(m.Corpus.Tokens), "items": float64(m.Corpus.Items), "shards": 2,
		"skipped_shards": 0, "topics": 4,
		"residual": m.Sketch.LargestResidual, "change": m.Rectify.Change, "epsilon": m.Rectify.Negative.Epsilon,
		"certificate_good/settled": 1, "certificate/residual": residual.Value,
		"certificate_good/residual": map[bool]float64{true: 1}[residual.Verdict == model.Good],
		"info/" + model.Version:     1, "log_likelihood": math.NaN(),
	})
	if taken := valueOf(families, "stage_seconds", "sketch"); !(taken > 0) {
		t.Errorf("the sketch took %g s", taken)
	}
	for _, pair := range families[metrics.Prefix+"items"].GetMetric()[0].GetLabel() {
		if want := map[string]string{"name": "shop", "command": "fit"}[pair.GetName()]; pair.GetValue() != want {
			t.Errorf("the label %s is %q, want %q", pair.GetName(), pair.GetValue(), want)
		}
	}
}

// Runs that fail have metrics too: with what they knew when they failed.
func TestMetricsOfFailures(t *testing.T) {
	inCorpus(t, 1)
	if err := os.WriteFile("bad.jsonl", []byte("{\"items\": [\"a\", \"b\"]}\n{\"items\": [\"a\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx  context.Context
		args string
		want map[string]float64
	}{
		"bad input": {t.Context(), "fit bad.jsonl -k 2 -o none", map[string]float64{"exit_code": exitInput, "shards": 1,
			"items": math.NaN(), "documents": math.NaN()}},
		"too few": {t.Context(), "fit shards -k 5000 -o none --min-df 1", map[string]float64{"exit_code": exitInput,
			"documents_read": 1500, "topics": math.NaN()}},
		"wrong flag": {t.Context(), "fit shards -k 4 -o none --no-such-flag", map[string]float64{"exit_code": exitUsage,
			"shards": math.NaN()}},
		"wrong require": {t.Context(), "fit shards -k 4 -o none --require nothing", map[string]float64{"exit_code": exitUsage,
			"shards": math.NaN()}},
		"interrupt": {interrupted, "fit shards -k 4 -o none", map[string]float64{"exit_code": exitInterrupted}},
		"transform": {t.Context(), "transform none shards -o docs",
			map[string]float64{"exit_code": exitInput, "shards": 1}},
	} {
		var out, log bytes.Buffer
		args := append(strings.Fields(test.args), "--metrics-file=failed.prom")
		code := ticking(&out, &log).run(test.ctx, args)
		if float64(code) != test.want["exit_code"] {
			t.Errorf("%s: exit code %d: %s", name, code, log.String())
		}
		wantMetrics(t, readMetrics(t, "failed.prom"), test.want)
		if err := os.Remove("failed.prom"); err != nil {
			t.Error(name, err)
		}
	}
}

// A file of metrics that cannot be written is a warning. A folder that does not exist is a wrong flag, before any work.
func TestMetricsUnwritable(t *testing.T) {
	inCorpus(t, 1)
	if err := os.MkdirAll("taken.prom/within", 0o700); err != nil {
		t.Fatal(err)
	}
	_, log := execute(t, exitUsage, "fit", "shards", "-k", "4", "-o", "model", "--refine", "none",
		"--metrics-file", "taken.prom")
	if !strings.Contains(log, "--metrics-file taken.prom is a folder or a device") {
		t.Error(log)
	}
	// a folder at the end
	_, log = execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "model", "--refine", "none", "--metrics-file", "model")
	if !strings.Contains(log, `level=WARN msg="the metrics cannot be written" file=model`) {
		t.Error(log)
	}
	_, log = execute(t, exitUsage, "fit", "shards", "-k", "4", "-o", "other", "--metrics-file", "missing/a.prom")
	if !strings.Contains(log, "--metrics-file missing/a.prom: there is no folder missing: make it first") {
		t.Error(log)
	}
}

// TestLeftSaid wants temporary files that cannot be removed to be named in the log.
func TestLeftSaid(t *testing.T) {
	inCorpus(t, 1)
	defer durable.Inject(func(operation string) error {
		if operation == "remove" {
			return syscall.EIO
		}
		return nil
	})()
	_, log := execute(t, exitDone, "vocab", "shards", "-o", "v.parquet")
	if !strings.Contains(log,
		`msg="a temporary file could not be removed; nothing needs it" error=".v.parquet.anchorage-partial stays: `) {
		t.Error(log)
	}
}
