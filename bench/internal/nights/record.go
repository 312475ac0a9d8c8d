// This file holds the records of nights.

package nights

import (
	"errors"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/model"
)

// Night says which night a record is of: the first is 0.
type Night struct {
	Number, Nights, Topics, Workers int
}

// Record is what a night took and made.
type Record struct {
	Night
	Shards, Items           int
	NewDocuments, Documents int64
	Seconds, CPU            float64 // of the whole update
	SketchPasses            int
	RefinePasses            int     // of the refinement, epochs among them
	Moved                   float64 // the share of tokens that its first pass moved
	Kept, Born, Died        int
	Split, Merged           int
	MeanDistance            float64
	NPMI, Diversity         float64 // of the ten most prominent items of each topic
	LogLikelihood           float64 // of the last pass of the refinement
	Compared                bool    // with a fit from scratch, which what follows is of
	ScratchSeconds          float64
	ScratchCPU              float64
	ScratchSketchPasses     int
	ScratchRefinePasses     int
	ScratchNPMI             float64
	ScratchDiversity        float64
	ScratchLogLikelihood    float64
	SameAnchors             int    // of the update and of the fit from scratch
	Files, EqualFiles       int    // of the fit, and those that an update from scratch made with the same bytes
	Again                   string // what an update with the same shards did
	Stages                  []model.StageTime
	Started                 time.Time
	Command                 string
	Machine                 []string
}

// runLog is how the records of a folder are kept.
var runLog = report.Log[Night, Record]{
	Fields: []report.Field[Record]{
		{Name: "night", Of: func(r *Record) any { return &r.Number }},
		{Name: "nights", Of: func(r *Record) any { return &r.Nights }},
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "workers", Of: func(r *Record) any { return &r.Workers }},
		{Name: "shards", Of: func(r *Record) any { return &r.Shards }},
		{Name: "items", Of: func(r *Record) any { return &r.Items }},
		{Name: "new_documents", Of: func(r *Record) any { return &r.NewDocuments }},
		{Name: "documents", Of: func(r *Record) any { return &r.Documents }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
		{Name: "cpu_seconds", Of: func(r *Record) any { return &r.CPU }},
		{Name: "sketch_passes", Of: func(r *Record) any { return &r.SketchPasses }},
		{Name: "refine_passes", Of: func(r *Record) any { return &r.RefinePasses }},
		{Name: "moved", Of: func(r *Record) any { return &r.Moved }},
		{Name: "kept", Of: func(r *Record) any { return &r.Kept }},
		{Name: "born", Of: func(r *Record) any { return &r.Born }},
		{Name: "died", Of: func(r *Record) any { return &r.Died }},
		{Name: "split", Of: func(r *Record) any { return &r.Split }},
		{Name: "merged", Of: func(r *Record) any { return &r.Merged }},
		{Name: "mean_distance", Of: func(r *Record) any { return &r.MeanDistance }},
		{Name: "npmi", Of: func(r *Record) any { return &r.NPMI }},
		{Name: "diversity", Of: func(r *Record) any { return &r.Diversity }},
		{Name: "log_likelihood", Of: func(r *Record) any { return &r.LogLikelihood }},
		{Name: "compared", Of: func(r *Record) any { return &r.Compared }},
		{Name: "scratch_seconds", Of: func(r *Record) any { return &r.ScratchSeconds }},
		{Name: "scratch_cpu_seconds", Of: func(r *Record) any { return &r.ScratchCPU }},
		{Name: "scratch_sketch_passes", Of: func(r *Record) any { return &r.ScratchSketchPasses }},
		{Name: "scratch_refine_passes", Of: func(r *Record) any { return &r.ScratchRefinePasses }},
		{Name: "scratch_npmi", Of: func(r *Record) any { return &r.ScratchNPMI }},
		{Name: "scratch_diversity", Of: func(r *Record) any { return &r.ScratchDiversity }},
		{Name: "scratch_log_likelihood", Of: func(r *Record) any { return &r.ScratchLogLikelihood }},
		{Name: "same_anchors", Of: func(r *Record) any { return &r.SameAnchors }},
		{Name: "files", Of: func(r *Record) any { return &r.Files }},
		{Name: "equal_files", Of: func(r *Record) any { return &r.EqualFiles }},
		{Name: "again", Of: func(r *Record) any { return &r.Again }},
		{Name: "started", Of: func(r *Record) any { return &r.Started }},
		{Name: "command", Of: func(r *Record) any { return &r.Command }},
		{Name: "machine", Of: func(r *Record) any { return &r.Machine }},
	},
	Run:    func(r *Record) Night { return r.Night },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		if r.Topics < 2 || r.Nights < 1 {
			return errors.New("it says nothing of topics or nights")
		}
		return nil
	},
}
