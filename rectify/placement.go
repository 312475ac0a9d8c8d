// This file says where ENN keeps the corrections between applications.

package rectify

import (
	"cmp"

	"anchorage/internal/durable"
)

// CorrectionsMode says where corrections that are applied more than once are kept. It has no influence on the result.
// In every mode, corrections that are applied once are multiplied as they are computed.
type CorrectionsMode string

const (
	CorrectionsMemory    CorrectionsMode = "memory"    // in memory while there is room; the others are computed again
	CorrectionsSpill     CorrectionsMode = "spill"     // in a file, which is read for each application
	CorrectionsRecompute CorrectionsMode = "recompute" // nowhere: they are computed again for each application
)

// Corrections say where ENN keeps the corrections E while they are applied more than once. They have no influence on
// the result. The zero value is the default.
type Corrections struct {
	Mode     CorrectionsMode // CorrectionsMemory if empty
	Bytes    int64           // how much of E is held in memory, at most; 0 for DefaultCorrectionBytes
	SpillDir string          // the folder of the spill file; if empty, the system's folder for temporary files
}

// Memory returns how much of E may be held in memory, in bytes.
func (c Corrections) Memory() int64 {
	if c.Mode == CorrectionsSpill || c.Mode == CorrectionsRecompute {
		return 0
	}
	return cmp.Or(c.Bytes, DefaultCorrectionBytes)
}

// prepare decides where the tiles of the next build are kept, which is applied later times after it.
func (c *corrections) prepare(later int) error {
	c.placed = cmp.Or(c.place.Mode, CorrectionsMemory)
	if later == 0 {
		c.placed = CorrectionsRecompute
	}
	c.kept.Store(0)
	c.full.Store(false)
	if c.placed != CorrectionsMemory {
		for s := range c.stripes {
			c.stripes[s].kept = packed{}
		}
	}
	if c.placed == CorrectionsRecompute {
		for _, b := range c.buffers {
			b.packed, b.encoded = packed{}, nil
		}
	}
	if c.placed == CorrectionsSpill && c.spill == nil {
		file, err := durable.CreateSpill(c.place.SpillDir, "corrections")
		if err != nil {
			return err
		}
		c.spill = &spillFile{Spill: file}
	}
	if c.spill == nil {
		return nil
	}
	c.spill.end.Store(0)
	return c.spill.Empty()
}

// keep stores stripe s, packed in b, if there is room.
func (c *corrections) keep(s int, b *buffer) error {
	st := &c.stripes[s]
	if c.placed == CorrectionsSpill {
		part, err := c.spill.write(b)
		if err != nil {
			return err
		}
		st.place, st.spilled = CorrectionsSpill, part
		c.kept.Add(part.size)
		return nil
	}
	st.kept = b.packed.clone(st.kept)
	size := st.kept.bytes()
	if c.kept.Add(size) > c.place.Memory() {
		c.kept.Add(-size)
		c.full.Store(true)
		st.kept = packed{}
		return nil
	}
	st.place = CorrectionsMemory
	return nil
}
