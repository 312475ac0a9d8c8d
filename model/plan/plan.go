// Package plan says what memory, disk and time a fit will take, on one machine or several, before it is made: from a
// sample of the documents or from sizes, and for times from rates of a usual machine. Memory is what package fit's
// model of it says.
package plan

import (
	"cmp"
	"math"

	"anchorage/corpus"
	"anchorage/internal/kernel"
	"anchorage/model/fit"
)

// Plan says what a fit will be like and what it will take. The figures are estimates from a sample of the documents;
// Corpus has their intervals.
type Plan struct {
	Corpus corpus.Expectation `json:"corpus"`
	fit.Forecast
	Passes int     `json:"passes"` // over the documents, those of the refinement among them
	Stages []Stage `json:"stages"`
	// ScratchBytes is the disk for the copy of the documents, until the end of the run, and OutputBytes that of the model.
	ScratchBytes int64 `json:"scratch_bytes"`
	OutputBytes  int64 `json:"output_bytes"`
	// Seconds are those of the clock, and CPUSeconds those of all processors together.
	Seconds    corpus.Interval `json:"seconds"`
	CPUSeconds corpus.Interval `json:"cpu_seconds"`
	// Ranks is the number of processes that share the fit; absent for one. Then memory, time and scratch disk are those
	// of one rank, and what ranks send to each other comes on top of the time.
	Ranks int `json:"ranks,omitempty"`
}

// Stage is what a stage of a fit is expected to take. Seconds are those of the clock, and CPU those of all processors
// together.
type Stage struct {
	Stage       string  `json:"stage"`
	MemoryBytes int64   `json:"memory_bytes"`
	DiskBytes   int64   `json:"disk_bytes,omitempty"` // written by it
	Seconds     float64 `json:"seconds"`
	CPU         float64 `json:"cpu_seconds"`

	low, high float64 // the factors by which its time may differ
	passes    int
}

// New plans the fit, with options, of the corpus that corpus.Open makes with other options from the documents of a
// sample, by ranks processes, or one. It returns an *model.OptionError for options that fit.Fit refuses. A run that
// will not fit into the limit of its Run is no error: Refusal says so.
func New(sample *corpus.Sample, docs corpus.Options, opts fit.Options, ranks int) (*Plan, error) {
	e := sample.Expect(docs)
	// else the shards are read themselves
	copied := opts.Sketch.Passes != 1 || !docs.NoPrune && docs.Vocabulary == nil || opts.Refines()
	scale := readPart * e.Entries.Estimate / float64(max(sample.Entries, 1))
	return planOf(e, copied, opts, ranks, of(scale*sample.CPU, 0.6, 1.6, 1))
}

// Sizes are those of a corpus that does not exist yet.
type Sizes struct {
	Documents, Entries, Items float64 // that are kept; entries are distinct items of documents
}

// The documents of Sizes: the bytes of an id and of an entry of the copy, the tokens of an entry, and the time to read
// an entry.
const (
	assumedID      = 12
	assumedCopied  = 2
	assumedRepeats = 1.3
	assumedReading = 60e-9
)

// OfSizes is New for documents of which only sizes are known.
func OfSizes(s Sizes, opts fit.Options, ranks int) (*Plan, error) {
	known := func(v float64) corpus.Interval { return corpus.Interval{Estimate: v, Low: v, High: v} }
	bytes := int64(s.Items * corpus.ItemBytes(assumedID))
	e := corpus.Expectation{Documents: known(s.Documents), Entries: known(s.Entries), Items: known(s.Items),
		Kept: known(s.Items), Kind: corpus.Texts, EntriesKept: s.Entries, Repeats: assumedRepeats, IDBytes: assumedID,
		SeenBytes: bytes, KeptBytes: bytes, CopyBytes: int64(assumedCopied * s.Entries), Growth: corpus.UsualGrowth}
	return planOf(e, true, opts, ranks, of(assumedReading*s.Entries, 0.5, 2, 1))
}

// planOf plans the fit of the corpus that is expected, which is read as it is given and copied or not.
func planOf(e corpus.Expectation, copied bool, opts fit.Options, ranks int, reading Stage) (*Plan, error) {
	opts.Run = cmp.Or(opts.Run, new(fit.Run))
	f, err := opts.Forecast(e, ranks)
	if err != nil {
		return nil, err
	}
	p := &Plan{Corpus: e, Forecast: *f, OutputBytes: outputBytes(f, e)}
	if copied {
		p.ScratchBytes = e.CopyBytes / int64(max(ranks, 1))
	}
	if ranks > 1 {
		p.Ranks = ranks
	}
	works := work(e, f, &opts)
	works["read"] = reading
	p.addStages(f, works, float64(kernel.Workers(opts.Run.Workers)), float64(max(ranks, 1)))
	return p, nil
}

// The sizes of what a model holds for an item and topic, in bytes, as it is compressed: rows of the factor, of p(topic
// | item) and of B. What is in proportion to the items only is negligible, except for the ids.
const (
	outputValueBytes = 13.0
	outputItemBytes  = 40.0
	// outputPageBytes is about the size of the report and the examples, which come with diagnostics.
	outputPageBytes = 1_000_000
)

// outputBytes returns about how large the model is on disk.
func outputBytes(f *fit.Forecast, e corpus.Expectation) int64 {
	items := float64(f.Items)
	sum := 4 * items * float64(f.Leading)
	for _, topics := range append(f.Levels[:len(f.Levels):len(f.Levels)], f.Topics) {
		sum += items * (outputValueBytes*float64(topics) + outputItemBytes + e.IDBytes)
	}
	if f.Diagnosed {
		sum += outputPageBytes
	}
	return int64(sum)
}

// addStages adds the stages, with what each takes, and their sums. Ranks share the work, but the first writes the whole
// model.
func (p *Plan) addStages(f *fit.Forecast, work map[string]Stage, workers, ranks float64) {
	for _, s := range f.Stages {
		stage := work[s.Stage]
		stage.Stage, stage.MemoryBytes = s.Stage, s.Bytes
		stage.CPU /= ranks
		stage.Seconds = stage.CPU / workers
		switch s.Stage {
		case "read":
			stage.DiskBytes = p.ScratchBytes
			stage.Seconds += float64(p.ScratchBytes) / written
		case "sketch":
			stage.DiskBytes = p.BasisBytes
		case "write":
			stage.DiskBytes = p.OutputBytes
			stage.Seconds = stage.CPU*ranks + float64(p.OutputBytes)/written
		}
		p.Stages = append(p.Stages, stage)
		p.Passes += stage.passes
		add(&p.Seconds, stage.Seconds, stage)
		add(&p.CPUSeconds, stage.CPU, stage)
	}
	size := math.Sqrt(p.Corpus.Entries.High / max(p.Corpus.Entries.Low, 1)) // the time is in proportion to them
	for _, of := range []*corpus.Interval{&p.Seconds, &p.CPUSeconds} {
		of.Low, of.High = of.Low/size, of.High*size
	}
}

// add adds seconds of a stage to a sum.
func add(sum *corpus.Interval, seconds float64, of Stage) {
	sum.Estimate += seconds
	sum.Low += seconds * of.low
	sum.High += seconds * of.high
}
