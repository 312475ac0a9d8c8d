package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// collected is a collector that keeps what it gets.
type collected struct {
	events []map[string]any
	keys   []string // of the Authorization header
	*httptest.Server
}

func newCollector(t *testing.T) *collected {
	c := new(collected)
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		var event map[string]any
		if err == nil {
			err = json.Unmarshal(content, &event)
		}
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/api/v1/lineage" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %s, %v", r.Method, r.URL, content, err)
		}
		c.events, c.keys = append(c.events, event), append(c.keys, r.Header.Get("Authorization"))
	}))
	t.Cleanup(c.Close)
	return c
}

// checkEvent holds an event against what https://openlineage.io/spec/2-0-2/OpenLineage.json requires of run events and of their parts:
// which values there must be, and that times, UUIDs and URIs are such.
func checkEvent(t *testing.T, event map[string]any) {
	t.Helper()
	text := func(within map[string]any, name string) string {
		value, is := within[name].(string)
		if !is || value == "" {
			t.Errorf("%s is %v", name, within[name])
		}
		return value
	}
	object := func(within map[string]any, name string) map[string]any {
		value, is := within[name].(map[string]any)
		if !is {
			t.Errorf("%s is %v", name, within[name])
		}
		return value
	}
	uri := func(within map[string]any, name string) {
		if u, err := url.Parse(text(within, name)); err != nil || u.Scheme == "" {
			t.Errorf("%s is no URI: %v", name, within[name])
		}
	}
	facets := func(within map[string]any, name string) {
		for key, facet := range object(within, name) {
			values, is := facet.(map[string]any)
			if !is {
				t.Errorf("the facet %s is %v", key, facet)
			}
			uri(values, "_producer")
			uri(values, "_schemaURL")
		}
	}
	if kind := text(event, "eventType"); !slices.Contains([]string{"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"}, kind) {
		t.Errorf("the type of the event is %s", kind)
	}
	if _, err := time.Parse(time.RFC3339, text(event, "eventTime")); err != nil {
		t.Error(err)
	}
	uri(event, "producer")
	uri(event, "schemaURL")
	run, job := object(event, "run"), object(event, "job")
	if _, err := uuid.Parse(text(run, "runId")); err != nil {
		t.Error(err)
	}
	text(job, "namespace")
	text(job, "name")
	facets(run, "facets")
	facets(job, "facets")
	for _, name := range []string{"inputs", "outputs"} {
		list, is := event[name].([]any)
		if !is {
			t.Errorf("%s are %v", name, event[name])
		}
		for _, entry := range list {
			dataset, _ := entry.(map[string]any)
			text(dataset, "namespace")
			text(dataset, "name")
			if dataset["outputFacets"] != nil {
				facets(dataset, "outputFacets")
			}
		}
	}
}

// A run sends two events of one run: when it begins and how it ends.
func TestLineage(t *testing.T) {
	inCorpus(t, 1)
	t.Setenv("OPENLINEAGE_NAMESPACE", "nightly")
	t.Setenv("OPENLINEAGE_API_KEY", "secret")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx            context.Context
		args, end, job string
		says           string // in the message of the error
	}{
		{t.Context(), "fit shards/part-*.parquet -k 4 -o model --refine none --job-name shop", "COMPLETE", "shop", ""},
		{t.Context(), "transform model shards -o documents", "COMPLETE", "anchorage.transform", ""},
		{t.Context(), "fit shards -k 4 -o model", "FAIL", "anchorage.fit", "exists"},
		{t.Context(), "fit shards -k 4 -o short --refine none --require explained=1", "FAIL", "anchorage.fit", "falls short"},
		{interrupted, "bayes fit --model lda shards -k 4 -o other", "ABORT", "anchorage.bayes.fit", "cancel"},
	} {
		c := newCollector(t)
		var out, log bytes.Buffer
		p := newProgram(nil, &out, &log)
		p.run(test.ctx, append(strings.Fields(test.args), "--openlineage", c.URL+"/api/v1/lineage"))
		if len(c.events) != 2 || strings.Contains(log.String(), "OpenLineage") {
			t.Fatalf("%s: %d events: %s", test.args, len(c.events), log.String())
		}
		for i, kind := range []string{"START", test.end} {
			event := c.events[i]
			checkEvent(t, event)
			job := event["job"].(map[string]any)
			if event["eventType"] != kind || job["namespace"] != "nightly" || job["name"] != test.job || c.keys[i] != "Bearer secret" {
				t.Errorf("%s: event %d is %v, with the key %s", test.args, i, event, c.keys[i])
			}
		}
		first, last := c.events[0]["run"].(map[string]any), c.events[1]["run"].(map[string]any)
		if first["runId"] != last["runId"] {
			t.Errorf("%s: the run changes its id", test.args)
		}
		failure, failed := last["facets"].(map[string]any)["errorMessage"].(map[string]any)
		if failed != (test.says != "") || failed && !strings.Contains(failure["message"].(string), test.says) {
			t.Errorf("%s: the error is %v", test.args, failure)
		}
		output := c.events[1]["outputs"].([]any)[0].(map[string]any)
		if name := output["name"].(string); output["namespace"] != "file" || filepath.Dir(name) != filepath.ToSlash(here) {
			t.Errorf("%s: the output is %v", test.args, output)
		}
		if rows := output["outputFacets"]; (rows != nil) != strings.HasPrefix(test.args, "transform") {
			t.Errorf("%s: the rows of the output are %v", test.args, rows)
		}
		if name := c.events[0]["inputs"].([]any)[0].(map[string]any)["name"]; strings.HasPrefix(test.args, "fit") && name != here+"/shards" {
			t.Errorf("%s: the input is %v", test.args, name)
		}
	}
}

// A collector that cannot be reached, or refuses events, is a warning, which shows no password.
func TestLineageWithoutCollector(t *testing.T) {
	inCorpus(t, 1)
	c := newCollector(t)
	gone := strings.Replace(c.URL, "http://", "http://user:password@", 1) + "/api/v1/lineage"
	c.Close()
	_, log := execute(t, exitDone, "fit", "shards", "-k", "4", "-o", "model", "--refine", "none", "--openlineage", gone)
	if strings.Count(log, `level=WARN msg="the OpenLineage event cannot be sent"`) != 2 || !strings.Contains(log, "refused") || strings.Contains(log, "password") {
		t.Error(log)
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such \x1b[31mnamespace", http.StatusUnprocessableEntity)
	}))
	defer refusing.Close()
	_, log = execute(t, exitDone, "transform", "model", "shards", "-o", "documents", "--openlineage", refusing.URL)
	if strings.Count(log, `the collector answers 422 Unprocessable Entity: no such \\x1b[31mnamespace`) != 2 {
		t.Error(log)
	}
	for _, wrong := range []string{"http://", "missing/events.jsonl"} {
		if _, log := execute(t, exitUsage, "fit", "shards", "-k", "4", "-o", "none", "--openlineage", wrong); !strings.Contains(log, "--openlineage") {
			t.Error(log)
		}
	}
}

// An event ends with its context: a collector that never answers holds nobody up.
func TestLineageSilentCollector(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	defer silent.Close()
	defer close(release)
	l, err := newLineage(silent.URL, "job", func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if err := l.send(ctx, startEvent, time.Unix(0, 0), "", new(outcome)); err == nil {
		t.Error("the event was sent")
	}
	if lineageTimeoutInterrupted >= 2*time.Second {
		t.Error("an interrupted run must end within two seconds")
	}
}

// A file of events has one per line, and further runs append to it.
func TestLineageFile(t *testing.T) {
	inCorpus(t, 1)
	for _, path := range []string{"one", "two"} {
		execute(t, exitDone, "fit", "shards", "-k", "4", "-o", path, "--refine", "none", "--openlineage", "events.jsonl")
	}
	text, err := os.ReadFile("events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for line := range strings.Lines(string(text)) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		checkEvent(t, event)
		kinds = append(kinds, event["eventType"].(string))
	}
	if !slices.Equal(kinds, []string{"START", "COMPLETE", "START", "COMPLETE"}) {
		t.Errorf("the events are %v", kinds)
	}
}

// Datasets have the names of OpenLineage. A pattern stands for its folder, and a URL loses its query, which says how to reach the store.
func TestDatasets(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{
		"/data/shards":                        {"file", "/data/shards"},
		"/data/shards/":                       {"file", "/data/shards"},
		"/data/2024-*/part-?.parquet":         {"file", "/data"},
		"file:///data/shards":                 {"file", "/data/shards"},
		"*.parquet":                           {"file", here},
		"shards":                              {"file", filepath.Join(here, "shards")},
		"s3://bucket/shards/?region=x":        {"s3://bucket", "shards"},
		"s3://bucket/shards/2024-*/*.parquet": {"s3://bucket", "shards"},
		"gs://bucket/a/b.csv.gz":              {"gs://bucket", "a/b.csv.gz"},
	} {
		if got := dataset(path); got.Namespace != want[0] || got.Name != filepath.ToSlash(want[1]) {
			t.Errorf("%s is %+v, want %v", path, got, want)
		}
	}
}
