// This file holds the spill file of the corrections.

package rectify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync/atomic"

	"anchorage/internal/aligned"
	"anchorage/internal/durable"
	"anchorage/sketch"
)

// SpillError says that the spill file of the corrections cannot be used.
type SpillError = sketch.SpillError

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// spilledPart is a block in the file: where it is, how many tiles, rows of tiles and entries it has, and its checksum.
type spilledPart struct {
	offset, size           int64
	tiles, counts, entries int
	sum                    uint32
}

// spillFile is a file of blocks, each with the tiles of one stripe: the numbers of packed one after the other.
// Blocks are written as they come and read in the order of the stripes.
type spillFile struct {
	path string
	file *durable.Spill
	end  atomic.Int64
}

// createSpill makes an empty spill file in a folder; an empty dir means the system's folder for temporary files.
func createSpill(dir string) (*spillFile, error) {
	file, err := durable.CreateSpill(dir, "corrections")
	if err != nil {
		return nil, &SpillError{Of: "corrections", Path: dir, Doing: "creating", Err: err}
	}
	return &spillFile{path: file.Name(), file: file}, nil
}

// empty removes all blocks and gives their place on the disk back.
func (f *spillFile) empty() error {
	f.end.Store(0)
	if err := f.file.Truncate(0); err != nil {
		return f.failed("emptying", err)
	}
	return nil
}

// close removes the file.
func (f *spillFile) close() error { return f.file.Close() }

// failed returns the error of an operation that the system refused.
func (f *spillFile) failed(what string, err error) error {
	return &SpillError{Of: "corrections", Path: f.path, Doing: what, Err: err}
}

// damaged returns the error for a block that is not what was written.
func (f *spillFile) damaged(s int, why error) error {
	return &SpillError{Of: "corrections", Path: f.path, Doing: "reading", Damaged: true,
		Err: fmt.Errorf("block of stripe %d: %w", s, why)}
}

// write appends b.packed as a block. Several goroutines may write at once.
func (f *spillFile) write(b *buffer) (spilledPart, error) {
	p := &b.packed
	b.encoded = appendBlock(b.encoded[:0], p)
	part := spilledPart{size: int64(len(b.encoded)), tiles: len(p.tiles), counts: len(p.counts), entries: len(p.values),
		sum: crc32.Checksum(b.encoded, castagnoli)}
	part.offset = f.end.Add(part.size) - part.size
	if _, err := f.file.WriteAt(b.encoded, part.offset); err != nil {
		return part, f.failed("writing", err)
	}
	return part, nil
}

// fetch reads the block of stripe s, if it has one, into b.encoded.
func (c *corrections) fetch(s int, b *buffer) error {
	st, f := &c.stripes[s], c.spill
	if st.place != CorrectionsSpill {
		return nil
	}
	b.encoded = slices.Grow(b.encoded[:0], int(st.spilled.size))[:st.spilled.size]
	n, err := f.file.ReadAt(b.encoded, st.spilled.offset)
	if n < len(b.encoded) {
		if errors.Is(err, io.EOF) {
			return f.damaged(s, fmt.Errorf("it ends after %d of %d bytes", n, len(b.encoded)))
		}
		return f.failed("reading", err)
	}
	return nil
}

// decode unpacks the block of stripe s, which fetch has read, into b.packed.
func (f *spillFile) decode(s int, part *spilledPart, b *buffer) error {
	if crc32.Checksum(b.encoded, castagnoli) != part.sum {
		return f.damaged(s, errors.New("its checksum is wrong"))
	}
	part.unpack(b.encoded, &b.packed)
	return nil
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
