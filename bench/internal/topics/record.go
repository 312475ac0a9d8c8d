// This file holds the records of a comparison of topics.

package topics

import (
	"errors"
	"fmt"
	"math"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// Run says what a run is of; two runs with the same one are the same.
type Run struct {
	Corpus     string
	MinDF      int64
	MaxDFRatio float64
	MaxItems   int // 0 for all
	Topics     int
	Seed       uint64
	Method     string
}

// Record is what came out of a run.
type Record struct {
	Run
	Failure   string // why there are no topics; empty if there are. What follows then means nothing
	Items     int    // N
	Documents int64  // M
	Entries   int64
	Rankings  [len(lambdas)]Ranking
	Anchors   Anchors
	Stages    []model.StageTime // all that the process did
	Seconds   float64           // of the method, once the documents are there
	CPU       float64           // likewise, of all processors together
	PeakBytes int64             // largest resident size of the process, in all stages
	Workers   int
	Program   string
}

// Ranking is what topics are worth when they are read by the first words under one λ.
type Ranking struct {
	NPMI           float64
	Diversity      float64
	LeastDocuments int64 // in how many the rarest of all words occurs
	ThinTopics     int   // topics with a word in fewer than thinDocuments
}

// Anchors is what is known of methods with anchors. Those without have NaN.
type Anchors struct {
	MedianDF     float64
	LargestPivot float64
	NonPositive  float64 // items with a weight d ≤ 0
}

// newRecord returns the record of a run that has not been made.
func newRecord(run Run) Record {
	nan := math.NaN()
	return Record{Run: run, Anchors: Anchors{nan, nan, nan}}
}

// runLog is how records are kept.
var runLog = report.Log[Run, Record]{
	Fields: recordFields(),
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		if r.Failure == "" && (r.Items < 1 || r.Documents < 1) {
			return errors.New("it says nothing of items or documents")
		}
		return nil
	},
}

func recordFields() []report.Field[Record] {
	fields := []report.Field[Record]{
		{Name: "corpus", Of: func(r *Record) any { return &r.Corpus }},
		{Name: "min_df", Of: func(r *Record) any { return &r.MinDF }},
		{Name: "max_df_ratio", Of: func(r *Record) any { return &r.MaxDFRatio }},
		{Name: "max_items", Of: func(r *Record) any { return &r.MaxItems }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "seed", Of: func(r *Record) any { return &r.Seed }},
		{Name: "method", Of: func(r *Record) any { return &r.Method }},
		{Name: "failure", Of: func(r *Record) any { return &r.Failure }},
		{Name: "items", Of: func(r *Record) any { return &r.Items }},
		{Name: "documents", Of: func(r *Record) any { return &r.Documents }},
		{Name: "entries", Of: func(r *Record) any { return &r.Entries }},
	}
	for l, lambda := range lambdas {
		ranking := func(name string, of func(*Ranking) any) report.Field[Record] {
			return report.Field[Record]{Name: fmt.Sprintf("%s_%g", name, lambda), Of: func(r *Record) any { return of(&r.Rankings[l]) }}
		}
		fields = append(fields,
			ranking("npmi", func(r *Ranking) any { return &r.NPMI }),
			ranking("diversity", func(r *Ranking) any { return &r.Diversity }),
			ranking("least_documents", func(r *Ranking) any { return &r.LeastDocuments }),
			ranking("thin_topics", func(r *Ranking) any { return &r.ThinTopics }))
	}
	return append(fields, []report.Field[Record]{
		{Name: "anchor_median_df", Of: func(r *Record) any { return &r.Anchors.MedianDF }},
		{Name: "largest_pivot", Of: func(r *Record) any { return &r.Anchors.LargestPivot }},
		{Name: "non_positive", Of: func(r *Record) any { return &r.Anchors.NonPositive }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
		{Name: "cpu_seconds", Of: func(r *Record) any { return &r.CPU }},
		{Name: "peak_bytes", Of: func(r *Record) any { return &r.PeakBytes }},
		{Name: "workers", Of: func(r *Record) any { return &r.Workers }},
		{Name: "program", Of: func(r *Record) any { return &r.Program }},
	}...)
}
