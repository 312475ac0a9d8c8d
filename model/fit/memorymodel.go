// This file models the memory of a run: the peak of every stage.

package fit

import (
	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/diagnose"
	"anchorage/rectify"
	"anchorage/sketch"
)

// StageMemory is the model's figure for a stage: the largest resident size of the process during it, in bytes.
type StageMemory struct {
	Stage string
	Bytes int64
}

const (
	// processBytes is the memory of the program itself: the code and data in use, and the runtime. docs/architecture.md
	// compares the model with measured runs.
	processBytes = 52 << 20
	// readingBytes is the same during the first reading of the documents, before kernels and table writers are used.
	readingBytes = 45 << 20
	// limitWorkers is the number of workers assumed when a limit determines the columns of a single pass. Results depend
	// on them, so they must not depend on the actual number of workers.
	limitWorkers = 4
)

// memoryModel holds the figures that the memory of a run depends on.
type memoryModel struct {
	opts                   *Options
	items, topics, columns int
	ids                    int64 // bytes of the vocabulary and of the table that renumbers items
	read                   int64 // live bytes while the items were counted; 0 if they were not
	// held are the eigenvectors that are kept for further numbers of topics while one is solved; 0 if it is the only one
	held     int
	levels   []int // coarser numbers of topics, solved before this one, increasing
	before   int   // topics of the level before this one, whose mixtures are held; 0 if there is none
	weighted bool
	refined  bool // the topics are refined
	passes   int  // of the sketch over the documents; 0 for as many as the basis has room for
	single   bool // whether some of them may be, or were, in single precision
	blocks   int  // maximum number of blocks of the Krylov basis
	away     bool // those but the last are in the folder for them
	// widths are those from which a single pass chooses its columns, decreasing; nil if the options give them
	widths []int
	corpus corpus.Size
	method *method // that determines the stages after the sketch; nil if the run ends with the sketch
	// budget is how many bytes of the corrections may be held in memory. restricted says that it follows from the limit of
	// the run.
	budget     int64
	restricted bool
	// kept is how many bytes of the corrections were held, and density how dense they were. A density of 0 means unknown.
	kept      int64
	density   float64
	diagnosed bool // whether there are diagnostics
	// corrected is the number of rows that LAW corrects; 0 while unknown.
	corrected int
	ranks     int // that share the rows; 0 or 1 for one process
}

// rows returns the most rows that a rank holds of a matrix with a row per item.
func (m *memoryModel) rows() int {
	if m.ranks < 2 {
		return m.items
	}
	sections := matrix.Sections(m.items)
	each := (sections + m.ranks - 1) / m.ranks // of the rank that has most
	_, last := matrix.Section(m.items, max(min(each, sections)-1, 0))
	return last
}

// beyond returns the bytes of vectors, with the given bytes for each item, of the items whose rows other ranks hold:
// vectors are whole.
func (m *memoryModel) beyond(bytes int64) int64 { return bytes * int64(m.items-m.rows()) }

// local returns the documents and entries of a rank.
func (m *memoryModel) local() corpus.Size {
	size := m.corpus
	ranks := int64(max(m.ranks, 1))
	size.Documents, size.Entries = (size.Documents+ranks-1)/ranks, (size.Entries+ranks-1)/ranks
	return size
}

// newMemoryModel returns the model of a run over a corpus, with the default number of Krylov blocks. Without fit, the
// run ends with the sketch or, with Levels, continues from it once for each number of topics.
func newMemoryModel(docs *corpus.Corpus, opts *Options, fit, weighted bool) *memoryModel {
	m := optionsModel(opts, fit, weighted)
	if docs.Copied() {
		m.corpus.Entries, m.corpus.Documents = docs.Account.Entries, docs.Account.DocumentsRead
		if m.read = docs.ReadingBytes(); opts.Run.idBytes != nil {
			m.read = opts.Run.idBytes[1]
		}
	}
	m.setItems(docs)
	return m
}

// optionsModel returns a model that knows the options, but not the corpus.
func optionsModel(opts *Options, fit, weighted bool) *memoryModel {
	m := &memoryModel{opts: opts, ranks: opts.Run.ranks.Size(), topics: opts.Topics, columns: opts.columns(),
		weighted: weighted, passes: opts.Sketch.Passes, single: opts.Sketch.Passes == 0,
		corpus: corpus.Size{Workers: opts.Run.Workers}}
	if last := len(opts.Levels) - 1; last >= 0 && fit {
		m.levels, m.before = opts.Levels, opts.Levels[last]
	} else if last >= 0 {
		m.held = opts.Topics
	}
	if m.passes == 1 && opts.Sketch.Columns == 0 {
		m.widths = streamedColumns(opts.Topics)
	}
	if fit || m.held > 0 {
		m.method, m.budget = opts.Method.entry(), opts.Rectify.Corrections.Memory()
		m.refined, m.diagnosed = opts.Refines(), opts.Diagnose
	}
	return m
}

// setItems sets what depends on the number of items.
func (m *memoryModel) setItems(docs *corpus.Corpus) {
	ids := docs.Vocabulary.Bytes() + docs.ViewBytes()
	if m.opts.Run.idBytes != nil {
		ids = m.opts.Run.idBytes[0]
	}
	m.setSizes(docs.Vocabulary.Len(), ids)
}

// setSizes does the same from sizes: the number of items, and the bytes of the vocabulary and of the table that
// renumbers items.
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
	common := m.ids + sketch.MarginalsBytes(m.items, m.weighted)
	if m.opts.Start != nil { // with the rows of its items
		common += m.opts.Start.Bytes() + 4*int64(m.items)
	}
	return common
}

// stages returns the memory of the stages, in their order.
func (m *memoryModel) stages() []StageMemory {
	var stages []StageMemory
	if m.read > 0 {
		stages = append(stages, StageMemory{"read", readingBytes + m.read + m.read*unknownPercent/100})
	}
	return append(stages, residents(m.alive())...)
}

// residents returns the sizes of the process in stages in which the given bytes are alive.
func residents(alive []StageMemory) []StageMemory {
	stages := make([]StageMemory, len(alive))
	for i, s := range alive {
		stages[i] = StageMemory{s.Stage, resident(s.Bytes)}
		if s.Stage == "evidence" {
			stages[i].Bytes -= garbage(s.Bytes) / 2 // a single pass makes little garbage
		}
	}
	return stages
}

// alive returns the bytes that are alive at the peak of each stage, from the sketch on.
func (m *memoryModel) alive() []StageMemory {
	n, k := m.items, m.topics
	common, vectors := m.common(), matrix.Bytes[float64](m.rows(), k)
	stages := []StageMemory{{"sketch", common + m.sketch(m.local())}}
	if !m.opts.Sketch.NoEvidence && m.passes != 1 {
		stages = append(stages, StageMemory{"evidence", common + vectors + m.leadingBytes() + sketch.EvidenceRankBytes(n, k,
			len(m.opts.Levels), max(m.ranks, 1), m.local())})
	}
	if m.method == nil {
		return append(stages, StageMemory{"write", common + m.handedOn() + vectors + model.Saving{}.Bytes(n, k)})
	}
	for _, of := range m.coarser() {
		for _, s := range of.solving() {
			stages = append(stages, StageMemory{levelStage(s.Stage, of.topics), s.Bytes})
		}
	}
	return append(stages, m.solving()...)
}

// solving returns the bytes that are alive at the peak of each stage from the rectification on.
func (m *memoryModel) solving() (stages []StageMemory) {
	n, k := m.rows(), m.topics
	common := m.common() + m.handedOn()
	kept, density := m.kept, m.density
	if density == 0 {
		density = rectify.ForecastDensity
		kept = min(m.shape(0, density).KeptBytes(), max(m.budget, 0))
	}
	probabilities := 8 * int64(m.items)
	stages = append(stages, StageMemory{"rectify", m.rectifying(kept, density)},
		StageMemory{"anchor", common - m.aside() + max(probabilities+anchor.LAWBytes(n, k, !m.opts.Sketch.NoEvidence,
			m.corrected, m.corpus.Workers)+m.beyond(lawNumbers), m.counting())})
	if m.refined {
		stages = append(stages, StageMemory{"refine", m.refining(m.corpus.Workers)})
	}
	if m.diagnosed {
		stages = append(stages, StageMemory{"diagnostics", m.diagnosing(m.corpus)})
	}
	return append(stages, StageMemory{"write", common + 3*probabilities + m.topicsBytes() +
		model.Saving{}.Bytes(m.items, k)})
}

// The bytes of vectors, for each item, of stages whose matrices ranks share: those that the functions for their memory
// count only for the rows that they are given.
const (
	lawNumbers    = 72
	ennNumbers    = 25
	topicsNumbers = 16
)

const (
	// anchorShare is about how much of all documents is beside one anchor.
	anchorShare = 1.0 / 300
	// tallied is about how many bytes an entry of an anchor's row takes while it is counted.
	tallied = 40
)

// counting returns the bytes that are alive while the anchors' rows are counted, besides those that are alive in all
// stages.
func (m *memoryModel) counting() int64 {
	size := m.local()
	beside := int64(float64(size.Entries) * anchorShare * float64(m.topics))
	return m.topicsBytes() + size.PassBytes() + min(rowsBytes(m.rows(), m.topics), tallied*beside)
}

// topicsBytes returns the bytes of the topics and their factor.
func (m *memoryModel) topicsBytes() int64 {
	return anchor.TopicsBytes(m.rows(), m.topics) + m.beyond(topicsNumbers)
}

// leavesOut reports whether topics are not refined only because memory lacks.
func (m *memoryModel) leavesOut() bool {
	return m.method != nil && m.opts.Refine.Passes == 0 && m.opts.Refines() && !m.refined
}

// refining returns the bytes that are alive during the refinement.
func (m *memoryModel) refining(workers int) int64 {
	return m.common() + m.handedOn() + 3*8*int64(m.items) + m.topicsBytes() + refine.Bytes(m.items, m.topics, workers,
		max(m.ranks, 1), m.local().Documents, m.local().Entries)
}

// diagnosing returns the bytes that are alive while topics are diagnosed.
func (m *memoryModel) diagnosing(corpus corpus.Size) int64 {
	return m.common() + m.handedOn() + 3*8*int64(m.items) + anchor.TopicsBytes(m.items, m.topics) + diagnose.Bytes(m.items,
		m.topics, corpus)
}

// sketch returns the bytes of the sketch, without those that are alive in all stages.
func (m *memoryModel) sketch(corpus corpus.Size) int64 {
	if m.passes == 1 {
		return sketch.StreamedBytes(m.items, m.columns, m.topics, corpus) // only one process makes one
	}
	if m.opts.Sketch.Power {
		return sketch.KrylovRankBytes(m.items, m.columns, 1, 2, m.single, false, max(m.ranks, 1), corpus)
	}
	passes := m.passes
	if m.opts.Start != nil && passes > 0 {
		passes++ // the block to start from is held too
	}
	return sketch.KrylovRankBytes(m.items, m.columns, m.blocks, passes, m.single, m.away, max(m.ranks, 1), corpus)
}

func (m *memoryModel) shape(kept int64, density float64) rectify.Shape {
	return rectify.Shape{Items: m.rows(), Topics: m.topics, Workers: m.corpus.Workers, Kept: kept,
		Truncated: m.opts.Rectify.Truncated, Density: density}
}

// rectifying returns the bytes that are alive during the rectification if it keeps the given bytes of the corrections
// in memory.
func (m *memoryModel) rectifying(kept int64, density float64) int64 {
	own := matrix.Bytes[float64](m.items, m.topics)
	if !m.opts.Baseline {
		own = m.method.bytes(m, kept, density)
	}
	return m.common() + 8*int64(m.items) + own + m.handedOn() - m.aside() + m.beyond(ennNumbers)
}

// handedOn returns the bytes of what the sketch hands on to all later stages: the evidence, and the eigenvectors for
// later fits and for further numbers of topics.
func (m *memoryModel) handedOn() int64 {
	handed := m.evidenceBytes() + m.leadingBytes()
	if m.held > 0 {
		handed += matrix.Bytes[float64](m.items, m.held) + m.evidenceBytes() // its own, and that of the number of topics
	}
	if m.before > 0 {
		handed += matrix.Bytes[float32](m.items, m.before)
	}
	return handed
}

// leadingBytes returns the bytes of the vectors that later fits may start from.
func (m *memoryModel) leadingBytes() int64 {
	if m.passes == 1 {
		return 0
	}
	return matrix.Bytes[float32](m.rows(), m.leadingColumns())
}

// aside returns the bytes of those that are set aside until there are topics.
func (m *memoryModel) aside() int64 {
	if m.away {
		return m.leadingBytes()
	}
	return 0
}

// leadingColumns returns the number of these vectors.
func (m *memoryModel) leadingColumns() int {
	return min(max(m.topics, m.held)+sketch.GuardColumns, m.columns)
}

// evidenceBytes returns the bytes of the evidence.
func (m *memoryModel) evidenceBytes() int64 {
	if m.opts.Sketch.NoEvidence {
		return 0
	}
	return sketch.EvidenceBytes(m.items) + sketch.CutBytes(m.items, len(m.opts.Levels))
}

// found sets what is known after the rectification: how much of the corrections was held in memory, and how dense they
// were then.
func (m *memoryModel) found(iterations []IterationRecord) {
	m.kept, m.density = 0, 1
	for _, i := range iterations {
		if i.Corrections == rectify.CorrectionsMemory && i.CorrectionBytes > m.kept {
			m.kept, m.density = i.CorrectionBytes, i.Density
		}
	}
}
