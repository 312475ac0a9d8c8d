// This file tells a collector of OpenLineage events when a run begins and how it ends. The form of events is that of
// https://openlineage.io/spec/2-0-2/OpenLineage.json; how data are named, of https://openlineage.io/docs/spec/naming.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"anchorage/internal/objects"
	"anchorage/model"
)

// How long an event may take, and how long after an interrupt. No attempt is repeated.
const (
	lineageTimeout            = 3 * time.Second
	lineageTimeoutInterrupted = time.Second
)

// The types of events. A run has one that begins it and one that ends it.
const (
	startEvent    = "START"
	completeEvent = "COMPLETE"
	abortEvent    = "ABORT"
	failEvent     = "FAIL"
)

// endEvent returns the event of a run that ended with a code. A run with skipped shards is complete; one whose model falls short is not.
func endEvent(code int) string {
	switch code {
	case exitDone, exitSkipped, exitUnreported, exitNothing:
		return completeEvent
	case exitInterrupted:
		return abortEvent
	}
	return failEvent
}

// The schemas of events and of their facets.
const (
	eventSchema  = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
	jobSchema    = "https://openlineage.io/spec/facets/2-0-3/JobTypeJobFacet.json#/$defs/JobTypeJobFacet"
	engineSchema = "https://openlineage.io/spec/facets/1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet"
	errorSchema  = "https://openlineage.io/spec/facets/1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet"
	rowsSchema   = "https://openlineage.io/spec/facets/1-0-2/OutputStatisticsOutputDatasetFacet.json#/$defs/OutputStatisticsOutputDatasetFacet"
	figureSchema = "urn:anchorage:figures:1" // of a facet of our own: names and values as in metrics
	producer     = "urn:anchorage:" + model.Version
)

// runEvent is an event.
type runEvent struct {
	Type      string      `json:"eventType"`
	Time      time.Time   `json:"eventTime"`
	Producer  string      `json:"producer"`
	SchemaURL string      `json:"schemaURL"`
	Run       lineageRun  `json:"run"`
	Job       lineageJob  `json:"job"`
	Inputs    []lineageIO `json:"inputs"`
	Outputs   []lineageIO `json:"outputs"`
}

type lineageRun struct {
	ID     string         `json:"runId"`
	Facets map[string]any `json:"facets"`
}

type lineageJob struct {
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Facets    map[string]any `json:"facets"`
}

// lineageIO is a dataset that a run reads or writes.
type lineageIO struct {
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Facets    map[string]any `json:"outputFacets,omitempty"` // of an output
}

// facet returns a facet with its schema and values.
func facet(schema string, values map[string]any) map[string]any {
	values["_producer"], values["_schemaURL"] = producer, schema
	return values
}

// lineage sends the events of one run.
type lineage struct {
	target, key     string // of the collector, or a file
	id              string
	namespace, name string // of the job
	inputs, outputs []lineageIO
}

// newLineage begins the events of a run. Their namespace and the key of the collector stand in the environment, where OpenLineage's own
// clients look for them.
func newLineage(target, job string, env func(string) string) (*lineage, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	l := &lineage{target: target, key: env("OPENLINEAGE_API_KEY"), id: id.String(), namespace: env("OPENLINEAGE_NAMESPACE"), name: job}
	if l.namespace == "" {
		l.namespace = "default"
	}
	if l.remote() {
		if u, err := url.Parse(target); err != nil || u.Host == "" {
			return nil, &usageError{errors.New("--openlineage is not the URL of a collector: write it like http://marquez:5000/api/v1/lineage")}
		}
		return l, nil
	}
	return l, folderOf("--openlineage", target)
}

// remote reports whether events go to a collector, not to a file.
func (l *lineage) remote() bool {
	return strings.HasPrefix(l.target, "http://") || strings.HasPrefix(l.target, "https://")
}

// send sends an event. text is the message of an error, if there was one.
func (l *lineage) send(ctx context.Context, kind string, at time.Time, text string, o *outcome) error {
	content, err := json.Marshal(l.event(kind, at, text, o))
	if err != nil {
		return err
	}
	if l.remote() {
		return l.post(ctx, content)
	}
	local, err := objects.Local(l.target)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n')) // in one piece, since other runs may write to the file
	return errors.Join(err, file.Close())
}

// event returns an event.
func (l *lineage) event(kind string, at time.Time, text string, o *outcome) runEvent {
	e := runEvent{Type: kind, Time: at.UTC().Truncate(time.Millisecond), Producer: producer, SchemaURL: eventSchema,
		Run: lineageRun{l.id, map[string]any{"processing_engine": facet(engineSchema, map[string]any{"name": "anchorage", "version": model.Version})}},
		Job: lineageJob{l.namespace, l.name, map[string]any{
			"jobType": facet(jobSchema, map[string]any{"processingType": "BATCH", "integration": "ANCHORAGE", "jobType": "COMMAND"})}},
		Inputs: l.inputs, Outputs: l.outputs}
	if kind == startEvent {
		return e
	}
	if text != "" {
		e.Run.Facets["errorMessage"] = facet(errorSchema, map[string]any{"message": text, "programmingLanguage": "GO"})
	}
	e.Run.Facets["anchorage_figures"] = facet(figureSchema, o.unlabelled())
	if r := o.transformed; r != nil && len(e.Outputs) == 1 {
		e.Outputs = []lineageIO{e.Outputs[0]}
		e.Outputs[0].Facets = map[string]any{"outputStatistics": facet(rowsSchema, map[string]any{"rowCount": r.Documents})}
	}
	return e
}

// unlabelled returns the metrics that have a single value.
func (o *outcome) unlabelled() map[string]any {
	values := map[string]any{}
	for _, m := range runMetrics {
		if m.label == "" {
			for _, s := range m.values(o) {
				values[m.name] = s.value
			}
		}
	}
	for _, f := range o.figures {
		values[f.name] = f.value
	}
	return values
}

// post sends an event to the collector.
func (l *lineage) post(ctx context.Context, content []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.target, bytes.NewReader(content))
	if err != nil {
		return errors.New("the URL of the collector cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	if l.key != "" {
		request.Header.Set("Authorization", "Bearer "+l.key)
	}
	answer, err := new(http.Client).Do(request)
	if err != nil {
		if wrapped := new(url.Error); errors.As(err, &wrapped) {
			err = wrapped.Err // without the URL, which may hold a password
		}
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		why, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // what it says is a help, not needed
		return fmt.Errorf("the collector answers %s: %s", answer.Status, clean(strings.TrimSpace(string(why))))
	}
	return nil
}

// datasets returns what a command reads and what it writes, as far as its arguments and flags say. A pattern stands for its folder.
func datasets(cmd *cobra.Command, args []string) (inputs, outputs []lineageIO) {
	inputs, outputs = []lineageIO{}, []lineageIO{}
	if cmd.Name() == "update" && len(args) > 0 {
		outputs, args = append(outputs, dataset(args[0])), args[1:]
	}
	for _, arg := range args {
		if arg != "-" {
			inputs = append(inputs, dataset(arg))
		}
	}
	for _, name := range []string{"vocab", "init"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Value.String() != "" {
			inputs = append(inputs, dataset(flag.Value.String()))
		}
	}
	if flag := cmd.Flags().Lookup("output"); flag != nil && flag.Value.String() != "" {
		outputs = append(outputs, dataset(flag.Value.String()))
	}
	return inputs, outputs
}

// dataset names a file, a folder or an object: s3://BUCKET and its key, or "file" and its absolute path.
func dataset(path string) lineageIO {
	if place, err := objects.Parse(path); err == nil {
		return lineageIO{Namespace: place.Bucket, Name: withoutPattern(strings.Trim(place.Key, "/"))}
	}
	if local, err := objects.Local(path); err == nil {
		path = local
	}
	if _, err := os.Stat(path); err != nil {
		path = withoutPattern(path)
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return lineageIO{Namespace: "file", Name: filepath.ToSlash(path)}
}

// withoutPattern returns the folder before the first element of a path that is a pattern.
func withoutPattern(path string) string {
	at := strings.IndexAny(path, "*?[")
	if at < 0 {
		return path
	}
	before := path[:at]
	if cut := strings.LastIndexAny(before, `/\`); cut > 0 {
		return before[:cut]
	}
	return before[:strings.LastIndexAny(before, `/\`)+1]
}
