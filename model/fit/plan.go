// This file plans a fit: what memory, disk and time it will take, from a sample of the documents.

package fit

import (
	"cmp"
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
	// Cluster is what several ranks work on; nil for one process. Then memory, time and scratch disk are those of one rank, and SentBytes is what all
	// of them send together.
	Cluster   *Cluster `json:"cluster,omitempty"`
	SentBytes int64    `json:"sent_bytes,omitempty"`
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
	// What ranks send: SentBytes of all together, Sending the seconds that it takes, and Waiting those of them that messages wait for each other.
	// Seconds has them.
	SentBytes int64   `json:"sent_bytes,omitempty"`
	Sending   float64 `json:"sending_seconds,omitempty"`
	Waiting   float64 `json:"waiting_seconds,omitempty"`
}

// NewPlan plans the fit, with options, of the corpus that corpus.Open makes with other options from the documents of a sample. rates says how
// fast the machine is; see Calibrate and UsualRates. It returns an *OptionError for options that Fit refuses. A run that will not fit
// into the limit of its Run is no error: Refusal says so.
func NewPlan(sample *corpus.Sample, docs corpus.Options, opts Options, rates Rates) (*Plan, error) {
	opts = opts.prepared()
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if err := opts.CheckRanks(rates.Cluster.Ranks); err != nil {
		return nil, err
	}
	e := sample.Expect(docs)
	return planOf(e, docs, opts, rates, rates.reading(sample, e))
}

// Sizes are those of a corpus that nobody has seen.
type Sizes struct {
	Documents, Entries, Items float64 // that are kept; entries are distinct items of documents
	// Growth is corpus.Expectation.Growth; 0 for corpus.UsualGrowth.
	Growth float64
}

// The documents of Sizes: the bytes of an id and of an entry of the copy, the tokens of an entry, and the time to read an entry.
const (
	assumedID      = 12
	assumedCopied  = 2
	assumedRepeats = 1.3
	assumedReading = 60e-9
)

// NewPlanOfSizes is NewPlan for documents of which only sizes are known.
func NewPlanOfSizes(s Sizes, opts Options, rates Rates) (*Plan, error) {
	opts = opts.prepared()
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if err := opts.CheckRanks(rates.Cluster.Ranks); err != nil {
		return nil, err
	}
	known := func(v float64) corpus.Interval { return corpus.Interval{Estimate: v, Low: v, High: v} }
	e := corpus.Expectation{Documents: known(s.Documents), Entries: known(s.Entries), Items: known(s.Items), Kept: known(s.Items), Kind: corpus.Texts,
		EntriesKept: s.Entries, Repeats: assumedRepeats, IDBytes: assumedID, CopyBytes: int64(assumedCopied * s.Entries), Growth: cmp.Or(s.Growth, corpus.UsualGrowth)}
	e.SeenBytes = int64(s.Items * corpus.ItemBytes(assumedID))
	e.KeptBytes = e.SeenBytes
	reading := rates.of(assumedReading*s.Entries, 0.5, 2, 1)
	reading.seconds += float64(e.CopyBytes) / max(rates.Write, 1)
	return planOf(e, corpus.Options{}, opts, rates, reading)
}

// planOf plans the fit of the corpus that is expected, which is read as it is given.
func planOf(e corpus.Expectation, docs corpus.Options, opts Options, rates Rates, reading stageWork) (*Plan, error) {
	p := &Plan{Corpus: e, Topics: opts.Topics, ScratchBytes: e.CopyBytes}
	if rates.Cluster.several() {
		p.Cluster = &rates.Cluster
		opts.Diagnose = false
	}
	if opts.Sketch.Passes == 1 && (docs.NoPrune || docs.Vocabulary != nil) && !opts.Refines() {
		p.ScratchBytes = 0 // the shards are read themselves
	}
	p.Limit = opts.Run.MemoryLimit
	if p.Limit == 0 {
		p.Limit = opts.Run.ceiling()
	}
	of := func(items float64) (*memoryModel, error) {
		m := expectedModel(&opts, e, items, rates.Cluster.Ranks)
		err := m.fit(opts.Run)
		return m, err
	}
	m, err := of(e.Kept.Estimate)
	if err != nil {
		p.Refusal = err.(*MemoryError)
		m = expectedModel(&opts, e, e.Kept.Estimate, rates.Cluster.Ranks)
	}
	p.OutputBytes = outputBytes(m, e)
	work := rates.work(e, m, &opts)
	work["read"] = reading
	p.divide(work, rates.Cluster, e, m, &opts)
	p.addStages(m, &opts, work)
	p.Peak = slices.MaxFunc(m.stages(), compareBytes).Stage
	low, _ := of(e.Kept.Low) // refused or not, its figures hold
	high, _ := of(e.Kept.High)
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
func expectedModel(opts *Options, e corpus.Expectation, items float64, ranks int) *memoryModel {
	weighted := opts.Sketch.ItemWeights != WeightsNone
	m := optionsModel(opts, true, weighted)
	m.corpus.Entries, m.corpus.Documents = int64(e.Entries.Estimate), int64(e.Documents.Estimate)
	m.ranks = max(ranks, 1)
	seen, share := e.Items.Estimate, 1/float64(m.ranks)
	if m.ranks > 1 { // items of the documents of one rank
		seen *= math.Pow(share, e.Growth)
	}
	m.read = stream.ReadBytes(int64(e.Entries.Estimate*share), int(seen), int64(float64(e.SeenBytes)*seen/max(e.Items.Estimate, 1)), opts.Run.Workers)
	ids := float64(e.KeptBytes)
	if m.ranks > 1 { // ids and their ends by rows; keys and counts whole
		ids = items * (wholeItemBytes + (e.IDBytes+8)*share)
	}
	m.setSizes(max(int(math.Round(items)), 1), int64(ids)+4*int64(seen))
	return m
}

// The sizes of what a model holds for an item and topic, in bytes, as it is compressed: rows of the factor, of p(topic | item) and of
// B. What is in proportion to the items alone is negligible but for the ids.
const (
	outputValueBytes = 13.0
	outputItemBytes  = 40.0
	// outputPageBytes is about the size of the report and the examples, which come with diagnostics.
	outputPageBytes = 1_000_000
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
	if m.passes != 1 {
		sum += 4 * float64(m.items) * float64(m.leadingColumns())
	}
	if m.diagnosed {
		sum += outputPageBytes
	}
	return int64(sum)
}

// addStages adds the stages, with what each takes, and their sums.
func (p *Plan) addStages(m *memoryModel, opts *Options, work map[string]stageWork) {
	for _, s := range m.stages() {
		w := work[s.Stage]
		stage := PlannedStage{Stage: s.Stage, MemoryBytes: s.Bytes, Seconds: w.seconds, CPU: w.cpu, SentBytes: int64(w.sent), Sending: w.sending, Waiting: w.waiting}
		p.SentBytes += stage.SentBytes
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
	sent         float64 // bytes that ranks send, and the seconds that it takes; see PlannedStage
	sending      float64
	waiting      float64
}

// wholeItemBytes is the memory of an item in a vocabulary that ranks share, beside its id: its key and counts.
const wholeItemBytes = 24

// divide gives each rank its part of the work, and adds what ranks send.
func (p *Plan) divide(work map[string]stageWork, on Cluster, e corpus.Expectation, m *memoryModel, o *Options) {
	if !on.several() {
		return
	}
	ranks := float64(on.Ranks)
	p.ScratchBytes = int64(float64(p.ScratchBytes) / ranks)
	t := traffic{ranks: on.Ranks, items: m.items, topics: m.topics, columns: m.columns, entries: e.EntriesKept, growth: e.Growth}
	c := course{passes: cmp.Or(max(o.Sketch.Passes, 0), usualPasses), iterations: cmp.Or(o.Rectify.Iterations, usualIterations), products: o.usualProducts(),
		words: float64(m.items) * e.IDBytes, distinctWords: ranks * e.Items.Estimate * math.Pow(1/ranks, e.Growth), outputBytes: float64(p.OutputBytes),
		evidence: m.evidence && m.passes != 1, refined: m.refined, refines: refinePasses(o, e)}
	for _, stage := range traffics {
		w, known := work[stage.stage]
		if !known {
			continue
		}
		w.cpu /= ranks
		if stage.stage != "write" { // rank 0 writes all
			w.seconds /= ranks
		}
		sent := stage.sent(t, c)
		w.sent = sent.bytes
		w.sending, w.waiting = on.seconds(sent)
		if stage.stage == "write" { // all that is sent arrives at one rank
			w.sending = w.waiting + sent.bytes/cmp.Or(on.Bandwidth, UsualBandwidth)
		}
		w.seconds += w.sending
		work[stage.stage] = w
	}
}

// usualProducts returns the number of applications of the corrections in an iteration of the rectification, as measured: 107 in 50 truncated
// eigendecompositions on NIPS.
func (o *Options) usualProducts() float64 {
	if o.Rectify.Truncated {
		return 2.2
	}
	return 1.5
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
func (r Rates) work(e corpus.Expectation, m *memoryModel, o *Options) map[string]stageWork {
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
		for stage, w := range r.work(e, of, o) {
			work[levelStage(stage, of.topics)] = w
		}
	}
	chosen := float64(min(int(10*k)+1000, m.items)) // columns of the corrections at most
	p := float64(passes)
	maps.Copy(work, map[string]stageWork{
		"sketch":   r.of(p*(gatherPart*r.Gather*e.EntriesKept*l+squarePart*r.Multiply*n*l*l), 0.6, 1.6, passes),
		"evidence": r.of(evidencePart*r.Gather*e.EntriesKept*k, 0.7, 1.4, 1),
		"rectify":  r.of(iterations*correctPart*r.Multiply*n*chosen*k, 0.5, 2, 0),
		"anchor":   r.of(anchorPart*r.Multiply*n*k*k+anchorRow*r.Multiply*n*k, 0.5, 2, 0),
		"write":    r.of(writePart*r.Multiply*n*k, 0.6, 1.6, 0),
	})
	if m.passes != 1 {
		found := work["anchor"]
		counted := r.of(rowsPart*r.Gather*e.EntriesKept, found.low, found.high, 1)
		counted.cpu, counted.seconds = counted.cpu+found.cpu, counted.seconds+found.seconds
		work["anchor"] = counted
	}
	if m.refined {
		all := refinePasses(o, e)
		each := refinePart*r.Local*e.EntriesKept*k*float64(all) + renewPart*r.Multiply*refineEpochs*refineParts*n*k
		work["refine"] = r.of(each, 0.4, 2.5, all)
	}
	if m.diagnosed {
		share := min(1, sampledDocuments/max(e.Documents.Estimate, 1), sampledEntries/max(e.Entries.Estimate, 1))
		work["diagnostics"] = r.of(diagnosePart*r.Local*share*e.EntriesKept*k, 0.5, 2, 0)
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
	if p.Cluster != nil {
		memory = "of a rank " + memory
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
