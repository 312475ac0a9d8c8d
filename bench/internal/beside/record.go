// This file holds the records of runs.

package beside

import (
	"errors"
	"fmt"
	"math"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// Run says what a run is of; two runs with the same one are the same.
type Run struct {
	Corpus     string
	Vocabulary int // at most so many items, those of greatest tf·idf; 0 for all
	Topics     int
	System     string
	Repeat     int // from 1; it is also the seed
}

// status says how a run ended.
type status string

// The ways in which a run ends.
const (
	made   status = "made"
	absent status = "not available here"
	memory status = "out of memory"
	late   status = "out of time"
	failed status = "failed"
	beyond status = "not tried" // with fewer items or topics it was out of memory or time
)

// Record is what came out of a run.
type Record struct {
	Run
	Status, Reason string // the reason is empty for a run that was made

	Items     int // N
	Documents int64
	Entries   int64

	Load, Seconds, CPU float64 // seconds of reading; of all other stages, on the clock and of all processors
	Wall               float64 // of the process from its start to its end
	WholeCPU           float64 // likewise, of all processors and of all its processes
	PeakBytes          int64   // largest resident size of all processes of the run together
	DiskBytes          int64   // largest size of what it wrote, with the topics
	Stages             []model.StageTime
	Scores

	Threads     int
	TimeLimit   float64 // seconds; 0 for none
	MemoryLimit int64   // bytes; 0 for none
	Program     string
	Commit      string // of ours, which made the run and scored it
	Machine     string
	Started     time.Time
}

// Scores are what topics are worth; NaN where they do not apply.
type Scores struct {
	NPMI, Diversity           float64 // of the documents learned from, the first 10 items listed of each topic, as `anchorage eval --topics` has them
	LogLikelihood, Impossible float64 // of held-out tokens
	ErrorB                    float64 // of drawn corpora, from 0 to 2
	Agreement                 float64 // adjusted mutual information with labels
	Recall20, NDCG100         float64 // of baskets' held-out items
}

// noScores are those of a run without topics.
func noScores() Scores {
	nan := math.NaN()
	return Scores{nan, nan, nan, nan, nan, nan, nan, nan}
}

// runLog is how records are kept.
var runLog = report.Log[Run, Record]{
	Fields: []report.Field[Record]{
		{Name: "corpus", Of: func(r *Record) any { return &r.Corpus }},
		{Name: "vocabulary", Of: func(r *Record) any { return &r.Vocabulary }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "system", Of: func(r *Record) any { return &r.System }},
		{Name: "repeat", Of: func(r *Record) any { return &r.Repeat }},
		{Name: "status", Of: func(r *Record) any { return &r.Status }},
		{Name: "reason", Of: func(r *Record) any { return &r.Reason }},
		{Name: "items", Of: func(r *Record) any { return &r.Items }},
		{Name: "documents", Of: func(r *Record) any { return &r.Documents }},
		{Name: "entries", Of: func(r *Record) any { return &r.Entries }},
		{Name: "load_seconds", Of: func(r *Record) any { return &r.Load }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
		{Name: "cpu_seconds", Of: func(r *Record) any { return &r.CPU }},
		{Name: "wall_seconds", Of: func(r *Record) any { return &r.Wall }},
		{Name: "whole_cpu_seconds", Of: func(r *Record) any { return &r.WholeCPU }},
		{Name: "peak_bytes", Of: func(r *Record) any { return &r.PeakBytes }},
		{Name: "disk_bytes", Of: func(r *Record) any { return &r.DiskBytes }},
		{Name: "npmi", Of: func(r *Record) any { return &r.NPMI }},
		{Name: "diversity", Of: func(r *Record) any { return &r.Diversity }},
		{Name: "log_likelihood", Of: func(r *Record) any { return &r.LogLikelihood }},
		{Name: "impossible", Of: func(r *Record) any { return &r.Impossible }},
		{Name: "error_b", Of: func(r *Record) any { return &r.ErrorB }},
		{Name: "agreement", Of: func(r *Record) any { return &r.Agreement }},
		{Name: "recall_20", Of: func(r *Record) any { return &r.Recall20 }},
		{Name: "ndcg_100", Of: func(r *Record) any { return &r.NDCG100 }},
		{Name: "threads", Of: func(r *Record) any { return &r.Threads }},
		{Name: "time_limit_seconds", Of: func(r *Record) any { return &r.TimeLimit }},
		{Name: "memory_limit_bytes", Of: func(r *Record) any { return &r.MemoryLimit }},
		{Name: "program", Of: func(r *Record) any { return &r.Program }},
		{Name: "commit", Of: func(r *Record) any { return &r.Commit }},
		{Name: "machine", Of: func(r *Record) any { return &r.Machine }},
		{Name: "started", Of: func(r *Record) any { return &r.Started }},
	},
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		switch status(r.Status) {
		case made:
			if r.Items < 1 || r.Documents < 1 {
				return errors.New("it says nothing of items or documents")
			}
			return nil
		case absent, memory, late, failed, beyond:
			return nil
		}
		return fmt.Errorf("its status is %q", r.Status)
	},
}
