// This file models the memory of a run: the peak of every stage, and what fits within a limit.

package model

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/rectify"
	"anchorage/sketch"
	"anchorage/svi"
)

// StageMemory is the model's figure for a stage: the largest resident size of the process during it, in bytes.
type StageMemory struct {
	Stage string
	Bytes int64
}

const (
	// processBytes is the memory of the program itself: the code and data in use, and the runtime. docs/architecture.md compares the
	// model with measured runs.
	processBytes = 52 << 20
	// readingBytes is the same during the first reading of the documents, before kernels and table writers are used.
	readingBytes = 45 << 20
	// writtenCopies is the number of copies of a row group that is being written: the values, the pages, the compressed pages.
	writtenCopies = 4
	// limitWorkers is the number of workers assumed when a limit determines the number of Krylov blocks. Results depend on the number
	// of blocks, so it must not depend on the actual number of workers.
	limitWorkers = 4
)

// memoryModel holds the figures that the memory of a run depends on.
type memoryModel struct {
	items, topics, columns int
	ids                    int64 // bytes of the vocabulary and of the table that renumbers items
	started                int64 // bytes of the model that the fit starts from, and of its items' rows
	read                   int64 // live bytes while the items were counted; 0 if they were not
	weighted, evidence     bool
	refined                bool  // the topics are refined
	mayRefine              bool  // they need not be, where memory lacks
	passes                 int   // of the sketch over the documents; 0 for as many as the basis has room for
	blocks                 int   // maximum number of blocks of the Krylov basis
	widths                 []int // from which the columns of a single pass are chosen, decreasing; nil if the options give them
	corpus                 corpus.Size
	start                  *Start // that the fit starts from; nil if there is none
	// method determines the stages after the sketch; nil if the run ends with the sketch. baseline leaves out the rectification.
	method   *method
	baseline bool
	// budget is how many bytes of the corrections may be held in memory. restricted says that it follows from the limit of the run.
	budget     int64
	asked      int64 // the budget that the options ask for
	restricted bool
	// kept is how many bytes of the corrections were held, and density how dense they were. A density of 0 means unknown.
	kept    int64
	density float64
	// resamples is the number of resamples of the bootstrap, and candidates how many items per topic are searched in each.
	// searched is the number of all of them; 0 while unknown, then as many as there can be are assumed.
	resamples, candidates, searched int
	diagnosed                       bool // whether there are diagnostics
	// corrected is the number of rows that LAW corrects; 0 while unknown.
	corrected int
}

// newMemoryModel returns the model of a run over a corpus, with the default number of Krylov blocks. Without fit, the run ends with
// the sketch.
func newMemoryModel(docs *corpus.Corpus, opts *Options, fit, weighted bool) *memoryModel {
	m := optionsModel(opts, fit, weighted)
	if docs.Copied() {
		m.corpus.Entries, m.corpus.Documents = docs.Account.Entries, docs.Account.DocumentsRead
		m.read = docs.ReadingBytes()
	}
	m.setItems(docs)
	return m
}

// optionsModel returns a model that knows the options, but not the corpus.
func optionsModel(opts *Options, fit, weighted bool) *memoryModel {
	m := &memoryModel{topics: opts.Topics, columns: opts.columns(), weighted: weighted, passes: opts.Sketch.Passes,
		evidence: !opts.Sketch.NoEvidence, corpus: corpus.Size{Workers: opts.Run.Workers}, start: opts.Start}
	if m.passes == 1 && opts.Sketch.Columns == 0 {
		m.widths = streamedColumns(opts.Topics)
	}
	if fit {
		m.method, m.baseline, m.asked = opts.Method.entry(), opts.Baseline, opts.Rectify.Corrections.Memory()
		m.refined = opts.Refines()
		m.mayRefine = m.refined && opts.Refine.Passes == 0
		m.diagnosed = opts.Diagnose
		m.resamples, m.candidates = opts.Bootstrap, anchor.CandidatesPerTopic
		m.budget = m.asked
	}
	return m
}

// setItems sets what depends on the number of items.
func (m *memoryModel) setItems(docs *corpus.Corpus) {
	m.setSizes(docs.Vocabulary.Len(), docs.Vocabulary.Bytes()+docs.ViewBytes())
	if m.start != nil {
		m.started = m.start.Bytes() + 4*int64(m.items)
	}
}

// setSizes does the same from sizes: the number of items, and the bytes of the vocabulary and of the table that renumbers items.
func (m *memoryModel) setSizes(items int, ids int64) {
	m.items, m.ids = items, ids
	m.blocks = sketch.DefaultBlocks(m.items, m.columns)
	m.chooseColumns(func() bool { return sketch.StreamedMatrixBytes(m.items, m.columns) <= streamedBytes })
}

// chooseColumns sets the columns of a single pass to the most that fit, or to the fewest there are.
func (m *memoryModel) chooseColumns(fits func() bool) {
	for _, m.columns = range m.widths {
		if fits() {
			return
		}
	}
}

// resident returns the resident size of the process if the given number of bytes is alive.
func resident(alive int64) int64 { return processBytes + alive + garbage(alive) }

// common returns the bytes that are alive in all stages.
func (m *memoryModel) common() int64 {
	return m.ids + sketch.MarginalsBytes(m.items, m.weighted) + m.started
}

// stages returns the memory of the stages, in their order.
func (m *memoryModel) stages() []StageMemory {
	var stages []StageMemory
	if m.read > 0 {
		stages = append(stages, StageMemory{"read", readingBytes + m.read + m.read*unknownPercent/100})
	}
	for _, s := range m.alive() {
		bytes := resident(s.Bytes)
		if s.Stage == "evidence" {
			bytes -= garbage(s.Bytes) / 2 // a single pass makes little garbage
		}
		stages = append(stages, StageMemory{s.Stage, bytes})
	}
	return stages
}

// alive returns the bytes that are alive at the peak of each stage, from the sketch on.
func (m *memoryModel) alive() []StageMemory {
	n, k := m.items, m.topics
	common, vectors := m.common(), matrix.Bytes[float64](n, k)
	stages := []StageMemory{{"sketch", common + m.sketch(m.corpus)}}
	halved := 0
	if m.evidence && m.passes != 1 {
		stages = append(stages, StageMemory{"evidence", common + vectors + m.leadingBytes() + sketch.EvidencePassBytes(n, k, m.corpus)})
		halved = sketch.HalvedItems(n, k)
	}
	common += m.handedOn()
	written := writtenCopies * matrix.Bytes[float64](min(groupRows, n), k)
	if m.method == nil {
		return append(stages, StageMemory{"write", common + vectors + written})
	}
	kept, density := m.kept, m.density
	if density == 0 {
		density = rectify.ForecastDensity
		kept = min(m.shape(0, density).KeptBytes(), max(m.budget, 0))
	}
	probabilities := 8 * int64(n)
	stages = append(stages, StageMemory{"rectify", m.rectifying(kept, density)},
		StageMemory{"anchor", common + probabilities + anchor.LAWBytes(n, k, halved, m.corrected, m.corpus.Workers)})
	if m.resamples > 0 {
		stages = append(stages, StageMemory{"bootstrap", m.bootstrapping(m.corpus)})
	}
	if m.refined {
		stages = append(stages, StageMemory{"refine", m.refining(m.corpus.Workers)})
	}
	if m.diagnosed {
		stages = append(stages, StageMemory{"diagnostics", m.diagnosing(m.corpus)})
	}
	return append(stages, StageMemory{"write", common + 3*probabilities + anchor.TopicsBytes(n, k) + written})
}

// leavesOut reports whether topics are not refined only because memory lacks.
func (m *memoryModel) leavesOut() bool { return m.mayRefine && !m.refined }

// refining returns the bytes that are alive during the refinement.
func (m *memoryModel) refining(workers int) int64 {
	return m.common() + m.handedOn() + 3*8*int64(m.items) + anchor.TopicsBytes(m.items, m.topics) + svi.RefineBytes(m.items, m.topics, workers)
}

// diagnosing returns the bytes that are alive while topics are diagnosed.
func (m *memoryModel) diagnosing(corpus corpus.Size) int64 {
	return m.common() + m.handedOn() + 3*8*int64(m.items) + anchor.TopicsBytes(m.items, m.topics) + diagnosingBytes(m.items, m.topics, corpus)
}

// sketch returns the bytes of the sketch, without those that are alive in all stages.
func (m *memoryModel) sketch(corpus corpus.Size) int64 {
	if m.passes == 1 {
		return sketch.StreamedBytes(m.items, m.columns, m.topics, corpus)
	}
	passes := m.passes
	if m.started > 0 && passes > 0 {
		passes++ // the block to start from is held too
	}
	return sketch.KrylovBytes(m.items, m.columns, m.blocks, passes, corpus)
}

func (m *memoryModel) shape(kept int64, density float64) rectify.Shape {
	return rectify.Shape{Items: m.items, Topics: m.topics, Workers: m.corpus.Workers, Kept: kept, Density: density}
}

// rectifying returns the bytes that are alive during the rectification if it keeps the given bytes of the corrections in memory.
func (m *memoryModel) rectifying(kept int64, density float64) int64 {
	alive := m.common() + 8*int64(m.items) + m.rectify(kept, density)
	return alive + m.handedOn()
}

// handedOn returns the bytes of what the sketch hands on to all later stages: the evidence, and the eigenvectors for later fits.
func (m *memoryModel) handedOn() int64 {
	return m.evidenceBytes() + m.leadingBytes()
}

// leadingBytes returns the bytes of the vectors that later fits may start from.
func (m *memoryModel) leadingBytes() int64 {
	if m.passes == 1 {
		return 0
	}
	return matrix.Bytes[float32](m.items, min(m.topics+sketch.GuardColumns, m.columns))
}

// evidenceBytes returns the bytes of the evidence; that of a single pass has no halves.
func (m *memoryModel) evidenceBytes() int64 {
	switch {
	case !m.evidence:
		return 0
	case m.passes == 1:
		return sketch.EstimatedEvidenceBytes(m.items)
	}
	return sketch.EvidenceBytes(m.items, m.topics)
}

// rectify returns the part of these bytes that the rectification itself takes.
func (m *memoryModel) rectify(kept int64, density float64) int64 {
	if m.baseline {
		return matrix.Bytes[float64](m.items, m.topics)
	}
	return m.method.bytes(m, kept, density)
}

// bootstrapping returns the bytes that are alive during the bootstrap.
func (m *memoryModel) bootstrapping(corpus corpus.Size) int64 {
	n, k, candidates := m.items, m.topics, m.searched
	if candidates == 0 {
		candidates = min(anchor.MostCandidates(k, m.candidates), n)
	}
	return m.common() + m.handedOn() + anchor.TopicsBytes(n, k) + anchor.ResamplingBytes(n, k, candidates, m.resamples, corpus.Workers) +
		sketch.ResampleBytes(n, k, candidates, m.resamples, corpus)
}

// found sets what is known after the rectification: how much of the corrections was held in memory, and how dense they were then.
func (m *memoryModel) found(iterations []IterationRecord) {
	m.kept, m.density = 0, 1
	for _, i := range iterations {
		if i.Corrections == rectify.CorrectionsMemory && i.CorrectionsBytes > m.kept {
			m.kept, m.density = i.CorrectionsBytes, i.Density
		}
	}
}

// restrict fits the run into a limit. The Krylov basis gets as many blocks as fit, and a single pass as many columns; corrections get
// what the rectification leaves. It returns a *MemoryError if even the smallest choice does not fit.
//
// The number of blocks and columns, and of candidates in resamples, is chosen for limitWorkers, so it depends only on the limit and the shapes.
func (m *memoryModel) restrict(limit int64) error {
	few := m.corpus
	few.Workers = limitWorkers
	m.chooseColumns(func() bool { return resident(m.common()+m.sketch(few)) <= limit })
	if m.passes != 1 {
		fits := func(blocks int) bool {
			m.blocks = blocks
			return resident(m.common()+m.sketch(few)) <= limit
		}
		most := sketch.DefaultBlocks(m.items, m.columns)
		for blocks := most; !fits(blocks) && blocks > sketch.LeastBlocks; {
			blocks--
		}
	}
	for m.resamples > 0 && m.candidates > leastCandidates && resident(m.bootstrapping(few)) > limit {
		m.candidates--
	}
	if m.method != nil {
		most := min(m.asked, limit)
		m.budget, m.restricted = 0, true
		for budget := most; budget >= leastKept; budget /= 2 {
			// The density is unknown, so the buffers of kept stripes may be full.
			if resident(m.rectifying(budget, 1)) <= limit {
				m.budget = budget
				break
			}
		}
	}
	if m.mayRefine && m.refined && resident(m.refining(limitWorkers)) > limit {
		m.refined = false
	}
	if m.diagnosed && resident(m.diagnosing(few)) > limit {
		m.diagnosed = false
	}
	ahead := slices.DeleteFunc(m.stages(), func(s StageMemory) bool { return s.Stage == "read" })
	if slices.ContainsFunc(ahead, func(s StageMemory) bool { return s.Bytes > limit }) {
		return &MemoryError{Limit: limit, Items: m.items, Topics: m.topics, Columns: m.columns, Stages: ahead}
	}
	return nil
}

// plan fits the run into its limit, if it has one, and logs the memory of the stages.
func (m *memoryModel) plan(run *Run) error {
	if err := m.fit(run); err != nil {
		return err
	}
	run.model(m.stages())
	m.tell(run)
	if m.leavesOut() {
		run.log().Warn("topics will not be refined: the memory limit is too low", "needs_bytes", resident(m.refining(limitWorkers)))
	}
	return nil
}

// fit fits the run into its limit, or else below its ceiling.
func (m *memoryModel) fit(run *Run) error {
	switch ceiling := run.ceiling(); {
	case run.MemoryLimit > 0:
		return m.restrict(run.MemoryLimit)
	case ceiling > 0:
		return m.confine(ceiling)
	}
	return nil
}

// confine keeps the run below a ceiling that nobody chose: what the machine has. Results must not depend on it. So nothing changes but where
// corrections are held, and a run that does not fit then is refused, with a *MemoryError.
func (m *memoryModel) confine(ceiling int64) error {
	if m.method != nil {
		// The density is unknown, so the buffers of kept stripes may be full.
		for m.budget > 0 && resident(m.rectifying(min(m.shape(0, 1).KeptBytes(), m.budget), 1)) > ceiling {
			m.restricted = true
			if m.budget /= 2; m.budget < leastKept {
				m.budget = 0
			}
		}
	}
	ahead := slices.DeleteFunc(m.stages(), func(s StageMemory) bool { return s.Stage == "read" })
	if slices.ContainsFunc(ahead, func(s StageMemory) bool { return s.Bytes > ceiling }) {
		return &MemoryError{Limit: ceiling, Machine: true, Items: m.items, Topics: m.topics, Columns: m.columns, Stages: ahead}
	}
	return nil
}

// leastCandidates is the least number of items per topic that are searched for anchors in a resample.
const leastCandidates = 4

// leastKept is the smallest useful budget for corrections, in bytes.
const leastKept = 1 << 20

// MemoryError reports that a run does not fit its memory limit.
type MemoryError struct {
	Limit                  int64
	Machine                bool // the limit is what the machine has: no option chose it
	Items, Topics, Columns int
	Stages                 []StageMemory // the model's figures for the stages to come
}

// Error names the figures.
func (e *MemoryError) Error() string {
	peak := e.Stages[0]
	var all []string
	for _, s := range e.Stages {
		if all = append(all, s.Stage+" "+mebibytes(s.Bytes)); s.Bytes > peak.Bytes {
			peak = s
		}
	}
	shapes := fmt.Sprintf("%d items and %d topics", e.Items, e.Topics)
	if e.Columns > 0 {
		shapes = fmt.Sprintf("%d items, %d topics and %d sketch columns", e.Items, e.Topics, e.Columns)
	}
	return fmt.Sprintf("%s take %s at the peak, in the stage %s, but the limit is %s (%s)",
		shapes, mebibytes(peak.Bytes), peak.Stage, mebibytes(e.Limit), strings.Join(all, ", "))
}

// mebibytes formats a size for people.
func mebibytes(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20) }

// tell logs the memory of the stages, and forecasts the peak.
func (m *memoryModel) tell(run *Run) {
	stages := m.stages()
	peak := slices.MaxFunc(stages, func(a, b StageMemory) int { return int((a.Bytes - b.Bytes) >> 10) })
	values := []any{"items", m.items, "peak", mebibytes(peak.Bytes)}
	if m.passes != 1 {
		values = append(values, "krylov_blocks", m.blocks)
	} else {
		values = append(values, "columns", m.columns)
	}
	for _, s := range stages {
		values = append(values, s.Stage, mebibytes(s.Bytes))
	}
	run.log().Info("memory", values...)
	if run.Forecast != nil {
		run.Forecast(peak.Stage, peak.Bytes)
	}
}
