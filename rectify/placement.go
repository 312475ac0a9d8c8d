// This file decides where ENN keeps the corrections between applications.

package rectify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// CorrectionsMode says where corrections that are applied more than once are kept. It has no influence on the result.
// In every mode, corrections that are applied once are multiplied as they are computed.
type CorrectionsMode string

const (
	CorrectionsAuto      CorrectionsMode = "auto"      // the fastest mode within the limits, by measured rates
	CorrectionsMemory    CorrectionsMode = "memory"    // in memory; an error if they do not fit
	CorrectionsSpill     CorrectionsMode = "spill"     // in a file, which is read for each application
	CorrectionsRecompute CorrectionsMode = "recompute" // nowhere: they are computed again for each application
)

// Corrections say where ENN keeps the corrections E while they are applied more than once. They have no influence on
// the result. The zero value is the default.
type Corrections struct {
	Mode CorrectionsMode // CorrectionsAuto if empty
	// Bytes is how much of E is held in memory, at most; 0 for DefaultCorrectionBytes.
	Bytes int64
	// NoMemory holds nothing of E in memory, whatever Bytes says.
	NoMemory bool
	// SpillDir is the folder of the spill file. If empty, CorrectionsAuto does not spill, and CorrectionsSpill uses the
	// system's folder for temporary files.
	SpillDir string
}

// Memory returns how much of E may be held in memory, in bytes.
func (c Corrections) Memory() int64 {
	switch {
	case c.NoMemory, c.Mode == CorrectionsSpill, c.Mode == CorrectionsRecompute:
		return 0
	case c.Bytes == 0:
		return DefaultCorrectionBytes
	}
	return c.Bytes
}

// check returns an error if there is no such mode, or a size is negative.
func (c Corrections) check() error {
	if c.Bytes < 0 {
		return fmt.Errorf("rectify: %d bytes of memory for corrections: a limit cannot be negative", c.Bytes)
	}
	switch c.Mode {
	case "", CorrectionsAuto, CorrectionsMemory, CorrectionsSpill, CorrectionsRecompute:
		return nil
	}
	return fmt.Errorf("rectify: unknown mode %q of the corrections: use auto, memory, spill or recompute", string(c.Mode))
}

// placement is Corrections with the defaults filled in.
type placement struct {
	mode     CorrectionsMode
	bytes    int64 // of memory, at most
	spillDir string
}

func (c Corrections) placement() placement {
	return placement{cmp.Or(c.Mode, CorrectionsAuto), c.Memory(), c.SpillDir}
}

// CorrectionsError says that corrections do not fit into memory, in which they must be kept.
type CorrectionsError struct {
	Limit int64 // bytes
}

// Error names the limit.
func (e *CorrectionsError) Error() string {
	return fmt.Sprintf("the corrections need more than the %d bytes of memory that they may have", e.Limit)
}

// plan is the decision for one build.
type plan struct {
	mode   CorrectionsMode // memory, spill or recompute
	reason string
	bytes  int64 // in memory, or in the spill file
}

// rates are measurements: seconds of one processor per cell computed and per entry multiplied, and bytes per
// second written to and read from the spill file; 0 where nothing has been measured.
type rates struct{ cell, entry, write, read float64 }

// keeper stores stripes while there is room.
type keeper struct {
	place  place
	strict bool // no room is an error
	bytes  atomic.Int64
	full   atomic.Bool
	left   atomic.Int64 // stripes there was no room for
	why    atomic.Pointer[error]
}

// wanted reports whether the next stripe is to be kept.
func (k *keeper) wanted() bool {
	if k.place != computed && k.full.Load() {
		k.left.Add(1)
		return false
	}
	return k.place != computed
}

// remark returns what to add to the reason of a plan.
func (k *keeper) remark() string {
	left := k.left.Load()
	if left == 0 {
		return ""
	}
	remark := fmt.Sprintf("; no room for %d stripes, which are computed again", left)
	if why := k.why.Load(); why != nil {
		remark += ": " + (*why).Error()
	}
	return remark
}

// refuse notes that there is no room, and returns why if that is an error.
func (k *keeper) refuse(why error) error {
	if k.strict {
		return why
	}
	k.left.Add(1)
	k.full.Store(true)
	k.why.CompareAndSwap(nil, &why)
	return nil
}

// prepare decides where the tiles of the next build are kept. The build is applied if applied says so, and then later
// more times.
func (c *corrections) prepare(ctx context.Context, later int, applied bool) error {
	switch {
	case later == 0 && applied:
		c.plan = plan{mode: CorrectionsRecompute, reason: "applied once, as they are computed"}
	case later == 0:
		c.plan = plan{mode: CorrectionsRecompute, reason: "not applied"}
	case c.mode == CorrectionsAuto:
		if err := c.decide(ctx, later); err != nil {
			return err
		}
	default:
		c.plan = plan{mode: c.mode, reason: "as asked for"}
	}
	c.kept = keeper{strict: c.mode != CorrectionsAuto}
	switch c.plan.mode {
	case CorrectionsMemory:
		c.kept.place = inMemory
	case CorrectionsSpill:
		c.kept.place = inFile
		if err := c.openSpill(); err != nil {
			return err
		}
	}
	if c.kept.place != inMemory {
		for s := range c.stripes {
			c.stripes[s].kept = packed{}
		}
	}
	if c.kept.place == computed {
		for _, b := range c.buffers {
			b.packed, b.encoded = packed{}, nil
		}
	}
	if c.spill != nil {
		return c.spill.empty()
	}
	return nil
}

// openSpill opens the spill file, if it is not open yet.
func (c *corrections) openSpill() error {
	if c.spill != nil {
		return nil
	}
	var err error
	c.spill, err = createSpill(c.spillDir)
	return err
}

// keep stores stripe s, packed in b.
func (c *corrections) keep(s int, b *buffer) error {
	st := &c.stripes[s]
	if c.kept.place == inFile {
		part, err := c.spill.write(b)
		switch {
		case err == nil:
			st.place, st.spilled = inFile, part
			c.kept.bytes.Add(part.size)
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
			return c.kept.refuse(err)
		default:
			return err
		}
		return nil
	}
	st.kept = b.packed.clone(st.kept)
	size := st.kept.bytes()
	if c.kept.bytes.Add(size) > c.bytes {
		c.kept.bytes.Add(-size)
		st.kept = packed{}
		return c.kept.refuse(&CorrectionsError{Limit: c.bytes})
	}
	st.place = inMemory
	return nil
}

// decide chooses the mode that takes the least time by what has been measured, for corrections that are applied later
// times after the build. Every rank decides for its own rows: no result depends on it, and no rank waits for the
// decision of another.
func (c *corrections) decide(ctx context.Context, later int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(c.stripes) == 0 { // other ranks have all rows
		c.plan = plan{mode: CorrectionsRecompute, reason: "there are none"}
		return nil
	}
	cells := float64(c.last-c.first) * float64(len(c.rows))
	density := c.density()
	if c.entries == 0 || c.rates.cell == 0 || c.rates.entry == 0 {
		density = c.sample()
	}
	// Each row of each tile takes a byte, and the rest less than 5 %.
	bytes := 1.05 * (density*cells*entryBytes + cells/kernel.TileColumns)
	workers := float64(kernel.Workers(c.workers))
	compute, multiply := cells*c.rates.cell/workers, density*cells*c.rates.entry/workers
	if bytes <= float64(c.bytes) {
		c.plan = plan{mode: CorrectionsMemory, reason: fmt.Sprintf("about %s of %s: saves %.2g s in each of %d applications",
			size(bytes), size(float64(c.bytes)), compute, later)}
		return nil
	}
	share := float64(c.bytes) / bytes
	partly := float64(later) * (multiply + (1-share)*compute)
	all, most := size(bytes), size(float64(c.bytes))
	c.plan = plan{mode: CorrectionsMemory, reason: fmt.Sprintf("about %s, of which %s fit", all, most)}
	if c.bytes == 0 {
		c.plan = plan{mode: CorrectionsRecompute, reason: "there is no memory for them"}
	}
	if c.spillDir == "" {
		c.plan.reason += ", and they may not be spilled"
		return nil
	}
	if c.rates.write == 0 {
		if err := c.openSpill(); err != nil {
			return err
		}
		if err := c.spill.probe(&c.rates); err != nil {
			c.plan.reason += ", and they cannot be spilled: " + err.Error()
			return nil
		}
	}
	spilled := bytes/c.rates.write + float64(later)*max(multiply, bytes/c.rates.read)
	estimate := fmt.Sprintf("; %d applications would take %.2g s by the spill file, at %s/s, and %.2g s otherwise",
		later, spilled, size(c.rates.read), partly)
	if spilled < partly {
		c.plan = plan{mode: CorrectionsSpill, reason: fmt.Sprintf("about %s, more than the %s of memory", all, most)}
	}
	c.plan.reason += estimate
	return nil
}

// size formats a number of bytes.
func size(bytes float64) string {
	const unit = 1 << 20
	if bytes >= unit<<10 {
		return fmt.Sprintf("%.1f GiB", bytes/(unit<<10))
	}
	return fmt.Sprintf("%.1f MiB", bytes/unit)
}

// sample computes and multiplies some rows of tiles, to measure their density and the time that takes.
func (c *corrections) sample() (density float64) {
	const most = 6
	b := newBuffer()
	stride := matrix.NewSingle(0, c.y.Cols()+ExtraColumns).Stride()
	vectors := make([]float32, (kernel.TileRows+2*kernel.TileColumns)*stride)
	z, chosen := vectors[:kernel.TileRows*stride], vectors[kernel.TileRows*stride:]
	sums := chosen[kernel.TileColumns*stride:]
	tiles := (c.last - c.first + kernel.TileRows - 1) / kernel.TileRows
	count := min(tiles, most)
	var compute, multiply time.Duration
	var entries, cells int
	for i := range count {
		first := c.first + i*tiles/count*kernel.TileRows
		last := min(first+kernel.TileRows, c.last)
		values, start, _ := c.y.Block(first / matrix.BlockRows)
		for panel := range c.panels() {
			begin := time.Now()
			t := c.tile(b, values[(first-start)*c.y.Stride():], c.y.Stride(), last-first, panel)
			compute += time.Since(begin)
			begin = time.Now()
			kernel.SparseProduct(&t, c.member[first:last], z, chosen, sums, z, stride)
			multiply += time.Since(begin)
			entries += len(t.Values)
		}
		cells += (last - first) * len(c.rows)
	}
	c.rates.cell, c.rates.entry = compute.Seconds()/float64(cells), multiply.Seconds()/float64(max(entries, 1))
	return float64(entries) / float64(cells)
}

// takeRates updates the rates by what the last sweep measured.
func (c *corrections) takeRates() {
	var compute time.Duration
	var cells int64
	for _, b := range c.buffers {
		compute, cells = compute+b.compute, cells+b.cells
		b.compute, b.cells = 0, 0
	}
	if cells > 0 {
		c.rates.cell = compute.Seconds() / float64(cells)
	}
	if c.spill != nil {
		c.spill.takeRates(&c.rates)
	}
}
