// This file holds the records of fits, and the files that keep them.

package bayes

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"anchorage/bayes"
	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
	"anchorage/model"
)

// Run says which fit a record is of.
type Run struct {
	Corpus     string
	Items      int // V, at most
	MaxDFRatio float64
	Piece      int   // tokens of a piece of a document; 0 for whole documents
	Limit      int64 // documents to learn from at most; 0 for all
	Model      string
	Topics     int
	Algorithm  string
	BatchSize  int
	Delay      float64
	Epochs     int
	Priors     string
	Beginning  string
	Seed       uint64
}

// Record is what came out of a fit.
type Record struct {
	Run
	Vocabulary     int     // V
	Documents      int64   // D
	Tokens         int64   // of them
	Remembered     float64 // documents; see remembered
	Apart          float64 // mean of ln p(token) of the documents that were set aside
	ApartTokens    int64
	Tenth          float64 // the same of the batches tested after a tenth of the steps, and of the last fifth: before they were learned from
	Last           float64 // NaN with the batch algorithm, as Tenth
	A0, B0, C0     float64 // at the end; those that the model lacks are 0
	Seconds, CPU   float64 // of learning and of the tests in between
	Workers        int
	Started        time.Time
	Command        string
	Machine        []string
	curve          []bayes.HeldOut
	topics         []topic
	stages         []model.StageTime
	correlationRow [][]float64 // of the first topics
}

// tokensPerParameter is how many tokens the last steps remember for each of the V·K parameters.
func (r *Record) tokensPerParameter() float64 {
	return r.Remembered / float64(r.Documents) * float64(r.Tokens) / (float64(r.Vocabulary) * float64(r.Topics))
}

// runLog is how records are kept.
var runLog = report.Log[Run, Record]{
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.stages },
	Check: func(r *Record) error {
		if r.Vocabulary < 1 || r.Documents < 1 || r.Tokens < 1 || r.ApartTokens < 1 || !(r.Remembered > 0) || !(r.Apart < 0) {
			return errors.New("it says nothing of items, documents, tokens or their likelihood")
		}
		return nil
	},
	Fields: []report.Field[Record]{
		{Name: "corpus", Of: func(r *Record) any { return &r.Corpus }},
		{Name: "most_items", Of: func(r *Record) any { return &r.Items }},
		{Name: "max_df_ratio", Of: func(r *Record) any { return &r.MaxDFRatio }},
		{Name: "piece", Of: func(r *Record) any { return &r.Piece }},
		{Name: "limit", Of: func(r *Record) any { return &r.Limit }},
		{Name: "model", Of: func(r *Record) any { return &r.Model }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "algorithm", Of: func(r *Record) any { return &r.Algorithm }},
		{Name: "batch_size", Of: func(r *Record) any { return &r.BatchSize }},
		{Name: "t0", Of: func(r *Record) any { return &r.Delay }},
		{Name: "epochs", Of: func(r *Record) any { return &r.Epochs }},
		{Name: "priors", Of: func(r *Record) any { return &r.Priors }},
		{Name: "beginning", Of: func(r *Record) any { return &r.Beginning }},
		{Name: "seed", Of: func(r *Record) any { return &r.Seed }},
		{Name: "items", Of: func(r *Record) any { return &r.Vocabulary }},
		{Name: "documents", Of: func(r *Record) any { return &r.Documents }},
		{Name: "tokens", Of: func(r *Record) any { return &r.Tokens }},
		{Name: "remembered", Of: func(r *Record) any { return &r.Remembered }},
		{Name: "set_aside", Of: func(r *Record) any { return &r.Apart }},
		{Name: "set_aside_tokens", Of: func(r *Record) any { return &r.ApartTokens }},
		{Name: "at_a_tenth", Of: func(r *Record) any { return &r.Tenth }},
		{Name: "last_fifth", Of: func(r *Record) any { return &r.Last }},
		{Name: "a0", Of: func(r *Record) any { return &r.A0 }},
		{Name: "b0", Of: func(r *Record) any { return &r.B0 }},
		{Name: "c0", Of: func(r *Record) any { return &r.C0 }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
		{Name: "cpu_seconds", Of: func(r *Record) any { return &r.CPU }},
		{Name: "workers", Of: func(r *Record) any { return &r.Workers }},
		{Name: "started", Of: func(r *Record) any { return &r.Started }},
		{Name: "command", Of: func(r *Record) any { return &r.Command }},
		{Name: "machine", Of: func(r *Record) any { return &r.Machine }},
	},
}

// newCurves returns an empty curves.csv: a row per batch tested. Run is the number of the fit's row in runs.csv, from 1.
func newCurves() *report.Table {
	return report.NewTable("curves", report.Ints("run", "documents", "tokens"), report.Floats("log_likelihood"))
}

// newTopics returns an empty topics.csv: a row per topic of every correlated fit of the first seed, the most probable first.
func newTopics() *report.Table {
	return report.NewTable("topics", report.Ints("run", "topic"), report.Floats("share"), report.Texts("items"))
}

// newCorrelations returns an empty correlations.csv: those of the locations of the first topics of these fits.
func newCorrelations() *report.Table {
	return report.NewTable("correlations", report.Ints("run", "topic", "other"), report.Floats("correlation"))
}

// beside returns the rows of a file that belong to the first runs. A file that is not there has none.
func beside(folder string, table *report.Table, runs int) error {
	if err := table.Read(filepath.Join(folder, table.Name+".csv")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	rows := table.Rows
	table.Rows = nil
	for _, row := range rows {
		if row[0].(int64) <= int64(runs) {
			table.Rows = append(table.Rows, row)
		}
	}
	return nil
}

// put adds the record to a folder. The row of runs.csv comes last: what other files say of a run without one does not count.
func (r *Record) put(folder string) error {
	records, err := runLog.Read(folder)
	if err != nil {
		return err
	}
	run := int64(len(records) + 1)
	curves, topics, correlations := newCurves(), newTopics(), newCorrelations()
	for _, table := range []*report.Table{curves, topics, correlations} {
		if err := beside(folder, table, len(records)); err != nil {
			return err
		}
	}
	for _, s := range r.curve {
		curves.Add(run, s.Documents, s.Tokens, s.LogLikelihood)
	}
	for k, t := range r.topics {
		topics.Add(run, int64(k+1), t.Share, strings.Join(t.Words, " "))
	}
	for i, row := range r.correlationRow {
		for j, v := range row {
			correlations.Add(run, int64(i+1), int64(j+1), v)
		}
	}
	for _, table := range []*report.Table{curves, topics, correlations} {
		if err := durable.WriteFile(filepath.Join(folder, table.Name+".csv"), table.WriteCSV); err != nil {
			return err
		}
	}
	return runLog.Put(folder, r)
}
