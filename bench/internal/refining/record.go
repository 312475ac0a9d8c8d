// This file holds the records of runs: which settings there are, and what is kept of each.

package refining

import (
	"errors"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// The settings of a run.
const (
	none       = "none"
	reading    = "reading"
	prediction = "prediction"
	sklearn    = "sklearn-lda"
	gensim     = "gensim-lda"
)

// settings has the settings in the order of the tables, with their names and styles in charts.
var settings = []struct {
	name, title string
	style       int
}{
	{none, "not refined", 4},
	{reading, "for reading, by hold", 0},
	{prediction, "for prediction", 2},
	{sklearn, "scikit-learn", 3},
	{gensim, "gensim", 5},
}

// Run says what a run is of; two runs with the same one are the same.
type Run struct {
	Corpus  string
	Topics  int
	Setting string
	Hold    float64 // of reading, else 0
}

// Record is what came out of a run.
type Record struct {
	Run
	MinDF         int64
	MaxDFRatio    float64
	Items         int   // N
	Documents     int64 // to learn from
	Held          int   // documents to test
	Tokens        int64 // of them that are scored
	NPMI          float64
	Diversity     float64
	LogLikelihood float64 // mean of ln p(token), of the tokens that are scored
	Impossible    float64 // share of these tokens to which the topics give no probability
	Burstiness    float64 // NaN where nothing is refined
	Passes        int     // of the refinement, or of another program
	Seconds, CPU  float64 // to find the topics
	Workers       int
	Program       string
	Stages        []model.StageTime
}

// runLog is how records are kept.
var runLog = report.Log[Run, Record]{
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		if r.Items < 1 || r.Documents < 1 || r.Tokens < 1 {
			return errors.New("it says nothing of items, documents or tokens")
		}
		return nil
	},
	Fields: []report.Field[Record]{
		{Name: "corpus", Of: func(r *Record) any { return &r.Corpus }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "setting", Of: func(r *Record) any { return &r.Setting }},
		{Name: "hold", Of: func(r *Record) any { return &r.Hold }},
		{Name: "min_df", Of: func(r *Record) any { return &r.MinDF }},
		{Name: "max_df_ratio", Of: func(r *Record) any { return &r.MaxDFRatio }},
		{Name: "items", Of: func(r *Record) any { return &r.Items }},
		{Name: "documents", Of: func(r *Record) any { return &r.Documents }},
		{Name: "held_documents", Of: func(r *Record) any { return &r.Held }},
		{Name: "held_tokens", Of: func(r *Record) any { return &r.Tokens }},
		{Name: "npmi", Of: func(r *Record) any { return &r.NPMI }},
		{Name: "diversity", Of: func(r *Record) any { return &r.Diversity }},
		{Name: "log_likelihood", Of: func(r *Record) any { return &r.LogLikelihood }},
		{Name: "impossible", Of: func(r *Record) any { return &r.Impossible }},
		{Name: "burstiness", Of: func(r *Record) any { return &r.Burstiness }},
		{Name: "passes", Of: func(r *Record) any { return &r.Passes }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
		{Name: "cpu_seconds", Of: func(r *Record) any { return &r.CPU }},
		{Name: "workers", Of: func(r *Record) any { return &r.Workers }},
		{Name: "program", Of: func(r *Record) any { return &r.Program }},
	},
}
