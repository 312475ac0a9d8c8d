// Package metrics has the figures of a run that those who watch it need, in the form that Prometheus reads.
package metrics

import (
	"cmp"
	"io"
	"math"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/fit"
)

// Run is what is known of a run. Nothing of it needs to be there.
type Run struct {
	Command        string // such as "bayes fit"
	Job            string // the name of the job; empty for anchorage.COMMAND
	Started, Ended time.Time
	Code           int
	Skipped        int     // shards
	Peak           int64   // resident memory, in bytes
	CPU            float64 // seconds
	Shards         int
	Bytes          int64 // of the shards; 0 if the size of one is unknown
	Fit            *fit.Run
	Account        *corpus.Account        // of what was read; that of the manifest is complete
	Manifest       *model.Manifest        // of the result
	Transformed    *model.DocumentsRecord // describes the documents of transform
	Drift          *drift.Summary         // what became of the topics of the generation before
}

// Prefix is what the names of all metrics begin with.
const Prefix = "anchorage_run_"

// Begin is how a file of metrics begins, and no other file.
const Begin = "# HELP " + Prefix

// metric is a row of the table of metrics. A value that is not a finite number is unknown, and left out.
type metric struct {
	name  string // without Prefix
	help  string
	value func(o *Run) float64
	// label is the label of a metric that has several values, which each gives by the label's.
	label string
	each  func(o *Run, put func(label string, value float64))
}

// of returns the metric of a part of what is known; unknown without the part.
func of[T any](part func(*Run) *T, value func(*T) float64) func(*Run) float64 {
	return func(o *Run) float64 {
		if known := part(o); known != nil {
			return value(known)
		}
		return math.NaN()
	}
}

// readAccount returns what was read; nil if nothing is known of it.
func readAccount(o *Run) *corpus.Account {
	if o.Manifest != nil {
		return &o.Manifest.Corpus
	}
	return o.Account
}

// result returns the manifest of the result; nil without one.
func result(o *Run) *model.Manifest { return o.Manifest }

// transformed returns the record of transformed documents; nil without one.
func transformed(o *Run) *model.DocumentsRecord { return o.Transformed }

// drifted returns what became of topics; nil without a generation before.
func drifted(o *Run) *drift.Summary { return o.Drift }

// rectified returns the record of the rectification; nil without one.
func rectified(o *Run) *model.RectifyRecord {
	if o.Manifest == nil {
		return nil
	}
	return o.Manifest.Rectify
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

// figures returns the values of all figures that the certificate knows.
func figures(value func(*model.Figure) float64) func(*Run, func(string, float64)) {
	return func(o *Run, put func(string, float64)) {
		if o.Manifest == nil || o.Manifest.Certificate == nil {
			return
		}
		for i := range o.Manifest.Certificate.Figures {
			if f := &o.Manifest.Certificate.Figures[i]; f.Verdict != model.Unknown {
				put(f.Name, value(f))
			}
		}
	}
}

// all are the metrics of a run. docs/operations.md describes them.
var all = []metric{
	{name: "exit_code", help: "Exit code of the run.", value: func(o *Run) float64 { return float64(o.Code) }},
	{name: "start_timestamp_seconds", help: "When the run began, in Unix time.",
		value: func(o *Run) float64 { return unixSeconds(o.Started) }},
	{name: "end_timestamp_seconds", help: "When the run ended, in Unix time.",
		value: func(o *Run) float64 { return unixSeconds(o.Ended) }},
	{name: "duration_seconds", help: "Wall-clock time of the run.",
		value: func(o *Run) float64 { return o.Ended.Sub(o.Started).Seconds() }},
	{name: "cpu_seconds", help: "Processor time of the run.", value: func(o *Run) float64 { return positive(o.CPU) }},
	{name: "peak_memory_bytes", help: "Largest resident size of the run.",
		value: func(o *Run) float64 { return positive(o.Peak) }},
	{name: "stage_seconds", help: "Wall-clock time of a stage that ended.", label: "stage",
		each: func(o *Run, put func(string, float64)) {
			if o.Fit != nil {
				for _, stage := range o.Fit.Stages() {
					put(stage.Name, stage.Seconds)
				}
			}
		}},
	{name: "info", help: "1, with the version of the program.", label: "version",
		each: func(_ *Run, put func(string, float64)) { put(model.Version, 1) }},
	{name: "shards", help: "Shards that were found.", value: func(o *Run) float64 { return positive(o.Shards) }},
	{name: "shard_bytes", help: "Size of these shards.", value: func(o *Run) float64 { return positive(o.Bytes) }},
	{name: "skipped_shards", help: "Bad shards that were left out.",
		value: func(o *Run) float64 { return float64(o.Skipped) }},
	{name: "documents_read", help: "Documents that were read.",
		value: of(readAccount, func(a *corpus.Account) float64 { return float64(a.DocumentsRead) })},
	{name: "documents", help: "Documents that count.", value: func(o *Run) float64 {
		if o.Manifest == nil && o.Transformed == nil && (o.Account == nil || o.Account.Documents == 0) {
			return math.NaN() // no pass has counted them
		}
		if o.Transformed != nil {
			return float64(o.Transformed.Documents)
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
		each: figures(func(f *model.Figure) float64 {
			if f.Verdict == model.Good {
				return 1
			}
			return 0
		})},
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
	{name: "folded_tokens", help: "Tokens of transformed documents of items that shaped no topics.",
		value: of(transformed, func(r *model.DocumentsRecord) float64 { return float64(r.Folded) })},
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

// Write writes all metrics that are known. Values of one label add up, as those of stages of one name.
func (o *Run) Write(w io.Writer) error {
	label := func(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }
	job := cmp.Or(o.Job, "anchorage."+strings.ReplaceAll(o.Command, " ", "."))
	for _, m := range all {
		name, known := Prefix+m.name, make(map[string]*dto.Metric)
		family := &dto.MetricFamily{Name: &name, Help: &m.help, Type: dto.MetricType_GAUGE.Enum()}
		put := func(of string, value float64) {
			switch one := known[of]; {
			case math.IsNaN(value) || math.IsInf(value, 0):
			case one != nil:
				*one.Gauge.Value += value
			default:
				one = &dto.Metric{Label: []*dto.LabelPair{label("command", o.Command), label("name", job)},
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
