// This file holds a run to a limit of memory: what it chooses so that it fits, what it says if it does not, and how
// much garbage it may have.

package fit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// restrict fits the run into a limit, that of an option or of the machine. The Krylov basis is put away if it does not
// fit, and corrections get what the rectification leaves. Only by the limit of an option a single pass gets as many
// columns as fit, and refinement and diagnostics are left out: results must not depend on the machine. It returns a
// *MemoryError if even the smallest choice does not fit.
//
// The number of columns is chosen for limitWorkers, so it depends only on the limit and the shapes.
func (m *memoryModel) restrict(limit int64, machine bool) error {
	few := m.local()
	few.Workers = limitWorkers
	if !machine {
		m.chooseColumns(func() bool { return resident(m.common()+m.sketch(few)) <= limit })
	}
	m.putAway(limit)
	if m.method != nil {
		// The density is unknown, so the buffers of kept stripes may be full.
		needs := func(of *memoryModel) int64 { return of.rectifying(min(of.shape(0, 1).KeptBytes(), m.budget), 1) }
		m.budget = m.opts.Rectify.Corrections.Memory()
		for m.budget > 0 && m.most(needs) > limit {
			m.restricted = true
			if m.budget /= 2; m.budget < leastKept {
				m.budget = 0
			}
		}
	}
	if !machine {
		if m.opts.Refine.Passes == 0 && m.refined {
			m.refined = m.most(func(of *memoryModel) int64 { return of.refining(limitWorkers) }) <= limit
		}
		m.diagnosed = m.diagnosed && resident(m.diagnosing(few)) <= limit
	}
	ahead := slices.DeleteFunc(m.stages(), func(s StageMemory) bool { return s.Stage == "read" })
	if slices.ContainsFunc(ahead, func(s StageMemory) bool { return s.Bytes > limit }) {
		return &MemoryError{Limit: limit, Machine: machine, Items: m.items, Topics: m.topics,
			Columns: m.columns, Stages: ahead}
	}
	return nil
}

// putAway decides whether the Krylov basis is put away: if memory has no room for it, and there is a folder. Several
// ranks hold it.
func (m *memoryModel) putAway(limit int64) {
	m.away = m.opts.Run.SpillDir != "" && m.ranks < 2 && m.passes != 1 && !m.opts.Sketch.Power &&
		resident(m.common()+m.sketch(m.local())) > limit
}

// plan fits the run into its limit, if it has one, and logs the memory of the stages.
func (m *memoryModel) plan(run *Run) error {
	if err := m.fit(run); err != nil {
		return err
	}
	stages := m.stages()
	run.model(stages)
	values := []any{"items", m.items, "peak", mebibytes(peakOf(stages).Bytes)}
	if m.passes != 1 {
		values = append(values, "krylov_blocks", m.blocks, "on_disk", m.away)
	} else {
		values = append(values, "columns", m.columns)
	}
	for _, s := range stages {
		values = append(values, s.Stage, mebibytes(s.Bytes))
	}
	run.log().Info("memory", values...)
	if m.leavesOut() {
		run.log().Warn("topics will not be refined: the memory limit is too low", "needs_bytes",
			resident(m.refining(limitWorkers)))
	}
	return nil
}

// fit fits the run into its limit, or else below its ceiling.
func (m *memoryModel) fit(run *Run) error {
	limit := cmp.Or(run.MemoryLimit, run.ceiling())
	if limit == 0 {
		return nil
	}
	return m.restrict(limit, run.MemoryLimit == 0)
}

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
	peak := peakOf(e.Stages)
	var all []string
	for _, s := range e.Stages {
		all = append(all, s.Stage+" "+mebibytes(s.Bytes))
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

// A collection starts when the garbage reaches garbageShare of the live memory, or leastGarbage if that is more.
// Frequent collections are cheap, about a millisecond each, because the live memory is large arrays without pointers.
const (
	garbageShare = 0.05
	leastGarbage = 32 << 20
	// unknownPercent is GOGC for stages that the memory model does not cover.
	unknownPercent = 50
)

// garbage returns the garbage allowed besides the given number of live bytes.
func garbage(alive int64) int64 { return max(int64(garbageShare*float64(alive)), leastGarbage) }

// collectorPercent returns GOGC for a stage. modelled is the stage's memory according to the memory model, or 0 if it
// has none.
func collectorPercent(modelled int64) int {
	if modelled <= 0 {
		return unknownPercent
	}
	alive := modelled - processBytes
	alive = max(alive-garbage(alive), 1)
	return int(min(max(100*garbage(alive)/alive, 1), 100))
}
