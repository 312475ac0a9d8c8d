// This file writes the figures of a run in the text format of Prometheus, for the textfile collector of its node exporter.

package main

import (
	"io"
	"math"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"anchorage/corpus"
	"anchorage/model"
)

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
	{"start_timestamp_seconds", "When the run began, in Unix time.", "", func(o *outcome) []sample { return one(seconds(o.started.UnixNano())) }},
	{"end_timestamp_seconds", "When the run ended, in Unix time.", "", func(o *outcome) []sample { return one(seconds(o.ended.UnixNano())) }},
	{"duration_seconds", "Wall-clock time of the run.", "", func(o *outcome) []sample { return one(o.ended.Sub(o.started).Seconds()) }},
	{"cpu_seconds", "Processor time of the run.", "", func(o *outcome) []sample { return positive(o.cpu) }},
	{"peak_memory_bytes", "Largest resident size of the run.", "", func(o *outcome) []sample { return positive(float64(o.peak)) }},
	{"stage_seconds", "Wall-clock time of a stage that ended.", "stage", stageSeconds},
	{"info", "1, with the version of the program.", "version", func(*outcome) []sample { return []sample{{model.Version, 1}} }},
	{"shards", "Shards that were found.", "", func(o *outcome) []sample { return positive(float64(o.shards)) }},
	{"shard_bytes", "Size of these shards.", "", func(o *outcome) []sample { return positive(float64(o.bytes)) }},
	{"skipped_shards", "Bad shards that were left out.", "", func(o *outcome) []sample { return one(float64(o.skipped)) }},
	{"documents_read", "Documents that were read.", "", ofAccount(func(a *corpus.Account) float64 { return float64(a.DocumentsRead) })},
	{"documents", "Documents that count.", "", documentsThatCount},
	{"entries_read", "Pairs of document and item that were read.", "", ofAccount(func(a *corpus.Account) float64 { return float64(a.Entries) })},
	{"tokens_read", "Tokens that were read.", "", ofAccount(func(a *corpus.Account) float64 { return float64(a.Tokens) })},
	{"items", "Items of the vocabulary.", "", ofAccount(func(a *corpus.Account) float64 { return float64(a.Items) })},
	{"topics", "Topics of the model.", "", ofManifest(func(m *model.Manifest) (float64, bool) { return float64(m.Sketch.Topics), m.Sketch.Topics > 0 })},
	{"residual", "Largest residual of an eigenpair, relative to the greatest eigenvalue.", "", ofManifest(func(m *model.Manifest) (float64, bool) {
		return m.Sketch.LargestResidual, m.Bayes == nil && m.Sketch.Passes > 0
	})},
	{"change", "Relative change of the last step of the rectification.", "", ofManifest(func(m *model.Manifest) (float64, bool) {
		if m.Rectify == nil || m.Rectify.Iterations == 0 {
			return 0, false
		}
		return m.Rectify.Change, true
	})},
	{"epsilon", "Size of the most negative entry that the rectification left.", "", ofManifest(func(m *model.Manifest) (float64, bool) {
		if m.Rectify == nil || m.Rectify.Negative == nil {
			return 0, false
		}
		return m.Rectify.Negative.Epsilon, true
	})},
	{"settled", "1 if the rectification settled, as the certificate says; else 0.", "", certifiedAs("settled", func(f *model.Figure) float64 { return truth(f.Verdict == model.Good) })},
	{"explained", "Share of the co-occurrences that the topics explain, as the certificate says.", "", certifiedAs("explained", func(f *model.Figure) float64 { return f.Value })},
	{"certificate", "Figure of the certificate.", "figure", certificateFigures(func(f *model.Figure) float64 { return f.Value })},
	{"certificate_good", "1 if the figure of the certificate is good; else 0.", "figure", certificateFigures(func(f *model.Figure) float64 { return truth(f.Verdict == model.Good) })},
	{"held_out_log_likelihood", "Mean logarithm of the probability of held-out tokens, of variational inference.", "", ofManifest(func(m *model.Manifest) (float64, bool) {
		if m.Bayes == nil || m.Bayes.HeldOut == nil {
			return 0, false
		}
		return m.Bayes.HeldOut.LogLikelihood, true
	})},
	{"log_likelihood", "Mean logarithm of the probability of the tokens of transformed documents.", "", ofTransformed(func(r *model.DocumentsRecord) float64 { return r.LogLikelihood })},
	{"known_tokens", "Tokens of transformed documents that the model knows.", "", ofTransformed(func(r *model.DocumentsRecord) float64 { return float64(r.Known) })},
	{"unknown_tokens", "Tokens of transformed documents that the model does not know.", "", ofTransformed(func(r *model.DocumentsRecord) float64 { return float64(r.Unknown) })},
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
