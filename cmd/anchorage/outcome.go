// This file collects what a run leaves for those who watch it, and publishes it at the end, whatever the end is:
// metrics for Prometheus.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/fit"
	"anchorage/shard"
)

// outcome is what is known of a run. Commands fill it while they work, and nothing of it needs to be there.
type outcome struct {
	metricsFile, job string // flags

	started, ended time.Time
	code           int
	command        string // such as "bayes fit"
	skipped        int    // shards
	peak           int64  // resident memory, in bytes
	cpu            float64
	shards         int
	paths          []string // of the shards
	bytes          int64    // of the shards; 0 if the size of one is unknown
	run            *fit.Run
	account        *corpus.Account        // of what was read; that of the manifest is complete
	manifest       *model.Manifest        // of the result
	transformed    *model.DocumentsRecord // describes the documents of transform
	drift          *drift.Summary         // what became of the topics of the generation before
}

// monitorRows say who is told of a run.
func (p *program) monitorRows() []row {
	o := &p.outcome
	return []row{
		outputGroup.more("metrics-file", &o.metricsFile, metricsFile,
			"file for the figures of the run, as Prometheus reads them; also if it fails").does(local),
		outputGroup.more("job-name", &o.job, anyText.named("NAME"),
			"name of the job in metrics; anchorage.COMMAND if not given").does(local),
	}
}

// folderOf checks that the folder of a file exists that a flag names.
func folderOf(flag, path string) error {
	if objects.IsURL(path) {
		return nil // a bucket has no folders
	}
	local, err := objects.Local(path)
	if err != nil {
		return &usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	folder := objects.Folder(local)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &usageError{fmt.Errorf("%s %s: there is no folder %s: make it first", flag, path, folder)}
	}
	return nil
}

// read notes the shards that a run reads.
func (o *outcome) read(shards []shard.Shard) {
	o.shards, o.bytes, o.paths = len(shards), 0, nil
	for _, s := range shards {
		o.paths = append(o.paths, s.Path)
	}
	for _, s := range shards {
		if s.Size <= 0 {
			o.bytes = 0
			return
		}
		o.bytes += s.Size
	}
}

// made notes the result of a stage.
func (o *outcome) made(result saved) {
	switch r := result.(type) {
	case *fit.Fitted:
		o.manifest = &r.Manifest
	case *fit.Sketched:
		o.manifest = &r.Manifest
	case *fit.Rectified:
		o.manifest = &r.Manifest
	}
}

// publish writes the metrics of a run that ended with a code. That they cannot be written is a warning: the work of the
// run is done, or has failed for another reason.
func (p *program) publish(ctx context.Context, command *cobra.Command, args []string, code int) {
	o := &p.outcome
	var inputs []string
	if o.command == "" { // the command line was refused before the command began
		o.command = strings.TrimPrefix(command.CommandPath(), command.Root().Name()+" ")
		o.metricsFile = writtenFlag(command, args, "metrics-file", o.metricsFile)
		o.job = writtenFlag(command, args, "job-name", o.job)
		inputs = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { // nobody knows which of them are inputs
			return strings.HasPrefix(arg, "-") || arg == o.metricsFile
		})
	}
	if o.metricsFile == "" {
		return
	}
	o.ended, o.code, o.skipped = p.now(), code, len(p.skipped)
	o.peak, o.cpu = process.PeakMemory(), process.CPUSeconds()
	ctx = context.WithoutCancel(ctx)
	failed := output.CheckPlace(ctx, o.metricsFile, inputs) // again: guard did not look at a command line that was refused
	if failed == nil {
		failed = output.Kept(ctx, o.metricsFile, metricsBegin)
	}
	if failed == nil {
		failed = output.WriteFile(ctx, o.metricsFile, true, p.warn, o.writeMetrics)
	}
	if failed != nil {
		p.log.Warn("the metrics cannot be written", "file", o.metricsFile, "error", failed)
	}
}

// writtenFlag returns the value of a flag among arguments that could not all be read. known is its value as far as they
// were.
func writtenFlag(command *cobra.Command, args []string, name, known string) string {
	if known != "" || command.Flags().Lookup(name) == nil {
		return known
	}
	at := slices.IndexFunc(args, func(arg string) bool {
		return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=")
	})
	switch {
	case at < 0:
		return ""
	case strings.Contains(args[at], "="):
		_, value, _ := strings.Cut(args[at], "=")
		return value
	case at+1 < len(args):
		return args[at+1]
	}
	return ""
}

// metricPrefix is what the names of all metrics begin with.
const metricPrefix = "anchorage_run_"

// metricsBegin is how a file of metrics begins, and no other file.
const metricsBegin = "# HELP " + metricPrefix

// runMetric is a row of the table of metrics. A value that is not a finite number is unknown, and left out.
type runMetric struct {
	name  string // without metricPrefix
	help  string
	value func(o *outcome) float64
	// label is the label of a metric that has several values, which each gives by the label's.
	label string
	each  func(o *outcome, put func(label string, value float64))
}

// of returns the metric of a part of what is known; unknown without the part.
func of[T any](part func(*outcome) *T, value func(*T) float64) func(*outcome) float64 {
	return func(o *outcome) float64 {
		if known := part(o); known != nil {
			return value(known)
		}
		return math.NaN()
	}
}

// readAccount returns what was read; nil if nothing is known of it.
func readAccount(o *outcome) *corpus.Account {
	if o.manifest != nil {
		return &o.manifest.Corpus
	}
	return o.account
}

// result returns the manifest of the result; nil without one.
func result(o *outcome) *model.Manifest { return o.manifest }

// transformed returns the record of transformed documents; nil without one.
func transformed(o *outcome) *model.DocumentsRecord { return o.transformed }

// drifted returns what became of topics; nil without a generation before.
func drifted(o *outcome) *drift.Summary { return o.drift }

// rectified returns the record of the rectification; nil without one.
func rectified(o *outcome) *model.RectifyRecord {
	if o.manifest == nil {
		return nil
	}
	return o.manifest.Rectify
}

// positive returns a value that is unknown if it is 0.
func positive[N int | int64 | float64](value N) float64 {
	if value > 0 {
		return float64(value)
	}
	return math.NaN()
}

// unixSeconds returns a time in seconds, to the millisecond.
func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }

// truth returns 1 for true.
func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// figures returns the values of all figures that the certificate knows.
func figures(value func(*model.Figure) float64) func(*outcome, func(string, float64)) {
	return func(o *outcome, put func(string, float64)) {
		if o.manifest == nil || o.manifest.Certificate == nil {
			return
		}
		for i := range o.manifest.Certificate.Figures {
			if f := &o.manifest.Certificate.Figures[i]; f.Verdict != model.Unknown {
				put(f.Name, value(f))
			}
		}
	}
}

// runMetrics are the metrics of a run. docs/operations.md describes them.
var runMetrics = []runMetric{
	{name: "exit_code", help: "Exit code of the run.", value: func(o *outcome) float64 { return float64(o.code) }},
	{name: "start_timestamp_seconds", help: "When the run began, in Unix time.",
		value: func(o *outcome) float64 { return unixSeconds(o.started) }},
	{name: "end_timestamp_seconds", help: "When the run ended, in Unix time.",
		value: func(o *outcome) float64 { return unixSeconds(o.ended) }},
	{name: "duration_seconds", help: "Wall-clock time of the run.",
		value: func(o *outcome) float64 { return o.ended.Sub(o.started).Seconds() }},
	{name: "cpu_seconds", help: "Processor time of the run.", value: func(o *outcome) float64 { return positive(o.cpu) }},
	{name: "peak_memory_bytes", help: "Largest resident size of the run.",
		value: func(o *outcome) float64 { return positive(o.peak) }},
	{name: "stage_seconds", help: "Wall-clock time of a stage that ended.", label: "stage",
		each: func(o *outcome, put func(string, float64)) {
			if o.run != nil {
				for _, stage := range o.run.Stages() {
					put(stage.Name, stage.Seconds)
				}
			}
		}},
	{name: "info", help: "1, with the version of the program.", label: "version",
		each: func(_ *outcome, put func(string, float64)) { put(model.Version, 1) }},
	{name: "shards", help: "Shards that were found.", value: func(o *outcome) float64 { return positive(o.shards) }},
	{name: "shard_bytes", help: "Size of these shards.", value: func(o *outcome) float64 { return positive(o.bytes) }},
	{name: "skipped_shards", help: "Bad shards that were left out.",
		value: func(o *outcome) float64 { return float64(o.skipped) }},
	{name: "documents_read", help: "Documents that were read.",
		value: of(readAccount, func(a *corpus.Account) float64 { return float64(a.DocumentsRead) })},
	{name: "documents", help: "Documents that count.", value: func(o *outcome) float64 {
		if o.manifest == nil && o.transformed == nil && (o.account == nil || o.account.Documents == 0) {
			return math.NaN() // no pass has counted them
		}
		if o.transformed != nil {
			return float64(o.transformed.Documents)
		}
		return float64(readAccount(o).Documents)
	}},
	{name: "entries_read", help: "Pairs of document and item that were read.",
		value: of(readAccount, func(a *corpus.Account) float64 { return float64(a.Entries) })},
	{name: "tokens_read", help: "Tokens that were read.",
		value: of(readAccount, func(a *corpus.Account) float64 { return float64(a.Tokens) })},
	{name: "items", help: "Items of the vocabulary.",
		value: of(readAccount, func(a *corpus.Account) float64 { return float64(a.Items) })},
	{name: "topics", help: "Topics of the model.",
		value: of(result, func(m *model.Manifest) float64 { return positive(m.Sketch.Topics) })},
	{name: "residual", help: "Largest residual of an eigenpair, relative to the greatest eigenvalue.",
		value: of(result, func(m *model.Manifest) float64 {
			if m.Bayes != nil || m.Sketch.Passes == 0 {
				return math.NaN()
			}
			return m.Sketch.LargestResidual
		})},
	{name: "change", help: "Relative change of the last step of the rectification.",
		value: of(rectified, func(r *model.RectifyRecord) float64 {
			if r.Iterations == 0 {
				return math.NaN()
			}
			return r.Change
		})},
	{name: "epsilon", help: "Size of the most negative entry that the rectification left.",
		value: of(rectified, func(r *model.RectifyRecord) float64 {
			if r.Negative == nil {
				return math.NaN()
			}
			return r.Negative.Epsilon
		})},
	{name: "certificate", help: "Figure of the certificate.", label: "figure",
		each: figures(func(f *model.Figure) float64 { return f.Value })},
	{name: "certificate_good", help: "1 if the figure of the certificate is good; else 0.", label: "figure",
		each: figures(func(f *model.Figure) float64 { return truth(f.Verdict == model.Good) })},
	{name: "held_out_log_likelihood",
		help: "Mean logarithm of the probability of held-out tokens, of variational inference.",
		value: of(result, func(m *model.Manifest) float64 {
			if m.Bayes == nil || m.Bayes.HeldOut == nil {
				return math.NaN()
			}
			return m.Bayes.HeldOut.LogLikelihood
		})},
	{name: "log_likelihood", help: "Mean logarithm of the probability of the tokens of transformed documents.",
		value: of(transformed, func(r *model.DocumentsRecord) float64 { return r.LogLikelihood })},
	{name: "known_tokens", help: "Tokens of transformed documents that the model knows.",
		value: of(transformed, func(r *model.DocumentsRecord) float64 { return float64(r.Known) })},
	{name: "unknown_tokens", help: "Tokens of transformed documents that the model does not know.",
		value: of(transformed, func(r *model.DocumentsRecord) float64 { return float64(r.Unknown) })},
	{name: "topic_distance", help: "Mean Hellinger distance of topics that continue, from 0 to 1.",
		value: of(drifted, func(s *drift.Summary) float64 { return s.MeanDistance })},
	{name: "topics_kept", help: "Topics of the generation before that continue.",
		value: of(drifted, func(s *drift.Summary) float64 { return float64(s.Kept) })},
	{name: "topics_born", help: "Topics that continue none of the generation before.",
		value: of(drifted, func(s *drift.Summary) float64 { return float64(s.Born) })},
	{name: "topics_died", help: "Topics of the generation before that have ended.",
		value: of(drifted, func(s *drift.Summary) float64 { return float64(s.Died) })},
	{name: "topics_split", help: "Topics of the generation before that are several now.",
		value: of(drifted, func(s *drift.Summary) float64 { return float64(s.Split) })},
	{name: "topics_merged", help: "Topics of the generation before that are part of one now.",
		value: of(drifted, func(s *drift.Summary) float64 { return float64(s.Merged) })},
}

// writeMetrics writes all metrics that are known. Values of one label add up, as those of stages of one name.
func (o *outcome) writeMetrics(w io.Writer) error {
	label := func(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }
	job := cmp.Or(o.job, "anchorage."+strings.ReplaceAll(o.command, " ", "."))
	for _, m := range runMetrics {
		name, known := metricPrefix+m.name, make(map[string]*dto.Metric)
		family := &dto.MetricFamily{Name: &name, Help: &m.help, Type: dto.MetricType_GAUGE.Enum()}
		put := func(of string, value float64) {
			switch one := known[of]; {
			case math.IsNaN(value) || math.IsInf(value, 0):
			case one != nil:
				*one.Gauge.Value += value
			default:
				one = &dto.Metric{Label: []*dto.LabelPair{label("command", o.command), label("name", job)},
					Gauge: &dto.Gauge{Value: &value}}
				if m.label != "" {
					one.Label = append(one.Label, label(m.label, of))
				}
				known[of], family.Metric = one, append(family.Metric, one)
			}
		}
		if m.each != nil {
			m.each(o, put)
		} else {
			put("", m.value(o))
		}
		if len(family.Metric) > 0 {
			if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
				return err
			}
		}
	}
	return nil
}
