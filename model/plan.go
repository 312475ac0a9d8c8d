// This file plans a fit: what memory, disk and time it will take, from a sample of the documents.

package model

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/stream"
)

// Plan says what a fit will be like and what it will take. The figures are estimates from a sample of the documents; Corpus has their
// intervals.
type Plan struct {
	Corpus corpus.Expectation `json:"corpus"`
	Topics int                `json:"topics"`
	Passes int                `json:"passes"` // over the documents, those of the refinement among them
	Stages []PlannedStage     `json:"stages"`
	// MemoryBytes is the memory at the peak, with bounds that follow from those of the number of items, and Peak the stage that takes it.
	MemoryBytes corpus.Interval `json:"memory_bytes"`
	Peak        string          `json:"peak"`
	// ScratchBytes is the disk for the copy of the documents, until the end of the run, and OutputBytes that of the model.
	ScratchBytes int64 `json:"scratch_bytes"`
	OutputBytes  int64 `json:"output_bytes"`
	// Seconds are those of the clock, and CPUSeconds those of all processors together.
	Seconds    corpus.Interval `json:"seconds"`
	CPUSeconds corpus.Interval `json:"cpu_seconds"`
	// Limit is the memory that the run may take, in bytes, 0 for any. Refusal says why the run will be refused within it; nil if it fits.
	Limit   int64        `json:"memory_limit_bytes,omitempty"`
	Refusal *MemoryError `json:"refusal,omitempty"`
}

// PlannedStage is what a stage of a fit is expected to take. Seconds are those of the clock, and CPU those of all processors together.
type PlannedStage struct {
	Stage       string  `json:"stage"`
	MemoryBytes int64   `json:"memory_bytes"`
	DiskBytes   int64   `json:"disk_bytes,omitempty"` // written by it
	Seconds     float64 `json:"seconds"`
	CPU         float64 `json:"cpu_seconds"`
}

// NewPlan plans the fit, with options, of the corpus that corpus.Open makes with other options from the documents of a sample. rates says how
// fast the machine is; see Calibrate and UsualRates. It returns an *OptionError for options that Fit refuses. A run that will not fit
// into the limit of its Run is no error: Refusal says so.
func NewPlan(sample *corpus.Sample, docs corpus.Options, opts Options, rates Rates) (*Plan, error) {
	opts = opts.prepared()
	if err := opts.Check(); err != nil {
		return nil, err
	}
	e := sample.Expect(docs)
	p := &Plan{Corpus: e, Topics: opts.Topics, ScratchBytes: e.CopyBytes}
	if opts.Sketch.Passes == 1 && (docs.NoPrune || docs.Vocabulary != nil) && !opts.Refines() {
		p.ScratchBytes = 0 // the shards are read themselves
	}
	p.Limit = opts.Run.MemoryLimit
	if p.Limit == 0 {
		p.Limit = opts.Run.ceiling()
	}
	model := func(items float64) (*memoryModel, error) {
		m := expectedModel(&opts, e, items)
		err := m.fit(opts.Run)
		return m, err
	}
	m, err := model(e.Kept.Estimate)
	if err != nil {
		p.Refusal = err.(*MemoryError)
		m = expectedModel(&opts, e, e.Kept.Estimate)
	}
	p.OutputBytes = outputBytes(m, e)
	p.addStages(m, &opts, rates.work(sample, e, m, &opts))
	p.Peak = slices.MaxFunc(m.stages(), compareBytes).Stage
	low, _ := model(e.Kept.Low) // refused or not, its figures hold
	high, _ := model(e.Kept.High)
	p.MemoryBytes = corpus.Interval{Estimate: usualPeak(m), Low: usualPeak(low) - leastGarbage, High: float64(slices.MaxFunc(high.stages(), compareBytes).Bytes)}
	return p, nil
}

// usualPeak returns the memory that a run takes at its peak, as a rule: the basis holds the blocks of as many passes as are usual, and garbage
// is collected before it takes what it may.
func usualPeak(m *memoryModel) float64 {
	usual := *m
	if usual.passes == 0 {
		usual.passes = usualPasses
	}
	return float64(slices.MaxFunc(usual.stages(), compareBytes).Bytes - leastGarbage)
}

func compareBytes(a, b StageMemory) int { return int((a.Bytes - b.Bytes) >> 10) }

// expectedModel returns the model of the memory of a run over the corpus that is expected, with so many items.
func expectedModel(opts *Options, e corpus.Expectation, items float64) *memoryModel {
	weighted := opts.Sketch.ItemWeights != WeightsNone
	m := optionsModel(opts, true, weighted)
	m.corpus.Entries, m.corpus.Documents = int64(e.Entries.Estimate), int64(e.Documents.Estimate)
	m.read = stream.ReadBytes(int64(e.Entries.Estimate), int(e.Items.Estimate), e.SeenBytes, opts.Run.Workers)
	m.setSizes(max(int(math.Round(items)), 1), e.KeptBytes+4*int64(e.Items.Estimate))
	return m
}

// The sizes of what a model holds for an item and topic, in bytes, as it is compressed: rows of the factor, of p(topic | item) and of
// B. What is in proportion to the items alone is negligible but for the ids.
const (
	outputValueBytes = 13.0
	outputItemBytes  = 40.0
)

// outputBytes returns about how large the model is on disk.
func outputBytes(m *memoryModel, e corpus.Expectation) int64 {
	bytes := func(topics int) float64 {
		return float64(m.items) * (outputValueBytes*float64(topics) + outputItemBytes + e.IDBytes)
	}
	sum := bytes(m.topics)
	for _, topics := range m.levels {
		sum += bytes(topics)
	}
	return int64(sum)
}

// addStages adds the stages, with what each takes, and their sums.
func (p *Plan) addStages(m *memoryModel, opts *Options, work map[string]stageWork) {
	for _, s := range m.stages() {
		w := work[s.Stage]
		stage := PlannedStage{Stage: s.Stage, MemoryBytes: s.Bytes, Seconds: w.seconds, CPU: w.cpu}
		switch s.Stage {
		case "read":
			stage.DiskBytes = p.ScratchBytes
		case "write":
			stage.DiskBytes = p.OutputBytes
		}
		p.Stages = append(p.Stages, stage)
		p.Passes += w.passes
		for _, sum := range []struct {
			of  *corpus.Interval
			add float64
		}{{&p.Seconds, w.seconds}, {&p.CPUSeconds, w.cpu}} {
			sum.of.Estimate += sum.add
			sum.of.Low += sum.add * w.low
			sum.of.High += sum.add * w.high
		}
	}
	size := math.Sqrt(p.Corpus.Entries.High / max(p.Corpus.Entries.Low, 1)) // the time is in proportion to them
	for _, of := range []*corpus.Interval{&p.Seconds, &p.CPUSeconds} {
		of.Low, of.High = of.Low/size, of.High*size
	}
}

// stageWork is what a stage is expected to take. low and high are the factors by which its time may differ.
type stageWork struct {
	cpu, seconds float64
	low, high    float64
	passes       int
}

// The numbers of passes and of iterations of a fit that decides itself when to end, as measured on the corpora of bench/results/plan.
const (
	usualPasses     = 8
	usualIterations = 17
	// longDocument is the mean number of entries from which the topics of texts have not settled when their last pass is made. Topics of
	// shorter ones settle sooner.
	longDocument                                = 100
	readingPasses, shortPasses, baskettedPasses = 8, 2, 7
	refineEpochs, refineParts                   = 2, 16
	// repeatedTokens is the number of tokens per entry from which documents are likely to be refined for reading.
	repeatedTokens = 1.15
)

// refinePasses returns the passes that a refinement is expected to make, its epochs among them.
func refinePasses(o *Options, e corpus.Expectation) int {
	switch {
	case o.Refine.Passes > 0:
		return o.Refine.Passes
	case e.Repeats < repeatedTokens:
		return refineEpochs + baskettedPasses
	case e.Entries.Estimate < longDocument*e.Documents.Estimate:
		return refineEpochs + shortPasses
	}
	return refineEpochs + readingPasses
}

// work returns what the stages of a run are expected to take, by their names.
func (r Rates) work(sample *corpus.Sample, e corpus.Expectation, m *memoryModel, o *Options) map[string]stageWork {
	n, k, l := float64(m.items), float64(m.topics), float64(m.columns)
	passes := max(o.Sketch.Passes, 0)
	if passes == 0 {
		passes = usualPasses
	}
	iterations := float64(o.Rectify.Iterations)
	if iterations == 0 {
		iterations = usualIterations
	}
	if m.baseline {
		iterations = 0
	}
	work := make(map[string]stageWork)
	for _, of := range m.coarser() {
		for stage, w := range r.work(sample, e, of, o) {
			work[levelStage(stage, of.topics)] = w
		}
	}
	chosen := float64(min(int(10*k)+1000, m.items)) // columns of the corrections at most
	p := float64(passes)
	maps.Copy(work, map[string]stageWork{
		"read":     r.reading(sample, e),
		"sketch":   r.of(p*(gatherPart*r.Gather*e.EntriesKept*l+squarePart*r.Multiply*n*l*l), 0.6, 1.6, passes),
		"evidence": r.of(evidencePart*r.Gather*e.EntriesKept*k, 0.7, 1.4, 1),
		"rectify":  r.of(iterations*correctPart*r.Multiply*n*chosen*k, 0.5, 2, 0),
		"anchor":   r.of(anchorPart*r.Multiply*n*k*k+anchorRow*r.Multiply*n*k, 0.5, 2, 0),
		"write":    r.of(writePart*r.Multiply*n*k, 0.6, 1.6, 0),
	})
	if m.refined {
		all := refinePasses(o, e)
		each := refinePart*r.Local*e.EntriesKept*k*float64(all) + renewPart*r.Multiply*refineEpochs*refineParts*n*k
		work["refine"] = r.of(each, 0.4, 2.5, all)
	}
	if m.resamples > 0 {
		work["bootstrap"] = r.of(evidencePart*r.Gather*e.EntriesKept*k+float64(m.resamples)*anchorRow*r.Multiply*k*k*100, 0.3, 3, 1)
	}
	written := work["write"]
	written.seconds += float64(m.items) * k * outputValueBytes / max(r.Write, 1)
	work["write"] = written
	return work
}

// of returns the work of so many seconds of a processor, of which all workers take their share.
func (r Rates) of(cpu, low, high float64, passes int) stageWork {
	return stageWork{cpu: cpu, seconds: cpu / max(r.Speedup, 0.01), low: low, high: high, passes: passes}
}

// reading returns what the reading of all documents takes, from what that of the sample took.
func (r Rates) reading(sample *corpus.Sample, e corpus.Expectation) stageWork {
	scale := readPart * e.Entries.Estimate / float64(max(sample.Entries, 1))
	w := r.of(scale*sample.CPU, 0.6, 1.6, 1)
	w.seconds += float64(e.CopyBytes) / max(r.Write, 1)
	return w
}

// Lines returns the plan in three lines: what will be learned from, memory and disk, and time.
func (p *Plan) Lines() string {
	e := p.Corpus
	memory := fmt.Sprintf("%s at the peak, in the stage %s", mebibytes(int64(p.MemoryBytes.Estimate)), p.Peak)
	if p.Refusal != nil {
		memory += fmt.Sprintf(", which is more than the limit of %s", mebibytes(p.Limit))
	}
	return fmt.Sprintf("%s documents with %s entries and %s items, of which %s are kept\nmemory %s; disk %s for a copy of the documents and %s for the model\ntime   about %s (%s to %s), %s of a processor, in %d passes",
		rounded(e.Documents), rounded(e.Entries), rounded(e.Items), rounded(e.Kept), memory, mebibytes(p.ScratchBytes), mebibytes(p.OutputBytes),
		duration(p.Seconds.Estimate), duration(p.Seconds.Low), duration(p.Seconds.High), duration(p.CPUSeconds.Estimate), p.Passes)
}

// rounded formats an interval for people.
func rounded(i corpus.Interval) string {
	if i.Known() {
		return fmt.Sprintf("%.0f", i.Estimate)
	}
	return fmt.Sprintf("about %.3g (%.3g to %.3g)", i.Estimate, i.Low, i.High)
}

// duration formats seconds for people.
func duration(seconds float64) string {
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}
