// This file says where ENN keeps the corrections between applications: in memory, in a spill file, or nowhere.

package rectify

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"anchorage/internal/aligned"
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

// spilledPart is a block in the file: where it is, how many tiles, rows of tiles and entries it has, and its checksum.
type spilledPart struct {
	offset, size           int64
	tiles, counts, entries int
	sum                    uint32
}

// spillFile is a file of blocks, each with the tiles of one stripe: the numbers of packed one after the other.
// Blocks are written as they come and read in the order of the stripes.
type spillFile struct {
	*durable.Spill
	end atomic.Int64
}

// write appends b.packed as a block. Several goroutines may write at once.
func (f *spillFile) write(b *buffer) (part spilledPart, err error) {
	p := &b.packed
	b.encoded = appendBlock(b.encoded[:0], p)
	part = spilledPart{size: int64(len(b.encoded)), tiles: len(p.tiles), counts: len(p.counts), entries: len(p.values)}
	part.offset = f.end.Add(part.size) - part.size
	part.sum, err = f.Put(b.encoded, part.offset)
	return part, err
}

// fetch reads the block of stripe s, if it has one, into b.encoded.
func (c *corrections) fetch(s int, b *buffer) error {
	st := &c.stripes[s]
	if st.place != CorrectionsSpill {
		return nil
	}
	b.encoded = slices.Grow(b.encoded[:0], int(st.spilled.size))[:st.spilled.size]
	return c.spill.Get(b.encoded, st.spilled.offset, max(len(b.encoded), 1), []uint32{st.spilled.sum})
}

// appendBlock appends the numbers of p.
func appendBlock(to []byte, p *packed) []byte {
	to, _ = binary.Append(to, binary.LittleEndian, p.tiles)
	return append(append(append(to, p.counts...), p.columns...), aligned.Raw(p.values)...)
}

// unpack sets p to the numbers of a block.
func (part *spilledPart) unpack(block []byte, p *packed) {
	p.reset()
	p.tiles = slices.Grow(p.tiles, part.tiles)[:part.tiles]
	size, _ := binary.Decode(block, binary.LittleEndian, p.tiles) // the block is as long as the part says
	counts, block := block[size:][:part.counts], block[size+part.counts:]
	p.counts, p.columns = append(p.counts, counts...), append(p.columns, block[:part.entries]...)
	p.values = slices.Grow(p.values, part.entries)[:part.entries]
	copy(aligned.Raw(p.values), block[part.entries:])
}
