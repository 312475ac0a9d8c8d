// This file forecasts the memory of a fit of documents that are only expected.

package fit

import (
	"cmp"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model/diagnose"
	"anchorage/stream"
)

// Forecast is what is known in advance of a fit. Package plan adds time and disk.
type Forecast struct {
	Items     int           `json:"-"`
	Topics    int           `json:"topics"`
	Columns   int           `json:"-"`
	Levels    []int         `json:"-"` // coarser numbers of topics
	Leading   int           `json:"-"` // vectors that are saved for later fits
	Refined   bool          `json:"-"`
	Diagnosed bool          `json:"-"`
	Sampled   float64       `json:"-"` // the share of the documents of which diagnostics infer the topics
	Stages    []StageMemory `json:"-"` // the most that each takes, in order
	// MemoryBytes is the memory at the peak as a rule: the basis holds the blocks of as many passes as are usual, and
	// garbage is collected before it takes what it may. The bounds follow from those of the number of items; the least
	// has still less garbage, and the greatest is what the stages take at most. Peak is the stage that takes most.
	MemoryBytes corpus.Interval `json:"memory_bytes"`
	Peak        string          `json:"peak"`
	// BasisBytes is the disk for the Krylov basis, which goes to Run.SpillDir where memory is short.
	BasisBytes int64 `json:"basis_bytes,omitempty"`
	// Limit is the memory that the run may take, in bytes, 0 for any. Refusal says why the run will be refused within it;
	// nil if it fits. All other figures are then those without a limit.
	Limit   int64        `json:"memory_limit_bytes,omitempty"`
	Refusal *MemoryError `json:"refusal,omitempty"`
}

// Forecast returns what is known in advance of a fit on several ranks, or one, of a corpus that is expected. The error
// is an *OptionError for options that Fit refuses.
func (o Options) Forecast(e corpus.Expectation, ranks int) (*Forecast, error) {
	o = o.prepared()
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := o.CheckRanks(ranks); err != nil {
		return nil, err
	}
	if ranks > 1 {
		o.Diagnose = false
	}
	f, least := o.forecast(e, e.Kept.Estimate, ranks)
	_, low := o.forecast(e, e.Kept.Low, ranks)
	high, _ := o.forecast(e, e.Kept.High, ranks)
	f.MemoryBytes = corpus.Interval{Estimate: float64(least), Low: float64(low - leastGarbage),
		High: float64(peakOf(high.Stages).Bytes)}
	f.Peak = peakOf(f.Stages).Stage
	return f, nil
}

// forecast is Forecast for a number of items, without MemoryBytes, for which it returns the estimate.
func (o *Options) forecast(e corpus.Expectation, items float64, ranks int) (f *Forecast, memory int64) {
	f = &Forecast{Limit: cmp.Or(o.Run.MemoryLimit, o.Run.ceiling())}
	m := expectedModel(o, e, items, ranks)
	if err := m.fit(o.Run); err != nil {
		f.Refusal = err.(*MemoryError)
		m = expectedModel(o, e, items, ranks)
	}
	f.Items, f.Topics, f.Columns, f.Levels = m.items, m.topics, m.columns, m.levels
	f.Refined, f.Diagnosed, f.Stages = m.refined, m.diagnosed, m.stages()
	f.Sampled = diagnose.Share(e.Documents.Estimate, e.Entries.Estimate)
	if m.passes != 1 {
		f.Leading = m.leadingColumns()
	}
	if m.away {
		f.BasisBytes = int64(m.blocks) * matrix.Bytes[float64](m.items, m.columns)
	}
	m.passes = cmp.Or(m.passes, UsualPasses)
	return f, peakOf(m.stages()).Bytes - leastGarbage
}

// UsualPasses is the number of passes of a sketch that decides itself when to end, as measured on the corpora of
// bench/results/plan.
const UsualPasses = 8

// peakOf returns the stage that takes most memory, of equal ones the first.
func peakOf(stages []StageMemory) StageMemory {
	return slices.MaxFunc(stages, func(a, b StageMemory) int { return int((a.Bytes - b.Bytes) >> 10) })
}

// wholeItemBytes is the memory of an item in a vocabulary that ranks share, beside its id: its key and counts.
const wholeItemBytes = 24

// expectedModel returns the model of the memory of a run over the corpus that is expected, with the given number of
// items.
func expectedModel(opts *Options, e corpus.Expectation, items float64, ranks int) *memoryModel {
	m := optionsModel(opts, true, opts.Sketch.ItemWeights != WeightsNone)
	m.corpus.Entries, m.corpus.Documents = int64(e.Entries.Estimate), int64(e.Documents.Estimate)
	m.ranks = max(ranks, 1)
	seen, share, ids := e.Items.Estimate, 1/float64(m.ranks), float64(e.KeptBytes)
	if m.ranks > 1 { // items of the documents of one rank; ids and their ends by rows, keys and counts whole
		seen *= math.Pow(share, e.Growth)
		ids = items * (wholeItemBytes + (e.IDBytes+8)*share)
	}
	m.read = stream.ReadBytes(int64(e.Entries.Estimate*share), int(seen),
		int64(float64(e.SeenBytes)*seen/max(e.Items.Estimate, 1)), opts.Run.Workers)
	m.setSizes(max(int(math.Round(items)), 1), int64(ids)+4*int64(seen))
	return m
}
