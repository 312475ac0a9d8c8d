// This file holds the spill file of the corrections.

package rectify

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"anchorage/internal/aligned"
	"anchorage/internal/durable"
)

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
