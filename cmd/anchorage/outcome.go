// This file collects what a run leaves for those who watch it, and publishes it at the end, whatever the end is:
// metrics for Prometheus.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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

	started  time.Time
	ended    time.Time
	code     int
	command  string // such as "bayes fit"
	skipped  int    // shards
	peak     int64  // resident memory, in bytes
	cpu      float64
	shards   int
	bytes    int64 // of the shards; 0 if the size of one is unknown
	run      *fit.Run
	account  *corpus.Account // of what was read; that of the manifest is complete
	manifest *model.Manifest // of the result
	// transformed describes the documents of transform.
	transformed *model.DocumentsRecord
	// figures are further metrics of a command, such as how far topics have drifted. metricPrefix comes before their
	// names.
	figures []figure
}

// figure is a metric that only one command has.
type figure struct {
	name, help string
	value      float64
}

// monitorRows say who is told of a run.
func (p *program) monitorRows() []row {
	o := &p.outcome
	return []row{
		{name: "metrics-file", group: outputGroup, layer: advanced, effect: local, to: &o.metricsFile, values: metricsFile,
			help: "file for the figures of the run, as Prometheus reads them; also if it fails"},
		{name: "job-name", group: outputGroup, layer: advanced, effect: local, to: &o.job, values: anyText.named("NAME"),
			help: "name of the job in metrics; anchorage.COMMAND if not given"},
	}
}

// begin notes the beginning of a command, once its flags are read.
func (p *program) begin(cmd *cobra.Command) {
	o := &p.outcome
	o.command = strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// folderOf checks that the folder of a file exists that a flag names.
func folderOf(flag, path string) error {
	if objects.IsURL(path) {
		return nil
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

// jobName returns the name of the job.
func (o *outcome) jobName() string {
	if o.job != "" {
		return o.job
	}
	return "anchorage." + strings.ReplaceAll(o.command, " ", ".")
}

// read notes the shards that a run reads.
func (o *outcome) read(shards []shard.Shard) {
	o.shards, o.bytes = len(shards), 0
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

// drifted notes what became of the topics of the generation before; nil if there was none.
func (o *outcome) drifted(d *drift.Drift) {
	if d == nil {
		return
	}
	s := &d.Summary
	for _, f := range []struct {
		name, help string
		topics     int
	}{
		{"topics_kept", "topics of the generation before that continue", s.Kept},
		{"topics_born", "topics that continue none of the generation before", s.Born},
		{"topics_died", "topics of the generation before that have ended", s.Died},
		{"topics_split", "topics of the generation before that are several now", s.Split},
		{"topics_merged", "topics of the generation before that are part of one now", s.Merged},
	} {
		o.figures = append(o.figures, figure{f.name, f.help, float64(f.topics)})
	}
	o.figures = append(o.figures, figure{"topic_distance", "mean Hellinger distance of topics that continue, from 0 to 1",
		s.MeanDistance})
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

// sample is a value of a metric. label is the value of its label, of metrics that have one.
type sample struct {
	label string
	value float64
}

// runMetric is a row of the table of metrics.
type runMetric struct {
	name  string // without metricPrefix
	help  string
	label string // "" if the metric has a single value
	// values returns the values as far as they are known. A metric without values is left out.
	values func(o *outcome) []sample
}

// runMetrics are the metrics of a run. docs/operations.md describes them.
var runMetrics = []runMetric{
	{"exit_code", "Exit code of the run.", "", func(o *outcome) []sample { return one(float64(o.code)) }},
	{"start_timestamp_seconds", "When the run began, in Unix time.", "",
		func(o *outcome) []sample { return one(seconds(o.started.UnixNano())) }},
	{"end_timestamp_seconds", "When the run ended, in Unix time.", "",
		func(o *outcome) []sample { return one(seconds(o.ended.UnixNano())) }},
	{"duration_seconds", "Wall-clock time of the run.", "",
		func(o *outcome) []sample { return one(o.ended.Sub(o.started).Seconds()) }},
	{"cpu_seconds", "Processor time of the run.", "", func(o *outcome) []sample { return positive(o.cpu) }},
	{"peak_memory_bytes", "Largest resident size of the run.", "",
		func(o *outcome) []sample { return positive(float64(o.peak)) }},
	{"stage_seconds", "Wall-clock time of a stage that ended.", "stage", stageSeconds},
	{"info", "1, with the version of the program.", "version",
		func(*outcome) []sample { return []sample{{model.Version, 1}} }},
	{"shards", "Shards that were found.", "", func(o *outcome) []sample { return positive(float64(o.shards)) }},
	{"shard_bytes", "Size of these shards.", "", func(o *outcome) []sample { return positive(float64(o.bytes)) }},
	{"skipped_shards", "Bad shards that were left out.", "", func(o *outcome) []sample { return one(float64(o.skipped)) }},
	{"documents_read", "Documents that were read.", "",
		ofAccount(func(a *corpus.Account) float64 { return float64(a.DocumentsRead) })},
	{"documents", "Documents that count.", "", documentsThatCount},
	{"entries_read", "Pairs of document and item that were read.", "",
		ofAccount(func(a *corpus.Account) float64 { return float64(a.Entries) })},
	{"tokens_read", "Tokens that were read.", "", ofAccount(func(a *corpus.Account) float64 { return float64(a.Tokens) })},
	{"items", "Items of the vocabulary.", "", ofAccount(func(a *corpus.Account) float64 { return float64(a.Items) })},
	{"topics", "Topics of the model.", "", ofManifest(func(m *model.Manifest) (float64, bool) {
		return float64(m.Sketch.Topics), m.Sketch.Topics > 0
	})},
	{"residual", "Largest residual of an eigenpair, relative to the greatest eigenvalue.", "",
		ofManifest(func(m *model.Manifest) (float64, bool) {
			return m.Sketch.LargestResidual, m.Bayes == nil && m.Sketch.Passes > 0
		})},
	{"change", "Relative change of the last step of the rectification.", "",
		ofManifest(func(m *model.Manifest) (float64, bool) {
			if m.Rectify == nil || m.Rectify.Iterations == 0 {
				return 0, false
			}
			return m.Rectify.Change, true
		})},
	{"epsilon", "Size of the most negative entry that the rectification left.", "",
		ofManifest(func(m *model.Manifest) (float64, bool) {
			if m.Rectify == nil || m.Rectify.Negative == nil {
				return 0, false
			}
			return m.Rectify.Negative.Epsilon, true
		})},
	{"settled", "1 if the rectification settled, as the certificate says; else 0.", "", certifiedAs("settled",
		func(f *model.Figure) float64 { return truth(f.Verdict == model.Good) })},
	{"explained", "Share of the co-occurrences that the topics explain, as the certificate says.", "",
		certifiedAs("explained", func(f *model.Figure) float64 { return f.Value })},
	{"certificate", "Figure of the certificate.", "figure",
		certificateFigures(func(f *model.Figure) float64 { return f.Value })},
	{"certificate_good", "1 if the figure of the certificate is good; else 0.", "figure",
		certificateFigures(func(f *model.Figure) float64 { return truth(f.Verdict == model.Good) })},
	{"held_out_log_likelihood", "Mean logarithm of the probability of held-out tokens, of variational inference.", "",
		ofManifest(func(m *model.Manifest) (float64, bool) {
			if m.Bayes == nil || m.Bayes.HeldOut == nil {
				return 0, false
			}
			return m.Bayes.HeldOut.LogLikelihood, true
		})},
	{"log_likelihood", "Mean logarithm of the probability of the tokens of transformed documents.", "",
		ofTransformed(func(r *model.DocumentsRecord) float64 { return r.LogLikelihood })},
	{"known_tokens", "Tokens of transformed documents that the model knows.", "",
		ofTransformed(func(r *model.DocumentsRecord) float64 { return float64(r.Known) })},
	{"unknown_tokens", "Tokens of transformed documents that the model does not know.", "",
		ofTransformed(func(r *model.DocumentsRecord) float64 { return float64(r.Unknown) })},
}

// one returns the only value of a metric; none if it is not a finite number.
func one(value float64) []sample {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return []sample{{value: value}}
}

// positive returns a value that is unknown if it is 0.
func positive(value float64) []sample {
	if value > 0 {
		return one(value)
	}
	return nil
}

// seconds returns Unix time in seconds.
func seconds(nanoseconds int64) float64 { return float64(nanoseconds/1e6) / 1e3 }

// truth returns 1 for true.
func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// ofAccount returns a metric of what was read.
func ofAccount(value func(*corpus.Account) float64) func(*outcome) []sample {
	return func(o *outcome) []sample {
		switch {
		case o.manifest != nil:
			return one(value(&o.manifest.Corpus))
		case o.account != nil:
			return one(value(o.account))
		}
		return nil
	}
}

// documentsThatCount returns the documents of the model, or those that were transformed.
func documentsThatCount(o *outcome) []sample {
	if o.transformed != nil {
		return one(float64(o.transformed.Documents))
	}
	if o.manifest == nil && (o.account == nil || o.account.Documents == 0) {
		return nil // no pass has counted them
	}
	return ofAccount(func(a *corpus.Account) float64 { return float64(a.Documents) })(o)
}

// ofManifest returns a metric of the result.
func ofManifest(value func(*model.Manifest) (value float64, known bool)) func(*outcome) []sample {
	return func(o *outcome) []sample {
		if o.manifest == nil {
			return nil
		}
		if v, known := value(o.manifest); known {
			return one(v)
		}
		return nil
	}
}

// ofTransformed returns a metric of transformed documents.
func ofTransformed(value func(*model.DocumentsRecord) float64) func(*outcome) []sample {
	return func(o *outcome) []sample {
		if o.transformed == nil {
			return nil
		}
		return one(value(o.transformed))
	}
}

// certificateFigures returns a metric of every figure that the certificate knows.
func certificateFigures(value func(*model.Figure) float64) func(*outcome) []sample {
	return func(o *outcome) (list []sample) {
		if o.manifest == nil || o.manifest.Certificate == nil {
			return nil
		}
		for i := range o.manifest.Certificate.Figures {
			if f := &o.manifest.Certificate.Figures[i]; f.Verdict != model.Unknown {
				list = append(list, sample{f.Name, value(f)})
			}
		}
		return list
	}
}

// certifiedAs returns a metric of one figure of the certificate.
func certifiedAs(name string, value func(*model.Figure) float64) func(*outcome) []sample {
	return func(o *outcome) []sample {
		for _, s := range certificateFigures(value)(o) {
			if s.label == name {
				return one(s.value)
			}
		}
		return nil
	}
}

// stageSeconds returns the time of every stage that ended. Stages of one name add up.
func stageSeconds(o *outcome) (list []sample) {
	if o.run == nil {
		return nil
	}
	at := map[string]int{}
	for _, stage := range o.run.Stages() {
		i, known := at[stage.Name]
		if !known {
			i = len(list)
			at[stage.Name] = i
			list = append(list, sample{label: stage.Name})
		}
		list[i].value += stage.Seconds
	}
	return list
}

// writeMetrics writes all metrics that are known.
func (o *outcome) writeMetrics(w io.Writer) error {
	registry := prometheus.NewRegistry()
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"name": o.jobName(), "command": o.command}, registry)
	for _, m := range runMetrics {
		samples := m.values(o)
		if len(samples) == 0 {
			continue
		}
		var names []string
		if m.label != "" {
			names = []string{m.label}
		}
		gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: metricPrefix + m.name, Help: m.help}, names)
		for _, s := range samples {
			var labels []string
			if m.label != "" {
				labels = []string{s.label}
			}
			gauge.WithLabelValues(labels...).Set(s.value)
		}
		if err := labelled.Register(gauge); err != nil {
			return err
		}
	}
	for _, f := range o.figures {
		gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: metricPrefix + f.name, Help: f.help})
		gauge.Set(f.value)
		if err := labelled.Register(gauge); err != nil {
			return err
		}
	}
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
			return err
		}
	}
	return nil
}
